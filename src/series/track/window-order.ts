import { quantileOfSorted } from "../core/quantile.js";
import type { WindowKernel } from "./window-sums.js";
import { type Windows, widest } from "./windows.js";

/** The smallest (`sign` -1) or largest (1) value of the window. */
export function windowExtreme(sign: 1 | -1): WindowKernel {
  return (y, out, windows, from, to) => {
    const rows = new Int32Array(to - from);
    extremePositions(y, sign, windows, from, rows);
    for (let i = from; i < to; i++) out[i] = rows[i - from] === -1 ? Number.NaN : y[rows[i - from]];
  };
}

/**
 * Finds the position of the smallest (`sign` -1) or largest (1) value of as many windows as `found` has room for, from
 * `from` on, or -1 where there are too few values. Nulls and numbers that are not finite are missing. Every value
 * enters and leaves the queue once.
 */
export function extremePositions(
  y: ArrayLike<number | bigint | null>,
  sign: 1 | -1,
  { low, high, least }: Windows,
  from: number,
  found: Int32Array,
): void {
  const to = from + found.length;
  const queue = new Int32Array(to - from);
  let head = 0;
  let tail = 0;
  let count = 0;
  let first = from;
  let end = from;
  for (let i = from; i < to; i++) {
    for (; end < high[i]; end++) {
      const value = y[end];
      if (isMissing(value)) continue;
      count++;
      while (tail > head && beats(value, y[queue[tail - 1]] as number, sign)) tail--;
      queue[tail++] = end;
    }
    for (; first < low[i]; first++) if (!isMissing(y[first])) count--;
    while (head < tail && queue[head] < low[i]) head++;
    found[i - from] = count < least || head === tail ? -1 : queue[head];
  }
}

const isMissing = (value: number | bigint | null): value is null =>
  value === null || (typeof value === "number" && !Number.isFinite(value));

/** Whether the later value makes the earlier one irrelevant. */
const beats = (later: number | bigint, earlier: number | bigint, sign: 1 | -1): boolean =>
  sign === 1 ? later >= earlier : later <= earlier;

/** A quantile of the window (0.5 is the median), interpolated linearly. The time per row grows with the window. */
export function windowQuantile(q: number): WindowKernel {
  return (y, out, { low, high, least }, from, to) => {
    const sorted = new Float64Array(widest({ low, high }, from, to) + 1);
    let count = 0;
    let first = from;
    let end = from;
    for (let i = from; i < to; i++) {
      for (; end < high[i]; end++) if (Number.isFinite(y[end])) insert(sorted, count++, y[end]);
      for (; first < low[i]; first++) if (Number.isFinite(y[first])) remove(sorted, count--, y[first]);
      if (count < least || count === 0) out[i] = Number.NaN;
      else out[i] = quantileOfSorted(sorted, count, q);
    }
  };
}

/** The first position among `count` sorted values whose value is not below `value`. */
function placeOf(sorted: Float64Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(sorted: Float64Array, count: number, value: number): void {
  const place = placeOf(sorted, count, value);
  if (count - place > 64) sorted.copyWithin(place + 1, place, count);
  else for (let i = count; i > place; i--) sorted[i] = sorted[i - 1];
  sorted[place] = value;
}

function remove(sorted: Float64Array, count: number, value: number): void {
  const place = placeOf(sorted, count, value);
  if (count - place > 64) sorted.copyWithin(place, place + 1, count);
  else for (let i = place; i + 1 < count; i++) sorted[i] = sorted[i + 1];
}
