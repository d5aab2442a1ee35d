import type { Data } from "../arrow/arrow.js";
import { unsafeBytes } from "../build/buffer-pool.js";

/**
 * Rows to copy, as a chunk number and a row within that chunk; row -1 makes a null. `chunk` is omitted if there is one
 * chunk only.
 */
export interface Places {
  readonly row: Int32Array;
  readonly chunk?: Uint32Array | undefined;
  /** The rows by their numbers in the whole column, from which the others are made when they are needed. */
  readonly positions?: Int32Array;
}

export const countOf = (places: Places): number => (places.positions ?? places.row).length;

/** Rows of a part: as many as readers put in a batch. Buffers of this size are reused once they are garbage. */
export const PART_ROWS = 65_536;

/** Uninitialized memory for `rows` values of `width` bytes each: a buffer for each part. */
export const partBuffers = (rows: number, width: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(rows / PART_ROWS) }, (_, k) =>
    unsafeBytes(width * Math.min(PART_ROWS, rows - k * PART_ROWS)),
  );

const partsKnown = new WeakMap<Places, readonly Places[]>();

/** The places in parts of at most {@link PART_ROWS}. */
export function partsOf(places: Places): readonly Places[] {
  const count = countOf(places);
  if (count <= PART_ROWS) return [places];
  let parts = partsKnown.get(places);
  if (parts === undefined) {
    parts = Array.from({ length: Math.ceil(count / PART_ROWS) }, (_, k) =>
      partOf(places, k * PART_ROWS, Math.min(count, (k + 1) * PART_ROWS)),
    );
    partsKnown.set(places, parts);
  }
  return parts;
}

export const partOf = (places: Places, from: number, end: number): Places => ({
  get row() {
    return places.row.subarray(from, end);
  },
  get chunk() {
    return places.chunk?.subarray(from, end);
  },
  ...(places.positions === undefined ? {} : { positions: places.positions.subarray(from, end) }),
});

const missingKnown = new WeakMap<Places, boolean>();

function hasMissing(places: Places): boolean {
  let missing = missingKnown.get(places);
  if (missing === undefined) {
    missing = (places.positions ?? places.row).includes(-1);
    missingKnown.set(places, missing);
  }
  return missing;
}

/** A run of consecutive rows in a chunk. */
export interface Runs {
  readonly chunk: Uint32Array;
  readonly first: Int32Array;
  readonly length: Int32Array;
}

const runsKnown = new WeakMap<Places, Runs | null>();
/** Copying a run costs as much as this many rows one by one. */
const LEAST_RUN = 24;

/** The rows as runs where these are long, as filters of sorted tables leave them; undefined where they are not. */
export function runsOf(places: Places): Runs | undefined {
  let runs = runsKnown.get(places);
  if (runs === undefined) {
    runs = longRuns(places) ?? null;
    runsKnown.set(places, runs);
  }
  return runs ?? undefined;
}

function longRuns({ row, chunk }: Places): Runs | undefined {
  let count = 0;
  const most = row.length / LEAST_RUN;
  for (let i = 0; i < row.length; i++) {
    if (row[i] < 0) return undefined;
    if (i > 0 && row[i] === row[i - 1] + 1 && (chunk === undefined || chunk[i] === chunk[i - 1])) continue;
    count++;
    if (count > most) return undefined;
  }
  const runs = { chunk: new Uint32Array(count), first: new Int32Array(count), length: new Int32Array(count) };
  let k = -1;
  for (let i = 0; i < row.length; i++) {
    if (i > 0 && row[i] === row[i - 1] + 1 && (chunk === undefined || chunk[i] === chunk[i - 1])) runs.length[k]++;
    else {
      k++;
      runs.chunk[k] = chunk === undefined ? 0 : chunk[i];
      runs.first[k] = row[i];
      runs.length[k] = 1;
    }
  }
  return runs;
}

/** Locates rows of a chunked column by their positions. */
export function placesOf(lengths: readonly number[], positions: Uint32Array | Int32Array): Places {
  const rows = new Int32Array(positions.buffer, positions.byteOffset, positions.length);
  if (lengths.length <= 1) return { row: rows, positions: rows };
  let made: { readonly row: Int32Array; readonly chunk: Uint32Array } | undefined;
  const located = () => {
    made ??= locate(lengths, rows);
    return made;
  };
  return {
    positions: rows,
    get row() {
      return located().row;
    },
    get chunk() {
      return located().chunk;
    },
  };
}

function locate(lengths: readonly number[], positions: Int32Array) {
  const row = positions.slice();
  const starts = new Float64Array(lengths.length + 1);
  for (let k = 0; k < lengths.length; k++) starts[k + 1] = starts[k] + lengths[k];
  const chunk = new Uint32Array(positions.length);
  const first = chunksByRow(starts);
  for (let i = 0; i < row.length; i++) {
    const at = row[i];
    if (at < 0) continue;
    let k = first[at >> ROW_BITS];
    while (at >= starts[k + 1]) k++;
    chunk[i] = k;
    row[i] = at - starts[k];
  }
  return { row, chunk };
}

const ROW_BITS = 8;

/** The chunk of each row whose number is a multiple of 256: a later row is in that chunk or soon after it. */
function chunksByRow(starts: Float64Array): Uint32Array {
  const rows = starts[starts.length - 1];
  const first = new Uint32Array((rows >> ROW_BITS) + 1);
  for (let at = 0, k = 0; at < first.length; at++) {
    while (k < starts.length - 2 && at << ROW_BITS >= starts[k + 1]) k++;
    first[at] = k;
  }
  return first;
}

/** The validity bits of the copied rows; none if all are valid. */
export function gatherValidity(
  chunks: readonly Data[],
  places: Places,
): { nullBitmap?: Uint8Array; nullCount: number } {
  const nulls = chunks.map((data) => data.nullCount > 0);
  let nullCount = 0;
  if (!nulls.includes(true) && !hasMissing(places)) return { nullCount };
  const { row, chunk } = places;
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
