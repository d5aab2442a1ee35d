import { addTo, type Sum, totalOf } from "../core/sums.js";
import type { Windows } from "./windows.js";

/**
 * A calculation over sliding windows of one series: fills `out` from `from` to `to` (exclusive). Values that are not
 * finite are missing; the result is NaN if the window has fewer than `least` values.
 */
export type WindowKernel = (
  y: Float64Array,
  out: Float64Array,
  windows: Windows,
  from: number,
  to: number,
  least: number,
) => void;

/** The sum of the window. Each value is added and subtracted once, in two doubles, so that no error accumulates. */
export const windowSum: WindowKernel = (y, out, windows, from, to, least) =>
  slideSum(y, out, windows, from, to, least, false);

/** Mean of the window. */
export const windowMean: WindowKernel = (y, out, windows, from, to, least) =>
  slideSum(y, out, windows, from, to, least, true);

function slideSum(
  y: Float64Array,
  out: Float64Array,
  { low, high }: Windows,
  from: number,
  to: number,
  least: number,
  mean: boolean,
): void {
  let first = from;
  let end = from;
  let total = 0;
  let lost = 0;
  let count = 0;
  // Length of the run of equal values at the end of the window: if it fills the window, the mean must be exactly that
  // value.
  let same = 0;
  let latest = Number.NaN;
  for (let i = from; i < to; i++) {
    if (low[i] >= end) {
      first = end = low[i];
      total = lost = count = same = 0;
    }
    for (; end < high[i]; end++) {
      const value = y[end];
      if (!Number.isFinite(value)) continue;
      const sum = total + value;
      const part = sum - total;
      lost += total - (sum - part) + (value - part);
      total = sum;
      count++;
      same = value === latest ? same + 1 : 1;
      latest = value;
    }
    for (; first < low[i]; first++) {
      const value = -y[first];
      if (!Number.isFinite(value)) continue;
      const sum = total + value;
      const part = sum - total;
      lost += total - (sum - part) + (value - part);
      total = sum;
      count--;
    }
    if (count === 0) total = lost = 0;
    // No subtraction undoes an overflow.
    else if (total - total !== 0) ({ total, lost } = summed(y, low[i], high[i]));
    if (count < least) out[i] = Number.NaN;
    else if (!mean) out[i] = total + lost;
    else out[i] = same >= count ? latest : (total + lost) / count;
  }
}

/** The sum of the finite values from `from` to `to` (exclusive), and the error of its additions. */
function summed(y: Float64Array, from: number, to: number): { readonly total: number; readonly lost: number } {
  const sum: Sum = { high: 0, low: 0 };
  for (let i = from; i < to; i++) if (Number.isFinite(y[i])) addTo(sum, y[i]);
  return { total: sum.high, lost: Number.isFinite(sum.high) ? sum.low : 0 };
}

/** The number of values in the window; `least` counts its rows here, as in pandas. */
export const windowCount: WindowKernel = (y, out, { low, high }, from, to, least) => {
  let first = from;
  let end = from;
  let count = 0;
  for (let i = from; i < to; i++) {
    for (; end < high[i]; end++) if (Number.isFinite(y[end])) count++;
    for (; first < low[i]; first++) if (Number.isFinite(y[first])) count--;
    out[i] = high[i] - low[i] < least ? Number.NaN : count;
  }
};

/** The variance of the window with divisor n − 1. */
export const windowVar: WindowKernel = (y, out, windows, from, to, least) => {
  const state = newMoments();
  for (let i = from; i < to; i++) {
    slideMoments(state, y, windows.low[i], windows.high[i]);
    if (state.count < Math.max(least, 2)) out[i] = Number.NaN;
    else out[i] = varianceOf(state);
  }
};

/** The standard deviation of the window with divisor n − 1. */
export const windowStd: WindowKernel = (y, out, windows, from, to, least) => {
  windowVar(y, out, windows, from, to, least);
  for (let i = from; i < to; i++) out[i] = Math.sqrt(out[i]);
};

/**
 * Sums of deviations and squared deviations from a pivot near the mean, for the values from `first` to `end`
 * (exclusive).
 */
interface Moments {
  first: number;
  end: number;
  count: number;
  pivot: number;
  readonly distance: Sum;
  readonly squares: Sum;
  same: number;
  latest: number;
}

const newMoments = (): Moments => ({
  first: 0,
  end: 0,
  count: 0,
  pivot: 0,
  distance: { high: 0, low: 0 },
  squares: { high: 0, low: 0 },
  same: 0,
  latest: Number.NaN,
});

function slideMoments(state: Moments, y: Float64Array, low: number, high: number): void {
  if (low >= state.end) {
    Object.assign(state, newMoments(), { first: low, end: low });
  }
  for (; state.end < high; state.end++) {
    const value = y[state.end];
    if (!Number.isFinite(value)) continue;
    if (state.count === 0) anchorAt(state, value);
    include(state, value);
    state.same = value === state.latest ? state.same + 1 : 1;
    state.latest = value;
  }
  for (; state.first < low; state.first++) {
    if (Number.isFinite(y[state.first])) exclude(state, y[state.first]);
  }
  // Far from the pivot the squares would cancel, and an overflow is not undone by a subtraction: choose a new pivot.
  const drift = totalOf(state.distance);
  if (!(drift * drift <= 0.25 * state.count * totalOf(state.squares))) reanchor(state, y);
}

function anchorAt(state: Moments, pivot: number): void {
  state.pivot = pivot;
  state.count = 0;
  state.distance.high = state.distance.low = state.squares.high = state.squares.low = 0;
}

function include(state: Moments, value: number): void {
  const distance = value - state.pivot;
  addTo(state.distance, distance);
  addTo(state.squares, distance * distance);
  state.count++;
}

function exclude(state: Moments, value: number): void {
  const distance = value - state.pivot;
  addTo(state.distance, -distance);
  addTo(state.squares, -(distance * distance));
  state.count--;
}

function reanchor(state: Moments, y: Float64Array): void {
  const mean = state.pivot + totalOf(state.distance) / state.count;
  anchorAt(state, Number.isFinite(mean) ? mean : state.latest);
  for (let i = state.first; i < state.end; i++) if (Number.isFinite(y[i])) include(state, y[i]);
}

function varianceOf({ count, distance, squares, same }: Moments): number {
  if (same >= count) return 0;
  const drift = totalOf(distance);
  return Math.max(0, totalOf(squares) - (drift * drift) / count) / (count - 1);
}
