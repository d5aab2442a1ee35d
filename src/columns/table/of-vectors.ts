import { type RecordBatch, type Schema, Table, type Vector } from "../arrow/arrow.js";
import { recordBatch, sliceData } from "../arrow/record-batch.js";

/** A table over vectors of equal length, split into batches at the chunk boundaries of all of them; shares buffers. */
export function tableOfVectors(schema: Schema, vectors: readonly Vector[], numRows: number): Table {
  const cuts = new Set<number>([numRows]);
  for (const vector of vectors) {
    let at = 0;
    for (const data of vector.data) {
      at += data.length;
      if (at > 0) cuts.add(at);
    }
  }
  const batches: RecordBatch[] = [];
  let from = 0;
  for (const end of [...cuts].sort((a, b) => a - b)) {
    if (end === from && numRows > 0) continue;
    const children = vectors.map((vector) => pieceOf(vector, from, end));
    batches.push(recordBatch(schema, children, end - from));
    from = end;
  }
  return new Table(schema, batches);
}

/** The data between two rows of one chunk. */
function pieceOf(vector: Vector, from: number, end: number) {
  let start = 0;
  for (const data of vector.data) {
    if (from >= start && end <= start + data.length) {
      return from === start && end === start + data.length ? data : sliceData(data, from - start, end - from);
    }
    start += data.length;
  }
  return vector.slice(from, end).data[0];
}
