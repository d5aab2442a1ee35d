import { DataType, Field, Schema, type Table, type Vector } from "../../columns/arrow/arrow.js";
import { columnsOf, TYPE_KEY } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import { cellText } from "../../columns/arrow/vector-values.js";
import { tableOfVectors } from "../../columns/table/of-vectors.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { grouped, groupedNumber, shortNumber, sizeText } from "../base/number-text.js";

/** Limits of a rendered table; a longer one shows its head and tail, or its first and last columns. */
export interface TableOptions {
  readonly source?: FrameSource;
  /** Tables of up to this many rows are shown in full; longer ones show the first and last rows. Default 20. */
  readonly maxRows?: number;
  /** The most columns shown; of more, the first and the last. Default 20. */
  readonly maxColumns?: number;
  /** Characters of a cell that are shown; the full text is the cell's title. Default 60. */
  readonly maxText?: number;
  /** `short`, the default, rounds doubles of more than 10 significant digits to 6; the cell's title has them all. */
  readonly digits?: "short" | "full";
  /** Separates the thousands of numbers by commas: `1,234,567.89`. Default false. */
  readonly thousands?: boolean;
  /** Number columns drawn as sparklines below the header, by name. */
  readonly sparklines?: readonly string[];
}

export interface ViewCell {
  /** The full text as the service writes it; undefined for null. */
  readonly text: string | null;
  /** For numbers without a fixed scale: the number of missing digits after the point, for alignment. */
  readonly missing: number;
  /** A number with all its digits where `text` is rounded. */
  readonly full?: string;
}

export interface ViewColumn {
  readonly name: string;
  readonly type: string;
  readonly arrowType: string;
  readonly numeric: boolean;
  readonly cells: readonly ViewCell[];
}

/** The part of a table that is shown, independent of HTML or text. */
export interface View {
  readonly columns: readonly ViewColumn[];
  /** Numbers of the shown rows, from 0. */
  readonly rows: readonly number[];
  /** How many of `rows` precede the gap; all if there is no gap. */
  readonly head: number;
  /** Columns before the gap, likewise. */
  readonly left: number;
  readonly numRows: number;
  readonly numColumns: number;
  /** Bytes of the buffers; undefined where the rows are not in Arrow buffers. */
  readonly bytes?: number;
}

/**
 * Selects what a table shows. Reads the shown rows only, so that its cost does not grow with the table; `headShare` 1
 * shows no tail.
 */
export function viewOf(table: Table, options: TableOptions = {}, headShare = HEAD_SHARE): View {
  const numRows = table.numRows;
  const numColumns = table.schema.fields.length;
  const { rows, head, shown, left } = viewPositions(numRows, numColumns, options, headShare);
  const specs = columnsOf(table.schema);
  const columns = shown.map((index) => {
    const vector = table.getChildAt(index) as Vector;
    const field = table.schema.fields[index];
    return columnView(field.name, specs[index].type, vector, rows, options);
  });
  return { columns, rows, head, left, numRows, numColumns, bytes: byteLength(table) };
}

export function columnTable(name: string, type: string, vector: Vector): Table {
  const field = new Field(name, vector.type, true, new Map([[TYPE_KEY, type]]));
  return tableOfVectors(new Schema([field]), [vector], vector.length);
}

/** Share of the shown rows that precede the gap. */
const HEAD_SHARE = 2 / 3;

/** The shown rows and columns, and how many of each precede the gap. */
export function viewPositions(numRows: number, numColumns: number, options: TableOptions, headShare = HEAD_SHARE) {
  const [rows, head] = ends(numRows, options.maxRows ?? 20, headShare);
  const [shown, left] = ends(numColumns, options.maxColumns ?? 20, 1 / 2);
  return { rows, head, shown, left };
}

/** The shown positions of `count`, and how many of them precede the gap. */
function ends(count: number, limit: number, share: number): [number[], number] {
  if (count <= limit) return [Array.from({ length: count }, (_, i) => i), count];
  const head = Math.max(1, Math.ceil(limit * share));
  const tail = Math.max(0, limit - head);
  const positions = Array.from({ length: head + tail }, (_, i) => (i < head ? i : count - tail + i - head));
  return [positions, head];
}

function columnView(
  name: string,
  type: string,
  vector: Vector,
  rows: readonly number[],
  options: TableOptions,
): ViewColumn {
  const arrow = vector.type as DataType;
  const texts = rows.map((row) => cellText(vector, row));
  const numeric = columnType(arrow).scale === "number";
  const separated = numeric ? separatedTexts(texts, options) : texts;
  const cells = DataType.isFloat(arrow) ? inLine(texts, options) : separated.map((text) => ({ text, missing: 0 }));
  return { name, type, arrowType: String(arrow), numeric, cells };
}

/** Numbers of any scale, each with the number of digits it lacks after the point. */
export function inLine(full: readonly (string | null)[], options: TableOptions): ViewCell[] {
  const texts = options.digits === "full" ? full : full.map((text) => (text === null ? null : shortNumber(text)));
  const separated = separatedTexts(texts, options);
  const places = texts.map(placesOf);
  const most = Math.max(0, ...places.map((place) => place ?? 0));
  return texts.map((text, i) => {
    const missing = places[i] === undefined ? 0 : most - (places[i] as number);
    return { text: separated[i], missing, ...(text !== full[i] && { full: full[i] ?? "" }) };
  });
}

function separatedTexts(texts: readonly (string | null)[], { thousands }: TableOptions): readonly (string | null)[] {
  return thousands ? texts.map((text) => text && groupedNumber(text)) : texts;
}

/** The point and the digits after it; undefined for text that is not aligned (null, exponents, NaN). */
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
