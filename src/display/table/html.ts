import type { Table } from "../../columns/arrow/arrow.js";
import { escapeHtml } from "../base/escape.js";
import { sourceParts } from "../base/source-parts.js";
import { sparklineImage } from "../base/sparkline.js";
import { cutTo } from "../base/width.js";
import { shapeText, type TableOptions, type View, type ViewCell, type ViewColumn, viewOf } from "./view.js";

/** Length of the full text in a cell's title, in characters. */
const LONGEST_TITLE = 2_000;
const LEFT = ' style="text-align:left"';
const FAINT = ' style="opacity:0.6"';

/**
 * Renders a table as HTML: names, a row of types, head … tail, exact decimals aligned at the point, ISO dates, visible
 * nulls, the shape and the source. Uses `class="dataframe"` without a style block, so that the notebook's theme, dark
 * or light, applies; works without inline styles too. All foreign text is escaped.
 */
export function htmlTable(table: Table, options: TableOptions = {}): string {
  const pictures = new Map(options.sparklines?.map((name) => [name, sparklineImage(table, name)]));
  return htmlOfView(viewOf(table, options), options, pictures, table);
}

/** As {@link htmlTable}, for a view; `pictures` are shown below the types, by column name. */
export function htmlOfView(
  view: View,
  options: TableOptions,
  pictures: ReadonlyMap<string, string> = new Map(),
  table?: Table,
): string {
  const parts = [
    heading(options),
    '<table border="1" class="dataframe">',
    `<thead>${headRows(view)}${pictureRow(view, pictures)}</thead>`,
    `<tbody>${bodyRows(view, options.maxText ?? 60)}</tbody>`,
    "</table>",
    `<p><small>${escapeHtml([shapeText(view), ...sourceParts(options.source, table)].join(" · "))}</small></p>`,
  ];
  return `<div>${parts.join("\n")}</div>`;
}

function heading({ source }: TableOptions): string {
  if (source?.name === undefined && source?.description === undefined) return "";
  const name = source.name === undefined ? "" : `<strong>${escapeHtml(cutTo(source.name, 200))}</strong>`;
  const more = source.description === undefined ? "" : `<br><small>${longText(source.description, 300)}</small>`;
  return `<p>${name}${more}</p>`;
}

function longText(text: string, limit: number): string {
  const cut = cutTo(text, limit);
  return cut === text ? escapeHtml(text) : `<span title="${title(text)}">${escapeHtml(cut)}</span>`;
}

const title = (text: string): string =>
  escapeHtml(text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE)}…` : text);

/** One HTML row; `gap` marks hidden columns. */
function row(view: View, first: string, cell: (column: ViewColumn) => string, gap: string): string {
  const cells = view.columns.map(cell);
  if (hiddenColumns(view) > 0) cells.splice(view.left, 0, gap);
  return `<tr><th>${first}</th>${cells.join("")}</tr>`;
}

const hiddenColumns = (view: View): number => view.numColumns - view.columns.length;

function headRows(view: View): string {
  const hidden = hiddenColumns(view);
  const names = row(
    view,
    "",
    ({ name, numeric }) => `<th${numeric ? "" : LEFT}>${longText(name, 60)}</th>`,
    `<th title="${hidden} more columns">… ${hidden} more</th>`,
  );
  const types = row(
    view,
    "",
    ({ type, arrowType, numeric }) =>
      `<th${numeric ? "" : LEFT} title="${escapeHtml(arrowType)}"><small>${escapeHtml(cutTo(type, 60))}</small></th>`,
    "<th></th>",
  );
  return names + types;
}

function pictureRow(view: View, pictures: ReadonlyMap<string, string>): string {
  if (pictures.size === 0) return "";
  return row(view, "", ({ name }) => `<th>${pictures.get(name) ?? ""}</th>`, "<th></th>");
}

function bodyRows(view: View, maxText: number): string {
  const rows: string[] = [];
  for (const [i, number] of view.rows.entries()) {
    if (i === view.head) rows.push(gapRow(view));
    rows.push(row(view, String(number), (column) => bodyCell(column, column.cells[i], maxText), "<td>…</td>"));
  }
  if (view.head === view.rows.length && view.numRows > view.rows.length) rows.push(gapRow(view));
  return rows.join("\n");
}

const gapRow = (view: View): string =>
  row(view, "…", ({ numeric }) => `<td${numeric ? "" : LEFT}>…</td>`, "<td>…</td>");

/**
 * Missing digits after the point are padded with spaces of a digit's width, so that the points of right-aligned cells
 * line up.
 */
function bodyCell({ numeric }: ViewColumn, { text, missing, full }: ViewCell, maxText: number): string {
  const align = numeric ? "" : LEFT;
  if (text === null) return `<td${align}><em${FAINT}>null</em></td>`;
  if (text === "") return `<td${align}><em${FAINT}>empty</em></td>`;
  const whole = full === undefined ? "" : ` title="${title(full)}"`;
  if (numeric) return `<td${whole}>${escapeHtml(text)}${"\u2007".repeat(missing)}</td>`;
  const cut = cutTo(text, maxText);
  if (cut === text) return `<td${align}>${escapeHtml(text)}</td>`;
  return `<td${align} title="${title(text)}">${escapeHtml(cut)}</td>`;
}
