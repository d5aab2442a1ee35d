import { type Data, DataType, makeData, RecordBatch, type Schema, Struct } from "./arrow.js";

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

/** A stretch of a column; buffers are shared. Arrow leaves the count of nulls open, for good where there is no bitmap to count. */
export function sliceData(data: Data, from: number, length: number): Data {
  const slice = data.slice(from, length);
  return DataType.isNull(data.type) ? slice.clone(slice.type, slice.offset, length, length) : slice;
}
