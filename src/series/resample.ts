import type { Table } from "../columns/arrow/arrow.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { type CollapseOptions, growing, type Periods, periodTable, WEEKDAYS } from "./collapse.js";
import { type Frequency, floor, label, next } from "./core/calendar.js";
import { ALONG, datedSeriesOf } from "./core/choose.js";
import { type Filling, fill } from "./fill.js";
import { checkCalendar, seriesTrack } from "./track/series-track.js";
import type { Track } from "./track/track.js";

/** Options of {@link Frame.resample}. */
export interface ResampleOptions<Name extends string = string> extends Omit<CollapseOptions<Name>, "label"> {
  /** The value for periods without rows (and for other nulls); `null` by default. */
  readonly gaps?: Filling | "null";
  /** With `daily`, create no rows for Saturdays and Sundays that have none. */
  readonly skip?: "weekends";
}

const FREQUENCIES: readonly Frequency[] = ["daily", "weekly", "monthly", "quarterly", "annual"];

/**
 * As {@link collapse}, but on a calendar without gaps: every series has a row for every period from its first to its
 * last row, with nulls, or the value of `gaps`, if there is no data. A finer frequency than that of the data upsamples,
 * for example a monthly series to a daily one.
 *
 * @throws {InputError} UnknownValue, UnknownColumn, NoDateColumn, EmptyDate, DateOutOfRange
 * @example
 * ```ts
 * import { Frame } from "arrowbook";
 * const days = Frame.fromRows(
 *   [{ Date: "2024-02-28", Close: 1 }, { Date: "2024-03-01", Close: 3 }],
 *   [{ name: "Date", type: "Date" }, { name: "Close", type: "double" }],
 * );
 * days.resample("daily", { gaps: "forward" }).column("Close").toNumbers(); // 1, 1, 3
 * ```
 */
export function resample(table: Table, frequency: Frequency, options: ResampleOptions = {}): Table {
  refuseUnknown(options, [...ALONG, "week", "value", "gaps", "skip"], "resample()");
  const word = oneOf(frequency, FREQUENCIES, "resample");
  const series = datedSeriesOf(table, options, "resample()");
  const { on, by } = series;
  const track = seriesTrack(table, series);
  checkCalendar(table, on, track);
  const periods = everyPeriod(track, word, options);
  const result = periodTable(table, on, by, periods, options);
  const gaps = options.gaps ?? "null";
  if (gaps === "null") return result;
  return fill(result, gaps, { on: table.schema.fields[on].name, by: options.by });
}

function everyPeriod(track: Track, frequency: Frequency, { week = "sunday", skip }: ResampleOptions): Periods {
  const weekEnd = WEEKDAYS.indexOf(oneOf(week, WEEKDAYS, "week"));
  const skips = skip !== undefined && oneOf(skip, ["weekends"], "skip") === "weekends" && frequency === "daily";
  const days = track.days as Int32Array;
  const periods = growing(track.starts.length);
  for (let g = 0; g + 1 < track.starts.length; g++) {
    const first = periods.count;
    let at = track.starts[g];
    const end = track.starts[g + 1];
    let start = at < end ? floor(days[at], frequency, weekEnd) : 0;
    while (at < end) {
      const after = next(start, frequency);
      const from = at;
      while (at < end && days[at] < after) at++;
      // An empty span starts at the first row of its series, from which it takes its keys.
      if (from < at) periods.add(from, at, label(start, frequency));
      else if (!(skips && isWeekend(start))) periods.add(track.starts[g], track.starts[g], label(start, frequency));
      start = after;
    }
    if (track.newestFirst[g] === 1) periods.reverse(first);
  }
  return { rows: track.rows, ...periods.done() };
}

/** Saturday or Sunday; 1970-01-01 was a Thursday. */
const isWeekend = (day: number): boolean => ((((day + 4) % 7) + 7) % 7) % 6 === 0;
