import type { Data, Vector } from "../../columns/arrow/arrow.js";
import { instantsOf } from "../../columns/arrow/instants.js";
import { daysOf, isDayType, refuseNulls } from "./days.js";

/** Nanoseconds of a day. */
const NANOS_PER_DAY = 86_400_000_000_000;

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

/** The times of some rows. */
export function timesAt({ days, nanos }: ExactTimes, rows: Int32Array): ExactTimes {
  const out = { days: new Float64Array(rows.length), nanos: nanos && new Float64Array(rows.length) };
  for (let i = 0; i < rows.length; i++) out.days[i] = days[rows[i]];
  if (nanos && out.nanos) for (let i = 0; i < rows.length; i++) out.nanos[i] = nanos[rows[i]];
  return out;
}

/** Whether a time, and one that is not after it, are at most `reach` days of 24 hours apart. */
export function isWithin(
  days: number,
  nanos: number,
  earlierDays: number,
  earlierNanos: number,
  reach: number,
): boolean {
  const whole = days - earlierDays - (nanos < earlierNanos ? 1 : 0);
  return whole < reach || (whole === reach && nanos === earlierNanos);
}

/** The sign of `days` days and `nanos` nanoseconds together; `nanos` is below two days in size. */
export const signOf = (days: number, nanos: number): number => Math.sign(days * NANOS_PER_DAY + nanos);
