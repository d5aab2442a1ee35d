import { BATCH_ROWS } from "../../columns/arrow/read-options.js";

/**
 * Splits rows into pieces of at most 65,536, as readers do with batches: memory of that size is reused when a result is
 * freed, while a long array is allocated from the system page by page.
 */
export function cutsOf(length: number): (readonly [from: number, to: number])[] {
  return Array.from({ length: Math.max(1, Math.ceil(length / BATCH_ROWS)) }, (_, k) => [
    k * BATCH_ROWS,
    Math.min(length, (k + 1) * BATCH_ROWS),
  ]);
}

/** Joins the pieces into one array, without a copy if they are adjacent in one buffer. */
export function joined<Values extends Int32Array | Float64Array>(
  pieces: readonly Values[],
  kind: { new (length: number): Values; new (buffer: ArrayBufferLike, offset: number, length: number): Values },
): Values {
  const filled = pieces.filter((piece) => piece.length > 0);
  const length = filled.reduce((total, piece) => total + piece.length, 0);
  if (filled.length > 0 && filled.every((piece, i) => i === 0 || follows(piece, filled[i - 1]))) {
    return new kind(filled[0].buffer, filled[0].byteOffset, length);
  }
  const all = new kind(length);
  let at = 0;
  for (const piece of filled) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

const follows = (piece: Int32Array | Float64Array, other: Int32Array | Float64Array): boolean =>
  piece.buffer === other.buffer && piece.byteOffset === other.byteOffset + other.byteLength;

/**
 * A calculation along one series: reads `y` from `from` to `to` (exclusive) and writes the result of position t to
 * `out[t - back]`, NaN for null in both; `y` must not be written. `back` is the number of earlier rows that were
 * dropped: 0 where the kernel takes none.
 */
export type PieceKernel = (y: Float64Array, out: Float64Array, from: number, to: number, back: number) => void;

export interface RunOptions {
  /** Drop the first row of every series. */
  readonly withoutFirsts?: boolean;
  /** Postprocesses the results of each series while they are in the cache; returns the number of NaN. */
  readonly finish?: (results: Float64Array) => (from: number, to: number) => number;
}

/**
 * Runs a kernel along every series of contiguous values in chunks, series `g` from `starts[g]` to `starts[g + 1]`
 * (exclusive). Returns the results in chunks of the same lengths, and the number of NaN that `finish` counted. A series
 * within one chunk is computed in place; one that crosses chunks is copied.
 */
export function runPieces(
  y: readonly Float64Array[],
  starts: Int32Array,
  kernel: PieceKernel,
  { withoutFirsts = false, finish = () => () => 0 }: RunOptions = {},
): { readonly results: readonly Float64Array[]; readonly missing: number } {
  const left = withoutFirsts ? 1 : 0;
  const results = lengthsOf(y, starts, left).map((length) => new Float64Array(length));
  const finishes = results.map(finish);
  let missing = 0;
  let piece = 0;
  let base = 0; // position of the start of the piece
  let back = 0; // rows of the piece dropped so far
  for (let g = 0; g + 1 < starts.length; g++) {
    const to = starts[g + 1];
    let from = starts[g];
    for (; from >= base + y[piece].length; back = 0) base += y[piece++].length;
    back += left;
    if (to <= base + y[piece].length) {
      kernel(y[piece], results[piece], from - base, to - base, back);
      missing += finishes[piece](from + left - base - back, to - base - back);
      continue;
    }
    const out = new Float64Array(to - from);
    kernel(spanning(y, piece, from - base, to - from), out, 0, to - from, left);
    missing += finish(out)(0, to - from - left);
    let done = 0;
    for (from += left; from < to; ) {
      for (; from >= base + y[piece].length; back = 0) base += y[piece++].length;
      const count = Math.min(to, base + y[piece].length) - from;
      results[piece].set(out.subarray(done, done + count), from - base - back);
      done += count;
      from += count;
    }
  }
  return { results, missing };
}

/**
 * Runs a kernel along every series of values that are not contiguous, series `g` in the rows `rows[starts[g]]` to
 * `rows[starts[g + 1]]` (exclusive). Returns the results by row, 0 in dropped rows, and the number of NaN that `finish`
 * counted.
 */
export function runRows(
  y: Float64Array,
  rows: Int32Array,
  starts: Int32Array,
  kernel: PieceKernel,
  { withoutFirsts = false, finish = () => () => 0 }: RunOptions = {},
): { readonly results: Float64Array; readonly missing: number } {
  const left = withoutFirsts ? 1 : 0;
  const results = new Float64Array(y.length);
  const series = new Float64Array(longest(starts));
  const out = new Float64Array(series.length);
  const finishSeries = finish(out);
  let missing = 0;
  for (let g = 0; g + 1 < starts.length; g++) {
    const from = starts[g];
    const count = starts[g + 1] - from;
    for (let k = 0; k < count; k++) series[k] = y[rows[from + k]];
    kernel(series, out, 0, count, left);
    missing += finishSeries(0, count - left);
    for (let k = left; k < count; k++) results[rows[from + k]] = out[k - left];
  }
  return { results, missing };
}

function longest(starts: Int32Array): number {
  let most = 0;
  for (let g = 0; g + 1 < starts.length; g++) most = Math.max(most, starts[g + 1] - starts[g]);
  return most;
}

/** Lengths of the pieces after dropping the first rows of each series. */
function lengthsOf(y: readonly Float64Array[], starts: Int32Array, left: number): number[] {
  let base = 0;
  let g = 0;
  return y.map(({ length }) => {
    const first = g;
    base += length;
    while (g + 1 < starts.length && starts[g] < base) g++;
    return length - left * (g - first);
  });
}

/** `length` values from a position of a piece on, through the following pieces. */
function spanning(y: readonly Float64Array[], piece: number, from: number, length: number): Float64Array {
  const all = new Float64Array(length);
  for (let done = 0, at = from; done < length; at = 0) {
    const part = y[piece++].subarray(at, at + length - done);
    all.set(part, done);
    done += part.length;
  }
  return all;
}
