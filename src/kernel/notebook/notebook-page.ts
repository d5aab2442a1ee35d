import { stripVTControlCharacters } from "node:util";
import { escapeHtml } from "../../display/base/escape.js";
import { type PictureSize, pictureSize } from "../../display/base/picture-size.js";
import { LiveCharts, pagePolicy } from "../../display/chart/live-charts.js";
import { Headings, highlighted, markdownHtml, pictureData } from "./markdown.js";
import {
  joined,
  type MimeBundle,
  type MultilineText,
  type Notebook,
  type NotebookCell,
  type Output,
} from "./notebook-file.js";
import { safeHtml } from "./safe-html.js";

export interface PageOptions {
  /** Title of the page; default: that of the notebook, else its first heading. */
  readonly title?: string;
  /** Show code folded, to be opened by a click; default false. */
  readonly foldCode?: boolean;
  /** Draw charts with tooltips, by scripts in the page; default false: pictures, and a page without scripts. */
  readonly interactive?: boolean;
}

/** What the parts of a page add to it. */
interface PageParts {
  readonly headings: Headings;
  readonly foldCode: boolean;
  readonly charts?: LiveCharts;
}

/** The format of charts, beside that of their picture. */
const CHART = "application/vnd.vegalite.v5+json";

/**
 * Renders a notebook as one self-contained HTML page, light and dark: a table of contents, markdown, code and the
 * stored outputs, each in its richest safe format (table or text as HTML, image, text). Without scripts, unless charts
 * are interactive: then with those of vega and vega-lite, which the page's policy pins by their hashes.
 *
 * @throws {InputError} MissingPackage for interactive charts without vega and vega-lite
 */
export async function notebookPage(notebook: Notebook, options: PageOptions = {}): Promise<string> {
  const parts: PageParts = {
    headings: new Headings(),
    foldCode: options.foldCode ?? false,
    ...(options.interactive ? { charts: new LiveCharts() } : {}),
  };
  const body: string[] = [];
  for (const cell of notebook.cells) body.push(await cellHtml(cell, parts));
  const scripts = parts.charts?.scripts();
  const title = options.title ?? (notebook.metadata["title"] as string | undefined) ?? firstHeading(notebook);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(scripts?.policy ?? "")}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(String(title))}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
${parts.headings.html()}${body.join("\n")}
</main>
${scripts?.html ?? ""}</body>
</html>
`;
}

function firstHeading(notebook: Notebook): string {
  for (const cell of notebook.cells) {
    const heading = cell.cell_type === "markdown" ? joined(cell.source).match(/^#+\s+(.*)$/m) : null;
    if (heading !== null) return heading[1];
  }
  return "Notebook";
}

async function cellHtml(cell: NotebookCell, parts: PageParts): Promise<string> {
  if (cell.cell_type === "markdown") {
    return `<section class="markdown">\n${await markdownHtml(cell, parts.headings)}</section>`;
  }
  if (cell.cell_type !== "code")
    return `<section class="raw"><pre>${escapeHtml(joined(cell.source ?? ""))}</pre></section>`;
  const source = joined(cell.source);
  if (source.trim() === "" && !cell.outputs?.length) return "";
  const outputs: string[] = [];
  for (const output of cell.outputs ?? []) outputs.push(await outputHtml(output, parts));
  const count = Number.isInteger(cell.execution_count) ? cell.execution_count : " ";
  const code = `<pre class="code">${highlighted(source)}</pre>`;
  const shown = parts.foldCode
    ? `<details class="fold"><summary>[${count}] code</summary>\n${code}</details>`
    : `<div class="prompt">[${count}]</div>\n${code}`;
  return `<section class="cell">
