import { DateDay, makeData, type Table } from "../columns/arrow/arrow.js";
import { columnIndex } from "../columns/arrow/column-names.js";
import { fieldOf } from "../columns/arrow/schema.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { COLLAPSES, type Collapse } from "../spec/vocabulary.js";
import { type Frequency, floor, label, next } from "./core/calendar.js";
import { ALONG, type Along, datedSeriesOf, vectorAt } from "./core/choose.js";
import { type Column, picked, renamed } from "./core/numbers.js";
import { refuseRepeatedNames } from "./core/result-shape.js";
import type { SessionCalendar } from "./core/session-calendar.js";
import { tableOf } from "./core/tables.js";
import { AGGREGATES, type Aggregate, aggregate, presentOf, type Spans } from "./track/aggregate.js";
import { checkCalendar, seriesTrack } from "./track/series-track.js";
import { rowAt, rowsAt, type Track } from "./track/track.js";

/** The last days of a week, in the order of their numbers. */
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
/** A day of the week, on which weekly periods end. */
export type Weekday = (typeof WEEKDAYS)[number];

/**
 * How the values of a period are reduced to one: an {@link Aggregate}, or `ohlc` for four columns of open, high, low
 * and close.
 */
export type PeriodValue = Aggregate | "ohlc";

type ValuesByColumn<Name extends string> = { readonly [column in Name]?: PeriodValue };

/** Options of {@link Frame.collapse}. */
export interface CollapseOptions<Name extends string = string> extends Along<Name> {
  /**
   * `calendar` (default): the last day of the period, even if it is in the future; `last`: the last day that has a row.
   */
  readonly label?: "calendar" | "last";
  /** The last day of a week, `sunday` by default (Monday to Sunday weeks). */
  readonly week?: Weekday;
  /**
   * `last` by default (the last non-null value); for all columns, or by column name, in which case other columns use
   * `last`.
   */
  readonly value?: PeriodValue | ValuesByColumn<Name>;
}

/** The periods of all series, in the order of the result. */
export interface Periods extends Spans {
  readonly label: Int32Array;
}

/**
 * Reduces each series to one row per period, as the service does (spec 4.2; details as observed). A row is dated with
 * the calendar end of its period and holds the last non-null value of each column. Periods without rows, and periods in
 * which the only value column is null, have no row. Each series keeps its order (newest first or oldest first,
 * determined by its first two rows); series follow one another in order of first appearance. `last`, `first`, `min` and
 * `max` keep the column type, and sums of decimals are exact (see {@link Aggregate}).
 *
 * @throws {InputError} UnknownValue, UnknownColumn, NoDateColumn, EmptyDate, DateOutOfRange
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const days = Frame.fromRows(
 *   [{ Date: "2024-02-28", Close: 1 }, { Date: "2024-02-29", Close: 2 }, { Date: "2024-03-01", Close: 3 }],
 *   [{ name: "Date", type: "Date" }, { name: "Close", type: "double" }],
 * );
 * [...days.collapse("monthly").rows()]; // 2024-02-29: 2, 2024-03-31: 3
 * ```
 */
export function collapse(table: Table, frequency: Collapse, options: CollapseOptions = {}): Table {
  refuseUnknown(options, [...ALONG, "label", "week", "value"], "collapse()");
  const word = oneOf(frequency, COLLAPSES, "collapse");
  if (word === "none") return table;
  const series = datedSeriesOf(table, options, "collapse()");
  const { on, by } = series;
  const values = table.schema.fields.map((_, at) => at).filter((at) => at !== on && !by.includes(at));
  let track = seriesTrack(table, series);
  checkCalendar(table, on, track);
  if (values.length === 1) track = withoutNulls(track, presentOf(vectorAt(table, values[0])));
  return periodTable(table, on, by, periodsOf(track, word, options), options);
}

