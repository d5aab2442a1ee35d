import { addTo, meanOf, type Sum, totalOf } from "./sums.js";

/** Two columns, row by row. */
export type Pair = readonly [x: Float64Array, y: Float64Array];

/** Covariance with divisor n − 1, correlation, and the slope of the regression of `x` on `y`. */
export type PairStatistic = "cov" | "corr" | "beta";

/**
 * A statistic of two columns without NaN, in numbers scaled such that no square overflows or vanishes; NaN if a column
 * is constant or has an infinite value.
 */
export function pairStatistic([x, y]: Pair, name: PairStatistic): number {
  const [a, b] = [distancesOf(x), distancesOf(y)];
  if (a === undefined || b === undefined) return Number.NaN;
  const xx: Sum = { high: 0, low: 0 };
  const xy: Sum = { high: 0, low: 0 };
  const yy: Sum = { high: 0, low: 0 };
  for (let i = 0; i < x.length; i++) {
    addTo(xx, a.values[i] ** 2);
    addTo(xy, a.values[i] * b.values[i]);
    addTo(yy, b.values[i] ** 2);
  }
  if (name === "cov") return timesPower(totalOf(xy) / (x.length - 1), a.power + b.power);
  if (name === "beta") return timesPower(totalOf(xy) / totalOf(yy), a.power - b.power);
  return Math.max(-1, Math.min(1, totalOf(xy) / Math.sqrt(totalOf(xx) * totalOf(yy))));
}

/** Values by a power of two: `values[i] · 2^power`. */
interface Scaled {
  readonly values: Float64Array;
  readonly power: number;
}

/** The distances from the mean, the largest near 1; undefined if all values are equal or one is infinite. */
function distancesOf(values: Float64Array): Scaled | undefined {
  if (values.every((value) => value === values[0])) return undefined;
  const near = scaledToOne(values);
  const mean = meanOf(near.values, 0, values.length);
  if (!Number.isFinite(mean)) return undefined;
  const distances = scaledToOne(near.values.map((value) => value - mean));
  return { values: distances.values, power: near.power + distances.power };
}

/** The values by the power of two that brings the largest of them near 1. */
function scaledToOne(values: Float64Array): Scaled {
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), Number.MIN_VALUE);
  // In two steps: the power that scales the smallest doubles is beyond the largest.
  const half = Math.floor(Math.log2(most) / 2);
  return { values: values.map((value) => value * 2 ** -half * 2 ** -half), power: 2 * half };
}

/** `value · 2^power`, in steps that are doubles. */
function timesPower(value: number, power: number): number {
  const third = Math.trunc(power / 3);
  return value * 2 ** third * 2 ** third * 2 ** (power - 2 * third);
}
