import { type Field, type RecordBatch, Schema, Table } from "../arrow/arrow.js";
import { keyOf, withKey } from "../arrow/key.js";
import { recordBatch } from "../arrow/record-batch.js";

/** Selects columns by position; shares their buffers. */
export function pickColumns(table: Table, positions: readonly number[]): Table {
  return withFields(
    table,
    positions.map((at) => table.schema.fields[at]),
    positions,
  );
}

/** Renames all columns; shares their buffers. */
export function nameColumns(table: Table, names: readonly string[]): Table {
  const fields = table.schema.fields.map((field, i) => field.clone({ name: names[i] }));
  return withFields(
    table,
    fields,
    fields.map((_, i) => i),
  );
}

/** The key keeps its columns under their new names; it is dropped unless each of them is picked exactly once. */
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

/** Replaces the key, or removes it if `key` is empty; shares all buffers. */
export function keyed(table: Table, key: readonly string[]): Table {
  const schema = withKey(table.schema, key);
  if (schema === table.schema) return table;
  const batches = table.batches.map((batch) => recordBatch(schema, batch.data.children, batch.numRows));
  return new Table(schema, batches);
}

/** As {@link keyed}, for batches: those of one schema share the new one. */
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
