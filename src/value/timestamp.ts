import { utf8Bytes } from "../platform/node/bytes.js";
import { DATE_BYTES, FIRST_DAY, formatDate, LAST_DAY, NO_DATE, parseDate, readDate, two, writeDate } from "./date.js";
import { writePadded } from "./digits.js";

/** Returned by {@link readTimestamp}: the bytes are not a timestamp; the timestamp has digits below a millisecond. */
export const NO_TIMESTAMP = Number.NaN;
export const TOO_FINE = Number.POSITIVE_INFINITY;

const SECONDS_PER_DAY = 86_400;
const MS_PER_DAY = 86_400_000;

/** From 0001-01-01 to before 10000-01-01, UTC. */
const FIRST_MS = FIRST_DAY * MS_PER_DAY;
const END_MS = (LAST_DAY + 1) * MS_PER_DAY;

const digit = (b: Uint8Array, p: number): number => {
  const d = b[p] - 48;
  return d >= 0 && d <= 9 ? d : Number.NaN;
};

const twoDigits = (b: Uint8Array, p: number): number => digit(b, p) * 10 + digit(b, p + 1);

/**
 * Reads a timestamp as milliseconds since 1970-01-01 UTC. The text includes a zone in one of the service's spellings
 * (spec 2.2, 2.8): `2017-11-10T00:18:07Z`, `2017-11-10 00:18:07 UTC`, `2017-11-10 00:18:07 +0000`; other offsets
 * (`+02:00`, `-0500`) are subtracted. The seconds may have a fraction. Years 1–9999 in UTC.
 *
 * @param round digits below a millisecond are rounded half to even instead of returning {@link TOO_FINE}
 * @returns milliseconds, {@link NO_TIMESTAMP} or {@link TOO_FINE}
 */
export function readTimestamp(b: Uint8Array, start: number, end: number, round = false): number {
  if (!readTime(b, start, end) || !time.hasZone) return NO_TIMESTAMP;
  if (time.finest <= 3) return time.ms;
  if (!round) return TOO_FINE;
  const nearest = time.ms + roundingUp(b, time.fraction + 3, time.last, time.ms);
  return nearest < END_MS ? nearest : NO_TIMESTAMP;
}

/** What {@link readTime} found. */
export const time = {
  /** Whole milliseconds since 1970-01-01 UTC, rounded down. */
  ms: 0,
  /** The digits of the second's fraction up to the last one that is not zero. */
  finest: 0,
  /** The positions after the decimal point, and after the last digit of the fraction. */
  fraction: 0,
  last: 0,
  hasZone: false,
};

/**
 * Reads a timestamp as {@link readTimestamp} does, or one without a zone, which is in UTC, into {@link time}: to the
 * last digit, as many as there are.
 *
 * @returns false if the bytes are not a timestamp
 */
export function readTime(b: Uint8Array, start: number, end: number): boolean {
  if (end - start < 19) return false;
  const days = readDate(b, start);
  const separator = b[start + 10];
  if (days === NO_DATE || (separator !== 84 && separator !== 116 && separator !== 32)) return false;
  const hours = twoDigits(b, start + 11);
  const minutes = twoDigits(b, start + 14);
  const seconds = twoDigits(b, start + 17);
  if (!(hours < 24 && minutes < 60 && seconds < 60) || b[start + 13] !== 58 || b[start + 16] !== 58) return false;
  let p = start + 19;
  time.finest = 0;
  if (b[p] === 46 && p < end) {
    const from = ++p;
    for (; p < end && digit(b, p) >= 0; p++) if (b[p] !== 48) time.finest = p - from + 1;
    if (p === from) return false;
    time.fraction = from;
  } else time.fraction = p;
  time.last = p;
  time.hasZone = p < end;
  const offset = time.hasZone ? readOffset(b, p, end) : 0;
  if (Number.isNaN(offset)) return false;
  const second = days * SECONDS_PER_DAY + (hours * 60 + minutes - offset) * 60 + seconds;
  time.ms = second * 1000 + fractionDigits(b, time.fraction, 3);
  // An offset may lead out of the years that can be written and read again.
  return time.ms >= FIRST_MS && time.ms < END_MS;
}

/** Days since 1970-01-01 and nanoseconds since midnight of a date or timestamp as text; undefined for another text. */
export function timeOfText(text: string): { readonly days: number; readonly nanos: number } | undefined {
  const day = parseDate(text);
  if (day !== NO_DATE) return { days: day, nanos: 0 };
  const bytes = utf8Bytes(text);
  if (!readTime(bytes, 0, bytes.length)) return undefined;
  const days = Math.floor(time.ms / MS_PER_DAY);
  return { days, nanos: (time.ms - days * MS_PER_DAY) * 1e6 + fractionDigits(bytes, time.fraction + 3, 6) };
}

