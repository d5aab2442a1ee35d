import { type Data, DataType, type Vector } from "../../columns/arrow/arrow.js";
import { validityBits } from "../../columns/arrow/bits.js";
import { big, isDays, small, type Units, unitsOf } from "../../columns/compute/units.js";
import { columnProgram } from "../../columns/table/column-program.js";
import { isExact } from "../core/exact.js";
import type { Groups } from "./groups.js";

interface UnitSums {
  /** How many values there are. */
  readonly counts: Int32Array;
  readonly sumOf: (group: number) => bigint;
  /** The sum as a double; NaN for 2^53 and more in size. */
  readonly smallSumOf: (group: number) => number;
}

/** Sums and extremes of the values of each group, from one pass. */
export interface Summaries extends UnitSums {
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
const SUM_WORDS = 4;
/** The states of more groups are not near one another in memory, which costs more than sums one by one. */
const MOST_GROUPS = 32_768;
const MOST = Number.MAX_SAFE_INTEGER;

const known = new WeakMap<Groups, WeakMap<Vector, Summaries | null>>();

/**
 * Sums and extremes of a column of integers, decimals, dates or timestamps in WebAssembly; undefined for other columns,
 * and where a value has more than 64 bits.
 */
export function summariesOf(vector: Vector, groups: Groups): Summaries | undefined {
  const type = vector.type as DataType;
  if (!isExact(type) && !DataType.isTimestamp(type) && !isDays(type)) return undefined;
  const ofGroups = known.get(groups) ?? new WeakMap<Vector, Summaries | null>();
  known.set(groups, ofGroups);
  let summaries = ofGroups.get(vector);
  if (summaries === undefined) {
    summaries = summarized(vector, groups) ?? null;
    ofGroups.set(vector, summaries);
  }
  return summaries ?? undefined;
}

/** The sums of a column of integers or decimals, of values of any size. */
export function unitSums(vector: Vector, groups: Groups): UnitSums {
  const summaries = groups.count > MOST_GROUPS ? undefined : summariesOf(vector, groups);
  return summaries ?? summedOneByOne(vector, groups);
}

/** Sums below 2^53 in size as doubles, and the larger ones exactly. */
function summedOneByOne(vector: Vector, { of, count }: Groups): UnitSums {
  const low = new Float64Array(count);
  const high = new Array<bigint | undefined>(count).fill(undefined);
  const counts = new Int32Array(count);
  let row = 0;
  for (const data of vector.data as readonly Data[]) {
    if (data.length === 0) continue;
    const units = unitsOf(data);
    const valid = validityBits(data);
    for (let i = 0; i < data.length; i++, row++) {
      if (valid !== undefined && (valid[i >> 3] & (1 << (i & 7))) === 0) continue;
      const group = of[row];
      counts[group]++;
      const sum = low[group] + small(units.words, i * units.step, units.count);
      if (sum <= MOST && sum >= -MOST) low[group] = sum;
      else {
        high[group] = (high[group] ?? 0n) + BigInt(low[group]) + big(units, i);
        low[group] = 0;
      }
    }
  }
  return {
    counts,
    sumOf: (group) => (high[group] ?? 0n) + BigInt(low[group]),
    smallSumOf: (group) => (high[group] === undefined ? low[group] : Number.NaN),
  };
}

function summarized(vector: Vector, { of, count }: Groups): Summaries | undefined {
  const states = count * STATE;
  const { run, memory, at } = columnProgram(CALL * (MOST_WIDTH + 4 + 1) + states);
  const ofAt = at + CALL * MOST_WIDTH;
  const bitsAt = ofAt + CALL * 4;
  const statesAt = bitsAt + CALL / 8;
  const codes = new Int32Array(memory.buffer, ofAt, CALL);
  memory.fill(0, statesAt, statesAt + states);
  let row = 0;
  for (const data of vector.data as readonly Data[]) {
    if (data.length === 0) continue;
    const units = narrowed(unitsOf(data), data.length);
    if (units === undefined) return undefined;
    const width = units.count * 4;
    const values = new Uint8Array(units.words.buffer, units.words.byteOffset, data.length * width);
    const bits = validityBits(data);
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
  return read(memory.slice(statesAt, statesAt + states), count);
}

/** Values of 256 bits as ones of 128; undefined where they do not fit. */
function narrowed(units: Units, length: number): Units | undefined {
  const { words, count } = units;
  if (count <= SUM_WORDS) return units;
  const out = new Int32Array(length * SUM_WORDS);
  for (let i = 0; i < length; i++) {
    for (let w = 0; w < SUM_WORDS; w++) out[i * SUM_WORDS + w] = words[i * count + w];
    const sign = out[i * SUM_WORDS + SUM_WORDS - 1] >> 31;
    for (let w = SUM_WORDS; w < count; w++) if (words[i * count + w] !== sign) return undefined;
  }
  return { words: out, count: SUM_WORDS, step: SUM_WORDS };
}

function read({ buffer }: Uint8Array, count: number): Summaries {
  const words = new Int32Array(buffer);
  const step = STATE / 4;
  const counts = new Int32Array(count).map((_, group) => words[group * step + 4]);
  const rowAt = (place: number) => counts.map((held, group) => (held === 0 ? -1 : words[group * step + place]));
  const smallSumOf = (group: number): number => small(words, group * step, SUM_WORDS);
  return {
    counts,
    leastRows: rowAt(5),
    mostRows: rowAt(6),
    smallSumOf,
    sumOf(group) {
      const sum = smallSumOf(group);
      return Number.isNaN(sum) ? big({ words, count: SUM_WORDS, step }, group) : BigInt(sum);
    },
  };
}
