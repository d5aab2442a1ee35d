/**
 * A running sum in two doubles (TwoSum): keeps the rounding error of every addition, so that removing a value undoes
 * adding it.
 */
export interface Sum {
  high: number;
  low: number;
}

/** Adds `value` (finite) to `sum`. */
export function addTo(sum: Sum, value: number): void {
  const total = sum.high + value;
  const part = total - sum.high;
  sum.low += sum.high - (total - part) + (value - part);
  sum.high = total;
}

/** The rounded total. */
export function totalOf(sum: Sum): number {
  return sum.high + sum.low;
}

/**
 * The sum of the values from `from` to `to` (exclusive), ignoring NaN, with about twice the precision of a double
 * before the final rounding. Infinities add as in IEEE 754. `count` is the number of values.
 */
export function sumOf(values: Float64Array, from: number, to: number): { total: number; count: number } {
  let high = 0;
  let low = 0;
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
    high = total;
  }
  if (infinite !== 0) return { total: infinite, count };
  return { total: Number.isFinite(high) ? high + low : high, count };
}

/** The sum of squared deviations from the mean, ignoring NaN, with the sum and the number of values. */
export function squaresOf(
  values: Float64Array,
  from: number,
  to: number,
): { squares: number; total: number; count: number } {
  const { total, count } = sumOf(values, from, to);
  const mean = total / count;
  const sum: Sum = { high: 0, low: 0 };
  let drift = 0;
  for (let i = from; i < to; i++) {
    const distance = values[i] - mean;
    if (Number.isNaN(distance)) continue;
    addTo(sum, distance * distance);
    drift += distance;
  }
  // Corrects for the rounding of the mean.
  return { squares: Math.max(0, totalOf(sum) - (drift * drift) / count), total, count };
}
