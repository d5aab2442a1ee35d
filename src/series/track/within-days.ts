import { rowAt, type Track } from "./track.js";

/** The same track with the rows of each day ordered by timestamp (indexed by table row). */
export function byTimestamp(track: Track, timestamps: BigInt64Array): Track {
  const { starts, days } = track;
  const rows = track.rows?.slice() ?? Int32Array.from({ length: timestamps.length }, (_, row) => row);
  const newestFirst = track.newestFirst.slice();
  const later = (a: number, b: number): number => {
    const difference = timestamps[a] - timestamps[b];
    return difference === 0n ? a - b : Number(difference > 0n) * 2 - 1;
  };
  for (let g = 0; g + 1 < starts.length; g++) {
    const [first, second] = lowestTwo(rows.subarray(starts[g], starts[g + 1]));
    if (second !== undefined && timestamps[first] > timestamps[second]) newestFirst[g] = 1;
    for (let from = starts[g]; from < starts[g + 1]; ) {
      const to = endOfDay(days as Int32Array, from, starts[g + 1]);
      if (to - from > 1) rows.subarray(from, to).sort(later);
      from = to;
    }
  }
  return { ...track, rows, newestFirst };
}

/**
 * The position of the first row that repeats the date (or the timestamp, if there are any) of the previous row of its
 * series.
 */
export function firstRepeat(track: Track, timestamps: BigInt64Array | undefined): number | undefined {
  const days = track.days as Int32Array;
  for (let g = 0; g + 1 < track.starts.length; g++) {
    for (let at = track.starts[g] + 1; at < track.starts[g + 1]; at++) {
      if (days[at] !== days[at - 1]) continue;
      if (timestamps === undefined || timestamps[rowAt(track, at)] === timestamps[rowAt(track, at - 1)]) return at;
    }
  }
  return undefined;
}

/** The two lowest row numbers. */
function lowestTwo(rows: Int32Array): readonly [number, number | undefined] {
  let first = rows[0];
  let second: number | undefined;
  for (let i = 1; i < rows.length; i++) {
    if (rows[i] < first) {
      second = first;
      first = rows[i];
    } else if (second === undefined || rows[i] < second) second = rows[i];
  }
  return [first, second];
}

function endOfDay(days: Int32Array, from: number, end: number): number {
  let to = from + 1;
  while (to < end && days[to] === days[from]) to++;
  return to;
}
