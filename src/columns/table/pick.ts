import { type Field, type RecordBatch, Schema, Table } from "../arrow/arrow.js";
import { keyOf, withKey } from "../arrow/key.js";
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

/** The key follows its columns to their new names; it is dropped where one of them is not picked exactly once. */
function withFields(table: Table, fields: readonly Field[], positions: readonly number[]): Table {
  const key = keyOf(table.schema).map((name) => {
    const places = positions.flatMap((at, place) => (table.schema.fields[at].name === name ? [place] : []));
    return places.length === 1 ? fields[places[0]].name : undefined;
  });
  const kept = key.every((name) => name !== undefined) ? key : [];
  const schema = withKey(new Schema([...fields], table.schema.metadata), kept);
  const batches = table.batches.map((batch) => {
    const children = positions.map((at) => batch.data.children[at]);
    return recordBatch(schema, children, batch.numRows);
  });
  return new Table(schema, batches);
}

/** The same rows with this key, which replaces another; without one where `key` is empty. Buffers are shared. */
export function keyed(table: Table, key: readonly string[]): Table {
  const schema = withKey(table.schema, key);
  if (schema === table.schema) return table;
  const batches = table.batches.map((batch) => recordBatch(schema, batch.data.children, batch.numRows));
  return new Table(schema, batches);
}

/** As {@link keyed}, batch by batch: batches of one schema share the new one. */
export function keying(key: readonly string[]): (batch: RecordBatch) => RecordBatch {
  let from: Schema | undefined;
  let to: Schema | undefined;
  return (batch) => {
    if (to === undefined || batch.schema !== from) {
      from = batch.schema;
      to = withKey(from, key);
    }
    return to === from ? batch : recordBatch(to, batch.data.children, batch.numRows);
  };
}
