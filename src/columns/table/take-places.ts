import type { Data } from "../arrow/arrow.js";

/**
 * Rows to copy, as a chunk number and a row inside that chunk; row -1 makes a null. `chunk` is left out where there is
 * one chunk.
 */
export interface Places {
  readonly row: Int32Array;
  readonly chunk?: Uint32Array;
}

/** Where the rows at these positions of a column of chunks are. */
export function placesOf(lengths: readonly number[], positions: Uint32Array | Int32Array): Places {
  const row = new Int32Array(positions.length);
  row.set(positions);
  if (lengths.length <= 1) return { row };
  const starts = new Float64Array(lengths.length + 1);
  for (let k = 0; k < lengths.length; k++) starts[k + 1] = starts[k] + lengths[k];
  const chunk = new Uint32Array(positions.length);
  let k = 0;
  for (let i = 0; i < row.length; i++) {
    const at = row[i];
    if (at < 0) continue;
    if (at < starts[k] || at >= starts[k + 1]) k = chunkHolding(starts, at);
    chunk[i] = k;
    row[i] = at - starts[k];
  }
  return { row, chunk };
}

function chunkHolding(starts: Float64Array, at: number): number {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The validity bits of the copied rows; nothing where all are valid. */
export function gatherValidity(
  chunks: readonly Data[],
  { row, chunk }: Places,
): { nullBitmap?: Uint8Array; nullCount: number } {
  const nulls = chunks.map((data) => data.nullCount > 0);
  let nullCount = 0;
  if (!nulls.includes(true) && !row.includes(-1)) return { nullCount };
  const bitmap = new Uint8Array(((row.length + 63) & ~63) >> 3);
  for (let i = 0; i < row.length; i++) {
    const at = row[i];
    const k = chunk === undefined ? 0 : chunk[i];
    let valid = at >= 0;
    if (valid && nulls[k]) {
      const bit = chunks[k].offset + at;
      valid = ((chunks[k].nullBitmap as Uint8Array)[bit >> 3] & (1 << (bit & 7))) !== 0;
    }
    if (valid) bitmap[i >> 3] |= 1 << (i & 7);
    else nullCount++;
  }
  return nullCount === 0 ? { nullCount } : { nullBitmap: bitmap, nullCount };
}
