import { latin1Text } from "../platform/node/bytes.js";
import { DOUBLE_DIGITS, POWERS } from "./decimal.js";
import { writeDigits, writePadded } from "./digits.js";

const ZERO = 48;

/** The grammar of a number: digits, a point, an exponent. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The nearest double, ties to even, of the number that fills `start` to `end`: `12`, `-.5`, `1.5e-7`, `NaN`,
 * `inf`, `-Infinity`. Numbers beyond the largest double become infinite, numbers too small become zero, as in IEEE 754.
 *
 * @returns undefined if the bytes are not a number
 */
export function readNumber(b: Uint8Array, start: number, end: number): number | undefined {
  const short = shortNumber(b, start, end);
  if (!Number.isNaN(short)) return short;
  const text = asciiText(b, start, end);
  return NUMBER.test(text) ? Number(text) : namedDouble(text);
}

/**
 * A number of at most 15 digits without an exponent, otherwise NaN. Its digits and their power of ten are exact as
 * doubles, so that one division rounds once and correctly.
 */
function shortNumber(b: Uint8Array, start: number, end: number): number {
  const isNegative = b[start] === 45;
  let digits = 0;
  let count = 0;
  let point = end - 1;
  for (let p = isNegative ? start + 1 : start; p < end; p++) {
    const c = b[p] ^ ZERO;
    if (c <= 9) {
      digits = digits * 10 + c;
      count++;
    } else if (b[p] === 46 && point === end - 1) point = p;
    else return Number.NaN;
  }
  if (count === 0 || count > DOUBLE_DIGITS) return Number.NaN;
  const value = digits / POWERS[end - 1 - point];
  return isNegative ? -value : value;
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

/** Bytes as text, one character a byte. */
function asciiText(b: Uint8Array, start: number, end: number): string {
  return latin1Text(b, start, end);
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
