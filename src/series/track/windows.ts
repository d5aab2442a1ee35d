import { type ExactTimes, NANOS_PER_DAY, type Span } from "../core/days.js";
import type { Track } from "./track.js";

/** For every position the start and the end (exclusive) of its window; neither ever decreases within a series. */
export interface Windows {
  readonly low: Int32Array;
  readonly high: Int32Array;
  /** The fewest values for a result. */
  readonly least: number;
}

/** How windows are cut: `size` rows that end at a row; with `center`, half of them after it. */
export interface WindowShape {
  readonly size: number;
  readonly center: boolean;
  readonly least: number;
}

/** Windows of `size` rows that end at each row; with `center`, that end `(size - 1) / 2` rows later, rounded down. */
export function rowWindows({ starts }: Pick<Track, "starts">, { size, center, least }: WindowShape): Windows {
  const length = starts[starts.length - 1];
  const low = new Int32Array(length);
  const high = new Int32Array(length);
  const ahead = center ? (size - 1) >> 1 : 0;
  for (let g = 0; g + 1 < starts.length; g++) {
    const from = starts[g];
    const to = starts[g + 1];
    for (let i = from; i < to; i++) {
      low[i] = Math.max(from, i + ahead + 1 - size);
      high[i] = Math.min(to, i + ahead + 1);
    }
  }
  return { low, high, least };
}

/**
 * Windows of a span that end at each row's time: later than the span before, up to 0 after; with `center`, half of it
 * before and after. `times` are in the order of the track.
 */
export function timeWindows(
  { starts }: Track,
  times: ExactTimes,
  span: Span,
  { center, least }: Pick<WindowShape, "center" | "least">,
): Windows {
  const { days, nanos } = times;
  const low = new Int32Array(days.length);
  const high = new Int32Array(days.length);
  const wholeDay = NANOS_PER_DAY;
  const aheadDays = center ? Math.floor(span.days / 2) : 0;
  const aheadNanos = center ? (span.nanos + (span.days % 2) * wholeDay) / 2 : 0;
  for (let g = 0; g + 1 < starts.length; g++) {
    const to = starts[g + 1];
    let a = starts[g];
    let b = starts[g];
    for (let i = starts[g]; i < to; i++) {
      const ahead = nanos === undefined ? aheadNanos : nanos[i] + aheadNanos;
      const carried = ahead >= wholeDay ? 1 : 0;
      const end = days[i] + aheadDays + carried;
      const endRest = ahead - carried * wholeDay;
      const borrowed = endRest < span.nanos ? 1 : 0;
      const start = end - span.days - borrowed;
      const startRest = endRest - span.nanos + borrowed * wholeDay;
      // The time of a day is 0.
      while (b < to && (days[b] < end || (days[b] === end && (nanos === undefined || nanos[b] <= endRest)))) b++;
      while (a < b && (days[a] < start || (days[a] === start && (nanos === undefined || nanos[a] <= startRest)))) a++;
      low[i] = a;
      high[i] = b;
    }
  }
  return { low, high, least };
}

/** The most positions in the buffer at a time: the rows of a window enter before those of the previous one leave. */
export function widest({ low, high }: Pick<Windows, "low" | "high">, from: number, to: number): number {
  let most = 0;
  for (let i = from; i < to; i++) most = Math.max(most, high[i] - (i === from ? from : low[i - 1]));
  return most;
}
