import { DOUBLE_DIGITS, lowerPart, POWERS, shortNumber, upperPart } from "./decimal.js";

const ZERO = 48;

/**
 * Reads a plain number (`-12.5`) at `p` as the nearest double, ties to even, into `out[at]`.
 *
 * Up to 2^53 the digits and up to 10^22 the power of ten are exact doubles, so one division rounds once and correctly;
 * longer numbers go through {@link parseNumber}.
 *
 * @returns the position after the number, or -1 where there is none: the caller looks at what follows
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
    // Beyond the largest double: not for a fast reader to decide.
    return Number.isFinite(out[at]) ? q : -1;
  }
  let value = shortNumber(b, start, digits, m);
  if (fraction > 0) value /= POWERS[fraction];
  out[at] = negative ? -value : value;
  return q;
}

/** Digits that {@link longNumber} takes: two halves of nine. */
const LONG_DIGITS = 18;

/** Cuts a double into two of 26 bits, whose products are exact. */
const CUT = 2 ** 27 + 1;

/** More than the error of the last step of {@link longNumber}, relative. */
const DOUBT = 2 ** -45;

/**
 * The nearest double of a number of 10 to 18 digits, `fraction` of them after the point: the digits as the exact sum of
 * two doubles, divided by an exact power of ten with the remainder of the division taken along.
 *
 * @param first the digits before the last nine
 * @param m all digits modulo 2^32
 * @returns NaN where the text is too close to the midpoint of two doubles for this method to decide
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
  return quotient + rest * (1 + DOUBT) === value && quotient + rest * (1 - DOUBT) === value ? value : Number.NaN;
}

/** What `x * y` loses by rounding, exactly (Dekker). */
function productError(x: number, y: number): number {
  const xUpper = x * CUT - (x * CUT - x);
  const yUpper = y * CUT - (y * CUT - y);
  const xLower = x - xUpper;
  const yLower = y - yUpper;
  return xUpper * yUpper - x * y + xUpper * yLower + xLower * yUpper + xLower * yLower;
}

/** Numbers in text: digits, a point, an exponent; and the names that a double prints as. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The nearest double, ties to even, of the number that fills `start` to `end`: `12`, `-.5`, `1.5e-7`, `NaN`,
 * `Infinity`. A number beyond the largest double is an infinity, one too small is zero, as IEEE 754 rounds them.
 *
 * @returns undefined when the bytes are not a number
 */
export function readNumber(b: Uint8Array, start: number, end: number): number | undefined {
  const text = asciiText(b, start, end);
  if (NUMBER.test(text)) return Number(text);
  switch (text) {
    case "NaN":
      return Number.NaN;
    case "Infinity":
    case "+Infinity":
      return Number.POSITIVE_INFINITY;
    case "-Infinity":
      return Number.NEGATIVE_INFINITY;
    default:
      return undefined;
  }
}

/** Whether bytes that {@link readNumber} takes for an infinity spell a number in digits, not the name. */
export function isOverflow(b: Uint8Array, start: number): boolean {
  const c = b[start] === 45 || b[start] === 43 ? b[start + 1] : b[start];
  return c === 46 || (c ^ ZERO) <= 9;
}

/** The nearest double of bytes known to spell a number. */
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