/** Digits of the fraction from a position on as a number, zeros after its end. */
function fractionDigits(b: Uint8Array, from: number, digits: number): number {
  let value = 0;
  for (let i = from; i < from + digits; i++) value = value * 10 + (i < time.last ? b[i] - 48 : 0);
  return value;
}

/** 1 if the digits from a position on round a number up, half to even; else 0. */
function roundingUp(b: Uint8Array, from: number, to: number, number: number): 0 | 1 {
  if (from >= to || b[from] < 53) return 0;
  for (let i = from + 1; i < to; i++) if (b[i] !== 48) return 1;
  return b[from] > 53 || number % 2 !== 0 ? 1 : 0;
}

const TWO_32 = 4_294_967_296;

/**
 * Stores the {@link time} that was read from `b` as the two halves of a 64-bit integer: units of 10^-`digits` seconds.
 *
 * @param digits 3, 6 or 9
 * @param round digits beyond these are rounded half to even
 * @returns 0: stored; 1: rounded and stored; 2: it has more digits; 3: it is beyond 64 bits; 4: it is rounded to a year
 *   of five digits
 */
export function storeTime(b: Uint8Array, digits: number, round: boolean, words: Int32Array, at: number): number {
  const isLoss = time.finest > digits;
  if (isLoss && !round) return 2;
  const more = digits - 3;
  const rest = fractionDigits(b, time.fraction + 3, more);
  const up = isLoss ? roundingUp(b, time.fraction + digits, time.last, more === 0 ? time.ms : rest) : 0;
  const factor = 10 ** more;
  if (time.ms + 1 === END_MS && rest + up === factor) return 4;
  // In two halves, since doubles hold no product of 64 bits.
  const high = Math.floor(time.ms / TWO_32);
  const low = (time.ms - high * TWO_32) * factor + rest + up;
  const carry = Math.floor(low / TWO_32);
  const top = high * factor + carry;
  if (top !== (top | 0)) return 3;
  words[at] = low | 0;
  words[at + 1] = top;
  return isLoss ? 1 : 0;
}

/** The offset of the zone that fills `p` to `end`, in minutes east of UTC; NaN if it is malformed. */
function readOffset(b: Uint8Array, start: number, end: number): number {
  let p = start;
  if (end - p === 1) return b[p] === 90 || b[p] === 122 ? 0 : Number.NaN;
  if (b[p] === 32) p++;
  if (end - p === 3 && b[p] === 85 && b[p + 1] === 84 && b[p + 2] === 67) return 0;
  const sign = b[p] === 43 ? 1 : b[p] === 45 ? -1 : Number.NaN;
  const hours = twoDigits(b, p + 1);
  // As DuckDB writes them: `+00`.
  if (end - p === 3) return hours < 24 ? sign * hours * 60 + 0 : Number.NaN;
  const colon = b[p + 3] === 58 ? 1 : 0;
  const minutes = twoDigits(b, p + 3 + colon);
  if (end - p !== 5 + colon || !(hours < 24 && minutes < 60)) return Number.NaN;
  return sign * (hours * 60 + minutes) + 0;
}

/**
 * Formats milliseconds since 1970-01-01 UTC as `YYYY-MM-DDThh:mm:ssZ`, with `.mmm` if the milliseconds are not zero.
 */
export function formatTimestamp(ms: number): string {
  const days = Math.floor(ms / MS_PER_DAY);
  const rest = ms - days * MS_PER_DAY;
  const seconds = Math.floor(rest / 1000);
  const time = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const millis = rest - seconds * 1000;
  return `${formatDate(days)}T${time}${millis === 0 ? "" : `.${String(millis).padStart(3, "0")}`}Z`;
}

/** Most bytes that {@link writeTimestamp} writes. */
export const TIMESTAMP_BYTES = 30;

/**
 * Writes `YYYY-MM-DDThh:mm:ssZ` at `at`, with the fraction of the second in as many groups of three digits as it needs.
 *
 * @param seconds whole seconds since 1970-01-01 UTC
 * @param fraction units of 10^-`digits` seconds, 0 or more, less than a second; `digits` is 0, 3, 6 or 9
 * @returns the position after it, or -1 for years outside 0–9999
 */
export function writeTimestamp(seconds: number, fraction: number, digits: number, out: Uint8Array, at: number): number {
  const days = Math.floor(seconds / 86_400);
  const time = seconds - days * 86_400;
  if (writeDate(days, out, at) < 0) return -1;
  let p = at + DATE_BYTES;
  out[p++] = 84;
  p = writePadded(Math.floor(time / 3600), out, p, p + 2);
  out[p++] = 58;
  p = writePadded(Math.floor(time / 60) % 60, out, p, p + 2);
  out[p++] = 58;
  p = writePadded(time % 60, out, p, p + 2);
  if (fraction > 0) {
    let [rest, width] = [fraction, digits];
    for (; rest % 1000 === 0; rest /= 1000) width -= 3;
    out[p++] = 46;
    p = writePadded(rest, out, p, p + width);
  }
  out[p++] = 90;
  return p;
}
