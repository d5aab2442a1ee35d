import { unsafeBytes } from "../build/buffer-pool.js";
import { columnProgram } from "./column-program.js";
import { areFew } from "./take-few.js";
import { PART_ROWS, type Places } from "./take-places.js";

/**
 * Rows in random order, copied in two steps that stay within the processor's cache: block by block of the source into
 * the order of the blocks, then from there into the requested order, one segment of it after the other.
 */
export interface Route {
  readonly blocks: readonly { readonly chunk: number; readonly first: number; readonly length: number }[];
  /** The first of each block among the rows in the order of the blocks. */
  readonly starts: Int32Array;
  /** The place in its block of each row, in the order of the blocks. */
  readonly there: Uint16Array;
  /** The place of each requested row among those of its segment, which are in the order of the blocks. */
  readonly back: Uint16Array;
  /** How many rows each segment takes from each block. */
  readonly counts: Uint16Array;
}

/** Rows of a block and of a segment: half a megabyte of decimals. */
const BLOCK_BITS = 15;
const BLOCK = 1 << BLOCK_BITS;
/** Rows copied by one call of the program. */
const CALL = 8_192;
/** Fewer rows fit in the cache. */
const LEAST_ROWS = 131_072;
/** Rows that follow each other within a block, on average, are not in random order. */
const LONG_RUN = 8;
/** Bytes of a value that the program copies. */
const WIDTHS: readonly number[] = [1, 2, 4, 8, 16, 32];

const known = new WeakMap<Places, Route | null>();

/** How to copy these rows in two steps; undefined where that is not faster, or without WebAssembly. */
export function routeOf(
  places: Places,
  chunks: readonly { readonly length: number }[],
  width: number,
): Route | undefined {
  if (places.row.length < LEAST_ROWS || !WIDTHS.includes(width) || areFew(chunks, width)) return undefined;
  let route = known.get(places);
  if (route === undefined) {
    route = (columnProgram() === null ? undefined : routeThrough(places, chunks)) ?? null;
    known.set(places, route);
  }
  return route ?? undefined;
}

function routeThrough({ row, chunk }: Places, chunks: readonly { readonly length: number }[]): Route | undefined {
  const firsts = new Int32Array(chunks.length);
  const blocks: { chunk: number; first: number; length: number }[] = [];
  for (const [k, { length }] of chunks.entries()) {
    firsts[k] = blocks.length;
    for (let first = 0; first < length; first += BLOCK) {
      blocks.push({ chunk: k, first, length: Math.min(BLOCK, length - first) });
    }
  }
  // Copying whole blocks pays where most of their rows are used.
  if (blocks.length > row.length / 1024) return undefined;
  const segments = Math.ceil(row.length / BLOCK);
  const counts = new Uint16Array(segments * blocks.length);
  const starts = new Int32Array(blocks.length + 1);
  let jumps = 0;
  let last = -1;
  for (let i = 0; i < row.length; i++) {
    if (row[i] < 0) return undefined;
    const block = (chunk === undefined ? 0 : firsts[chunk[i]]) + (row[i] >> BLOCK_BITS);
    if (block !== last) jumps++;
    last = block;
    counts[(i >> BLOCK_BITS) * blocks.length + block]++;
    starts[block + 1]++;
  }
  if (jumps < row.length / LONG_RUN) return undefined;
  for (let block = 0; block < blocks.length; block++) starts[block + 1] += starts[block];
  const there = new Uint16Array(row.length);
  const back = new Uint16Array(row.length);
  const next = starts.slice();
  const inSegment = new Int32Array(blocks.length);
  for (let segment = 0; segment < segments; segment++) {
    inSegment[0] = 0;
    for (let block = 1; block < blocks.length; block++) {
      inSegment[block] = inSegment[block - 1] + counts[segment * blocks.length + block - 1];
    }
    const end = Math.min(row.length, (segment + 1) << BLOCK_BITS);
    for (let i = segment << BLOCK_BITS; i < end; i++) {
      const block = (chunk === undefined ? 0 : firsts[chunk[i]]) + (row[i] >> BLOCK_BITS);
      there[next[block]++] = row[i] & (BLOCK - 1);
      back[i] = inSegment[block]++;
    }
  }
  return { blocks, starts, there, back, counts };
}

const spare = new WeakMap<Route, Uint8Array>();

/** Copies values of `width` bytes from the chunks of a column to one buffer, or to one for each {@link PART_ROWS}. */
export function copyThrough(
  route: Route,
  from: readonly Uint8Array[],
  width: number,
  outs: readonly Uint8Array[],
): void {
  const { blocks, starts, there, back, counts } = route;
  const window = columnWindow(width);
  let grouped = spare.get(route);
  if (grouped === undefined || grouped.length < back.length * width) {
    grouped = unsafeBytes(back.length * width);
    spare.set(route, grouped);
  }
  for (const [k, { chunk, first, length }] of blocks.entries()) {
    if (starts[k] === starts[k + 1]) continue;
    window.set(from[chunk].subarray(first * width, (first + length) * width), 0);
    window.pick(there, starts[k], starts[k + 1], grouped, starts[k]);
  }
  const next = starts.slice();
  for (let i = 0, c = 0; i < back.length; i += BLOCK) {
    let at = 0;
    for (let k = 0; k < blocks.length; k++, c++) {
      const count = counts[c];
      if (count === 0) continue;
      window.set(grouped.subarray(next[k] * width, (next[k] + count) * width), at);
      next[k] += count;
      at += count * width;
    }
    const part = outs.length === 1 ? 0 : Math.floor(i / PART_ROWS);
    window.pick(back, i, Math.min(back.length, i + BLOCK), outs[part], i - part * PART_ROWS);
  }
}

/** The memory of the program: a window of a block, places in it, and the values found there. */
function columnWindow(width: number) {
  const { run, memory, at } = columnProgram() as NonNullable<ReturnType<typeof columnProgram>>;
  const placesAt = at + BLOCK * width;
  const outAt = placesAt + CALL * 2;
  const places = new Uint16Array(memory.buffer, placesAt, CALL);
  const results = new Uint8Array(memory.buffer, outAt, CALL * width);
  return {
    set: (bytes: Uint8Array, offset: number): void => memory.set(bytes, at + offset),
    pick(indices: Uint16Array, from: number, end: number, out: Uint8Array, to: number): void {
      for (let i = from; i < end; i += CALL) {
        const count = Math.min(CALL, end - i);
        places.set(indices.subarray(i, i + count));
        run.pick(at, placesAt, count, width, outAt);
        out.set(count === CALL ? results : results.subarray(0, count * width), (to + i - from) * width);
      }
    },
  };
}
