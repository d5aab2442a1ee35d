import { stripVTControlCharacters } from "node:util";
import { escapeHtml } from "../../display/base/escape.js";
import { highlighted } from "./highlight.js";
import { markdownHtml, pictureData } from "./markdown.js";
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

/** What {@link notebookPage} takes. */
export interface PageOptions {
  /** Title of the page; default: the notebook's own, else its first heading. */
  readonly title?: string;
}

/** Nothing of the page may run, load from elsewhere or be sent anywhere, whatever a notebook holds. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * A notebook as one self-contained HTML page, light and dark, without scripts: markdown, code and the stored outputs,
 * each in its richest form that is safe (table or text as HTML, picture, text).
 */
export async function notebookPage(notebook: Notebook, options: PageOptions = {}): Promise<string> {
  const body: string[] = [];
  for (const cell of notebook.cells) body.push(await cellHtml(cell));
  const title = options.title ?? (notebook.metadata["title"] as string | undefined) ?? firstHeading(notebook);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(String(title))}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
${body.join("\n")}
</main>
</body>
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

async function cellHtml(cell: NotebookCell): Promise<string> {
  if (cell.cell_type === "markdown") return `<section class="markdown">\n${await markdownHtml(cell)}</section>`;
  if (cell.cell_type !== "code")
    return `<section class="raw"><pre>${escapeHtml(joined(cell.source ?? ""))}</pre></section>`;
  const source = joined(cell.source);
  if (source.trim() === "" && !cell.outputs?.length) return "";
  const outputs: string[] = [];
  for (const output of cell.outputs ?? []) outputs.push(await outputHtml(output));
  const count = Number.isInteger(cell.execution_count) ? cell.execution_count : " ";
  return `<section class="cell">
<div class="prompt">[${count}]</div>
<pre class="code">${highlighted(source)}</pre>
${outputs.join("\n")}
</section>`;
}

async function outputHtml(output: Output): Promise<string> {
  switch (output.output_type) {
    case "stream":
      return `<pre class="output ${output.name === "stderr" ? "stderr" : "stdout"}">${plain(output.text)}</pre>`;
    case "error":
      return errorHtml(output);
    case "display_data":
    case "execute_result":
      return `<div class="output">${await bundleHtml(output.data)}</div>`;
    default:
      return "";
  }
}

function errorHtml(error: Extract<Output, { output_type: "error" }>): string {
  const head = `<strong>${escapeHtml(error.ename)}</strong>: ${escapeHtml(error.evalue)}`;
  const trace = plain([error.traceback].flat().join("\n"));
  return `<div class="output error"><p>${head}</p>${trace === "" ? "" : `<pre>${trace}</pre>`}</div>`;
}

/** Stored text, escaped; colour codes of terminals are removed. */
function plain(text: MultilineText): string {
  return escapeHtml(stripVTControlCharacters(joined(text)));
}

async function bundleHtml(data: MimeBundle): Promise<string> {
  const html = data["text/html"];
  if (html !== undefined) return safeHtml(joined(html as MultilineText));
  const drawing = data["image/svg+xml"];
  // An SVG shown as a picture cannot run its scripts.
  if (drawing !== undefined)
    return picture(`data:image/svg+xml;base64,${base64(joined(drawing as MultilineText))}`, data);
  const raster = pictureData(data);
  if (raster !== undefined) return picture(raster, data);
  const markdown = data["text/markdown"];
  if (markdown !== undefined) return markdownHtml({ source: markdown as MultilineText });
  const text = data["text/latex"] ?? data["text/plain"];
  if (text !== undefined) return `<pre>${plain(text as MultilineText)}</pre>`;
  return `<p class="unseen">${escapeHtml(Object.keys(data).join(", "))}: not shown here</p>`;
}

function picture(address: string, data: MimeBundle): string {
  const text = data["text/plain"];
  const name = text === undefined ? "" : stripVTControlCharacters(joined(text as MultilineText)).slice(0, 300);
  return `<img src="${address}" alt="${escapeHtml(name)}">`;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
