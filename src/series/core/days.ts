import { type Data, DataType, type Vector } from "../../columns/arrow/arrow.js";
import { instantsOf } from "../../columns/arrow/instants.js";
import { InputError } from "../../errors/errors.js";
import { joined } from "./pieces.js";

/**
 * A date column as whole days since 1970-01-01; a timestamp counts as its UTC day. A `Date32` column of one chunk is
 * not copied.
 *
 * @throws {InputError} EmptyDate for a null: a row without a date cannot be placed in time
 */
export function daysOf(vector: Vector, name: string): Int32Array {
  return joined(dayPieces(vector, name), Int32Array);
}

/** As {@link daysOf}, chunk by chunk. */
export function dayPieces(vector: Vector, name: string): Int32Array[] {
  refuseNulls(vector, name);
  return vector.data.map(dayChunk);
}

/**
 * Checks that every row of a date column has a date.
 *
 * @throws {InputError} EmptyDate
 */
function refuseNulls(vector: Vector, name: string): void {
  if (vector.nullCount === 0) return;
  throw new InputError(`${vector.nullCount} rows have no date in ${JSON.stringify(name)}.`, {
    code: "EmptyDate",
    column: name,
    hint: "Filter out these rows first, or pass another date column as `on`.",
  });
}

/** Days of 32 bits; later timestamps, of seconds, count as of this one. */
const MOST_DAY = 2 ** 31 - 1;

/** Whether the type is dates in days of 32 bits. */
export const isDayType = (type: DataType): boolean => DataType.isDate(type) && type.unit === 0;

function dayChunk(data: Data): Int32Array {
  if (isDayType(data.type)) return (data.values as Int32Array).subarray(0, data.length);
  const times = instantsOf(data);
  const days = new Int32Array(data.length);
  for (let i = 0; i < days.length; i++) days[i] = Math.max(-MOST_DAY, Math.min(MOST_DAY, times.days(i)));
  return days;
}

export const NANOS_PER_DAY = 86_400_000_000_000;

/**
 * Dates or timestamps of any unit as exact doubles: whole days since 1970-01-01 in UTC, and nanoseconds since their
 * midnight, from 0 to 86,399,999,999,999.
 */
export interface ExactTimes {
  readonly days: Int32Array | Float64Array;
  /** Undefined for dates. */
  readonly nanos: Float64Array | undefined;
}

/**
 * The times of a column by row. A date is its midnight in UTC; a timestamp without a time zone is in UTC.
 *
 * @throws {InputError} EmptyDate for a null
 */
export function exactTimesOf(vector: Vector, name: string): ExactTimes {
  if (isDayType(vector.type)) return { days: daysOf(vector, name), nanos: undefined };
  refuseNulls(vector, name);
  const days = new Float64Array(vector.length);
  const nanos = new Float64Array(vector.length);
  let at = 0;
  for (const data of vector.data) {
    splitChunk(data, days.subarray(at), nanos.subarray(at));
    at += data.length;
  }
  return { days, nanos };
}

function splitChunk(data: Data, days: Float64Array, nanos: Float64Array): void {
  const times = instantsOf(data);
  for (let i = 0; i < data.length; i++) {
    days[i] = times.days(i);
    nanos[i] = times.nanos(i);
  }
}

export function timesAt({ days, nanos }: ExactTimes, rows: Int32Array): ExactTimes {
  const out = { days: new Float64Array(rows.length), nanos: nanos && new Float64Array(rows.length) };
  for (let i = 0; i < rows.length; i++) out.days[i] = days[rows[i]];
  if (nanos && out.nanos) for (let i = 0; i < rows.length; i++) out.nanos[i] = nanos[rows[i]];
  return out;
}

const NANOS_PER_UNIT = {
  days: NANOS_PER_DAY,
  hours: 3_600_000_000_000,
  minutes: 60_000_000_000,
  seconds: 1_000_000_000,
  milliseconds: 1_000_000,
  microseconds: 1_000,
  nanoseconds: 1,
};
/** A unit of time; days have 24 hours. */
export type TimeUnitName = keyof typeof NANOS_PER_UNIT;
export const TIME_UNITS = Object.keys(NANOS_PER_UNIT) as TimeUnitName[];

/** A length of time: whole days, and nanoseconds below a day. */
export interface Span {
  readonly days: number;
  readonly nanos: number;
}

/** `count` units as a span. */
export function spanOf(count: number, unit: TimeUnitName): Span {
  const perDay = NANOS_PER_DAY / NANOS_PER_UNIT[unit];
  const days = Math.floor(count / perDay);
  return { days, nanos: (count - days * perDay) * NANOS_PER_UNIT[unit] };
}

/** Whether a time, and one that is not after it, are at most `reach` apart. */
export function isWithin(days: number, nanos: number, earlierDays: number, earlierNanos: number, reach: Span): boolean {
  return signOf(days - earlierDays - reach.days, nanos - earlierNanos - reach.nanos) <= 0;
}

/** The order of the times of two rows: below 0, 0 or above 0. */
export const orderOf = ({ days, nanos }: ExactTimes, a: number, b: number): number =>
  days[a] - days[b] || (nanos === undefined ? 0 : nanos[a] - nanos[b]);

/** The sign of `days` days and `nanos` nanoseconds together; `nanos` is below two days in size. */
export const signOf = (days: number, nanos: number): number => Math.sign(days * NANOS_PER_DAY + nanos);
