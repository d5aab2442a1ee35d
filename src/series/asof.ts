import type { Table } from "../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../columns/arrow/column-names.js";
import { takeVector } from "../columns/table/take.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import type { OneOrMore } from "../spec/columns.js";
import { ALONG, listOf, requireTime, seriesOf, vectorAt, wholeNumber } from "./core/choose.js";
import {
  daysOf,
  type ExactTimes,
  exactTimesOf,
  isWithin,
  type Span,
  signOf,
  spanOf,
  TIME_UNITS,
  type TimeUnitName,
  timesAt,
} from "./core/days.js";
import { keysOf } from "./core/keys.js";
import { renamed } from "./core/numbers.js";
import { refuseTakenNames } from "./core/result-shape.js";
import { withColumns } from "./core/tables.js";
import { orderedTrack, type RepeatMessage } from "./track/series-track.js";
import { dayTrack, rowAt, type Track } from "./track/track.js";

/** Options of {@link Frame.asof}. */
export interface AsofOptions<Name extends string = string> {
  /** The date column, by its name in both tables; by default the first date column of each. */
  readonly on?: Name;
  /**
   * Columns that must be equal, by their common names. Default: the columns of the other frame's key that are not
   * dates, if that key contains the date column and this frame has them; `[]` matches by date alone.
   */
  readonly by?: OneOrMore<Name>;
  /**
   * `backward` (default): the last row at or before the date or timestamp; `forward`: the first at or after it;
   * `nearest`: the closest, the earlier of two.
   */
  readonly direction?: "backward" | "forward" | "nearest";
  /** The most time between the two rows, inclusive, in `unit`. */
  readonly tolerance?: number;
  /** The unit of `tolerance`: `days` of 24 hours (default), down to `milliseconds` and `nanoseconds`. */
  readonly unit?: TimeUnitName;
  /** Whether a row of exactly the same date or timestamp matches; true by default. */
  readonly exact?: boolean;
  /** The suffix of column names that the first table has too; `_right` by default. */
  readonly suffix?: string;
}

/**
 * Joins to every row of `left` the row of `right` that was current at its date or timestamp, or nulls (pandas'
 * `merge_asof`, SQL's `ASOF JOIN`). The result has the rows of `left` in their order; neither table need be sorted.
 *
 * Dates match by day. Timestamps match exactly, whatever their units and time zones; one without a time zone is in UTC,
 * and a date beside timestamps is its midnight in UTC.
 *
 * With `by: []`, dates and timestamps of `right` may repeat: `backward` and `nearest` use the last row of equal ones
 * (`nearest` the first where they are later than the row of `left`), `forward` the first. Column types stay.
 *
 * @throws {InputError} RepeatedDate if a series of `right` has several rows for one date or timestamp, UnknownColumn,
 *   NoDateColumn, EmptyDate, DifferentTypes, DuplicateColumn, UnknownValue, BadArgument
 */
export function asof(left: Table, right: Table, options: AsofOptions = {}): Table {
  refuseUnknown(options, [...ALONG, "direction", "tolerance", "unit", "exact", "suffix"], "asof()");
  const direction = oneOf(options.direction ?? "backward", ["backward", "forward", "nearest"], "direction");
  const unit = oneOf(options.unit ?? "days", TIME_UNITS, "unit");
  const reach =
    options.tolerance === undefined
      ? { days: Number.POSITIVE_INFINITY, nanos: 0 }
      : spanOf(wholeNumber(options.tolerance, 0, "tolerance"), unit);
  const onLeft = requireTime(left, options.on, "asof()");
  const onRight = requireTime(right, options.on, "asof()");
  const names = options.by === undefined ? keyedNames(left, right, options.on) : listOf(options.by);
  const byRight = names.map((name) => columnIndex(right, name));
  const { leftCodes, track, places } = seriesPairs(left, right, names, onRight);
  const isOne = options.by !== undefined && names.length === 0;
  const ordered = orderedTrack(right, { on: onRight, by: byRight, isOne }, track, OTHER);
  const times = exactTimesOf(vectorAt(left, onLeft), left.schema.fields[onLeft].name);
  const known = exactTimesOf(vectorAt(right, onRight), right.schema.fields[onRight].name);
  const search: Search = {
    track: ordered,
    times: ordered.rows === undefined ? known : timesAt(known, ordered.rows),
    direction,
    reach,
    isExact: options.exact ?? true,
  };
  const picks = new Int32Array(left.numRows).fill(-1);
  for (let row = 0; row < picks.length; row++) {
    const series = places[leftCodes === undefined ? 0 : leftCodes[row]] ?? -1;
    if (series !== -1) picks[row] = currentRow(search, series, times.days[row], times.nanos?.[row] ?? 0);
  }
  const taken = new Set(left.schema.fields.map((field) => field.name));
  const suffix = options.suffix ?? "_right";
  const added = right.schema.fields.flatMap((field, at) => {
    if (at === onRight || byRight.includes(at)) return [];
    const name = taken.has(field.name) ? field.name + suffix : field.name;
    return [
      { field: renamed(field, name).clone({ nullable: true }), data: takeVector(vectorAt(right, at), picks).data[0] },
    ];
  });
  refuseTakenNames(namesOf(left), added, 'Pass another suffix: { suffix: "_2" }.');
  return withColumns(left, new Map(), added);
}

