import type { Table } from "../../columns/arrow/arrow.js";
import { vectorAt } from "../core/choose.js";
import { type Codes, codesOf, combine, ownIndices } from "../core/codes.js";
import { dayPieces } from "../core/days.js";
import { joined } from "../core/pieces.js";

/**
 * The order in which calculations traverse a long table: series after series in order of first appearance, and within
 * each series by ascending day (rows of one day in table order).
 */
export interface Track {
  /** Track position → table row; undefined if the table is already in that order. */
  readonly rows: Int32Array | undefined;
  /** Series `g` covers the positions `starts[g]` to `starts[g + 1]` (exclusive). */
  readonly starts: Int32Array;
  /** The day at each position; undefined if the table has no date column. */
  readonly days: Int32Array | undefined;
  /** 1 for a series that is newest first, determined by its first two rows. */
  readonly newestFirst: Uint8Array;
  /** Whether a series has several rows for one day. */
  readonly repeats: boolean;
}

export const rowAt = ({ rows }: Pick<Track, "rows">, at: number): number => (rows === undefined ? at : rows[at]);

export const rowsAt = ({ rows }: Pick<Track, "rows">, positions: Int32Array): Int32Array =>
  rows === undefined ? positions : positions.map((at) => rows[at]);

/** Reorders values from row order to track order. */
export function inOrder(values: Float64Array, rows: Int32Array | undefined): Float64Array {
  if (rows === undefined) return values;
  const out = new Float64Array(rows.length);
  for (let i = 0; i < out.length; i++) out[i] = values[rows[i]];
  return out;
}

/** Reorders values from track order to row order. */
export function byRow(values: Float64Array, rows: Int32Array | undefined): Float64Array {
  if (rows === undefined) return values;
  const out = new Float64Array(values.length);
  for (let i = 0; i < rows.length; i++) out[rows[i]] = values[i];
  return out;
}

/**
 * The track through `table` by the columns at `by`, along the days of column `on`. First checks, batch by batch,
 * whether the table is already in that order; only if not are codes and days joined.
 */
export function trackOf(table: Table, on: number | undefined, by: readonly number[]): Track {
  const days = on === undefined ? undefined : dayPieces(vectorAt(table, on), table.schema.fields[on].name);
  if (by.length === 0) return ofRuns(wholeTable(table.numRows), days);
  const own = by.length === 1 ? ownIndices(vectorAt(table, by[0])) : undefined;
  if (own !== undefined) return ofCodes(own.pieces, own.size, days);
  const { rows, size } = combinedCodes(table, by);
  return ofCodes(rows, size, days);
}

/** The rows of each group consecutively, groups in order of first appearance, rows in table order. */
export function groupTrack(codes: Int32Array, size: number): Track {
  return ofCodes([codes], size, undefined);
}

/** As {@link groupTrack}, with each group by ascending day. */
export function dayTrack(codes: Int32Array, size: number, days: Int32Array): Track {
  return ofCodes([codes], size, [days]);
}

/** A code per row that identifies its series; undefined if all rows are one series. */
export function seriesCodes(table: Table, by: readonly number[]): Codes | undefined {
  return by.length === 0 ? undefined : combinedCodes(table, by);
}

const combinedCodes = (table: Table, by: readonly number[]): Codes =>
  combine(by.map((column) => codesOf([vectorAt(table, column)])));

const wholeTable = (length: number): Int32Array => (length === 0 ? Int32Array.of(0) : Int32Array.of(0, length));

/** The starts of runs of equal codes, with the length appended; undefined if a code occurs in several runs. */
function runs(pieces: readonly Int32Array[], size: number): Int32Array | undefined {
  const seen = new Uint8Array(size);
  const starts: number[] = [];
  let current = -1;
  let base = 0;
  for (const codes of pieces) {
    for (let i = 0; i < codes.length; i = endOfRun(codes, i)) {
      if (codes[i] === current) continue;
      current = codes[i];
      if (seen[current] === 1) return undefined;
      seen[current] = 1;
      starts.push(base + i);
    }
    base += codes.length;
  }
  starts.push(base);
  return Int32Array.from(starts);
}

/** The end of the run of equal codes around a position. */
function endOfRun(codes: Int32Array, at: number): number {
  const code = codes[at];
  let end = at + 1;
  while (end < codes.length && codes[end] === code) end++;
  return end;
}

/** Fills `rows` with the rows of each group consecutively, stable; returns where groups start. */
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

function ofCodes(pieces: readonly Int32Array[], size: number, days: readonly Int32Array[] | undefined): Track {
  const runStarts = runs(pieces, size);
  if (runStarts !== undefined) return ofRuns(runStarts, days);
  const codes = joined(pieces, Int32Array);
  const rows = new Int32Array(codes.length);
  const starts = groupRows(codes, size, rows);
  const newestFirst = new Uint8Array(starts.length - 1);
  if (days === undefined) return { rows, starts, days, newestFirst, repeats: false };
  const allDays = joined(days, Int32Array);
  const order = orderInGroups(codes, size, allDays);
  const repeats = order === Order.Unsorted ? sortRuns(rows, starts, allDays, newestFirst) : order === Order.Repeats;
  return withDays({ rows, starts, newestFirst, repeats }, () => daysAt(rows, allDays));
}

