import { RecordBatch } from "apache-arrow";
import { type Data, DataType, makeData, type Schema, Struct } from "./arrow.js";

/**
 * A record batch of finished columns under exactly this schema. This is the only caller of Arrow's constructor, which
 * builds a new schema and merges fields of the same name; here the batch keeps the schema that was passed, so that all
 * batches of one reader share it.
 */
export function recordBatch(schema: Schema, children: readonly Data[], rows: number): RecordBatch {
  const type = new Struct(schema.fields);
  const data = makeData({ type, length: rows, nullCount: 0, children: [...children] });
  const batch = new RecordBatch(schema, data);
  return Object.assign(batch, { schema, data });
}

/** A slice of a column; shares its buffers. Arrow leaves nullCount at -1, permanently where there is no bitmap. */
export function sliceData(data: Data, from: number, length: number): Data {
  const slice = data.slice(from, length);
  return DataType.isNull(data.type) ? slice.clone(slice.type, slice.offset, length, length) : slice;
}
