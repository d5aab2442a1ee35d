import { InputError } from "../errors/errors.js";
import { shown } from "../errors/shown.js";
import { civil, dayNumber, dayOfYear, NO_DATE } from "./date.js";

/** A point in time: days since 1970-01-01, and nanoseconds since their midnight. */
interface PatternTime {
  readonly days: number;
  readonly nanos: number;
}

/** How texts of a pattern are written and read. */
export interface DatePattern {
  /** Whether the time of the day is part of it. */
  readonly hasTime: boolean;
  readonly format: (time: PatternTime) => string;
  /** Undefined for texts of another form, and for dates that do not exist. */
  readonly parse: (text: string) => PatternTime | undefined;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");
const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

const NANOS_PER_SECOND = 1e9;
const NANOS_PER_HOUR = 3600 * NANOS_PER_SECOND;

/** From 1 (Monday) to 7, as ISO 8601 counts. */
export const weekday = (days: number): number => ((((days + 3) % 7) + 7) % 7) + 1;
export const quarter = (days: number): number => Math.ceil(civil(days).month / 3);
/** The Thursday of the same week, which is in the year to which ISO 8601 counts it. */
const thursday = (days: number): number => days - weekday(days) + 4;
/** The week of ISO 8601, 1 to 53. */
export const isoWeek = (days: number): number => Math.ceil(dayOfYear(thursday(days)) / 7);
export const hourOf = (nanos: number): number => Math.floor(nanos / NANOS_PER_HOUR);
export const minuteOf = (nanos: number): number => Math.floor(nanos / (60 * NANOS_PER_SECOND)) % 60;
export const secondOf = (nanos: number): number => Math.floor(nanos / NANOS_PER_SECOND) % 60;

/** What one directive writes, and what it reads: an expression and the name of the part; without one it is not read. */
interface Directive {
  readonly write: (time: PatternTime) => string;
  readonly part?:
    | "year"
    | "shortYear"
    | "month"
    | "monthName"
    | "day"
    | "hour"
    | "half"
    | "minute"
    | "second"
    | "fraction";
  readonly reads?: string;
  readonly isTime?: boolean;
}

const padded = (value: number, width = 2): string => String(value).padStart(width, "0");
const hour12 = (nanos: number): number => ((hourOf(nanos) + 11) % 12) + 1;

/** The first digits of the second's fraction. */
const fraction = (digits: number): Directive => ({
  write: ({ nanos }) => padded(nanos % NANOS_PER_SECOND, 9).slice(0, digits),
  part: "fraction",
  reads: "\\d{1,9}",
  isTime: true,
});

const DIRECTIVES: Readonly<Record<string, Directive>> = {
  Y: { write: ({ days }) => padded(civil(days).year, 4), part: "year", reads: "\\d{4}" },
  y: { write: ({ days }) => padded(civil(days).year % 100), part: "shortYear", reads: "\\d{2}" },
  m: { write: ({ days }) => padded(civil(days).month), part: "month", reads: "\\d{1,2}" },
  b: { write: ({ days }) => MONTHS[civil(days).month - 1].slice(0, 3), part: "monthName", reads: "[A-Za-z]{3}" },
  B: { write: ({ days }) => MONTHS[civil(days).month - 1], part: "monthName", reads: "[A-Za-z]{3,9}" },
  d: { write: ({ days }) => padded(civil(days).day), part: "day", reads: "\\d{1,2}" },
  "-d": { write: ({ days }) => String(civil(days).day), part: "day", reads: "\\d{1,2}" },
  "-m": { write: ({ days }) => String(civil(days).month), part: "month", reads: "\\d{1,2}" },
  H: { write: ({ nanos }) => padded(hourOf(nanos)), part: "hour", reads: "\\d{1,2}", isTime: true },
  "-H": { write: ({ nanos }) => String(hourOf(nanos)), part: "hour", reads: "\\d{1,2}", isTime: true },
  "-I": { write: ({ nanos }) => String(hour12(nanos)), part: "hour", reads: "\\d{1,2}", isTime: true },
  I: { write: ({ nanos }) => padded(hour12(nanos)), part: "hour", reads: "\\d{1,2}", isTime: true },
  p: { write: ({ nanos }) => (hourOf(nanos) < 12 ? "AM" : "PM"), part: "half", reads: "[AaPp][Mm]", isTime: true },
  M: { write: ({ nanos }) => padded(minuteOf(nanos)), part: "minute", reads: "\\d{1,2}", isTime: true },
  S: { write: ({ nanos }) => padded(secondOf(nanos)), part: "second", reads: "\\d{1,2}", isTime: true },
  f: fraction(6),
  j: { write: ({ days }) => padded(dayOfYear(days), 3) },
  q: { write: ({ days }) => String(quarter(days)) },
  a: { write: ({ days }) => WEEKDAYS[weekday(days) - 1].slice(0, 3), reads: "[A-Za-z]{3}" },
  A: { write: ({ days }) => WEEKDAYS[weekday(days) - 1], reads: "[A-Za-z]{6,9}" },
  u: { write: ({ days }) => String(weekday(days)) },
  G: { write: ({ days }) => padded(civil(thursday(days)).year, 4) },
  V: { write: ({ days }) => padded(isoWeek(days)) },
};

/** What letters of Unicode's date patterns (`dd.MM.yyyy`) are as directives. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ yyyy: "%Y", yy: "%y", MMMM: "%B", MMM: "%b", MM: "%m", M: "%-m", dd: "%d", d: "%-d", EEEE: "%A", EEE: "%a" },
  ...{ HH: "%H", H: "%-H", hh: "%I", h: "%-I", mm: "%M", ss: "%S", a: "%p" },
};

/**
 * A pattern in the letters of Unicode as one of directives; undefined for another one. Letters between `'` are text,
 * and `SSS` is as many digits of the second's fraction.
 */
function directivesOf(pattern: string): string | undefined {
  if (pattern.includes("%")) return undefined;
  const pieces = pattern.match(/'[^']*'|([A-Za-z])\1*|[^A-Za-z']+|'/g) ?? [];
  const found = pieces.map((piece): string | undefined => {
    if (/^S{1,9}$/.test(piece)) return `%${piece.length}f`;
    if (/^'.*'$/s.test(piece)) return piece === "''" ? "'" : piece.slice(1, -1);
    return /^[A-Za-z']/.test(piece) ? LETTERS[piece] : piece;
  });
  return found.includes(undefined) ? undefined : found.join("");
}

const COMBINED: Readonly<Record<string, string>> = { "%F": "%Y-%m-%d", "%T": "%H:%M:%S" };

/**
 * A pattern of dates and times with the directives of `strftime`: `%d/%m/%Y`, `%Y-%m-%d %H:%M:%S`, or the letters of
 * Unicode: `dd/MM/yyyy`, `yyyy-MM-dd HH:mm:ss`. Names of months and weekdays are English; `%f` is written as six digits
 * of the second's fraction, `%3f` as three, and read as up to nine; `%y` is 1969 to 2068.
 *
 * @throws {InputError} BadArgument for an unknown directive, and without any
 */
export function datePattern(pattern: string): DatePattern {
  const directive = typeof pattern === "string" ? (directivesOf(pattern) ?? pattern) : "";
  const expanded = directive.replace(/%./gsu, (piece) => COMBINED[piece] ?? piece);
  const pieces = expanded.match(/%[-1-9]?.|[^%]+|%/gsu) ?? [];
  const items = pieces.map((piece): string | Directive => {
    if (!piece.startsWith("%")) return piece;
    const digits = /^%([1-9])f$/.exec(piece)?.[1];
    const found = piece === "%%" ? "%" : digits === undefined ? DIRECTIVES[piece.slice(1)] : fraction(Number(digits));
    if (found !== undefined) return found;
    throw unknownDirective(pattern, piece);
  });
  const directives = items.filter((item): item is Directive => typeof item !== "string");
  if (directives.length === 0) throw unknownDirective(pattern, "Text without a directive");
  return {
    hasTime: directives.some(({ isTime }) => isTime === true),
    format: (time) => items.map((item) => (typeof item === "string" ? item : item.write(time))).join(""),
    parse: parserOf(items, directives),
  };
}

function parserOf(items: readonly (string | Directive)[], directives: readonly Directive[]): DatePattern["parse"] {
  if (directives.some(({ reads }) => reads === undefined)) return () => undefined;
  const source = items.map((item) =>
    typeof item === "string" ? item.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : `(${item.reads})`,
  );
  const expression = new RegExp(`^${source.join("")}$`);
  return (text) => {
    const match = expression.exec(text);
    if (match === null) return undefined;
    const parts: Partial<Record<NonNullable<Directive["part"]>, string>> = {};
    for (const [i, { part }] of directives.entries()) if (part !== undefined) parts[part] = match[i + 1];
    return timeOf(parts);
  };
}

function timeOf(parts: Partial<Record<NonNullable<Directive["part"]>, string>>): PatternTime | undefined {
  const short = Number(parts.shortYear);
  const year = parts.year === undefined ? short + (short < 69 ? 2000 : 1900) : Number(parts.year);
  const name = parts.monthName?.toLowerCase();
  const named = MONTHS.findIndex((month) => month.toLowerCase() === name || month.slice(0, 3).toLowerCase() === name);
  const month = name === undefined ? Number(parts.month ?? 1) : named + 1;
  const days = dayNumber(year, month, Number(parts.day ?? 1));
  const hour = hourFrom(Number(parts.hour ?? 0), parts.half?.toLowerCase());
  const [minute, second] = [Number(parts.minute ?? 0), Number(parts.second ?? 0)];
  if (days === NO_DATE || hour === undefined || minute > 59 || second > 59) return undefined;
  const fraction = Number((parts.fraction ?? "").padEnd(9, "0"));
  return { days, nanos: ((hour * 60 + minute) * 60 + second) * NANOS_PER_SECOND + fraction };
}

/** The hour of the day, 0 to 23, of one beside `AM` or `PM` or of one without either. */
function hourFrom(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour < 24 ? hour : undefined;
  return hour >= 1 && hour <= 12 ? (hour % 12) + (half === "pm" ? 12 : 0) : undefined;
}

function unknownDirective(pattern: string, piece: string): InputError {
  const names = Object.keys(DIRECTIVES).map((name) => `%${name}`);
  return new InputError(`${piece} is not part of a date pattern: ${shown(pattern)}.`, {
    code: "BadArgument",
    hint: `A pattern is such as "%d/%m/%Y", "%Y-%m-%d %H:%M:%S" or "dd/MM/yyyy"; it has ${names.join(" ")} %%.`,
  });
}
