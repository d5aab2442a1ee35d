/**
 * A running sum in two doubles (TwoSum): keeps the rounding error of every addition, so that removing a value undoes
 * adding it.
 */
export interface Sum {
  high: number;
  low: number;
}

export function addTo(sum: Sum, value: number): void {
  const total = sum.high + value;
  const part = total - sum.high;
  sum.low += sum.high - (total - part) + (value - part);
  sum.high = total;
}

export function totalOf(sum: Sum): number {
  return sum.high + sum.low;
}

/** A power of two that keeps sums of the largest doubles from an overflow. */
const DOWN = 2 ** -64;

/**
 * The exact sum of finite doubles, in parts that do not overlap (Shewchuk): whatever was added and subtracted leaves
 * nothing behind.
 */
export class ExactSum {
  private readonly parts: number[] = [];

  clear(): void {
    this.parts.length = 0;
  }

  add(value: number): void {
    const { parts } = this;
    let high = value;
    let kept = 0;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      const sum = high + part;
      const back = sum - high;
      const low = high - (sum - back) + (part - back);
      if (low !== 0) parts[kept++] = low;
      high = sum;
    }
    parts.length = kept;
    if (high !== 0) parts.push(high);
  }

  /** The sum as the nearest double; NaN after an overflow. */
  total(): number {
    let total = 0;
    for (const part of this.parts) total += part;
    return Number.isFinite(total) ? total : Number.NaN;
  }
}

/** The exact sum of the finite values from `from` to `to` (exclusive), divided by `count` where its mean is wanted. */
export function exactSumOf(values: Float64Array, from: number, to: number, count = 1): number {
  const sum = new ExactSum();
  for (let i = from; i < to; i++) if (Number.isFinite(values[i])) sum.add(values[i]);
  const total = sum.total();
  if (!Number.isNaN(total)) return total / count;
  sum.clear();
  for (let i = from; i < to; i++) if (Number.isFinite(values[i])) sum.add(values[i] * DOWN);
  return sum.total() / count / DOWN;
}

/**
 * The sum of the values from `from` to `to` (exclusive), ignoring NaN, within two units in the last place; infinities
 * add as in IEEE 754. `count` is the number of values.
 */
export function sumOf(values: Float64Array, from: number, to: number): { total: number; count: number } {
  let high = 0;
  let low = 0;
  // 2^-53 of it bounds the error of `high + low`: each addition to `low` errs by at most 2^-53 of it.
  let doubt = 0;
  let count = 0;
  let infinite = 0;
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (!Number.isFinite(value)) {
      if (!Number.isNaN(value)) {
        infinite += value;
        count++;
      }
      continue;
    }
    count++;
    const total = high + value;
    const part = total - high;
    low += high - (total - part) + (value - part);
    doubt += Math.abs(low);
    high = total;
  }
  if (infinite !== 0) return { total: infinite, count };
  // Also where the sum overflows on the way, and both are NaN.
  return { total: doubt <= Math.abs(high + low) ? high + low : exactSumOf(values, from, to), count };
}

/** The mean, ignoring NaN; NaN of no values. */
export function meanOf(values: Float64Array, from: number, to: number): number {
  const { total, count } = sumOf(values, from, to);
  if (count === 0 || Number.isFinite(total)) return total / count;
  return hasInfinite(values, from, to) ? total : exactSumOf(values, from, to, count);
}

function hasInfinite(values: Float64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (Math.abs(values[i]) === Number.POSITIVE_INFINITY) return true;
  return false;
}

/**
 * The sum of squared deviations from the mean, ignoring NaN, with the mean and the number of values; NaN where a value
 * is infinite: its distance from the mean is not defined.
 */
export function squaresOf(
  values: Float64Array,
  from: number,
  to: number,
): { squares: number; mean: number; count: number } {
  const { total, count } = sumOf(values, from, to);
  const mean = Number.isFinite(total) ? total / count : meanOf(values, from, to);
  if (!Number.isFinite(mean)) return { squares: Number.NaN, mean, count };
  const sum: Sum = { high: 0, low: 0 };
  let drift = 0;
  let first = Number.NaN;
  let isConstant = true;
  for (let i = from; i < to; i++) {
    const distance = values[i] - mean;
    if (Number.isNaN(distance)) continue;
    if (Number.isNaN(first)) first = distance;
    else if (distance !== first) isConstant = false;
    addTo(sum, distance * distance);
    drift += distance;
  }
  if (isConstant) return { squares: 0, mean, count };
  if (!Number.isFinite(sum.high)) return { squares: Number.POSITIVE_INFINITY, mean, count };
  // Corrects for the rounding of the mean.
  return { squares: Math.max(0, totalOf(sum) - (drift * drift) / count), mean, count };
}

/** Variance with divisor n − 1; NaN for fewer than two values, and where one is infinite. */
export function varianceOf(values: Float64Array, from: number, to: number): number {
  const { squares, count } = squaresOf(values, from, to);
  return count < 2 ? Number.NaN : squares / (count - 1);
}

/** The square root of {@link varianceOf}, also where the squares overflow or underflow. */
export function deviationOf(values: Float64Array, from = 0, to = values.length): number {
  return rootOf(varianceOf(values, from, to), values, from, to);
}

/** The square root of the variance of values, computed again where it has overflown or lost digits. */
export function rootOf(variance: number, values: Float64Array, from: number, to: number): number {
  if (Number.isNaN(variance) || (variance > LEAST_SQUARE && variance < Number.POSITIVE_INFINITY)) {
    return Math.sqrt(variance);
  }
  const scale = variance < 1 ? 2 ** 500 : 2 ** -520;
  const scaled = values.slice(from, to).map((value) => value * scale);
  return Math.sqrt(varianceOf(scaled, 0, scaled.length)) / scale;
}

/** Squares below it have lost digits. */
const LEAST_SQUARE = 1e-280;
