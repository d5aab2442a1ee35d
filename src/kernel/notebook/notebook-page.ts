import { stripVTControlCharacters } from "node:util";
import { escapeHtml } from "../../display/base/escape.js";
import { type PictureSize, pictureSize } from "../../display/base/picture-size.js";
import { highlighted } from "./highlight.js";
import { LiveCharts } from "./live-charts.js";
import { Headings, markdownHtml, pictureData } from "./markdown.js";
import {
  joined,
  type MimeBundle,
  type MultilineText,
  type Notebook,
  type NotebookCell,
  type Output,
} from "./notebook-file.js";
import { PAGE_STYLE } from "./page-style.js";
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
 * Nothing on the page may load or send data, or run, whatever the notebook contains; of scripts only those with these
 * hashes.
 */
function policyOf(scripts: string): string {
  const allowed = scripts === "" ? "" : ` script-src ${scripts};`;
  return `default-src 'none'; img-src data:; style-src 'unsafe-inline';${allowed} base-uri 'none'; form-action 'none'`;
}

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
<meta http-equiv="Content-Security-Policy" content="${policyOf(scripts?.policy ?? "")}">
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
