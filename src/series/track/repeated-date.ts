import { DataType, type Table } from "../../columns/arrow/arrow.js";
import { keyOf } from "../../columns/arrow/key.js";
import { cellText } from "../../columns/arrow/vector-values.js";
import { InputError } from "../../errors/errors.js";
import { isTime, vectorAt } from "../core/choose.js";
import { codesOf } from "../core/codes.js";
import { timestampsOf } from "../core/days.js";
import { trackOf } from "./track.js";
import { byTimestamp, firstRepeat } from "./within-days.js";

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
  const timestamps = timestampsOf(vectorAt(table, series.on));
  const does = (by: readonly number[]): boolean => {
    const track = trackOf(table, series.on, by);
    return (
      !track.repeats ||
      (timestamps !== undefined && firstRepeat(byTimestamp(track, timestamps), timestamps) === undefined)
    );
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
