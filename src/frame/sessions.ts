import type { Calendar } from "../series/core/session-calendar.js";
import { sessionTable } from "../series/sessions.js";
import { Frame } from "./frame.js";

/** A session of {@link sessions}. */
export interface SessionRow {
  /** The day of the session. */
  readonly date: string;
  /** When it closes in the local time of the exchange, such as `16:00`; null for a calendar of dates. */
  readonly close: string | null;
  /** Whether it closes before its usual time; null for a calendar of dates. */
  readonly early: boolean | null;
}

/**
 * The trading days of an exchange, from exchange_calendars 4.13.2, or those of a list of dates.
 *
 * @param calendar the code (ISO 10383) of one of 63 exchanges, such as `XNYS`, or dates
 * @param from the first day, `2024-01-01`, by default that of the calendar: 1990-01-01 or later
 * @param to the last day, by default that of the calendar: 2027-12-31 or earlier
 * @throws {InputError} UnknownValue for another code, BadArgument, DateOutOfRange for days that the calendar does not
 *   cover
 * @example
 * ```ts
 * import { sessions } from "arrowbook";
 * sessions("XNYS", "2024-07-03", "2024-07-05").toArray(); // 2024-07-03 13:00 early, 2024-07-05 16:00
 * ```
 */
export function sessions(calendar: Calendar, from?: string, to?: string): Frame<SessionRow> {
  return Frame.from(sessionTable(calendar, from, to));
}