/** The rows of the result: keys and labels unchanged, every other column aggregated. */
export function periodTable(
  table: Table,
  on: number,
  by: readonly number[],
  periods: Periods,
  { value = "last" }: Pick<CollapseOptions, "value">,
): Table {
  const how = chosenValue(table, value);
  const columns: Column[] = [];
  const firsts = rowsAt(periods, periods.from);
  for (const [at, field] of table.schema.fields.entries()) {
    if (at === on) columns.push(dayColumn(field.name, periods.label));
    else if (by.includes(at)) columns.push(picked(field, vectorAt(table, at), firsts));
    else columns.push(...periodColumns(table, at, how(field.name), periods));
  }
  if (columns.length > table.schema.fields.length) {
    refuseRepeatedNames(columns, "Rename the other column first.");
  }
  const key = [...by, on].map((at) => table.schema.fields[at].name);
  return tableOf(columns, periods.label.length, { key, metadata: table.schema.metadata });
}

export function dayColumn(name: string, days: Int32Array): Column {
  const type = new DateDay();
  return { field: fieldOf({ name, type: "Date" }), data: makeData({ type, length: days.length, data: days }) };
}

const OHLC = [
  ["open", "first"],
  ["high", "max"],
  ["low", "min"],
  ["close", "last"],
] as const;

function periodColumns(table: Table, at: number, how: PeriodValue, spans: Spans): Column[] {
  const field = table.schema.fields[at];
  const vector = vectorAt(table, at);
  if (how !== "ohlc") return [aggregate(field, vector, how, spans)];
  return OHLC.map(([part, word]) => {
    const column = aggregate(field, vector, word, spans);
    return { field: renamed(column.field, `${field.name}_${part}`), data: column.data };
  });
}

function chosenValue(table: Table, value: NonNullable<CollapseOptions["value"]>): (name: string) => PeriodValue {
  const check = (how: PeriodValue): PeriodValue =>
    typeof how !== "object" || how === null ? oneOf(how, [...AGGREGATES, "ohlc" as const], "value") : how;
  if (typeof value !== "object" || value === null || isQuantile(value)) return () => check(value);
  const named = new Map<string, PeriodValue>();
  for (const [name, how] of Object.entries(value)) {
    columnIndex(table, name);
    if (how !== undefined) named.set(name, check(how));
  }
  return (name) => named.get(name) ?? "last";
}

const isQuantile = (value: object): value is { readonly quantile: number } =>
  typeof (value as { quantile?: unknown }).quantile === "number";

function withoutNulls(track: Track, valid: Uint8Array | undefined): Track {
  if (valid === undefined) return track;
  const kept: number[] = [];
  const starts = new Int32Array(track.starts.length);
  for (let g = 0; g + 1 < starts.length; g++) {
    for (let at = track.starts[g]; at < track.starts[g + 1]; at++) {
      if (valid[rowAt(track, at)] === 1) kept.push(at);
    }
    starts[g + 1] = kept.length;
  }
  const positions = Int32Array.from(kept);
  const { days } = track;
  return {
    rows: rowsAt(track, positions),
    days: days === undefined ? undefined : positions.map((at) => days[at]),
    starts,
    newestFirst: track.newestFirst,
    repeats: track.repeats,
  };
}

/**
 * The periods of each series with rows, and those between them for which `fills` returns true, by their first day;
 * newest first if its rows are newest first. With `sessions`, periods end with one that has a session, with which they
 * are dated.
 */
