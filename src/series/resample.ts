import type { Table } from "../columns/arrow/arrow.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { type CollapseOptions, periodsOf, periodTable } from "./collapse.js";
import type { Frequency } from "./core/calendar.js";
import { ALONG, datedSeriesOf } from "./core/choose.js";
import { type Calendar, sessionCalendar } from "./core/session-calendar.js";
import { type Filling, fill } from "./fill.js";
import { checkCalendar, seriesTrack } from "./track/series-track.js";

/** Options of {@link Frame.resample}. */
export interface ResampleOptions<Name extends string = string> extends Omit<CollapseOptions<Name>, "label"> {
  /** The value for periods without rows (and for other nulls); `null` by default. */
  readonly gaps?: Filling | "null";
  /** With `daily`, create no rows for Saturdays and Sundays that have none. */
  readonly skip?: "weekends";
  /**
   * Periods of sessions: of each day, week, month, …, dated with its last session. Periods without a session have no
   * row; what falls into them, such as a Saturday, belongs to the next period with one.
   */
  readonly calendar?: Calendar;
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
  refuseUnknown(options, [...ALONG, "week", "value", "gaps", "skip", "calendar"], "resample()");
  const word = oneOf(frequency, FREQUENCIES, "resample");
  const series = datedSeriesOf(table, options, "resample()");
  const { on, by } = series;
  const track = seriesTrack(table, series);
  checkCalendar(table, on, track);
  const skips = options.skip !== undefined && oneOf(options.skip, ["weekends"], "skip") && word === "daily";
  const sessions = options.calendar === undefined ? undefined : sessionCalendar(options.calendar);
  // A calendar has no weekends, and its spans may begin on one.
  const fills = (start: number): boolean => sessions !== undefined || !(skips && isWeekend(start));
  const periods = periodsOf(track, word, { week: options.week, sessions }, fills);
  const result = periodTable(table, on, by, periods, options);
  const gaps = options.gaps ?? "null";
  if (gaps === "null") return result;
  return fill(result, gaps, { on: table.schema.fields[on].name, by: options.by });
}

/** Saturday or Sunday; 1970-01-01 was a Thursday. */
const isWeekend = (day: number): boolean => ((((day + 4) % 7) + 7) % 7) % 6 === 0;
