import { InputError } from "../errors/errors.js";
import { writePadded } from "./digits.js";

/** Returned by {@link readDate} for bytes that are not a date. */
export const NO_DATE = 0x7fffffff;

/** Days from 1970-01-01 to 0001-01-01 and to 9999-12-31, the range of a `Date` cell. */
export const FIRST_DAY = -719_162;
export const LAST_DAY = 2_932_896;

/** Days before each month of a common year (index 1–12) and of a leap year (index 17–28). */
const BEFORE_MONTH = new Int32Array(32);
/** Days of each month at the same indexes; 0 for invalid months. */
const MONTH_DAYS = new Int32Array(32);
for (const [at, february] of [
  [0, 28],
  [16, 29],
]) {
  const days = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  let before = 0;
  for (let m = 1; m <= 12; m++) {
    BEFORE_MONTH[at + m] = before;
    MONTH_DAYS[at + m] = days[m - 1];
    before += days[m - 1];
  }
}

/** Days from 1970-01-01 to the first of January of a year from 1 on. */
function yearStart(year: number): number {
  const years = year - 1;
  const centuries = (years / 100) | 0;
  return FIRST_DAY + 365 * years + (years >> 2) - centuries + (centuries >> 2);
}

function isLeapYear(year: number): boolean {
  return (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Days from 1970-01-01, or {@link NO_DATE} if the date does not exist. Years 1–9999, months and days from 1. */
export function dayNumber(year: number, month: number, day: number): number {
  if (!(year >= 1 && year <= 9999 && month >= 1 && month <= 12)) return NO_DATE;
  const m = month + (isLeapYear(year) ? 16 : 0);
  if (!(day >= 1 && day <= MONTH_DAYS[m])) return NO_DATE;
  return yearStart(year) + BEFORE_MONTH[m] + day - 1;
}

/**
 * Reads the ten bytes `YYYY-MM-DD` at `p` as days from 1970-01-01 and checks the calendar (spec 2.6). Returns {@link
 * NO_DATE} for anything else, such as 0000-00-00 and 2024-02-30. The caller ensures that ten bytes are readable, or
 * that non-digits follow its data, and checks the byte that follows.
 */
export function readDate(b: Uint8Array, p: number): number {
  const y1 = b[p] - 48;
  const y2 = b[p + 1] - 48;
  const y3 = b[p + 2] - 48;
  const y4 = b[p + 3] - 48;
  const m1 = b[p + 5] - 48;
  const m2 = b[p + 6] - 48;
  const d1 = b[p + 8] - 48;
  const d2 = b[p + 9] - 48;
  // For a digit, c + 6 has no bit above the fourth; a negative number has all of them.
  const digits = (y1 | y2 | y3 | y4 | m1 | m2 | d1 | d2) >= 0;
  const small = ((y1 + 6) | (y2 + 6) | (y3 + 6) | (y4 + 6) | (m1 + 6) | (m2 + 6) | (d1 + 6) | (d2 + 6)) < 16;
  if (!digits || !small || b[p + 4] !== 45 || b[p + 7] !== 45) return NO_DATE;
  const year = y1 * 1000 + y2 * 100 + y3 * 10 + y4;
  const month = m1 * 10 + m2;
  const day = d1 * 10 + d2;
  if (month > 12 || year === 0) return NO_DATE;
  const leap = (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0) ? 16 : 0;
  if (day === 0 || day > MONTH_DAYS[leap + month]) return NO_DATE;
  return yearStart(year) + BEFORE_MONTH[leap + month] + day - 1;
}

/** Year, month and day (both from 1) of days since 1970-01-01, for any year. */
export function civil(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1 };
}

export function dayOfYear(days: number): number {
  const { year, month, day } = civil(days);
  return BEFORE_MONTH[month + (isLeapYear(year) ? 16 : 0)] + day;
}

/** Days since 1970-01-01 moved by whole months; a day that the month does not have becomes its last. */
export function addMonths(days: number, months: number): number {
  const { year, month, day } = civil(days);
  const at = year * 12 + month - 1 + months;
  const target = Math.floor(at / 12);
  const number = at - target * 12 + 1;
  const last = MONTH_DAYS[number + (isLeapYear(target) ? 16 : 0)];
  return dayNumber(target, number, Math.min(day, last));
}

/** `YYYY-MM-DD` of days since 1970-01-01; years outside 0–9999 in the expanded form of ISO 8601 (`+012345-01-01`). */
export function formatDate(days: number): string {
  const { year, month, day } = civil(days);
  return `${formatYear(year)}-${two(month)}-${two(day)}`;
}

/** Days from 1970-01-01 to 0000-01-01, the first date of four-digit years. */
const YEAR_ZERO = -719_528;

/** Bytes of a date that {@link writeDate} writes. */
export const DATE_BYTES = 10;

/** Writes `YYYY-MM-DD` at `at`; returns the position after it, or -1 for years outside 0–9999. */
export function writeDate(days: number, out: Uint8Array, at: number): number {
  if (!(days >= YEAR_ZERO && days <= LAST_DAY)) return -1;
  const { year, month, day } = civil(days);
  writePadded(year, out, at, at + 4);
  out[at + 4] = 45;
  writePadded(month, out, at + 5, at + 7);
  out[at + 7] = 45;
  return writePadded(day, out, at + 8, at + DATE_BYTES);
}

/** Four digits; a sign and six digits outside 0–9999. */
function formatYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

/** A number below 100 as two digits. */
export function two(n: number): string {
  return n < 10 ? `0${n}` : String(n);
}

/** Parses `YYYY-MM-DD` as days since 1970-01-01; {@link NO_DATE} if it is invalid. */
export function parseDate(text: string): number {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match === null ? NO_DATE : dayNumber(Number(match[1]), Number(match[2]), Number(match[3]));
}

/**
 * The day of a date followed by a time: `2020-01-31 00:00:00`, `2020-01-31T12:30:00.000Z`. Clients send one where a
 * date is meant, because their languages print dates so. Any other text is returned as it is.
 */
export function dayPart(text: string): string {
  return /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?$/.exec(text)?.[1] ?? text;
}

/**
 * The date of a JavaScript `Date` that is midnight in UTC. Any other time is refused, because its date depends on the
 * time zone.
 *
 * @param what the argument, for the message
 * @throws {InputError} BadArgument that names the dates in UTC and here; also outside of the years 1 to 9999
 */
export function dayOfDate(date: Date, what: string): string {
  const time = date.getTime();
  if (Number.isNaN(time)) {
    throw new InputError(`${what} is an invalid Date.`, { code: "BadArgument", hint: "Write dates as YYYY-MM-DD." });
  }
  const utc = date.toISOString();
  if (parseDate(utc.slice(0, utc.indexOf("T"))) === NO_DATE) {
    throw new InputError(`${what} is ${utc}, outside of the years 1 to 9999.`, {
      code: "BadArgument",
      hint: "Write dates as YYYY-MM-DD.",
    });
  }
  if (time % 86_400_000 === 0) return utc.slice(0, utc.indexOf("T"));
  const here = new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString();
  const [day, other] = [utc.slice(0, utc.indexOf("T")), here.slice(0, here.indexOf("T"))];
  throw new InputError(`${what} is a Date of ${utc}, not a whole day.`, {
    code: "BadArgument",
    hint:
      day === other
        ? `Pass "${day}" for that day.`
        : `It is ${day} in UTC and ${other} in this time zone: pass the one you mean as text.`,
  });
}
