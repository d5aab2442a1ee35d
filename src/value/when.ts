import { InputError } from "../errors/errors.js";
import { shown } from "../errors/shown.js";
import { dayOfDate, NO_DATE, parseDate } from "./date.js";

const DAY_MS = 86_400_000;
const UNIT_MS = { hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS } as const;
const UNIT_MONTHS = { month: 1, year: 12 } as const;
const SPAN = /^(\d{1,4}) (hour|day|week|month|year)s?$/;

/**
 * The time so long before another, in UTC; a month before the 31st ends with a shorter month.
 *
 * @param span such as `2 years`, `1 month`, `3 days`, `12 hours`
 * @throws {InputError} BadArgument
 */
export function earlier(time: number, span: string): number {
  const [, count, unit] = SPAN.exec(span) ?? [];
  if (unit === undefined) {
    throw new InputError(`Expected a length of time; got ${shown(span)}.`, {
      code: "BadArgument",
      hint: 'Pass a number of hours, days, weeks, months or years: "2 years".',
    });
  }
  if (unit in UNIT_MS) return time - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - Number(count) * UNIT_MONTHS[unit as keyof typeof UNIT_MONTHS]);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime();
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * The time before which a state was known, in milliseconds: the end of a day in UTC, or right after a timestamp.
 *
 * @param lag how much longer a state must have been known
 * @throws {InputError} BadArgument for what is neither a day nor a timestamp
 */
export function boundOf(asOf: string | Date, lag?: string): number {
  // A Date at midnight is its day, as in conditions.
  const isTime = asOf instanceof Date && asOf.getTime() % DAY_MS !== 0;
  const text = asOf instanceof Date && !isTime ? dayOfDate(asOf, "asOf") : isTime ? asOf.toISOString() : String(asOf);
  const day = parseDate(text);
  const [isTimestamp, zone] = TIME.exec(text) ?? [];
  const bound = day === NO_DATE ? Date.parse(zone === undefined ? `${text}Z` : text) + 1 : (day + 1) * DAY_MS;
  if (Number.isNaN(bound) || (day === NO_DATE && isTimestamp === undefined)) {
    throw new InputError(`Expected a day or a timestamp; got ${shown(asOf)}.`, {
      code: "BadArgument",
      hint: 'Pass a day, whose last state is meant, or a time in UTC: "2025-01-02", "2025-01-02T16:00:00Z".',
    });
  }
  return lag === undefined ? bound : earlier(bound, lag);
}
