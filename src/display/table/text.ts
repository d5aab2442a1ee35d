import type { Table } from "../../columns/arrow/arrow.js";
import { plainLine } from "../base/escape.js";
import { bold, faint, type Paint } from "../base/paint.js";
import { NOTEBOOK_WIDTH } from "../base/show.js";
import { sourceParts } from "../base/source-parts.js";
import { cutTo, pad, widthOf } from "../base/width.js";
import { shapeText, type TableOptions, type View, type ViewColumn, viewOf } from "./view.js";

export interface TextOptions extends TableOptions {
  /** Terminal columns; table columns that do not fit are hidden and counted. Default 120. */
  readonly width?: number;
  /** The header bold, types and source faint, for terminals with colours. Default false. */
  readonly colors?: boolean;
}

/** A column as lines of text, all of one width. */
interface Strip {
  readonly lines: readonly string[];
  readonly width: number;
}

/**
 * Renders a table as aligned plain text, as {@link htmlTable} does for HTML; no ANSI or control character of the data
 * reaches the terminal.
 */
export function textTable(table: Table, options: TextOptions = {}): string {
  return textOfView(viewOf(table, options), options, table);
}

/** {@link textTable} of a view; `table` has the rows, of which the view shows some. */
export function textOfView(view: View, options: TextOptions = {}, table?: Table): string {
  const numbers = strip(["", "", ...gapped(view, view.rows.map(String), "…")], false);
  const strips = view.columns.map((column) => columnStrip(view, column, options.maxText ?? 40));
  const hidden = view.numColumns - view.columns.length;
  const shown = fitting(numbers, strips, view.left, hidden, options.width ?? NOTEBOOK_WIDTH);
  const lines = numbers.lines.map((_, i) =>
    [numbers, ...shown]
      .map(({ lines }) => lines[i])
      .join("  ")
      .trimEnd(),
  );
  const source = options.source;
  const width = options.width ?? NOTEBOOK_WIDTH;
  const [heavy, light] = options.colors ? [bold, faint] : [plain, plain];
  lines[0] = heavy(lines[0]);
  lines[1] = light(lines[1]);
  if (source?.name !== undefined) lines.unshift(heavy(cutTo(plainLine(source.name), width)));
  const footer = [shapeText(view), ...sourceParts(source, table)].map(plainLine);
  lines.push(...filled(footer, width).map(light));
  return lines.join("\n");
}

const plain: Paint = (text) => text;

/** The parts of the footer in lines of at most `width` columns; a part that is longer is cut. */
function filled(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = last === undefined ? part : `${last} · ${part}`;
    if (last !== undefined && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(cutTo(part, width));
  }
  return lines;
}

function columnStrip(view: View, column: ViewColumn, maxText: number): Strip {
  const cells = column.cells.map(({ text, missing }) => {
    if (text === null) return "null";
    return column.numeric ? text + " ".repeat(missing) : cutTo(plainLine(text.slice(0, 16 * maxText)), maxText);
  });
  const head = [column.name, column.type].map((text) => cutTo(plainLine(text.slice(0, 16 * maxText)), maxText));
  return strip([...head, ...gapped(view, cells, "…")], column.numeric);
}

/** The lines with `gap` in place of hidden rows. */
function gapped(view: View, lines: readonly string[], gap: string): string[] {
  if (view.numRows === view.rows.length) return [...lines];
  return [...lines.slice(0, view.head), gap, ...lines.slice(view.head)];
}

function strip(lines: readonly string[], right: boolean): Strip {
  const width = Math.max(...lines.map(widthOf));
  return { lines: lines.map((line) => pad(line, width, right)), width };
}

/** The strips that fit, with one that counts the hidden columns: the middle is hidden first, then the right end. */
function fitting(numbers: Strip, strips: readonly Strip[], left: number, hidden: number, width: number): Strip[] {
  const before = strips.slice(0, left);
  const after = strips.slice(left);
  let folded = hidden;
  const total = (): number =>
    [numbers, ...before, ...after].reduce((sum, { width }) => sum + width + 2, -2) + (folded > 0 ? 12 : 0);
  while (total() > width && before.length + after.length > 1) {
    if (before.length >= after.length) before.pop();
    else after.shift();
    folded++;
  }
  if (folded === 0) return [...before, ...after];
  return [...before, strip([`… ${folded} more`, ...numbers.lines.slice(1).map(() => "…")], false), ...after];
}
