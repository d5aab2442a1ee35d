import { DataType, type Table } from "../../columns/arrow/arrow.js";
import { keyOf } from "../../columns/arrow/key.js";
import { cellText } from "../../columns/arrow/vector-values.js";
import { InputError } from "../../errors/errors.js";
import { FIRST_DAY, LAST_DAY } from "../../value/date.js";
import { isTime, type SeriesColumns, vectorAt } from "../core/choose.js";
import { codesOf } from "../core/codes.js";
import { type ExactTimes, exactTimesOf, orderOf } from "../core/days.js";
import { rowsTo } from "./picks.js";
import { rowAt, type Track, trackOf } from "./track.js";

/**
 * The track through the series of a table. Rows of one day are ordered by their timestamps if the column has any.
 *
 * @throws {InputError} RepeatedDate if a date repeats within a series, unless all rows are explicitly one series
 */
export const seriesTrack = (table: Table, series: SeriesColumns): Track =>
  orderedTrack(table, series, trackOf(table, series.on, series.by));

/** As {@link seriesTrack}, of a track in which the rows of one day are in table order. */
export function orderedTrack(
  table: Table,
  { on, by, isOne }: SeriesColumns,
  track: Track,
  message?: RepeatMessage,
): Track {
  if (!track.repeats || on === undefined) return track;
  const times = exactTimesOf(vectorAt(table, on), table.schema.fields[on].name);
  const ordered = byTime(track, times);
  const at = isOne ? undefined : firstRepeat(ordered, times);
  if (at === undefined) return ordered;
  throw repeatedDate(table, { on, by }, [rowAt(ordered, at - 1), rowAt(ordered, at)], message);
}

/**
 * Checks that all dates of column `on` are within the years that have calendar periods.
 *
 * @throws {InputError} DateOutOfRange
 */
export function checkCalendar(table: Table, on: number, track: Track): void {
  const { starts } = track;
  const days = track.days as Int32Array;
  for (let g = 0; g + 1 < starts.length; g++) {
    if (starts[g] === starts[g + 1]) continue;
    const last = starts[g + 1] - 1;
    if (days[starts[g]] >= FIRST_DAY && days[last] <= LAST_DAY) continue;
    const row = rowAt(track, days[last] > LAST_DAY ? last : starts[g]);
    const { name } = table.schema.fields[on];
    const date = cellText(vectorAt(table, on), row) ?? undefined;
    throw new InputError(`Row ${row} of ${JSON.stringify(name)} is ${date}, outside of the years 1 to 9999.`, {
      code: "DateOutOfRange",
      column: name,
      row,
      value: date,
      hint: "Filter out such rows first, or pass another date column as `on`.",
    });
  }
}

/** The same track with the rows of each day ordered by their times, which are by table row. */
function byTime(track: Track, times: ExactTimes): Track {
  if (times.nanos === undefined) return track;
  const { starts, days } = track;
  const rows = track.rows?.slice() ?? rowsTo(times.days.length);
  const newestFirst = track.newestFirst.slice();
  const later = (a: number, b: number): number => orderOf(times, a, b) || a - b;
  for (let g = 0; g + 1 < starts.length; g++) {
    const [first, second] = lowestTwo(rows.subarray(starts[g], starts[g + 1]));
    if (second !== undefined && orderOf(times, first, second) > 0) newestFirst[g] = 1;
    for (let from = starts[g]; from < starts[g + 1]; ) {
      const to = endOfDay(days as Int32Array, from, starts[g + 1]);
      if (to - from > 1) rows.subarray(from, to).sort(later);
      from = to;
    }
  }
  return { ...track, rows, newestFirst };
}

/** The position of the first row that repeats the time of the previous row of its series. */
function firstRepeat(track: Track, times: ExactTimes): number | undefined {
  const days = track.days as Int32Array;
  for (let g = 0; g + 1 < track.starts.length; g++) {
    for (let at = track.starts[g] + 1; at < track.starts[g + 1]; at++) {
      if (days[at] === days[at - 1] && orderOf(times, rowAt(track, at - 1), rowAt(track, at)) === 0) return at;
    }
  }
  return undefined;
}

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

