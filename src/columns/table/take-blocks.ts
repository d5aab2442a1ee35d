import { unsafeBytes } from "../build/buffer-pool.js";
import { columnProgram } from "./column-program.js";
import { areFew } from "./take-few.js";
import { PART_ROWS, type Places } from "./take-places.js";

/**
 * Rows in random order, copied in two steps that stay within the processor's cache: block by block of the source into
 * the order of the blocks, then from there into the requested order, one segment of it after the other.
 */
export interface Route {
  /** Blocks of rows: `BLOCK` each, whatever the chunks are. */
  readonly blocks: number;
  /** The first of each block among the rows in the order of the blocks. */
  readonly starts: Int32Array;
  /** The place in its block of each row, in the order of the blocks. */
  readonly there: Uint16Array;
  /** The place of each requested row among those of its segment, which are in the order of the blocks. */
  readonly back: Uint16Array;
  /** How many rows each segment takes from each block. */
  readonly counts: Int32Array;
}

/** What the second step needs. */
export type Segments = Pick<Route, "blocks" | "starts" | "back" | "counts">;

/** Rows of a block and of a segment. */
const BLOCK_BITS = 16;
const BLOCK = 1 << BLOCK_BITS;
/** Rows copied by one call of the program. */
const CALL = 8_192;
/** Fewer rows fit in the cache. */
const LEAST_ROWS = 131_072;
/** Copying whole blocks pays where many of their rows are used. */
const LEAST_OF_BLOCK = 2_048;
/** Rows that follow each other within a block, on average, are not in random order. */
const LONG_RUN = 8;
/** Bytes of a value that the program copies. */
const WIDTHS: readonly number[] = [1, 2, 4, 8, 16, 32];
/** Values of this width are often small: they take fewer bytes between the two steps. */
const NARROWED = 16;

const known = new WeakMap<Places, Route | null>();

/** How to copy these rows in two steps; undefined where that is not faster. */
export function routeOf(
  places: Places,
  chunks: readonly { readonly length: number }[],
  width: number,
): Route | undefined {
  const { positions } = places;
  if (positions === undefined || positions.length < LEAST_ROWS) return undefined;
  if (!WIDTHS.includes(width) || areFew(chunks, width)) return undefined;
  let route = known.get(places);
  if (route === undefined) {
    const rows = chunks.reduce((sum, { length }) => sum + length, 0);
    route = routeThrough(positions, rows) ?? null;
    known.set(places, route);
  }
  return route ?? undefined;
}

function routeThrough(positions: Int32Array, rows: number): Route | undefined {
  const blocks = Math.ceil(rows / BLOCK);
  const length = positions.length;
  if (blocks > length / LEAST_OF_BLOCK) return undefined;
  const counts = countsOf(positions, blocks);
  if (counts === undefined) return undefined;
  const segments = counts.length / blocks;
  const starts = new Int32Array(blocks + 1);
  for (let c = 0, block = 0; c < counts.length; c++, block = block === blocks - 1 ? 0 : block + 1) {
    starts[block + 1] += counts[c];
  }
  for (let block = 0; block < blocks; block++) starts[block + 1] += starts[block];
  const there = new Uint16Array(length);
  const back = new Uint16Array(length);
  const next = starts.slice();
  const inSegment = new Int32Array(blocks);
  for (let segment = 0; segment < segments; segment++) {
    inSegment[0] = 0;
    for (let block = 1; block < blocks; block++) {
      inSegment[block] = inSegment[block - 1] + counts[segment * blocks + block - 1];
    }
    const end = Math.min(length, (segment + 1) << BLOCK_BITS);
    for (let i = segment << BLOCK_BITS; i < end; i++) {
      const at = positions[i];
      const block = at >>> BLOCK_BITS;
      there[next[block]++] = at;
      back[i] = inSegment[block]++;
    }
  }
  return { blocks, starts, there, back, counts };
}

/** The rows of each segment in each block; undefined where rows are missing or mostly follow each other. */
function countsOf(positions: Int32Array, blocks: number): Int32Array | undefined {
  const counts = new Int32Array(Math.ceil(positions.length / BLOCK) * blocks);
  let jumps = 0;
  let last = -1;
  for (let i = 0; i < positions.length; i++) {
    const at = positions[i];
    if (at < 0) return undefined;
    const block = at >>> BLOCK_BITS;
    if (block !== last) jumps++;
    last = block;
    counts[(i >>> BLOCK_BITS) * blocks + block]++;
  }
  return jumps < positions.length / LONG_RUN ? undefined : counts;
}

/** A column of values of fixed width that is copied in two steps. */
export interface RoutedColumn {
  readonly route: Route;
  /** The values of each chunk. */
  readonly from: readonly Uint8Array[];
  /** Bytes of a value. */
  readonly width: number;
}

