import { DOUBLE_DIGITS, lowerPart, POWERS, shortNumber, upperPart } from "./decimal.js";
import { writeDigits, writePadded } from "./digits.js";

const ZERO = 48;

/**
 * Reads a plain number (`-12.5`) at `p` as the nearest double, ties to even, into `out[at]`.
 *
 * Digits up to 2^53 and powers of ten up to 10^22 are exact doubles, so that one division rounds once and correctly;
 * longer numbers use {@link parseNumber}.
 *
 * @returns the position after the number, or -1 if there is none; the caller checks the byte that follows
 */
export function readFloat64(b: Uint8Array, p: number, out: Float64Array, at: number): number {
  let q = p;
  const negative = b[q] === 45;
  if (negative) q++;
  const start = q;
  let m = 0;
  let c = b[q] ^ ZERO;
  while (c <= 9) {
    m = (Math.imul(m, 10) + c) | 0;
    c = b[++q] ^ ZERO;
  }
  let digits = q - start;
  if (digits === 0) return -1;
  let fraction = 0;
  if (c === 30) {
    // 30 is the point: 46 ^ 48.
    c = b[++q] ^ ZERO;
    const from = q;
    while (c <= 9) {
      m = (Math.imul(m, 10) + c) | 0;
      c = b[++q] ^ ZERO;
    }
    fraction = q - from;
    if (fraction === 0) return -1;
    digits += fraction;
  }
  if (digits > DOUBLE_DIGITS) {
    const value = digits <= LONG_DIGITS ? longNumber(upperPart(b, start, digits), m, fraction) : Number.NaN;
    out[at] = Number.isNaN(value) ? parseNumber(b, p, q) : negative ? -value : value;
    // Beyond the largest double: left to the exact reader.
    return Number.isFinite(out[at]) ? q : -1;
  }
  let value = shortNumber(b, start, digits, m);
  if (fraction > 0) value /= POWERS[fraction];
  out[at] = negative ? -value : value;
  return q;
}

/** The most digits that {@link longNumber} reads: two halves of nine. */
const LONG_DIGITS = 18;

/** Splits a double into two of 26 bits, whose products are exact. */
const SPLITTER = 2 ** 27 + 1;

/** A bound of the relative error of the last step of {@link longNumber}. */
const MAX_ERROR = 2 ** -45;

/**
 * The nearest double of a number of 10 to 18 digits, `fraction` of them after the point: the digits as the exact sum of
 * two doubles, divided by an exact power of ten, with the remainder of the division added.
 *
 * @param first the digits before the last nine
 * @param m all digits modulo 2^32
 * @returns NaN if the value is too close to the midpoint of two doubles for this method
 */
export function longNumber(first: number, m: number, fraction: number): number {
  const upper = first * 1e9;
  const lower = lowerPart(m, first);
  const sum = upper + lower;
  if (fraction === 0) return sum;
  const power = POWERS[fraction];
  const quotient = sum / power;
  const rest = (sum - quotient * power - productError(quotient, power) + (lower - (sum - upper))) / power;
  const value = quotient + rest;
  return quotient + rest * (1 + MAX_ERROR) === value && quotient + rest * (1 - MAX_ERROR) === value
    ? value
    : Number.NaN;
}

/** The rounding error of `x * y`, exactly (Dekker). */
function productError(x: number, y: number): number {
  const xUpper = x * SPLITTER - (x * SPLITTER - x);
  const yUpper = y * SPLITTER - (y * SPLITTER - y);
  const xLower = x - xUpper;
  const yLower = y - yUpper;
  return xUpper * yUpper - x * y + xUpper * yLower + xLower * yUpper + xLower * yLower;
}

/** The grammar of a number: digits, a point, an exponent. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The nearest double, ties to even, of the number that fills `start` to `end`: `12`, `-.5`, `1.5e-7`, `NaN`,
 * `inf`, `-Infinity`. Numbers beyond the largest double become infinite, numbers too small become zero, as in IEEE 754.
 *
 * @returns undefined if the bytes are not a number
 */
export function readNumber(b: Uint8Array, start: number, end: number): number | undefined {
  const text = asciiText(b, start, end);
  return NUMBER.test(text) ? Number(text) : namedDouble(text);
}

/**
 * The double of a name as programs write it, in any letter case: `NaN`, `inf`, `-Infinity`; undefined for other text.
 */
export function namedDouble(text: string): number | undefined {
  if (!NAMED.test(text)) return undefined;
  if (/n$/i.test(text)) return Number.NaN;
  return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

const NAMED = /^[+-]?(?:nan|inf(?:inity)?)$/i;

/** Whether bytes that {@link readNumber} reads as an infinity are digits rather than the name. */
export function isOverflow(b: Uint8Array, start: number): boolean {
  const c = b[start] === 45 || b[start] === 43 ? b[start + 1] : b[start];
  return c === 46 || (c ^ ZERO) <= 9;
}

/** The nearest double of bytes that are known to be a number. */
function parseNumber(b: Uint8Array, start: number, end: number): number {
  return Number(asciiText(b, start, end));
}

/** Bytes as text, one character a byte. */
function asciiText(b: Uint8Array, start: number, end: number): string {
  return Buffer.from(b.buffer, b.byteOffset + start, end - start).toString("latin1");
}

/**
 * The shortest text that reads back as the same double, with a decimal point (spec 2.6): `5.0`, `0.1`, `1.0e+21`,
 * `NaN`.
 */
export function formatNumber(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return Number.isInteger(value) && !text.includes("e") ? `${text}.0` : text;
}

/** Most bytes that {@link writeNumber} writes: sign, 15 digits, point, a zero on either side of it. */
export const NUMBER_BYTES = 19;

const MOST_FRACTION = 6;
const MOST_WHOLE = POWERS[DOUBLE_DIGITS];
const BILLION = 1_000_000_000;

/**
 * Writes a double as {@link formatNumber} spells it, where it has at most 15 digits, at most six of them after the
 * point. No two numbers of so few digits have the same double, so that these digits are the shortest that read back.
 *
 * @returns the position after the number, or -1 for any other double
 */
export function writeNumber(value: number, out: Uint8Array, at: number): number {
  const size = Math.abs(value);
  let fraction = 0;
  let digits = size;
  while (digits !== Math.floor(digits) || digits / POWERS[fraction] !== size) {
    if (fraction === MOST_FRACTION) return -1;
    digits = Math.round(size * POWERS[++fraction]);
  }
  if (digits >= MOST_WHOLE || Object.is(value, -0)) return -1;
  const whole = Math.floor(digits / POWERS[fraction]);
  const upper = Math.floor(whole / BILLION);
  let p = at;
  if (value < 0) out[p++] = 45;
  if (upper === 0) p = writeDigits(whole, out, p);
  else {
    p = writeDigits(upper, out, p);
    p = writePadded(whole - upper * BILLION, out, p, p + 9);
  }
  out[p++] = 46;
  return writePadded(digits - whole * POWERS[fraction], out, p, p + Math.max(fraction, 1));
}
