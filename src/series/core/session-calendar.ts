import { InputError } from "../../errors/errors.js";
import { oneOf } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { inflatedRaw } from "../../format/inflater.js";
import { joinedBytes, utf8Text } from "../../platform/node/bytes.js";
import { packedSessions } from "../../platform/node/sessions.js";
import { formatDate, NO_DATE, parseDate } from "../../value/date.js";

/**
 * The trading days to follow: the code (ISO 10383) of an exchange, such as `XNYS`, or the dates of all sessions,
 * `["2024-01-02", "2024-01-03", …]`, in any order.
 */
export type Calendar = string | readonly string[];

/** The close of a session in the local time of the exchange. */
export interface Close {
  /** Minutes after midnight. */
  readonly minutes: number;
  readonly isEarly: boolean;
}

/** Sessions by day, from the first day that the calendar covers to the last. */
export class SessionCalendar {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** Ascending. */
  readonly days: Int32Array;
  /** One for each session; undefined for a list of dates. */
  readonly closes: readonly Close[] | undefined;
  /** How many sessions there are before each day, from the first one to the one after the last. */
  private readonly before: Int32Array;

  constructor(name: string, [first, last]: readonly [number, number], days: Int32Array, closes?: readonly Close[]) {
    this.name = name;
    this.first = first;
    this.last = last;
    this.days = days;
    this.closes = closes;
    this.before = new Int32Array(last - first + 2);
    let count = 0;
    for (let day = first; day <= last; day++) {
      if (days[count] === day) count++;
      this.before[day - first + 1] = count;
    }
  }

  /**
   * The number of the first session on a day or after it, from 0; the number of all sessions if there is none.
   *
   * @throws {InputError} DateOutOfRange
   */
  from(day: number): number {
    if (day >= this.first && day <= this.last) return this.before[day - this.first];
    throw this.outOfRange(day);
  }

  /** As {@link from}, the number of sessions up to a day and on it. */
  through(day: number): number {
    if (day >= this.first && day <= this.last) return this.before[day - this.first + 1];
    throw this.outOfRange(day);
  }

  /** The last session up to a day and on it, which may be after the last day. */
  lastUpTo(day: number): number {
    return this.days[this.through(Math.min(day, this.last)) - 1];
  }

  outOfRange(day: number): InputError {
    return new InputError(`The calendar ${this.name} does not cover ${formatDate(day)}.`, {
      code: "DateOutOfRange",
      value: formatDate(day),
      hint: `It covers ${formatDate(this.first)} to ${formatDate(this.last)}: filter these rows out, or pass the dates of your own sessions.`,
    });
  }
}

let exchanges: ReadonlyMap<string, string> | undefined;
const decoded = new Map<string, SessionCalendar>();

/**
 * The calendar of an exchange, decoded on first use, or of a list of dates.
 *
 * @throws {InputError} UnknownValue with the nearest codes, BadArgument
 */
export function sessionCalendar(calendar: Calendar): SessionCalendar {
  if (Array.isArray(calendar)) return ofDates(calendar);
  exchanges ??= readExchanges();
  const code = oneOf(calendar as string, [...exchanges.keys()], "calendar");
  const found = decoded.get(code) ?? decode(exchanges.get(code) as string);
  decoded.set(code, found);
  return found;
}

function ofDates(dates: readonly unknown[]): SessionCalendar {
  const days = dates.map((date) => {
    const day = typeof date === "string" ? parseDate(date) : NO_DATE;
    if (day !== NO_DATE) return day;
    throw new InputError(`A calendar of dates holds ${shown(date)}.`, {
      code: "BadArgument",
      hint: 'Pass the dates of all sessions, ["2024-01-02", "2024-01-03"], or the code of an exchange, "XNYS".',
    });
  });
  if (days.length === 0) {
    throw new InputError("A calendar of dates has no sessions.", {
      code: "BadArgument",
      hint: 'Pass the dates of all sessions, ["2024-01-02", "2024-01-03"], or the code of an exchange, "XNYS".',
    });
  }
  const sorted = Int32Array.from(new Set(days)).sort();
  return new SessionCalendar("of dates", [sorted[0], sorted[sorted.length - 1]], sorted);
}

/** The lines of the file by exchange. */
function readExchanges(): ReadonlyMap<string, string> {
  const lines = utf8Text(joinedBytes(inflatedRaw(packedSessions()))).split("\n");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("\t")), line]));
}

function decode(line: string): SessionCalendar {
  const [code, , first, last, mask, closed, added, runs] = line.split("\t");
  const range = [Number.parseInt(first, 36), Number.parseInt(last, 36)] as const;
  const without = new Set(daysOf(closed));
  const days = daysOf(added);
  for (let day = range[0]; day <= range[1]; day++) {
    // 1970-01-01 was a Thursday.
    if (mask[(day + 3) % 7] === "1" && !without.has(day)) days.push(day);
  }
  const closes = runs.split(" ").flatMap((run) => {
    const [count, minutes] = run.split(":");
    const isEarly = minutes.endsWith("*");
    const close: Close = { minutes: Number.parseInt(minutes, 36), isEarly };
    return new Array<Close>(Number.parseInt(count, 36)).fill(close);
  });
  return new SessionCalendar(code, range, Int32Array.from(days).sort(), closes);
}

/** Days that are listed as the days since the one before. */
function daysOf(list: string): number[] {
  let day = 0;
  return list === "" ? [] : list.split(" ").map((step) => (day += Number.parseInt(step, 36)));
}
