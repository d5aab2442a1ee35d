import type { RecordBatch } from "./arrow.js";
import { cellColumn } from "./cell-batch.js";

/** The rows of a batch as exact strings, null as null, formatted as by `cellBatch`. */
export function* cellTexts(batch: RecordBatch): Generator<(string | null)[]> {
  const columns = batch.data.children.map(cellColumn);
  for (let i = 0; i < batch.numRows; i++)
    yield columns.map(({ valid, text }) => (valid?.(i) === false ? null : text(i)));
}