/** The columns that identify a series of the right table according to its key, if the left table has all of them. */
function keyedNames(left: Table, right: Table, on: string | undefined): readonly string[] {
  const names = seriesOf(right, { on }).by.map((at) => right.schema.fields[at].name);
  return names.every((name) => namesOf(left).includes(name)) ? names : [];
}

const OTHER: RepeatMessage = {
  subject: "A series of the other frame",
  option: (names) => `{ by: ${JSON.stringify(names.length === 1 ? names[0] : names)} }`,
  onPurpose: '{ by: [] } uses the last row of each date, or the first with direction "forward".',
};

/** The series of two tables by common codes. */
interface Pairs {
  readonly leftCodes: Int32Array | undefined;
  readonly track: Track;
  /** Series of the right table by code, or -1. */
  readonly places: Int32Array;
}

/** The series of `right` by the columns `names`, each by ascending day, and the codes of the rows of `left`. */
export function seriesPairs(left: Table, right: Table, names: readonly string[], onRight: number): Pairs {
  const days = daysOf(vectorAt(right, onRight), right.schema.fields[onRight].name);
  if (names.length === 0) {
    const track = dayTrack(new Int32Array(right.numRows), 1, days);
    return { leftCodes: undefined, track, places: Int32Array.of(right.numRows === 0 ? -1 : 0) };
  }
  const columns = [left, right].map((table) => names.map((name) => columnIndex(table, name)));
  const { codes } = keysOf([left, right], columns);
  const [leftCodes, rightCodes] = codes.rows;
  const track = dayTrack(rightCodes, codes.size, days);
  const places = new Int32Array(codes.size).fill(-1);
  for (let g = 0; g + 1 < track.starts.length; g++) {
    const at = track.starts[g];
    places[rightCodes[rowAt(track, at)]] = g;
  }
  return { leftCodes, track, places };
}

interface Search {
  readonly track: Track;
  readonly times: ExactTimes;
  readonly direction: "backward" | "forward" | "nearest";
  readonly reach: Span;
  readonly isExact: boolean;
}

/** The row of the series that is current at a time, or -1. */
function currentRow(search: Search, series: number, day: number, nano: number): number {
  const { track, times, direction, reach, isExact } = search;
  const from = track.starts[series];
  const to = track.starts[series + 1];
  const dayAt = (at: number): number => times.days[at];
  const nanoAt = (at: number): number => times.nanos?.[at] ?? 0;
  let before = -1;
  let after = -1;
  if (direction !== "forward") {
    const at = firstAfter(times, [from, to], day, nano, !isExact) - 1;
    if (at >= from && isWithin(day, nano, dayAt(at), nanoAt(at), reach)) before = at;
  }
  if (direction !== "backward") {
    const at = firstAfter(times, [from, to], day, nano, isExact);
    if (at < to && isWithin(dayAt(at), nanoAt(at), day, nano, reach)) after = at;
  }
  if (before === -1 || after === -1) return before === after ? -1 : rowAt(track, Math.max(before, after));
  const days = dayAt(after) - day - (day - dayAt(before));
  const nearer = signOf(days, nanoAt(after) - nano - (nano - nanoAt(before))) < 0 ? after : before;
  return rowAt(track, nearer);
}

/** The first position from `from` to `to` (exclusive) whose time is later than a time, or equals it with `orEqual`. */
function firstAfter(
  { days, nanos }: ExactTimes,
  [from, to]: readonly [number, number],
  day: number,
  nano: number,
  orEqual: boolean,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    const own = days[middle];
    const rest = own === day && nanos !== undefined ? nanos[middle] - nano : own === day ? -nano : own - day;
    if (rest < 0 || (rest === 0 && !orEqual)) low = middle + 1;
    else high = middle;
  }
  return low;
}
