/**
 * Calendar arithmetic on whole days since 1970-01-01 (Arrow `Date32`), in integers, for every date from 0001-01-01 to
 * 9999-12-31 of the proleptic Gregorian calendar. Uses no `Date` objects and no time zones.
 */

import { civil, dayNumber, LAST_DAY } from "../../value/date.js";

/** Length of a period: the values of `collapse` (spec 4.2) without `none`. */
export type Frequency = "daily" | "weekly" | "monthly" | "quarterly" | "annual";

/** Weekday of 1970-01-01, counted from Sunday = 0. */
const THURSDAY = 4;
const MONTHS: Readonly<Record<Frequency, number>> = { daily: 0, weekly: 0, monthly: 1, quarterly: 3, annual: 12 };

/**
 * First day of the period that contains `day`. A week starts on the day after `weekEnd` (0 = Sunday, so that weeks run
 * from Monday to Sunday).
 *
 * @example
 * ```ts no-run
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

/** First day of the period after the one that starts on `start` (a value of {@link floor}). */
export function next(start: number, frequency: Frequency): number {
  if (frequency === "daily") return start + 1;
  if (frequency === "weekly") return start + 7;
  return firstOfMonth(monthOf(start) + MONTHS[frequency]);
}

/**
 * Last day of the period that starts on `start` (a value of {@link floor}), with which a collapsed row is dated. The
 * very last week ends on 9999-12-31, whatever its weekday.
 */
export function label(start: number, frequency: Frequency): number {
  return Math.min(next(start, frequency) - 1, LAST_DAY);
}

/** Months since January of the year 0. */
function monthOf(day: number): number {
  const { year, month } = civil(day);
  return year * 12 + month - 1;
}

/**
 * The first day of a month in the numbering of {@link monthOf}; for the month after December 9999, the day after the
 * last.
 */
function firstOfMonth(month: number): number {
  const year = Math.floor(month / 12);
  return year > 9999 ? LAST_DAY + 1 : dayNumber(year, month - year * 12 + 1, 1);
}

function modulo(value: number, by: number): number {
  const rest = value % by;
  return rest < 0 ? rest + by : rest;
}