export function periodsOf(
  track: Track,
  frequency: Frequency,
  options: Pick<CollapseOptions, "week" | "label"> & { readonly sessions?: SessionCalendar },
  fills?: (start: number) => boolean,
): Periods {
  const weekEnd = WEEKDAYS.indexOf(oneOf(options.week ?? "sunday", WEEKDAYS, "week"));
  const asCalendar = oneOf(options.label ?? "calendar", ["calendar", "last"], "label") === "calendar";
  const days = track.days as Int32Array;
  const { sessions } = options;
  const ends =
    sessions === undefined ? periodEnds(track, frequency, weekEnd) : sessionEnds(sessions, frequency, weekEnd);
  const dated = (end: number): number => (sessions === undefined ? end : sessions.lastUpTo(end));
  const periods = growing(track.starts.length);
  for (let g = 0; g + 1 < track.starts.length; g++) {
    const first = periods.count;
    let at = track.starts[g];
    const end = track.starts[g + 1];
    // A day after the calendar is an error, also in a period that the calendar covers in part.
    sessions?.from(days[end - 1]);
    while (at < end) {
      const last = ends(days[at]);
      if (fills !== undefined && at > track.starts[g]) {
        for (let start = ends(days[at - 1]) + 1; ends(start) < last; start = ends(start) + 1) {
          // An empty span starts at the first row of its series, from which it takes its keys.
          if (fills(start)) periods.add(track.starts[g], track.starts[g], dated(ends(start)));
        }
      }
      const from = at;
      while (at < end && days[at] <= last) at++;
      periods.add(from, at, asCalendar ? dated(last) : days[at - 1]);
    }
    if (track.newestFirst[g] === 1) periods.reverse(first);
  }
  return { rows: track.rows, ...periods.done() };
}

/** More days than the calendar has; beyond that, every period is computed separately. */
const MOST_DAYS = 4_000_000;

/** Returns the last day of the period of a day, from a table over the range of days in the data. */
function periodEnds({ starts, days }: Track, frequency: Frequency, weekEnd: number): (day: number) => number {
  const compute = (day: number): number => label(floor(day, frequency, weekEnd), frequency);
  const all = days as Int32Array;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let g = 0; g + 1 < starts.length; g++) {
    if (starts[g] === starts[g + 1]) continue;
    first = Math.min(first, all[starts[g]]);
    last = Math.max(last, all[starts[g + 1] - 1]);
  }
  if (!(first <= last && last - first < MOST_DAYS) || last - first > 4 * all.length) return compute;
  const ends = new Int32Array(last - first + 1);
  for (let start = floor(first, frequency, weekEnd); start <= last; ) {
    const after = next(start, frequency);
    ends.fill(label(start, frequency), Math.max(0, start - first), after - first);
    start = after;
  }
  return (day) => ends[day - first];
}

/** Returns the last day of the first period with a session that ends on a day or after it. */
function sessionEnds(sessions: SessionCalendar, frequency: Frequency, weekEnd: number): (day: number) => number {
  const known = new Map<number, number>();
  return (day) => {
    const start = floor(day, frequency, weekEnd);
    const found = known.get(start);
    if (found !== undefined) return found;
    sessions.from(day);
    // The first session from the start of the period, which may begin before the calendar does.
    const session = sessions.days[sessions.from(Math.max(start, sessions.first))];
    if (session === undefined) throw sessions.outOfRange(sessions.last + 1);
    const end = label(floor(session, frequency, weekEnd), frequency);
    known.set(start, end);
    return end;
  };
}

/** Three arrays that grow together. */
function growing(expected: number) {
  let room = Math.max(16, expected);
  let from = new Int32Array(room);
  let to = new Int32Array(room);
  let label = new Int32Array(room);
  const wider = (array: Int32Array): Int32Array<ArrayBuffer> => {
    const more = new Int32Array(room);
    more.set(array);
    return more;
  };
  return {
    count: 0,
    add(start: number, end: number, day: number): void {
      if (this.count === room) {
        room *= 2;
        from = wider(from);
        to = wider(to);
        label = wider(label);
      }
      from[this.count] = start;
      to[this.count] = end;
      label[this.count++] = day;
    },
    reverse(first: number): void {
      for (const array of [from, to, label]) array.subarray(first, this.count).reverse();
    },
    done(): { from: Int32Array; to: Int32Array; label: Int32Array } {
      const { count } = this;
      return { from: from.subarray(0, count), to: to.subarray(0, count), label: label.subarray(0, count) };
    },
  };
}
