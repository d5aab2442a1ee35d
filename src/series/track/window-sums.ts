import { deviationOf, ExactSum, exactSumOf } from "../core/sums.js";
import type { Windows } from "./windows.js";

/**
 * A calculation over sliding windows of one series: fills `out` from `from` to `to` (exclusive). Values that are not
 * finite are missing; the result is NaN if the window has too few values.
 */
export type WindowKernel = (y: Float64Array, out: Float64Array, windows: Windows, from: number, to: number) => void;

/**
 * The sum of the window. Each value is added and subtracted once, in two doubles; where their error could show, as
 * after an outlier, exactly.
 */
export const windowSum: WindowKernel = (y, out, windows, from, to) => slideSum(y, out, windows, from, to, false);

export const windowMean: WindowKernel = (y, out, windows, from, to) => slideSum(y, out, windows, from, to, true);

function slideSum(y: Float64Array, out: Float64Array, windows: Windows, from: number, to: number, mean: boolean): void {
  const { low, high, least } = windows;
  const enough = mean ? Math.max(least, 1) : least;
  let first = from;
  let end = from;
  let total = 0;
  let lost = 0;
  // Each addition to `lost` errs by at most 2^-53 of it: 2^-53 of their total bounds the error of `total + lost`.
  let doubt = 0;
  let count = 0;
  // Length of the run of equal values at the end of the window: if it fills the window, the mean must be exactly that
  // value.
  let same = 0;
  let latest = Number.NaN;
  for (let i = from; i < to; i++) {
    if (low[i] >= end) {
      first = end = low[i];
      total = lost = doubt = count = same = 0;
    }
    for (; end < high[i]; end++) {
      const value = y[end];
      if (!Number.isFinite(value)) continue;
      const sum = total + value;
      const part = sum - total;
      lost += total - (sum - part) + (value - part);
      doubt += Math.abs(lost);
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
      doubt += Math.abs(lost);
      total = sum;
      count--;
    }
    if (count === 0) total = lost = doubt = 0;
    // Also where the sum overflows, and both are NaN.
    else if (!(doubt <= Math.abs(total + lost))) {
      i = slideExactly(y, out, { low, high, least: enough }, i, to, mean);
      if (i === to) return;
      first = end = low[i--];
      total = lost = doubt = count = same = 0;
      continue;
    }
    if (count < enough) out[i] = Number.NaN;
    else if (!mean) out[i] = total + lost;
    else out[i] = same >= count ? latest : (total + lost) / count;
  }
}

/** As {@link slideSum}, in exact sums, until the window has left all values of the first one; returns that position. */
function slideExactly(
  y: Float64Array,
  out: Float64Array,
  { low, high, least }: Windows,
  from: number,
  to: number,
  mean: boolean,
): number {
  const sum = new ExactSum();
  let [first, end, count, same, latest] = [low[from], low[from], 0, 0, Number.NaN];
  for (let i = from; i < to; i++) {
    if (low[i] >= high[from]) return i;
    for (; end < high[i]; end++) {
      if (!Number.isFinite(y[end])) continue;
      sum.add(y[end]);
      count++;
      same = y[end] === latest ? same + 1 : 1;
      latest = y[end];
    }
    for (; first < low[i]; first++) {
      if (!Number.isFinite(y[first])) continue;
      sum.add(-y[first]);
      count--;
    }
    let value = sum.total();
    if (Number.isNaN(value)) {
      value = exactSumOf(y, first, end, mean ? count : 1);
      sum.clear();
      for (let at = first; at < end; at++) if (Number.isFinite(y[at])) sum.add(y[at]);
    } else if (mean) value /= count;
    if (count < least) out[i] = Number.NaN;
    else out[i] = mean && same >= count ? latest : value;
  }
  return to;
}

/** The number of values in the window; `least` counts its rows here, as in pandas. */
export const windowCount: WindowKernel = (y, out, { low, high, least }, from, to) => {
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
export const windowVar: WindowKernel = (y, out, { low, high, least }, from, to) => {
  const enough = Math.max(least, 2);
  const sums = new Float64Array(6);
  let first = from;
  let end = from;
  let count = 0;
  let pivot = 0;
  // As in `slideSum`.
  let same = 0;
  let latest = Number.NaN;
  for (let i = from; i < to; i++) {
    if (low[i] >= end) {
      first = end = low[i];
      count = 0;
      latest = Number.NaN;
    }
    for (; end < high[i]; end++) {
      const value = y[end];
      if (!Number.isFinite(value)) continue;
      if (count++ === 0) {
        pivot = value;
        sums.fill(0);
      }
      addSquare(sums, value - pivot, 1);
      same = value === latest ? same + 1 : 1;
      latest = value;
    }
    for (; first < low[i]; first++) {
      if (!Number.isFinite(y[first])) continue;
      addSquare(sums, y[first] - pivot, -1);
      count--;
    }
    if (count < enough) out[i] = Number.NaN;
    else if (same >= count) out[i] = 0;
    else {
      if (!isSound(sums, count)) {
        pivot = exactSumOf(y, first, end, count);
        sums.fill(0);
        for (let at = first; at < end; at++) if (Number.isFinite(y[at])) addSquare(sums, y[at] - pivot, 1);
      }
      const drift = sums[0] + sums[1];
      const squares = sums[3] + sums[4] - (drift * drift) / count;
      out[i] = Number.isFinite(squares) ? Math.max(0, squares) / (count - 1) : Number.POSITIVE_INFINITY;
    }
  }
};

/**
 * Adds (or with `sign` -1 subtracts) a deviation from the pivot and its square to sums of both: each in two doubles,
 * and the `doubt` about them, as in {@link slideSum}.
 */
function addSquare(sums: Float64Array, distance: number, sign: 1 | -1): void {
  const added = sign * distance;
  const drift = sums[0] + added;
  const part = drift - sums[0];
  const lost = sums[1] + (sums[0] - (drift - part) + (added - part));
  sums[0] = drift;
  sums[1] = lost;
  sums[2] += Math.abs(lost);
  const square = added * distance;
  const squares = sums[3] + square;
  const squarePart = squares - sums[3];
  const squareLost = sums[4] + (sums[3] - (squares - squarePart) + (square - squarePart));
  sums[3] = squares;
  sums[4] = squareLost;
  sums[5] += Math.abs(squareLost);
}

/**
 * Whether the variance is precise: the pivot is near enough to the mean that the squares do not cancel, and what has
 * left the window, as an outlier or an overflow, has left no error of more than 10^-13 behind, neither in the squares
 * nor in the square of the drift, which may be all error.
 */
function isSound(sums: Float64Array, count: number): boolean {
  const drift = sums[0] + sums[1];
  const squares = sums[3] + sums[4];
  const driftDoubt = (sums[2] * (2 * Math.abs(drift) + sums[2] * 2 ** -53)) / count;
  return drift * drift <= 0.5 * count * squares && sums[5] + driftDoubt <= 128 * squares;
}

/** The standard deviation of the window with divisor n − 1. */
export const windowStd: WindowKernel = (y, out, windows, from, to) => {
  windowVar(y, out, windows, from, to);
  for (let i = from; i < to; i++) {
    const variance = out[i];
    if (Number.isNaN(variance) || variance === 0 || (variance > 1e-280 && variance < Number.POSITIVE_INFINITY)) {
      out[i] = Math.sqrt(variance);
    } else out[i] = deviationOf(finiteOf(y, windows.low[i], windows.high[i]));
  }
};

const finiteOf = (y: Float64Array, from: number, to: number): Float64Array => y.slice(from, to).filter(Number.isFinite);
