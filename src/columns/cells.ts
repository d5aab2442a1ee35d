import type { RecordBatch } from "./arrow.js";
import { chunkReader } from "./chunks.js";

/**
 * The rows of a batch as the exact text of every cell, null as null: dates and instants in ISO 8601, decimals with exactly their
 * scale's digits, doubles in the shortest form that reads back, booleans `true` and `false` (spec 2.6).
 */
export function* cellTexts(batch: RecordBatch): Generator<(string | null)[]> {
  const readers = batch.data.children.map(chunkReader);
  for (let i = 0; i < batch.numRows; i++) yield readers.map(({ valid, text }) => (valid(i) ? text(i) : null));
}
