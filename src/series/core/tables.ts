import {
  type Data,
  DataType,
  type Dictionary,
  type Field,
  makeData,
  Schema,
  Table,
  Vector,
} from "../../columns/arrow/arrow.js";
import { schemaLike, withKey } from "../../columns/arrow/key.js";
import { recordBatch, sliceData } from "../../columns/arrow/record-batch.js";
import { tableOfData, takeVector } from "../../columns/table/take.js";
import type { Column, Computed } from "./numbers.js";
import { cutsOf } from "./pieces.js";

interface Carried {
  readonly key?: readonly string[];
  readonly metadata?: Map<string, string>;
}

/** A table of one batch with these columns. */
export function tableOf(columns: readonly Column[], rows: number, { key = [], metadata }: Carried = {}): Table {
  const schema = new Schema(
    columns.map(({ field }) => field),
    metadata,
  );
  return tableOfData(
    withKey(schema, key),
    columns.map(({ data }) => data),
    rows,
  );
}

/**
 * `table` with some columns replaced (by position) and others appended, batch by batch (as by {@link inBatches} if a
 * column comes in pieces). `kept` selects the rows of each batch to keep, by default all; the computed columns contain
 * only these rows. Replacing a key column drops the key.
 */
export function withColumns(
  table: Table,
  replaced: ReadonlyMap<number, Computed>,
  added: readonly Computed[] = [],
  kept?: readonly Ranges[],
): Table {
  const fields = table.schema.fields.map((field, at) => {
    const column = replaced.get(at);
    return column === undefined ? field : fieldOf(column);
  });
  const schema = schemaLike(table.schema, [...fields, ...added.map(fieldOf)], replaced.keys());
  let from = 0;
  const isInPieces = [...replaced.values(), ...added].some((column) => "pieces" in column);
  const batches = (isInPieces ? inBatches(table) : table).batches.map((batch, b) => {
    const length = kept?.[b].count ?? batch.numRows;
    const part = (column: Computed): Data =>
      "pieces" in column ? column.pieces[b] : pieceOf(column.data, from, length);
    const children = batch.data.children.map((child, at) => {
      const column = replaced.get(at);
      if (column !== undefined) return part(column);
      return kept === undefined ? child : takeRanges(child, kept[b]);
    });
    children.push(...added.map(part));
    from += length;
    return recordBatch(schema, children, length);
  });
  if (kept === undefined) return new Table(schema, batches);
  const filled = batches.filter(({ numRows }) => numRows > 0);
  return new Table(schema, filled.length === 0 ? batches.slice(0, 1) : filled);
}

/** The field of a column, with the id of the dictionary that the column has now. */
function fieldOf(column: Computed): Field {
  const { type } = "pieces" in column ? (column.pieces[0] ?? column.field) : column.data;
  return DataType.isDictionary(type) ? column.field.clone({ type }) : column.field;
}

const pieceOf = (data: Data, from: number, length: number): Data =>
  from === 0 && length === data.length ? data : sliceData(data, from, length);

/** Splits a table into batches as by {@link cutsOf}; shares the buffers. */
export function inBatches(table: Table): Table {
  if (table.batches.every(({ numRows }) => cutsOf(numRows).length === 1)) return table;
  const batches = table.batches.flatMap(({ numRows, data }) =>
    cutsOf(numRows).map(([from, to]) => {
      const length = to - from;
      const children = data.children.map((child) => sliceData(child, from, length));
      return recordBatch(table.schema, children, length);
    }),
  );
  return new Table(table.schema, batches);
}

/** Ranges of rows, `from[k]` to `to[k]` (exclusive): ascending, not adjacent, not empty. */
export interface Ranges {
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly count: number;
}

/**
 * The rows from `start` to `end` (exclusive) without those at `gone`, which are ascending and in that range; relative
 * to `start`.
 */
export function rangesWithout(gone: Int32Array, start: number, end: number): Ranges {
  const from: number[] = [];
  const to: number[] = [];
  let next = start;
  const keep = (before: number): void => {
    if (before === next) return;
    from.push(next - start);
    to.push(before - start);
  };
  for (let k = 0; k < gone.length; k++) {
    keep(gone[k]);
    next = gone[k] + 1;
  }
  keep(end);
  return { from, to, count: end - start - gone.length };
}

/**
 * Takes the rows of ranges. A single range shares its buffers; with several, fixed-width columns without nulls are
 * copied range by range, which is many times faster than row by row.
 */
function takeRanges(data: Data, ranges: Ranges): Data {
  const { from, count } = ranges;
  if (count === data.length) return data;
  if (from.length <= 1) return sliceData(data, from[0] ?? 0, count);
  return data.nullCount === 0 && isPlain(data.type)
    ? copiedRanges(data, ranges)
    : takeVector(new Vector([data]), rowsIn(ranges)).data[0];
}

function rowsIn({ from, to, count }: Ranges): Int32Array {
  const rows = new Int32Array(count);
  let at = 0;
  for (let k = 0; k < from.length; k++) for (let row = from[k]; row < to[k]; row++) rows[at++] = row;
  return rows;
}

/** Whether a column without nulls consists of a single value buffer. */
const isPlain = (type: DataType): boolean =>
  DataType.isDictionary(type) ||
  DataType.isInt(type) ||
  DataType.isFloat(type) ||
  DataType.isDecimal(type) ||
  DataType.isDate(type) ||
  DataType.isTimestamp(type);

function copiedRanges(data: Data, { from, to, count }: Ranges): Data {
  const { type, stride } = data;
  const values = data.values as Float64Array;
  const out = new (values.constructor as Float64ArrayConstructor)(count * stride);
  let at = 0;
  for (let k = 0; k < from.length; k++) {
    out.set(values.subarray(from[k] * stride, to[k] * stride), at * stride);
    at += to[k] - from[k];
  }
  const dictionary = DataType.isDictionary(type) ? (data.dictionary as Vector) : undefined;
  return makeData({ type: type as Dictionary, length: count, nullCount: 0, data: out as never, dictionary } as never);
}