/** The values of a column between the two steps. */
export interface GroupedValues {
  /** They are in the order of the blocks and take `between` bytes each. */
  readonly bytes: Uint8Array;
  readonly between: number;
  /** Bytes of a value in the result. */
  readonly width: number;
}

const spare = new WeakMap<Route, Uint8Array>();

/** Copies the values to one buffer, or to one for each {@link PART_ROWS}. */
export function copyThrough(column: RoutedColumn, outs: readonly Uint8Array[]): void {
  const { route } = column;
  const values = groupValues(column, (length) => {
    let bytes = spare.get(route);
    if (bytes === undefined || bytes.length < length) {
      bytes = unsafeBytes(length);
      spare.set(route, bytes);
    }
    return bytes;
  });
  ungroupValues(route, values, outs);
}

/** The first step. `room` returns memory of at least a number of bytes; it may be called again for more. */
export function groupValues(column: RoutedColumn, room: (length: number) => Uint8Array): GroupedValues {
  const { route, width } = column;
  // Widths between the steps, the first that holds all values.
  for (const between of width === NARROWED ? [4, 8] : []) {
    const bytes = room(route.back.length * between);
    if (group(column, between, bytes)) return { bytes, between, width };
  }
  const bytes = room(route.back.length * width);
  group(column, width, bytes);
  return { bytes, between: width, width };
}

/** Puts the values in the order of the blocks, `between` bytes each. Returns whether that is enough for each. */
function group({ route, from, width }: RoutedColumn, between: number, grouped: Uint8Array): boolean {
  const { blocks, starts, there } = route;
  const window = columnWindow(width, between);
  let [chunk, offset] = [0, 0];
  for (let k = 0; k < blocks; k++) {
    let size = 0;
    while (size < BLOCK * width && chunk < from.length) {
      const part = from[chunk].subarray(offset, Math.min(from[chunk].length, offset + BLOCK * width - size));
      if (starts[k] < starts[k + 1]) window.set(part, size);
      size += part.length;
      offset += part.length;
      if (offset === from[chunk].length) [chunk, offset] = [chunk + 1, 0];
    }
    if (starts[k] === starts[k + 1]) continue;
    if (between < width && !window.narrow(size / width)) return false;
    window.pick(there, starts[k], starts[k + 1], grouped, starts[k]);
  }
  return true;
}

/** The second step: puts the values in the requested order. */
export function ungroupValues(
  { blocks, starts, back, counts }: Segments,
  { bytes: grouped, between, width }: GroupedValues,
  outs: readonly Uint8Array[],
): void {
  const window = columnWindow(width, between);
  const next = starts.slice();
  for (let i = 0, c = 0; i < back.length; i += BLOCK) {
    let at = 0;
    for (let k = 0; k < blocks; k++, c++) {
      const count = counts[c];
      if (count === 0) continue;
      window.set(grouped.subarray(next[k] * between, (next[k] + count) * between), at);
      next[k] += count;
      at += count * between;
    }
    const part = outs.length === 1 ? 0 : Math.floor(i / PART_ROWS);
    window.widen(back, i, Math.min(back.length, i + BLOCK), outs[part], i - part * PART_ROWS);
  }
}

/** The memory of the program: a window of a block, the same in `between` bytes each, places, and the values found. */
function columnWindow(width: number, between: number) {
  const { run, memory, at } = columnProgram();
  const narrowAt = between < width ? at + BLOCK * width : at;
  const placesAt = narrowAt + BLOCK * between;
  const outAt = placesAt + CALL * 2;
  const places = new Uint16Array(memory.buffer, placesAt, CALL);
  /** Calls the program for the places between two, and copies what it found, of `size` bytes each. */
  const each = (size: number, call: (count: number) => void) => {
    const results = new Uint8Array(memory.buffer, outAt, CALL * size);
    return (indices: Uint16Array, from: number, end: number, out: Uint8Array, to: number): void => {
      for (let i = from; i < end; i += CALL) {
        const count = Math.min(CALL, end - i);
        places.set(indices.subarray(i, i + count));
        call(count);
        out.set(count === CALL ? results : results.subarray(0, count * size), (to + i - from) * size);
      }
    };
  };
  return {
    set: (bytes: Uint8Array, offset: number): void => memory.set(bytes, at + offset),
    /** Whether this many values of the window fit into `between` bytes, to which they are copied. */
    narrow: (count: number): boolean => run.narrow(at, count, between, narrowAt) === count,
    /** Values of `between` bytes of the window, as they are. */
    pick: each(between, (count) => run.pick(narrowAt, placesAt, count, between, outAt)),
    /** Values of `between` bytes that were put into the window, in their full width. */
    widen: each(width, (count) => {
      if (between === width) run.pick(at, placesAt, count, width, outAt);
      else run.pickWidened(at, placesAt, count, between, outAt);
    }),
  };
}
