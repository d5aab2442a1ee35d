import { type DataType, type RecordBatch, Type } from "./arrow.js";
import { chunkReader } from "./cell-reader.js";

/**
 * The rows of a batch as the exact text of every cell, null as null: dates and timestamps in ISO 8601, decimals with
 * exactly their scale's digits, timestamps without a zone as UTC, doubles in the shortest form that reads back,
 * booleans `true` and `false` (spec 2.6).
 */
export function* cellTexts(batch: RecordBatch): Generator<(string | null)[]> {
  const readers = batch.data.children.map((data) => {
    const { valid, text } = chunkReader(data);
    return { valid, text: isZoneless(data.type) ? (i: number) => `${text(i)}Z` : text };
  });
  for (let i = 0; i < batch.numRows; i++) yield readers.map(({ valid, text }) => (valid(i) ? text(i) : null));
}

/** A timestamp whose text lacks the zone that a reader requires; the service uses UTC only. */
function isZoneless(type: DataType): boolean {
  return type.typeId === Type.Timestamp && !(type as unknown as { timezone?: string | null }).timezone;
}
