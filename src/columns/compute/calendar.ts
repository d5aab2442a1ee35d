import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { addMonths, civil, dayOfYear, FIRST_DAY, formatDate, LAST_DAY } from "../../value/date.js";
import { datePattern, hourOf, isoWeek, minuteOf, quarter, secondOf, weekday } from "../../value/date-pattern.js";
import { type Data, DataType, Int64, Utf8, Vector } from "../arrow/arrow.js";
import { instantsOf } from "../arrow/instants.js";
import { typeName } from "../arrow/schema.js";
import { isValid, mapChunks, unitsData, type Validity, validOf, valuesData } from "./chunks.js";
import { SECONDS_PER_DAY, timeConstant } from "./constant.js";
import { fewTexts, textData } from "./map-texts.js";
import { mapRows, type Operand } from "./operands.js";
import { type Place, tooLarge, unlike, wrongType } from "./place.js";
import { isDays, store, timestampType } from "./units.js";

const DAY_PARTS = {
  year: (days: number) => civil(days).year,
  quarter,
  month: (days: number) => civil(days).month,
  day: (days: number) => civil(days).day,
  dayOfYear,
  week: isoWeek,
  weekday,
};

const TIME_PARTS = { hour: hourOf, minute: minuteOf, second: secondOf };

/**
 * A part of a date: months, quarters, days and days of the year count from 1, weeks are those of ISO 8601, weekdays
 * go from 1 (Monday) to 7. Timestamps also have an hour, a minute and a second.
 */
export type DatePart = keyof typeof DAY_PARTS | keyof typeof TIME_PARTS;

const YEARS_HINT = "Pass a smaller number, or leave out the rows whose result is outside these years.";
const INTEGER = { scale: 0, precision: 19, isInteger: true };

/**
 * A part of each date, or of each timestamp in UTC, as an integer; null stays null.
 *
 * @throws {InputError} WrongType
 */
export function datePart(vector: Vector, name: DatePart, place: Place): Vector {
  needTimes(vector, place);
  const ofDay = DAY_PARTS[name as keyof typeof DAY_PARTS];
  const ofTime = TIME_PARTS[name as keyof typeof TIME_PARTS];
  if (ofDay === undefined && !DataType.isTimestamp(vector.type)) {
    throw wrongType(place, vector.type, "a column of timestamps");
  }
  const part = ofDay && remembered(ofDay);
  return mapChunks(vector, new Int64(), (data) => {
    const { days, nanos } = instantsOf(data);
    const valid = validOf(data);
    if (part === undefined) return integerData(data.length, valid, (i) => ofTime(nanos(i)));
    if (!isDays(data.type) || valid !== undefined) return integerData(data.length, valid, (i) => part.of(days(i)));
    return unitsData(INTEGER, data.length, partsOfDays(data.values as Int32Array, data.length, part), valid);
  });
}

/** Days that are remembered, from 1880 to 2059: most dates repeat. */
const REMEMBERED = 32_768;

/** A part of days. */
interface DayPart {
  /** That of the days of which it is known, from `-REMEMBERED` on; else 0, which is not a part of any of them. */
  readonly known: Int16Array;
  readonly of: (days: number) => number;
}

/** A part of each day in a loop of its own, without a call for most days. */
function partsOfDays(days: Int32Array, length: number, { known, of }: DayPart): Int32Array {
  const words = new Int32Array(2 * length);
  for (let i = 0; i < length; i++) {
    const at = days[i] + REMEMBERED;
    const part = (at >= 0 && at < known.length && known[at]) || of(days[i]);
    words[2 * i] = part;
    words[2 * i + 1] = part >> 31;
  }
  return words;
}

/** A part of a day, computed once for each of most days. */
function remembered(ofDay: (days: number) => number): DayPart {
  const known = new Int16Array(2 * REMEMBERED);
  return {
    known,
    of(days) {
      const at = days + REMEMBERED;
      if (!(at >= 0 && at < known.length)) return ofDay(days);
      if (known[at] === 0) known[at] = ofDay(days);
      return known[at];
    },
  };
}

/**
 * The days from another date to each date: the midnights (in UTC) between them, negative where the other is later.
 *
 * @throws {InputError} WrongType, BadArgument, DifferentLength
 */
