import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { missingPackage } from "../../errors/errors.js";
import { builtin } from "../../package/builtin.js";
import { base64Text, utf8Bytes } from "../../platform/node/bytes.js";
import { escapeHtml, escapeJson } from "../base/escape.js";
import type { ChartSpec } from "./options.js";
import { inPageColors } from "./page-colors.js";

/**
 * Nothing on the page may load or send data, or run, whatever it contains; of scripts only those with these
 * hashes.
 */
export function pagePolicy(scripts: string): string {
  const allowed = scripts === "" ? "" : ` script-src ${scripts};`;
  return `default-src 'none'; img-src data:; style-src 'unsafe-inline';${allowed} base-uri 'none'; form-action 'none'`;
}

/**
 * Draws each chart beside its picture and replaces the picture if that succeeds. Runs in the page; the libraries cannot
 * load anything, because the page's policy forbids it.
 */
const DRAW = `for (const [id, spec] of JSON.parse(document.getElementById("charts").textContent)) {
  const place = document.getElementById(id);
  const drawing = document.createElement("div");
  try {
    const view = new vega.View(vega.parse(vegaLite.compile(spec).spec), { renderer: "svg", hover: true });
    view.initialize(drawing).runAsync().then(() => place.replaceChildren(drawing), () => undefined);
  } catch {
    // The picture remains.
  }
}`;

/** The charts of a page that are drawn again, with tooltips, where its scripts may run. */
export class LiveCharts {
  readonly #charts: [id: string, spec: object][] = [];

  /** Adds a Vega-Lite specification; returns the id of the element whose picture it replaces. */
  add(spec: object): string {
    const id = `chart-${this.#charts.length + 1}`;
    this.#charts.push([id, inPageColors(spec as ChartSpec)]);
    return id;
  }

  /**
   * Inline scripts, and the source expressions by which the page's policy (`script-src`) allows exactly these; empty
   * without charts.
   *
   * @throws {InputError} MissingPackage if vega or vega-lite is not installed
   */
  scripts(): { readonly html: string; readonly policy: string } {
    if (this.#charts.length === 0) return { html: "", policy: "" };
    const scripts = [library("vega"), library("vega-lite"), DRAW];
    const data = `<script type="application/json" id="charts">${escapeJson(this.#charts)}</script>`;
    const html = [data, ...scripts.map((text) => `<script>${text}</script>`)].join("\n");
    const hashes = scripts.map(
      (text) => `'sha256-${builtin("node:crypto").createHash("sha256").update(text).digest("base64")}'`,
    );
    // Vega compiles its expressions to functions.
    return { html, policy: ["'unsafe-eval'", ...hashes].join(" ") };
  }
}

/** The browser build of an installed package, as one script. */
function library(name: "vega" | "vega-lite"): string {
  try {
    const main = createRequire(import.meta.url).resolve(name);
    const text = readFileSync(join(dirname(main), `${name}.min.js`), "utf8");
    // Browsers normalize line ends before they compute the hash.
    return text.replaceAll("\r\n", "\n").replaceAll("</script", "<\\/script");
  } catch (cause) {
    throw missingPackage(`Interactive charts require the package ${name}.`, "vega@5 vega-lite@5", cause);
  }
}

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 1.5rem; background: #fff; color: #1c2430; font-family: system-ui, "Segoe UI", "Helvetica Neue", sans-serif; }
@media (prefers-color-scheme: dark) { body { background: #14181d; color: #e4e8ee; } img { filter: invert(1) hue-rotate(180deg); } }
svg, img { max-width: 100%; height: auto; }
`;

/**
 * A chart as one self-contained page, light and dark: its picture, and over it the interactive chart where scripts may
 * run. The page cannot load or send anything.
 *
 * @throws {InputError} MissingPackage
 */
export function chartPage(title: string, spec: ChartSpec, svg: string): string {
  const charts = new LiveCharts();
  const id = charts.add(spec);
  const scripts = charts.scripts();
  const picture = `data:image/svg+xml;base64,${base64Text(utf8Bytes(svg))}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(scripts.policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<div class="chart" id="${id}"><img src="${picture}" alt="${escapeHtml(title)}"></div>
${scripts.html}
</body>
</html>
`;
}
