import type { Table } from "../columns/arrow.js";
import { vectorAt } from "./choose.js";
import { type Codes, codesOf, combine } from "./codes.js";
import { daysOf } from "./days.js";

/**
 * The way through a long table that every calculation takes: series after series in order of first appearance, and within each
 * series by ascending day (rows of one day as they stand).
 */
export interface Track {
  /** Position on the way → row of the table; undefined where the table already stands so. */
  readonly rows: Int32Array | undefined;
  /** Series `g` takes the positions from `starts[g]` to `starts[g + 1]` (exclusive). */
  readonly starts: Int32Array;
  /** Day at each position; undefined where the table has no date column. */
  readonly days: Int32Array | undefined;
  /** 1 for a series that stands newest first, as its first two rows tell. */
  readonly newestFirst: Uint8Array;
}

/** The way through `table` by the columns at `by`, along the days of column `on`. */
export function trackOf(table: Table, on: number | undefined, by: readonly number[]): Track {
  const days = on === undefined ? undefined : daysOf(vectorAt(table, on), table.schema.fields[on].name);
  const codes = seriesCodes(table, by);
  return codes === undefined ? inRuns(wholeTable(table.numRows), days) : dayTrack(codes.rows[0], codes.size, days);
}

/** The rows of each group one after the other, groups in order of first appearance, rows as they stand. */
export function groupTrack(codes: Int32Array, size: number): Track {
  return dayTrack(codes, size, undefined);
}

/** As {@link groupTrack}, each group by ascending day. */
export function dayTrack(codes: Int32Array, size: number, days: Int32Array | undefined): Track {
  const starts = runs(codes, size);
  if (starts !== undefined) return inRuns(starts, days);
  const rows = new Int32Array(codes.length);
  return sortRuns(rows, groupRows(codes, size, rows), days);
}

/** One code for each row that tells the series apart; undefined where all rows are one series. */
export function seriesCodes(table: Table, by: readonly number[]): Codes | undefined {
  if (by.length === 0) return undefined;
  return combine(by.map((column) => codesOf([vectorAt(table, column)])));
}

const wholeTable = (length: number): Int32Array => (length === 0 ? Int32Array.of(0) : Int32Array.of(0, length));

/** Where runs of equal codes begin, with the length at the end; undefined where a code comes back after its run. */
function runs(codes: Int32Array, size: number): Int32Array | undefined {
  const seen = new Uint8Array(size);
  const starts: number[] = [];
  let current = -1;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (code === current) continue;
    if (seen[code] === 1) return undefined;
    seen[code] = 1;
    current = code;
    starts.push(i);
  }
  starts.push(codes.length);
  return Int32Array.from(starts);
}

/** Fills `rows` with the rows of one group after the other, stable; gives where groups begin. */
function groupRows(codes: Int32Array, size: number, rows: Int32Array): Int32Array {
  const place = new Int32Array(size).fill(-1);
  const counts: number[] = [];
  for (let i = 0; i < codes.length; i++) {
    if (place[codes[i]] === -1) {
      place[codes[i]] = counts.length;
      counts.push(0);
    }
    counts[place[codes[i]]]++;
  }
  const starts = new Int32Array(counts.length + 1);
  for (let g = 0; g < counts.length; g++) starts[g + 1] = starts[g] + counts[g];
  const at = starts.slice();
  for (let i = 0; i < codes.length; i++) rows[at[place[codes[i]]]++] = i;
  return starts;
}

function inRuns(starts: Int32Array, days: Int32Array | undefined): Track {
  const newestFirst = new Uint8Array(starts.length - 1);
  if (days === undefined || isAscending(days, starts)) return { rows: undefined, starts, days, newestFirst };
  const rows = new Int32Array(days.length);
  for (let i = 0; i < rows.length; i++) rows[i] = i;
  return sortRuns(rows, starts, days);
}

function isAscending(days: Int32Array, starts: Int32Array): boolean {
  for (let g = 0; g + 1 < starts.length; g++) {
    for (let i = starts[g] + 1; i < starts[g + 1]; i++) if (days[i] < days[i - 1]) return false;
  }
  return true;
}

/** Sorts each run of `rows` by day, in place. */
function sortRuns(rows: Int32Array, starts: Int32Array, days: Int32Array | undefined): Track {
  const newestFirst = new Uint8Array(starts.length - 1);
  if (days === undefined) return { rows, starts, days, newestFirst };
  for (let g = 0; g + 1 < starts.length; g++) {
    const run = rows.subarray(starts[g], starts[g + 1]);
    if (run.length > 1 && days[run[0]] > days[run[1]]) newestFirst[g] = 1;
    sortRun(run, days);
  }
  const sorted = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) sorted[i] = days[rows[i]];
  return { rows, starts, days: sorted, newestFirst };
}

function sortRun(run: Int32Array, days: Int32Array): void {
  let rising = true;
  let falling = true;
  for (let i = 1; i < run.length; i++) {
    const step = days[run[i]] - days[run[i - 1]];
    if (step < 0) rising = false;
    if (step >= 0) falling = false;
  }
  if (rising) return;
  if (falling) {
    run.reverse();
    return;
  }
  sortByDay(run, days);
}

/** Sorts rows, given in rising order, by their days. */
function sortByDay(run: Int32Array, days: Int32Array): void {
  let first = days[run[0]];
  let last = first;
  for (let i = 1; i < run.length; i++) {
    if (days[run[i]] < first) first = days[run[i]];
    else if (days[run[i]] > last) last = days[run[i]];
  }
  const { length } = run;
  if ((last - first + 1) * length > Number.MAX_SAFE_INTEGER) {
    run.sort((a, b) => days[a] - days[b] || a - b);
    return;
  }
  // Day and place in one double, exactly: sorted as numbers, the place tells the row.
  const keys = new Float64Array(length);
  for (let i = 0; i < length; i++) keys[i] = (days[run[i]] - first) * length + i;
  const before = run.slice();
  keys.sort();
  for (let i = 0; i < length; i++) run[i] = before[keys[i] % length];
}