export function daysSince(vector: Vector, other: Operand, place: Place): Vector {
  needTimes(vector, place);
  if (other instanceof Vector && !isTime(other.type)) throw unlike(place, vector.type, other.type);
  const constant = other === null || other instanceof Vector ? undefined : timeConstant(other, vector.type, place);
  const from = constant === undefined ? 0 : Math.floor(Number(constant.units) / 10 ** constant.scale / SECONDS_PER_DAY);
  return mapRows(vector, other, new Int64(), place, (data, right, { length, valid }) => {
    const { days } = instantsOf(data);
    if (right === undefined) return integerData(length, other === null ? noRows(length) : valid, (i) => days(i) - from);
    const { days: start } = instantsOf(right);
    return integerData(length, valid, (i) => days(i) - start(i));
  });
}

/**
 * Dates and timestamps moved by days or by months, one number for all or one for each; the time of the day stays. A day
 * that the month does not have becomes its last.
 *
 * @throws {InputError} WrongType, BadArgument for what is not a whole number, DifferentLength
 * @throws {DataError} Overflow outside the years 1 to 9999
 */
export function moved(vector: Vector, by: Operand, unit: "days" | "months", place: Place): Vector {
  needTimes(vector, place);
  if (by instanceof Vector ? !DataType.isInt(by.type) : by !== null && !Number.isSafeInteger(by)) {
    const given = by instanceof Vector ? `a column of ${typeName(by.type)}` : shown(by);
    throw new InputError(
      `${place.method} of column ${JSON.stringify(place.column)} expects whole numbers; got ${given}.`,
      {
        code: by instanceof Vector ? "WrongType" : "BadArgument",
        column: place.column,
        hint: `Pass a number of ${unit}, or a column of integers.`,
      },
    );
  }
  const move = unit === "months" ? addMonths : (days: number, count: number) => days + count;
  return mapRows(vector, by, vector.type, place, (data, right, { length, valid, from }) => {
    const counts = right?.values as Int32Array | BigInt64Array | undefined;
    return movedData(data, by === null ? noRows(length) : valid, (days, i) => {
      const count = Number(counts === undefined ? by : counts[i]);
      const to = move(days, count);
      if (to >= FIRST_DAY && to <= LAST_DAY) return to - days;
      throw tooLarge(place, from + i, `${formatDate(days)} and ${count} ${unit}`, "the years 1 to 9999", YEARS_HINT);
    });
  });
}

/** A chunk of dates or timestamps, each of them moved by some days. */
function movedData(data: Data, valid: Validity, difference: (days: number, i: number) => number): Data {
  const { days } = instantsOf(data);
  if (isDays(data.type)) {
    const values = new Int32Array(data.length);
    for (let i = 0; i < values.length; i++) if (isValid(valid, i)) values[i] = days(i) + difference(days(i), i);
    return valuesData(data.type, values.length, values, valid);
  }
  const scale = timestampType(data.type)?.scale ?? 3;
  const perDay = BigInt(SECONDS_PER_DAY) * 10n ** BigInt(scale);
  const from = data.values as BigInt64Array;
  const values = new BigInt64Array(data.length);
  for (let i = 0; i < values.length; i++) {
    if (isValid(valid, i)) values[i] = from[i] + perDay * BigInt(difference(days(i), i));
  }
  return valuesData(data.type, values.length, values, valid);
}

/**
 * Dates and timestamps (in UTC) as text of a pattern such as `%d/%m/%Y`. {@link datePattern}
 *
 * @throws {InputError} WrongType, BadArgument
 */
export function format(vector: Vector, pattern: string, place: Place): Vector {
  needTimes(vector, place);
  const { hasTime, format: write } = datePattern(pattern);
  if (!hasTime)
    return fewTexts(
      vector,
      (data) => instantsOf(data).days,
      (days) => write({ days, nanos: 0 }),
    );
  return mapChunks(vector, new Utf8(), (data) => {
    const { days, nanos } = instantsOf(data);
    const valid = validOf(data);
    const texts = Array.from({ length: data.length }, (_, i) =>
      isValid(valid, i) ? write({ days: days(i), nanos: nanos(i) }) : null,
    );
    return textData(texts);
  });
}

const isTime = (type: DataType): boolean => DataType.isDate(type) || DataType.isTimestamp(type);

function needTimes(vector: Vector, place: Place): void {
  if (!isTime(vector.type)) throw wrongType(place, vector.type, "a column of dates or timestamps");
}

/** The validity of rows that are all null. */
const noRows = (length: number): Uint8Array => new Uint8Array((length + 7) >> 3);

function integerData(length: number, valid: Validity, value: (i: number) => number): Data {
  const words = new Int32Array(2 * length);
  for (let i = 0; i < length; i++) if (isValid(valid, i)) store(words, 2 * i, 2, value(i));
  return unitsData(INTEGER, length, words, valid);
}
