/**
 * Calendar arithmetic on whole days since 1970-01-01 (Arrow `Date32`): three functions, integers only, for every date from
 * 0001-01-01 to 9999-12-31 of the proleptic Gregorian calendar. No `Date` object and no time zone takes part.
 */

/** Length of a period: the words of `collapse` (spec 4.2) without `none`. */
export type Frequency = "daily" | "weekly" | "monthly" | "quarterly" | "annual";

/** 0001-01-01 and 9999-12-31, the first and last day there is. */
export const FIRST_DAY = -719_162;
export const LAST_DAY = 2_932_896;

/** Weekday of 1970-01-01, counted from Sunday = 0. */
const THURSDAY = 4;
const DAYS_PER_ERA = 146_097;
const MONTHS: Readonly<Record<Frequency, number>> = { daily: 0, weekly: 0, monthly: 1, quarterly: 3, annual: 12 };

/**
 * First day of the period that holds `day`. A week begins the day after its last weekday `weekEnd` (0 = Sunday, so weeks run
 * from Monday to Sunday).
 *
 * @example
 * ```ts
 * import { calendar } from "arrowbook";
 * calendar.floor(19_782, "monthly"); // 2024-02-29 -> 19754, 2024-02-01
 * ```
 */
export function floor(day: number, frequency: Frequency, weekEnd = 0): number {
  if (frequency === "daily") return day;
  if (frequency === "weekly") return day - modulo(day + THURSDAY - weekEnd - 1, 7);
  const month = monthOf(day);
  return firstOfMonth(month - modulo(month, MONTHS[frequency]));
}

/** First day of the period after the one that begins on `start` (a value of {@link floor}). */
export function next(start: number, frequency: Frequency): number {
  if (frequency === "daily") return start + 1;
  if (frequency === "weekly") return start + 7;
  return firstOfMonth(monthOf(start) + MONTHS[frequency]);
}

/**
 * Last day of the period that begins on `start` (a value of {@link floor}): how a collapsed row is dated. The last week there is
 * ends on 9999-12-31, whatever its weekday.
 */
export function label(start: number, frequency: Frequency): number {
  return Math.min(next(start, frequency) - 1, LAST_DAY);
}

/** Months since January of the year 0. */
function monthOf(day: number): number {
  // Years counted from 1 March, so that the leap day is the last day of one.
  const shifted = day + 719_468;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const inEra = shifted - era * DAYS_PER_ERA;
  const year = ((inEra - ((inEra / 1460) | 0) + ((inEra / 36_524) | 0) - ((inEra / 146_096) | 0)) / 365) | 0;
  const inYear = inEra - (365 * year + ((year / 4) | 0) - ((year / 100) | 0));
  const fromMarch = ((5 * inYear + 2) / 153) | 0;
  return (era * 400 + year) * 12 + fromMarch + 2;
}

/** The first day of a month counted as {@link monthOf} counts. */
function firstOfMonth(month: number): number {
  const shifted = month - 2;
  const yearFromMarch = Math.floor(shifted / 12);
  const fromMarch = shifted - yearFromMarch * 12;
  const era = Math.floor(yearFromMarch / 400);
  const year = yearFromMarch - era * 400;
  const inYear = ((153 * fromMarch + 2) / 5) | 0;
  return era * DAYS_PER_ERA + year * 365 + ((year / 4) | 0) - ((year / 100) | 0) + inYear - 719_468;
}

function modulo(value: number, by: number): number {
  const rest = value % by;
  return rest < 0 ? rest + by : rest;
}