/** Positions of the date column and of the columns that identify a series. */
interface DatedSeries {
  readonly on: number;
  readonly by: readonly number[];
}

/** How the error refers to the series and to the option for its columns. */
export interface RepeatMessage {
  readonly subject: string;
  /** The option with which the caller names the columns. */
  readonly option: (names: readonly string[]) => string;
  /** The option to pass if the repeated dates are intended. */
  readonly onPurpose: string;
}

const BY: RepeatMessage = {
  subject: "A series",
  option: (names) => `{ by: ${JSON.stringify(names.length === 1 ? names[0] : names)} }`,
  onPurpose: "{ by: [] } treats all rows as one series.",
};

/** The error for two rows of one date in a series. The hint suggests columns that make the dates unique. */
export function repeatedDate(
  table: Table,
  series: DatedSeries,
  rows: readonly [number, number],
  message: RepeatMessage = BY,
): InputError {
  const name = (column: number): string => table.schema.fields[column].name;
  const [first, second] = rows[0] < rows[1] ? rows : [rows[1], rows[0]];
  const cell = (column: number): string => `${name(column)} ${cellText(vectorAt(table, column), second) ?? "null"}`;
  const cells = [series.on, ...series.by].map(cell).join(", ");
  const found = identifyingColumns(table, series).map((columns) => message.option(columns.map(name)));
  const cure =
    found.length > 0
      ? `Name the columns that identify a series: ${found.join(" or ")}.`
      : "No column identifies a series here; unique() or groupBy() can reduce the rows to one per date.";
  return new InputError(
    `${message.subject} must have one row per date; rows ${first} and ${second} both have ${cells}.`,
    {
      code: "RepeatedDate",
      column: name(series.on),
      row: second,
      hint: `${cure} ${message.onPurpose}`,
    },
  );
}

/** The most columns tried, tried in pairs, and suggested. */
const MAX_TRIED = 16;
const MAX_PAIRED = 5;
const MAX_SUGGESTED = 3;

/** The columns, or pairs of columns, that leave one row per date of a series; most likely first. */
function identifyingColumns(table: Table, series: DatedSeries): readonly (readonly number[])[] {
  const times = exactTimesOf(vectorAt(table, series.on), table.schema.fields[series.on].name);
  const does = (by: readonly number[]): boolean => {
    const track = trackOf(table, series.on, by);
    return !track.repeats || firstRepeat(byTime(track, times), times) === undefined;
  };
  const likely = likelyColumns(table, series);
  const alone = likely.flatMap((at) => {
    const choices = series.by.length === 0 ? [[at]] : [[at], [...series.by, at]];
    const found = choices.find(does);
    return found === undefined ? [] : [found];
  });
  if (alone.length > 0) return alone.slice(0, MAX_SUGGESTED);
  const few = likely.slice(0, MAX_PAIRED);
  const pairs = few.flatMap((a, i) => few.slice(i + 1).map((b) => [a, b]));
  return pairs.filter(does).slice(0, MAX_SUGGESTED);
}

/**
 * Candidates for columns that identify a series: those of the key, then text and booleans, then integers and dates with
 * several rows per value; within each kind, those with the fewest values first.
 */
function likelyColumns(table: Table, { on, by }: DatedSeries): number[] {
  const key = keyOf(table.schema);
  const rated = table.schema.fields.flatMap(({ name, type }, at) => {
    if (at === on || by.includes(at)) return [];
    const isNamed = key.includes(name);
    const isText = DataType.isUtf8(type) || DataType.isDictionary(type) || DataType.isBool(type);
    if (!isNamed && !isText && !DataType.isInt(type) && !isTime(type)) return [];
    const { size } = codesOf([vectorAt(table, at)]);
    if (!isNamed && !isText && size > table.numRows / 2) return [];
    return [{ at, rank: isNamed ? 0 : isText ? 1 : 2, size }];
  });
  return rated
    .sort((a, b) => a.rank - b.rank || a.size - b.size || a.at - b.at)
    .slice(0, MAX_TRIED)
    .map(({ at }) => at);
}
