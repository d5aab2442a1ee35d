import { smallUnscaled } from "./decimal.js";
import { writePadded, writeScaled } from "./digits.js";

const ZERO = 48;
const MINUS = 45;
const POINT = 46;
const BILLION = 1_000_000_000;

/** A remainder below 10^6 before another 32 bits stays below 2^53. */
const MILLION = 1_000_000;
const MILLION_DIGITS = 6;

const WORD = 2 ** 32;

/** The one whole number of 32 bits whose size is not one. */
const LEAST = -(2 ** 31);

/** The largest scale that {@link writeDecimal} takes. */
export const WIDEST_SCALE = 76;

/** Most bytes that {@link writeDecimal} writes of a value: sign, point, a zero before it, digits. */
export function decimalWidth(count: number, scale: number): number {
  return 3 + Math.max(count * 10, scale);
}

/** The digits of one number, at the end; 256 bits have 78, which are written six at a time. */
const digits = new Uint8Array(84);
const rest = new Uint32Array(8);

/**
 * Writes a decimal as `decimalText` spells it: all its fraction digits, no string or bigint on the way.
 *
 * @param count how many times 32 bits, little-endian two's complement, the value has from `at` on: 1, 2, 4 or 8
 * @param scale digits after the point, 0 to {@link WIDEST_SCALE}
 * @returns the position after the number
 */
export function writeDecimal(
  words: Int32Array | Uint32Array,
  at: number,
  count: number,
  scale: number,
  out: Uint8Array,
  start: number,
): number {
  const low = words[at] | 0;
  const sign = low >> 31;
  let same = low !== LEAST;
  for (let i = at + 1; i < at + count; i++) if ((words[i] | 0) !== sign) same = false;
  let p = start;
  if ((words[at + count - 1] | 0) < 0) out[p++] = MINUS;
  if (same) return writeScaled(sign === 0 ? low : -low, scale, out, p);
  const small = smallUnscaled(words, at, count);
  const first = Number.isNaN(small) ? wideDigits(words, at, count) : smallDigits(Math.abs(small));
  return writeDigits(first, scale, out, p);
}

/** Writes the number of `digits` from its first one on. */
function writeDigits(from: number, scale: number, out: Uint8Array, start: number): number {
  let first = from;
  while (digits.length - first <= scale) digits[--first] = ZERO;
  const point = digits.length - scale;
  let p = start;
  while (first < point) out[p++] = digits[first++];
  if (scale === 0) return p;
  out[p++] = POINT;
  while (first < digits.length) out[p++] = digits[first++];
  return p;
}

/** Puts the digits of a whole number below 2^53 at the end of `digits`; the place of the first that is not zero. */
function smallDigits(value: number): number {
  const upper = Math.floor(value / BILLION);
  writePadded(value - upper * BILLION, digits, digits.length - 9, digits.length);
  writePadded(upper, digits, digits.length - 18, digits.length - 9);
  return firstDigit(digits.length - 18);
}

function firstDigit(from: number): number {
  let first = from;
  while (digits[first] === ZERO) first++;
  return first;
}

/** Puts the digits of a number beyond 2^53 at the end of `digits`, six at a time; the place of the first. */
function wideDigits(words: Int32Array | Uint32Array, at: number, count: number): number {
  const negative = (words[at + count - 1] | 0) < 0;
  let carry = negative ? 1 : 0;
  for (let i = 0; i < count; i++) {
    const sum = ((negative ? ~words[at + i] : words[at + i]) >>> 0) + carry;
    rest[i] = sum;
    carry = sum >= WORD ? 1 : 0;
  }
  let first = digits.length;
  for (let top = count - 1; top >= 0; ) {
    if (rest[top] === 0) {
      top--;
      continue;
    }
    let remainder = 0;
    for (let i = top; i >= 0; i--) {
      const part = remainder * WORD + rest[i];
      rest[i] = Math.floor(part / MILLION);
      remainder = part - rest[i] * MILLION;
    }
    first = writePadded(remainder, digits, first - MILLION_DIGITS, first) - MILLION_DIGITS;
  }
  return firstDigit(first);
}
