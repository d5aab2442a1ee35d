import type { Table } from "../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../columns/arrow/column-names.js";
import { takeVector } from "../columns/table/take.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import type { OneOrMore } from "../spec/column-names.js";
import { ALONG, listOf, requireTime, seriesOf, vectorAt, wholeNumber } from "./core/choose.js";
import { daysOf } from "./core/days.js";
import { keysOf } from "./core/keys.js";
import { renamed } from "./core/numbers.js";
import { refuseTakenNames } from "./core/result-names.js";
import { withColumns } from "./core/tables.js";
import type { RepeatMessage } from "./track/repeated-date.js";
import { seriesTrack } from "./track/series-track.js";
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
   * `backward` (default): the last row on or before the day; `forward`: the first on or after it; `nearest`: the
   * closest, the earlier of two.
   */
  readonly direction?: "backward" | "forward" | "nearest";
  /** The most days between the two rows. */
  readonly tolerance?: number;
  /** Whether a row on exactly the same day matches; true by default. */
  readonly exact?: boolean;
  /** The suffix of column names that the first table has too; `_right` by default. */
  readonly suffix?: string;
}

/**
 * Joins to every row of `left` the row of `right` that was current on its day, or nulls (pandas' `merge_asof`, SQL's
 * `ASOF JOIN`). The result has the rows of `left` in their order; neither table need be sorted. With `by: []`, dates of
 * `right` may repeat: `backward` and `nearest` use the last row of a day, `forward` the first. Column types stay.
 *
 * @throws {InputError} RepeatedDate if a series of `right` has several rows for one date, UnknownColumn, NoDateColumn,
 *   EmptyDate, DifferentTypes, DuplicateColumn, UnknownValue, BadArgument
 */
export function asof(left: Table, right: Table, options: AsofOptions = {}): Table {
  refuseUnknown(options, [...ALONG, "direction", "tolerance", "exact", "suffix"], "asof()");
  const direction = oneOf(options.direction ?? "backward", ["backward", "forward", "nearest"], "direction");
  const reach =
    options.tolerance === undefined ? Number.POSITIVE_INFINITY : wholeNumber(options.tolerance, 0, "tolerance");
  const onLeft = requireTime(left, options.on, "asof()");
  const onRight = requireTime(right, options.on, "asof()");
  const names = options.by === undefined ? keyedNames(left, right, options.on) : listOf(options.by);
  const byRight = names.map((name) => columnIndex(right, name));
  const { leftCodes, track, places } = pairs(left, right, names, onRight);
  const isOne = options.by !== undefined && names.length === 0;
  if (track.repeats) seriesTrack(right, { on: onRight, by: byRight, isOne }, OTHER);
  const days = daysOf(vectorAt(left, onLeft), left.schema.fields[onLeft].name);
  const gap = (options.exact ?? true) ? 0 : 1;
  const picks = new Int32Array(left.numRows).fill(-1);
  for (let row = 0; row < picks.length; row++) {
    const series = places[leftCodes === undefined ? 0 : leftCodes[row]] ?? -1;
    if (series !== -1) picks[row] = currentRow(track, series, days[row], direction, reach, gap);
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
  refuseTakenNames(
    namesOf(left),
    added.map(({ field }) => field.name),
    'Pass another suffix: { suffix: "_2" }.',
  );
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

interface Pairs {
  readonly leftCodes: Int32Array | undefined;
  readonly track: Track;
  /** Series of the right table by code, or -1. */
  readonly places: Int32Array;
}

function pairs(left: Table, right: Table, names: readonly string[], onRight: number): Pairs {
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

/** The row of the series that is current on a day, or -1. `gap` is 1 if a row on the day itself does not match. */
function currentRow(track: Track, series: number, day: number, direction: string, reach: number, gap: number): number {
  const days = track.days as Int32Array;
  const from = track.starts[series];
  const to = track.starts[series + 1];
  let before = -1;
  let after = -1;
  if (direction !== "forward") {
    const at = firstAfter(days, from, to, day - gap) - 1;
    if (at >= from && day - days[at] <= reach) before = at;
  }
  if (direction !== "backward") {
    const at = firstAfter(days, from, to, day + gap - 1);
    if (at < to && days[at] - day <= reach) after = at;
  }
  const nearer = before === -1 || (after !== -1 && days[after] - day < day - days[before]) ? after : before;
  return nearer === -1 ? nearer : rowAt(track, nearer);
}

/** The first position from `from` to `to` whose day is later than `day`. */
function firstAfter(days: Int32Array, from: number, to: number, day: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (days[middle] <= day) low = middle + 1;
    else high = middle;
  }
  return low;
}