/** A track whose series are contiguous. */
function ofRuns(starts: Int32Array, days: readonly Int32Array[] | undefined): Track {
  const newestFirst = new Uint8Array(starts.length - 1);
  if (days === undefined) return { rows: undefined, starts, days, newestFirst, repeats: false };
  const order = orderInRuns(days, starts);
  if (order !== Order.Unsorted) {
    const repeats = order === Order.Repeats;
    return withDays({ rows: undefined, starts, newestFirst, repeats }, () => joined(days, Int32Array));
  }
  const rows = new Int32Array(starts[starts.length - 1]);
  for (let i = 0; i < rows.length; i++) rows[i] = i;
  const allDays = joined(days, Int32Array);
  const repeats = sortRuns(rows, starts, allDays, newestFirst);
  return withDays({ rows, starts, newestFirst, repeats }, () => daysAt(rows, allDays));
}

/** A track that computes its days on first access: most calculations do not need them. */
function withDays({ rows, starts, newestFirst, repeats }: Omit<Track, "days">, inOrder: () => Int32Array): Track {
  let days: Int32Array | undefined;
  return {
    rows,
    starts,
    newestFirst,
    repeats,
    get days() {
      days ??= inOrder();
      return days;
    },
  };
}

function daysAt(rows: Int32Array, days: Int32Array): Int32Array {
  const out = new Int32Array(rows.length);
  for (let i = 0; i < out.length; i++) out[i] = days[rows[i]];
  return out;
}

/** Before all days. */
const LONG_AGO = -(2 ** 31);

/** The order of the days within each series. */
const Order = { Ascending: 0, Repeats: 1, Unsorted: 2 } as const;
type Order = (typeof Order)[keyof typeof Order];

function orderInRuns(pieces: readonly Int32Array[], starts: Int32Array): Order {
  let order: Order = Order.Ascending;
  let g = 0;
  let base = 0;
  let before = LONG_AGO;
  for (const days of pieces) {
    for (let i = 0; i < days.length; ) {
      const end = Math.min(days.length, starts[g + 1] - base);
      for (; i < end; i++) {
        if (days[i] <= before) {
          if (days[i] < before) return Order.Unsorted;
          order = Order.Repeats;
        }
        before = days[i];
      }
      if (base + i < starts[g + 1]) continue;
      g++;
      before = LONG_AGO;
    }
    base += days.length;
  }
  return order;
}

function orderInGroups(codes: Int32Array, size: number, days: Int32Array): Order {
  let order: Order = Order.Ascending;
  const before = new Int32Array(size).fill(LONG_AGO);
  for (let i = 0; i < codes.length; i++) {
    if (days[i] <= before[codes[i]]) {
      if (days[i] < before[codes[i]]) return Order.Unsorted;
      order = Order.Repeats;
    }
    before[codes[i]] = days[i];
  }
  return order;
}

/**
 * Sorts each run of `rows` by day in place and marks those that are newest first; returns whether a run has several
 * rows for one day.
 */
function sortRuns(rows: Int32Array, starts: Int32Array, days: Int32Array, newestFirst: Uint8Array): boolean {
  let repeats = false;
  for (let g = 0; g + 1 < starts.length; g++) {
    const run = rows.subarray(starts[g], starts[g + 1]);
    if (run.length > 1 && days[run[0]] > days[run[1]]) newestFirst[g] = 1;
    repeats = sortRun(run, days) || repeats;
  }
  return repeats;
}

function sortRun(run: Int32Array, days: Int32Array): boolean {
  let rising = true;
  let falling = true;
  let repeats = false;
  for (let i = 1; i < run.length; i++) {
    const step = days[run[i]] - days[run[i - 1]];
    if (step < 0) rising = false;
    else {
      falling = false;
      if (step === 0) repeats = true;
    }
  }
  if (rising) return repeats;
  if (falling) {
    run.reverse();
    return false;
  }
  sortByDay(run, days);
  return hasNeighbours(run, days);
}

/** Whether two consecutive rows are of one day. */
function hasNeighbours(run: Int32Array, days: Int32Array): boolean {
  for (let i = 1; i < run.length; i++) if (days[run[i]] === days[run[i - 1]]) return true;
  return false;
}

/** Sorts rows, which are in ascending order, by day. */
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
  // Day and position packed exactly into one double: sorting the doubles sorts by day, then by row.
  const keys = new Float64Array(length);
  for (let i = 0; i < length; i++) keys[i] = (days[run[i]] - first) * length + i;
  const before = run.slice();
  keys.sort();
  for (let i = 0; i < length; i++) run[i] = before[keys[i] % length];
}
