import { BATCH_ROWS } from "../../columns/arrow/read-options.js";

/**
 * How so many rows are cut into pieces of 65,536 at most, as readers make batches: memory of that size is used again
 * when a result is dropped, while a long array comes new from the system, page by page.
 */
export function cutsOf(length: number): (readonly [from: number, to: number])[] {
  return Array.from({ length: Math.max(1, Math.ceil(length / BATCH_ROWS)) }, (_, k) => [
    k * BATCH_ROWS,
    Math.min(length, (k + 1) * BATCH_ROWS),
  ]);
}

/** One array of all pieces, not copied where they lie one after the other in one buffer. */
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
 * A calculation along one series: reads `y` from `from` to `to` (exclusive) and writes the result of place t to
 * `out[t - back]`, NaN for null in both. `back` is how many rows before it have been left out.
 */
export type PieceKernel = (y: Float64Array, out: Float64Array, from: number, to: number, back: number) => void;

export interface RunOptions {
  /** Leave out the first row of every series. */
  readonly withoutFirsts?: boolean;
  /** What is done to the results of each series while they are still near; gives how many are NaN. */
  readonly finish?: (results: Float64Array) => (from: number, to: number) => number;
}

/**
 * A kernel along every series of contiguous values in chunks, series `g` from `starts[g]` to `starts[g + 1]`
 * (exclusive): the results in chunks of the same lengths, and how many NaN `finish` counted. A series within one chunk
 * is computed in place, one that continues into the next chunk in arrays of its own.
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
  let base = 0; // position where the piece begins
  let back = 0; // rows of the piece left out so far
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
    kernel(stretch(y, piece, from - base, to - from), out, 0, to - from, left);
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
 * A kernel along every series of values that lie apart, series `g` in the rows `rows[starts[g]]` to
 * `rows[starts[g + 1]]` (exclusive): the results by row, 0 in the rows left out, and how many NaN `finish` counted.
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

/** Lengths of the pieces when so many first rows of each series are left out. */
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

/** `length` values from a place in a piece on, through the pieces after it. */
function stretch(y: readonly Float64Array[], piece: number, from: number, length: number): Float64Array {
  const all = new Float64Array(length);
  for (let done = 0, at = from; done < length; at = 0) {
    const part = y[piece++].subarray(at, at + length - done);
    all.set(part, done);
    done += part.length;
  }
  return all;
}
