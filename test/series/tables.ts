import {
  DateDay,
  Dictionary,
  Field,
  Int32,
  makeData,
  type RecordBatch,
  Table,
  Utf8,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { fieldOf } from "../../src/columns/arrow/schema.js";
import type { Cell } from "../../src/columns/arrow/typed-readers.js";
import { cellAt, cellText } from "../../src/columns/arrow/vector-values.js";
import { exactColumn } from "../../src/series/core/exact.js";
import { type Column, doubleColumn } from "../../src/series/core/numbers.js";
import { tableOf } from "../../src/series/core/tables.js";
import { parseType } from "../../src/spec/columns.js";
import { parseDate } from "../../src/value/date.js";

type Values = readonly (string | number | bigint | null)[];

/** A column of a service type from plain values: dates and decimals as text. */
export function columnOf(name: string, type: string, values: Values): Column {
  const { kind, precision = 0, scale = 0 } = parseType(type);
  const field = fieldOf({ name, type });
  if (kind === "double")
    return doubleColumn(
      field,
      Float64Array.from(values, (v) => (v === null ? Number.NaN : Number(v))),
    );
  if (kind === "date") return { field, data: daysData(values) };
  if (kind === "integer") {
    const units = values.map((v) => (v === null ? null : BigInt(v)));
    return exactColumn(field, units, { scale: undefined, precision: 19 });
  }
  if (kind === "decimal") {
    const units = values.map((v) => (v === null ? null : unitsOf(String(v), scale)));
    return exactColumn(field, units, { scale, precision });
  }
  const vector = vectorFromArray(values as (string | null)[], new Dictionary(new Utf8(), new Int32()));
  return { field: new Field(name, vector.type, true, field.metadata), data: vector.data[0] };
}

function daysData(values: Values) {
  const data = Int32Array.from(values, (v) => (v === null ? 0 : typeof v === "number" ? v : parseDate(String(v))));
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  for (let i = 0; i < values.length; i++) if (values[i] !== null) nullBitmap[i >> 3] |= 1 << (i & 7);
  return makeData({ type: new DateDay(), length: values.length, data, nullBitmap });
}

function unitsOf(text: string, scale: number): bigint {
  const [whole, fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(scale, "0"));
}

/** A table from columns: `{ Date: ["Date", [...]], Close: ["double", [...]] }`. */
export function tableFrom(columns: Record<string, readonly [type: string, values: Values]>): Table {
  const made = Object.entries(columns).map(([name, [type, values]]) => columnOf(name, type, values));
  return tableOf(made, made[0]?.data.length ?? 0);
}

/** One series of doubles: rows of a date and its values. */
export function seriesOf(
  rows: readonly (readonly [string, ...(number | null)[]])[],
  width = rows[0]?.length ?? 1,
): Table {
  const columns: Record<string, readonly [string, Values]> = { Date: ["Date", rows.map(([date]) => date)] };
  for (let c = 1; c < width; c++) columns[`v${c}`] = ["double", rows.map((row) => row[c] as number | null)];
  return tableFrom(columns);
}

/** Every row as cells. */
export function cellsOf(table: Table): Cell[][] {
  const columns = table.schema.fields.map((_, at) => table.getChildAt(at));
  return Array.from({ length: table.numRows }, (_, row) => columns.map((vector) => vector && cellAt(vector, row)));
}

/** Every row as exact texts. */
export function textsOf(table: Table): (string | null)[][] {
  const columns = table.schema.fields.map((_, at) => table.getChildAt(at));
  return Array.from({ length: table.numRows }, (_, row) => columns.map((vector) => vector && cellText(vector, row)));
}

/** One column's cells. */
export function cellsIn(table: Table, name: string): Cell[] {
  const vector = table.getChild(name);
  if (vector === null) throw new Error(`no column ${name}`);
  return Array.from({ length: table.numRows }, (_, row) => cellAt(vector, row));
}

/** Column names in order. */
export function namesOf(table: Table): string[] {
  return table.schema.fields.map((field) => field.name);
}

/** The same rows cut into batches of `size` rows, as slices of the buffers. */
export function inBatches(table: Table, size: number): Table {
  const batches: RecordBatch[] = [];
  for (const batch of table.batches) {
    for (let at = 0; at < batch.numRows; at += size) batches.push(batch.slice(at, Math.min(batch.numRows, at + size)));
  }
  return new Table(table.schema, batches);
}
