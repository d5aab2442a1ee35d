import { DataType, type Table, type Vector } from "../../columns/arrow/arrow.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { cellText } from "../../columns/arrow/vector-values.js";
import type { FrameSource } from "../../spec/frame-source.js";

/** What a table shows at most; whatever is longer shows its head and its tail, or its first and last columns. */
export interface TableOptions {
  readonly source?: FrameSource;
  /** Up to this many rows show whole; beyond it, the first and the last. Default 20. */
  readonly maxRows?: number;
  /** Up to this many columns show; beyond it, the first and the last. Default 20. */
  readonly maxColumns?: number;
  /** Characters of a cell that show; the whole text stands in the cell's title. Default 60. */
  readonly maxText?: number;
  /** Columns of numbers drawn small under the table's head, by name. */
  readonly sparklines?: readonly string[];
}

/** One cell ready to show. */
export interface ViewCell {
  /** The whole text as the service writes it; nothing for null. */
  readonly text: string | null;
  /** For numbers without a fixed number of fraction digits: places missing behind the point so that points stand in line. */
  readonly missing: number;
}

/** One column of a view. */
export interface ViewColumn {
  readonly name: string;
  readonly type: string;
  readonly arrowType: string;
  readonly numeric: boolean;
  readonly cells: readonly ViewCell[];
}

/** The part of a table that shows, independent of HTML or text. */
export interface View {
  readonly columns: readonly ViewColumn[];
  /** Row numbers that show, from 0. */
  readonly rows: readonly number[];
  /** How many of `rows` stand before the gap; equal to their number where there is none. */
  readonly head: number;
  /** Columns before the gap, likewise. */
  readonly left: number;
  readonly numRows: number;
  readonly numColumns: number;
  /** Bytes of the buffers; nothing where the rows are not in Arrow buffers. */
  readonly bytes?: number;
}

/** Picks what shows of a table. Touches the shown rows only, so that its cost does not grow with the table; `headShare` 1 shows no tail. */
export function viewOf(table: Table, options: TableOptions = {}, headShare = HEAD_SHARE): View {
  const numRows = table.numRows;
  const numColumns = table.schema.fields.length;
  const { rows, head, shown, left } = viewPositions(numRows, numColumns, options, headShare);
  const specs = columnsOf(table.schema);
  const columns = shown.map((index) => {
    const vector = table.getChildAt(index) as Vector;
    const field = table.schema.fields[index];
    return columnView(field.name, specs[index].type, vector, rows);
  });
  return { columns, rows, head, left, numRows, numColumns, bytes: byteLength(table) };
}

/** Share of the shown rows that stand before the gap. */
const HEAD_SHARE = 2 / 3;

/** The rows and columns that show, and how many of each stand before the gap. */
export function viewPositions(numRows: number, numColumns: number, options: TableOptions, headShare = HEAD_SHARE) {
  const [rows, head] = ends(numRows, options.maxRows ?? 20, headShare);
  const [shown, left] = ends(numColumns, options.maxColumns ?? 20, 1 / 2);
  return { rows, head, shown, left };
}

/** The shown positions of `count`, and how many of them stand before the gap. */
function ends(count: number, limit: number, share: number): [number[], number] {
  if (count <= limit) return [Array.from({ length: count }, (_, i) => i), count];
  const head = Math.max(1, Math.ceil(limit * share));
  const tail = Math.max(0, limit - head);
  const positions = Array.from({ length: head + tail }, (_, i) => (i < head ? i : count - tail + i - head));
  return [positions, head];
}

function columnView(name: string, type: string, vector: Vector, rows: readonly number[]): ViewColumn {
  const arrow = vector.type as DataType;
  const texts = rows.map((row) => cellText(vector, row));
  const numeric = DataType.isDecimal(arrow) || DataType.isFloat(arrow) || DataType.isInt(arrow);
  const cells = DataType.isFloat(arrow) ? inLine(texts) : texts.map((text) => ({ text, missing: 0 }));
  return { name, type, arrowType: String(arrow), numeric, cells };
}

/** Numbers of any number of fraction digits, with what is missing behind each so that the points stand in line. */
export function inLine(texts: readonly (string | null)[]): ViewCell[] {
  const places = texts.map(placesOf);
  const most = Math.max(0, ...places.map((place) => place ?? 0));
  return texts.map((text, i) => ({ text, missing: places[i] === undefined ? 0 : most - (places[i] as number) }));
}

/** The point and the digits behind it; nothing for what has no place in line (null, exponents, NaN). */
function placesOf(text: string | null): number | undefined {
  if (text === null || !/^-?\d+(\.\d+)?$/.test(text)) return undefined;
  const point = text.indexOf(".");
  return point === -1 ? 0 : text.length - point;
}

/** Bytes of the buffers of a table; a dictionary that several batches share counts once. */
export function byteLength(table: Table): number {
  let bytes = 0;
  const dictionaries = new Set<unknown>();
  for (const batch of table.batches) {
    for (const child of batch.data.children) {
      bytes += child.byteLength;
      for (const part of child.dictionary?.data ?? []) {
        if (dictionaries.has(part)) continue;
        dictionaries.add(part);
        bytes += part.byteLength;
      }
    }
  }
  return bytes;
}

/** `30,180 rows × 8 columns · 2.4 MB`. */
export function shapeText({ numRows, numColumns, bytes }: View): string {
  const rows = `${grouped(numRows)} row${numRows === 1 ? "" : "s"}`;
  const columns = `${numColumns} column${numColumns === 1 ? "" : "s"}`;
  return `${rows} × ${columns}${bytes === undefined ? "" : ` · ${sizeText(bytes)}`}`;
}

/** A count with commas: `30,180`. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** A number of bytes for people: `812 B`, `2.4 MB` (steps of 1,000). */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}
