import { type Data, DataType, type Vector } from "../../columns/arrow/arrow.js";
import { validityBits } from "../../columns/arrow/bits.js";
import { big, isDays, small, unitsOf } from "../../columns/compute/units.js";
import { LargeMap } from "../../value/large-map.js";
import { isExact } from "../core/exact.js";
import { numbersOf } from "../core/numbers.js";
import type { Groups } from "./groups.js";
import { summariesOf } from "./summaries.js";

/** For each group the row of its extreme so far, and the value there: NaN where no double holds it. */
interface Extremes {
  readonly rows: Int32Array;
  readonly values: Float64Array;
  readonly large: LargeMap<number, bigint>;
}

/**
 * The row of the smallest (`sign` −1) or largest (1) value of each group, of equal ones the first, −1 of none;
 * undefined for columns that are neither numbers nor dates.
 */
export function extremeRows(vector: Vector, sign: 1 | -1, groups: Groups): Int32Array | undefined {
  const { of, count } = groups;
  const type = vector.type as DataType;
  const extremes: Extremes = {
    rows: new Int32Array(count).fill(-1),
    values: new Float64Array(count),
    large: new LargeMap(),
  };
  if (DataType.isFloat(type)) return ofDoubles(numbersOf(vector), sign, of, extremes);
  if (!isExact(type) && !DataType.isTimestamp(type) && !isDays(type)) return undefined;
  const summaries = summariesOf(vector, groups);
  if (summaries !== undefined) return sign === 1 ? summaries.mostRows : summaries.leastRows;
  let from = 0;
  for (const data of vector.data as readonly Data[]) {
    if (data.length > 0) addChunk(data, from, sign, of, extremes);
    from += data.length;
  }
  return extremes.rows;
}

function ofDoubles(doubles: Float64Array, sign: 1 | -1, of: Int32Array, { rows, values }: Extremes): Int32Array {
  for (let row = 0; row < doubles.length; row++) {
    const value = doubles[row];
    if (Number.isNaN(value)) continue;
    const group = of[row];
    if (rows[group] !== -1 && !(sign === 1 ? value > values[group] : value < values[group])) continue;
    rows[group] = row;
    values[group] = value;
  }
  return rows;
}

function addChunk(data: Data, from: number, sign: 1 | -1, of: Int32Array, { rows, values, large }: Extremes): void {
  const units = unitsOf(data);
  const { words, count, step } = units;
  const valid = validityBits(data);
  for (let i = 0; i < data.length; i++) {
    if (valid !== undefined && (valid[i >> 3] & (1 << (i & 7))) === 0) continue;
    const group = of[from + i];
    const value = small(words, i * step, count);
    const best = values[group];
    if (rows[group] === -1 || (sign === 1 ? value > best : value < best)) {
      rows[group] = from + i;
      values[group] = value;
      if (Number.isNaN(value)) large.set(group, big(units, i));
    } else if (Number.isNaN(value) || Number.isNaN(best)) {
      const exact = big(units, i);
      const other = Number.isNaN(best) ? (large.get(group) as bigint) : BigInt(best);
      if (sign === 1 ? exact <= other : exact >= other) continue;
      rows[group] = from + i;
      values[group] = value;
      large.set(group, exact);
    }
  }
}
