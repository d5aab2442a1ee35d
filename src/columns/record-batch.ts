import { type Data, makeData, RecordBatch, type Schema, Struct } from "./arrow.js";

/**
 * A record batch of finished columns under exactly this schema. Arrow's constructor puts a schema together anew and mixes up columns
 * of the same name on the way; here the batch keeps the object it is given, so that batches of one reader share it.
 */
export function recordBatch(schema: Schema, children: readonly Data[], rows: number): RecordBatch {
  const type = new Struct(schema.fields);
  const data = makeData({ type, length: rows, nullCount: 0, children: [...children] });
  const batch = new RecordBatch(schema, data);
  return Object.assign(batch, { schema, data });
}
