import { type Data, DataType, type Field, Schema, Table } from "../../columns/arrow/arrow.js";
import { schemaLike, withKey } from "../../columns/arrow/key.js";
import { recordBatch, sliceData } from "../../columns/arrow/record-batch.js";
import { tableOfData, takeRows } from "../../columns/table/take.js";
import type { Column, Computed } from "./numbers.js";
import { cutsOf } from "./pieces.js";
import { type Ranges, takeRanges } from "./ranges.js";

/** Schema metadata of a result. */
interface Carried {
  /** Names of the key columns. */
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

/** Reorders or selects rows; all of the table if `rows` is undefined. */
export function rowsOf(table: Table, rows: Int32Array | undefined): Table {
  return rows === undefined ? table : takeRows(table, rows);
}

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