${shown}
${outputs.join("\n")}
</section>`;
}

async function outputHtml(output: Output, parts: PageParts): Promise<string> {
  switch (output.output_type) {
    case "stream":
      return `<pre class="output ${output.name === "stderr" ? "stderr" : "stdout"}">${plain(output.text)}</pre>`;
    case "error":
      return errorHtml(output);
    case "display_data":
    case "execute_result":
      return `<div class="output">${await bundleHtml(output.data, parts)}</div>`;
    default:
      return "";
  }
}

function errorHtml(error: Extract<Output, { output_type: "error" }>): string {
  const head = `<strong>${escapeHtml(error.ename)}</strong>: ${escapeHtml(error.evalue)}`;
  const trace = plain([error.traceback].flat().join("\n"));
  return `<div class="output error"><p>${head}</p>${trace === "" ? "" : `<pre>${trace}</pre>`}</div>`;
}

/** Escapes stored text; removes terminal colour codes. */
function plain(text: MultilineText): string {
  return escapeHtml(stripVTControlCharacters(joined(text)));
}

async function bundleHtml(data: MimeBundle, { charts }: PageParts): Promise<string> {
  const spec = data[CHART];
  if (charts !== undefined && typeof spec === "object" && spec !== null && !Array.isArray(spec)) {
    return `<div class="chart" id="${charts.add(spec)}">${await stillHtml(data)}</div>`;
  }
  return stillHtml(data);
}

/** The richest format that needs no script. */
async function stillHtml(data: MimeBundle): Promise<string> {
  const html = data["text/html"];
  if (html !== undefined) return safeHtml(joined(html as MultilineText));
  const drawing = data["image/svg+xml"];
  // An SVG in an <img> cannot run its scripts.
  if (drawing !== undefined)
    return picture(`data:image/svg+xml;base64,${base64(joined(drawing as MultilineText))}`, data);
  const raster = pictureData(data);
  if (raster !== undefined) return picture(raster, data, pictureSize(raster.slice(raster.indexOf(",") + 1)));
  const markdown = data["text/markdown"];
  if (markdown !== undefined) return markdownHtml({ source: markdown as MultilineText });
  const text = data["text/latex"] ?? data["text/plain"];
  if (text !== undefined) return `<pre>${plain(text as MultilineText)}</pre>`;
  return `<p class="unseen">${escapeHtml(Object.keys(data).join(", "))}: not shown here</p>`;
}

/** A picture; a chart has a class, because its colours may be inverted on a dark page. */
function picture(address: string, data: MimeBundle, size?: PictureSize): string {
  const text = data["text/plain"];
  const name = text === undefined ? "" : stripVTControlCharacters(joined(text as MultilineText)).slice(0, 300);
  const sides = size === undefined ? "" : ` width="${size.width}" height="${size.height}"`;
  const image = `<img src="${address}"${sides} alt="${escapeHtml(name)}">`;
  return CHART in data ? `<div class="chart">${image}</div>` : image;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** The style of an exported page, for light and dark mode, print and small screens. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --paper: #ffffff; --shade: #f5f7f9;
  --accent: #1a62c6; --bad: #b3261e; --text: #0b6e4f; --number: #8a4b00; --word: #6b3fa0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --line: #343c47; --paper: #14181d;
  --shade: #1c2229; --accent: #7db1ff; --bad: #ff8a80; --text: #7fd6b0; --number: #f0b26b; --word: #c7a6f5; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, "Segoe UI", "Helvetica Neue", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .6rem; }
h1 { font-size: 1.9rem; margin-top: 0; }
h2 { font-size: 1.35rem; }
a { color: var(--accent); }
pre, code, kbd, samp { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .86rem; }
pre { margin: 0; overflow-x: auto; line-height: 1.5; }
.markdown code { background: var(--shade); padding: .1em .3em; border-radius: 4px; }
.markdown pre { margin: .8rem 0; }
.markdown img, .output img { max-width: 100%; height: auto; }
.cell { margin: 1.4rem 0; }
.chart svg { max-width: 100%; height: auto; }
nav { border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem; margin: 0 0 1.6rem; font-size: .92rem; }
nav ul { list-style: none; margin: .4rem 0 0; padding: 0; }
nav .level3 { padding-left: 1.2rem; }
summary { cursor: pointer; color: var(--soft); }
.fold > summary { font: .72rem/1.6 ui-monospace, monospace; }
.prompt { color: var(--soft); font: .72rem/1.6 ui-monospace, monospace; }
pre.code { background: var(--shade); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; }
.output { margin: .6rem 0 0; overflow-x: auto; padding: 0 .1rem; }
.output img { display: block; background: #fff; border-radius: 6px; }
@media (prefers-color-scheme: dark) { .chart img { filter: invert(1) hue-rotate(180deg); mix-blend-mode: screen; border-radius: 0; } }
.output td img, .output th img { display: inline; background: none; }
pre.output { padding: .2rem 1rem; }
.stderr { border-left: 3px solid var(--bad); color: var(--bad); }
.error { border-left: 3px solid var(--bad); padding: .3rem 1rem; }
.error p { color: var(--bad); margin: 0 0 .4rem; }
.unseen, small { color: var(--soft); }
table { border-collapse: collapse; border: 0; font-size: .86rem; font-variant-numeric: tabular-nums; margin: .3rem 0; }
th, td { border: 0; border-bottom: 1px solid var(--line); padding: .28rem .75rem; text-align: inherit; white-space: nowrap; }
.dataframe th, .dataframe td { text-align: right; }
thead th { border-bottom: 2px solid var(--line); }
tbody tr:hover { background: var(--shade); }
.comment { color: var(--soft); font-style: italic; }
.text { color: var(--text); }
.number { color: var(--number); }
.keyword { color: var(--word); }
@media print { .cell { break-inside: avoid; } }
`;
