import type { Data, Vector } from "../../columns/arrow/arrow.js";
import { validityBits } from "../../columns/arrow/bits.js";
import { big, small, unitsOf } from "../../columns/compute/units.js";
import type { Groups } from "./groups.js";
import { type Summaries, summariesOf } from "./summaries.js";

/** Exact sums of whole units by group: `low`, below 2^53 in size, and what went beyond it. */
export interface UnitSums {
  readonly low: Float64Array;
  readonly high: readonly (bigint | undefined)[];
  /** How many values were added. */
  readonly counts: Int32Array;
}

const MOST = Number.MAX_SAFE_INTEGER;
const MOST_UNITS = BigInt(MOST);

/** The sums of a column of integers or decimals. */
export function unitSums(vector: Vector, groups: Groups): UnitSums {
  const summaries = summariesOf(vector, groups);
  if (summaries !== undefined) return split(summaries);
  const { of, count } = groups;
  const low = new Float64Array(count);
  const high = new Array<bigint | undefined>(count).fill(undefined);
  const counts = new Int32Array(count);
  let from = 0;
  for (const data of vector.data as readonly Data[]) {
    if (data.length > 0) addChunk(data, of.subarray(from, from + data.length), low, high, counts);
    from += data.length;
  }
  return { low, high, counts };
}

/** Sums below 2^53 in size as doubles. */
function split({ sums, counts }: Summaries): UnitSums {
  const isSmall = (sum: bigint): boolean => sum <= MOST_UNITS && sum >= -MOST_UNITS;
  return {
    low: Float64Array.from(sums, (sum) => (isSmall(sum) ? Number(sum) : 0)),
    high: sums.map((sum) => (isSmall(sum) ? undefined : sum)),
    counts,
  };
}

function addChunk(
  data: Data,
  of: Int32Array,
  low: Float64Array,
  high: (bigint | undefined)[],
  counts: Int32Array,
): void {
  const units = unitsOf(data);
  const { words, count, step } = units;
  const valid = validityBits(data);
  for (let i = 0; i < data.length; i++) {
    if (valid !== undefined && (valid[i >> 3] & (1 << (i & 7))) === 0) continue;
    const group = of[i];
    counts[group]++;
    const value = small(words, i * step, count);
    const sum = low[group] + value;
    if (sum <= MOST && sum >= -MOST) low[group] = sum;
    else {
      const added = Number.isNaN(value) ? big(units, i) : BigInt(value);
      high[group] = (high[group] ?? 0n) + BigInt(low[group]) + added;
      low[group] = 0;
    }
  }
}

/** The sum of a group. */
export const totalOf = ({ low, high }: UnitSums, group: number): bigint => (high[group] ?? 0n) + BigInt(low[group]);
