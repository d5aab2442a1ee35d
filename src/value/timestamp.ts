import { DATE_BYTES, FIRST_DAY, formatDate, LAST_DAY, NO_DATE, readDate, two, writeDate } from "./date.js";
import { writePadded } from "./digits.js";
import { withoutEnd } from "./text.js";

/** Returned by {@link readTimestamp}: the bytes are not a timestamp; the timestamp has digits below a millisecond. */
export const NO_TIMESTAMP = Number.NaN;
export const TOO_FINE = Number.POSITIVE_INFINITY;

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
  if (end - start < 20) return NO_TIMESTAMP;
  const days = readDate(b, start);
  const separator = b[start + 10];
  if (days === NO_DATE || (separator !== 84 && separator !== 116 && separator !== 32)) return NO_TIMESTAMP;
  const hours = twoDigits(b, start + 11);
  const minutes = twoDigits(b, start + 14);
  const seconds = twoDigits(b, start + 17);
  if (!(hours < 24 && minutes < 60 && seconds < 60) || b[start + 13] !== 58 || b[start + 16] !== 58)
    return NO_TIMESTAMP;
  let p = start + 19;
  let fraction = 0;
  if (b[p] === 46 && p < end) {
    const from = ++p;
    while (p < end && digit(b, p) >= 0) p++;
    if (p === from) return NO_TIMESTAMP;
    fraction = readFraction(b, from, p, round);
  }
  const offset = readOffset(b, p, end);
  if (Number.isNaN(offset)) return NO_TIMESTAMP;
  const time = days * MS_PER_DAY + ((hours * 60 + minutes) * 60 + seconds) * 1000 + fraction - offset * 60_000;
  // An offset may lead out of the years that can be written and read again.
  return (time >= FIRST_MS && time < END_MS) || time === TOO_FINE ? time : NO_TIMESTAMP;
}

function readFraction(b: Uint8Array, from: number, to: number, round: boolean): number {
  let ms = 0;
  for (let i = 0; i < 3; i++) ms = ms * 10 + (from + i < to ? b[from + i] - 48 : 0);
  let rest = "";
  for (let i = from + 3; i < to; i++) rest += String(b[i] - 48);
  rest = withoutEnd(rest, "0");
  if (rest === "") return ms;
  if (!round) return TOO_FINE;
  const half = rest === "5" ? ms % 2 === 1 : rest >= "5";
  return half ? ms + 1 : ms;
}

/** The offset of the zone that fills `p` to `end`, in minutes east of UTC; NaN if it is malformed. */
function readOffset(b: Uint8Array, start: number, end: number): number {
  let p = start;
  if (end - p === 1) return b[p] === 90 || b[p] === 122 ? 0 : Number.NaN;
  if (b[p] === 32) p++;
  if (end - p === 3 && b[p] === 85 && b[p + 1] === 84 && b[p + 2] === 67) return 0;
  const sign = b[p] === 43 ? 1 : b[p] === 45 ? -1 : Number.NaN;
  const hours = twoDigits(b, p + 1);
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
