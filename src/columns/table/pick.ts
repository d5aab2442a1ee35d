import { type Field, Schema, Table } from "../arrow/arrow.js";
import { recordBatch } from "../arrow/record-batch.js";

/** The same rows with the columns at these positions; buffers are shared. */
export function pickColumns(table: Table, positions: readonly number[]): Table {
  return withFields(
    table,
    positions.map((at) => table.schema.fields[at]),
    positions,
  );
}

/** The same columns under other names, one for each; buffers are shared. */
export function nameColumns(table: Table, names: readonly string[]): Table {
  const fields = table.schema.fields.map((field, i) => field.clone({ name: names[i] }));
  return withFields(
    table,
    fields,
    fields.map((_, i) => i),
  );
}

function withFields(table: Table, fields: readonly Field[], positions: readonly number[]): Table {
  const schema = new Schema([...fields], table.schema.metadata);
  const batches = table.batches.map((batch) => {
    const children = positions.map((at) => batch.data.children[at]);
    return recordBatch(schema, children, batch.numRows);
  });
  return new Table(schema, batches);
}
