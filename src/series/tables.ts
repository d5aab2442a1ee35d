import { type Data, type Field, makeData, RecordBatch, Schema, Struct, Table } from "../columns/arrow.js";
import { sliceData } from "../columns/record-batch.js";
import { tableOfData, takeRows } from "../columns/take.js";
import type { Column } from "./numbers.js";

/** A table of one batch over these columns. */
export function tableOf(columns: readonly Column[], rows: number, metadata: Map<string, string> = new Map()): Table {
  const schema = new Schema(
    columns.map(({ field }) => field),
    metadata,
  );
  return tableOfData(
    schema,
    columns.map(({ data }) => data),
    rows,
  );
}

/** `table` with some columns replaced (by position) and others added at the end; the batches stay as they are. */
export function withColumns(table: Table, replaced: ReadonlyMap<number, Column>, added: readonly Column[] = []): Table {
  const fields = table.schema.fields.map((field, at) => replaced.get(at)?.field ?? field);
  const schema = new Schema([...fields, ...added.map(({ field }) => field)], table.schema.metadata);
  if (table.batches.length === 0) return new Table(schema, []);
  let from = 0;
  const batches = table.batches.map((batch) => {
    const part = ({ data }: Column): Data => pieceOf(data, from, batch.numRows);
    const children = batch.data.children.map((child, at) => {
      const column = replaced.get(at);
      return column === undefined ? child : part(column);
    });
    children.push(...added.map(part));
    from += batch.numRows;
    const type = new Struct(schema.fields as Field[]);
    return new RecordBatch(schema, makeData({ type, length: batch.numRows, nullCount: 0, children }));
  });
  return new Table(schema, batches);
}

const pieceOf = (data: Data, from: number, length: number): Data =>
  from === 0 && length === data.length ? data : sliceData(data, from, length);

/** The rows of a table in one order or another: all of it where `rows` is undefined. */
export function rowsOf(table: Table, rows: Int32Array | undefined): Table {
  return rows === undefined ? table : takeRows(table, rows);
}
