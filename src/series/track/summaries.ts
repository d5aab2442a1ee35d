import type { Data, Vector } from "../../columns/arrow/arrow.js";
import { validityBits } from "../../columns/arrow/bits.js";
import { unitsOf } from "../../columns/compute/units.js";
import { columnProgram } from "../../columns/table/column-program.js";
import type { Groups } from "./groups.js";

/** What is known of the values of each group after one pass. */
export interface Summaries {
  readonly sums: readonly bigint[];
  /** How many values there are. */
  readonly counts: Int32Array;
  /** The row of the smallest value, of equal ones the first; −1 of none. */
  readonly leastRows: Int32Array;
  /** The row of the largest value, of equal ones the first; −1 of none. */
  readonly mostRows: Int32Array;
}

/** Rows summarized by one call of the program. */
const CALL = 8_192;
const MOST_WIDTH = 16;
/** Bytes of the state of a group; wasm/columns/summarize.ts lays it out. */
const STATE = 64;
/** Groups whose states have room. */
const MOST_GROUPS = 32_768;
/** For fewer rows, compiling the program costs more. */
const LEAST_ROWS = 16_384;

const known = new WeakMap<Groups, WeakMap<Vector, Summaries | null>>();

/**
 * Sums and extremes of a column of integers, decimals, dates or timestamps in WebAssembly; undefined where a value has
 * more than 64 bits, where there are too many groups or few rows, or without memory for WebAssembly.
 */
export function summariesOf(vector: Vector, groups: Groups): Summaries | undefined {
  const ofGroups = known.get(groups) ?? new WeakMap<Vector, Summaries | null>();
  known.set(groups, ofGroups);
  let summaries = ofGroups.get(vector);
  if (summaries === undefined) {
    summaries = summarized(vector, groups) ?? null;
    ofGroups.set(vector, summaries);
  }
  return summaries ?? undefined;
}

function summarized(vector: Vector, { of, count }: Groups): Summaries | undefined {
  if (count > MOST_GROUPS || vector.length < LEAST_ROWS) return undefined;
  const program = columnProgram();
  if (program === null) return undefined;
  const { run, memory, at } = program;
  const ofAt = at + CALL * MOST_WIDTH;
  const bitsAt = ofAt + CALL * 4;
  const statesAt = bitsAt + CALL / 8;
  const codes = new Int32Array(memory.buffer, ofAt, CALL);
  memory.fill(0, statesAt, statesAt + count * STATE);
  let row = 0;
  for (const data of vector.data as readonly Data[]) {
    if (data.length === 0) continue;
    const { words, count: parts } = unitsOf(data);
    const values = new Uint8Array(words.buffer, words.byteOffset, data.length * parts * 4);
    const width = parts * 4;
    const bits = validityBits(data);
    if (width > MOST_WIDTH) return undefined;
    for (let from = 0; from < data.length; from += CALL) {
      const length = Math.min(CALL, data.length - from);
      memory.set(values.subarray(from * width, (from + length) * width), at);
      if (bits !== undefined) memory.set(bits.subarray(from >> 3, (from + length + 7) >> 3), bitsAt);
      codes.set(of.subarray(row, row + length));
      const done = run.summarize(at, width, bits === undefined ? 0 : bitsAt, ofAt, length, row, statesAt);
      if (done < length) return undefined;
      row += length;
    }
  }
  return read(memory.slice(statesAt, statesAt + count * STATE), count);
}

function read({ buffer }: Uint8Array, count: number): Summaries {
  const [whole, parts] = [new BigInt64Array(buffer), new Int32Array(buffer)];
  const [wide, narrow] = [STATE / 8, STATE / 4];
  const counts = Int32Array.from({ length: count }, (_, group) => parts[group * narrow + 4]);
  const rowAt = (place: number) => counts.map((held, group) => (held === 0 ? -1 : parts[group * narrow + place]));
  return {
    sums: Array.from(counts, (_, group) => (whole[group * wide + 1] << 64n) + BigInt.asUintN(64, whole[group * wide])),
    counts,
    leastRows: rowAt(5),
    mostRows: rowAt(6),
  };
}
