/** The outcomes of reading an exact decimal. */
export const DECIMAL_OK = 0;
/** The bytes are not a number. */
export const DECIMAL_BAD = 1;
/** More digits before the point than the precision allows. */
export const DECIMAL_TOO_WIDE = 2;
/** Nonzero digits beyond the scale; nothing was stored. */
export const DECIMAL_LOSS = 3;
/** Digits beyond the scale were rounded half to even and the result stored. */
export const DECIMAL_ROUNDED = 4;

/** The most digits of a 128-bit decimal. */
export const DECIMAL128_DIGITS = 38;

const TWO_32 = 4_294_967_296;
const TWO_53 = 9_007_199_254_740_992;
const ZERO = 48;

/** Powers of ten as doubles, exact up to 10^22; above that only their magnitude is used. */
export const POWERS: Float64Array = Float64Array.from({ length: 80 }, (_, i) => Number(`1e${i}`));

/** Memory for decimals of rows. */
export interface DecimalTarget {
  /** Little-endian two's complement, `stride` words for each row: 4 or 8. */
  readonly words: Int32Array;
  readonly stride: number;
  readonly precision: number;
  readonly scale: number;
  /** Digits beyond the scale are rounded half to even. */
  readonly round: boolean;
}

/**
 * Reads the number that fills `start` to `end` exactly, digit by digit and never through a double: `12`, `-12.50`,
 * `+.5`, `5.`, `1.5e-7`. Zeros beyond the scale are not a loss.
 *
 * @param to receives the unscaled value as that of a row
 * @returns one of the `DECIMAL_` outcomes
 */
export function readDecimal(b: Uint8Array, start: number, end: number, to: DecimalTarget, row: number): number {
  const { words, stride: count, precision, scale, round } = to;
  const at = row * count;
  let p = start;
  const negative = b[p] === 45;
  if (negative || b[p] === 43) p++;
  let first = -1; // position of the first nonzero digit
  let point = -1;
  let digits = 0; // digits from the first nonzero one
  let seen = 0;
  for (; p < end; p++) {
    const c = b[p];
    if (c >= ZERO && c <= 57) {
      seen++;
      if (first >= 0) digits++;
      else if (c !== ZERO) {
        first = p;
        digits = 1;
      }
    } else if (c === 46 && point < 0) point = p;
    else break;
  }
  if (seen === 0) return DECIMAL_BAD;
  const last = p;
  const exponent = p < end ? readExponent(b, p, end) : 0;
  if (Number.isNaN(exponent)) return DECIMAL_BAD;
  for (let i = at; i < at + count; i++) words[i] = 0;
  if (first < 0) return DECIMAL_OK;
  const fraction = point < 0 ? 0 : last - point - 1;
  const shift = exponent - fraction + scale;
  const kept = digits + Math.min(shift, 0);
  if (digits + shift > precision) return DECIMAL_TOO_WIDE;
  const rounding = shift < 0 ? roundingOf(b, first, last, kept) : 0;
  if (rounding !== 0 && !round) return DECIMAL_LOSS;
  const stop = takeDigits(b, first, kept, to, at);
  for (let zeros = Math.max(shift, 0); zeros > 0; zeros -= FACTOR_DIGITS) {
    multiplyAdd(words, at, count, POWERS[Math.min(zeros, FACTOR_DIGITS)], 0);
  }
  if (rounding > 0 && (rounding > 1 || (rounding === 1 && kept > 0 && ((b[stop] - ZERO) & 1) === 1))) {
    multiplyAdd(words, at, count, 1, 1);
    if (kept + Math.max(shift, 0) >= precision && unscaled(words, at, count) >= 10n ** BigInt(precision)) {
      return DECIMAL_TOO_WIDE;
    }
  }
  if (negative) negate(words, at, count);
  return rounding === 0 ? DECIMAL_OK : DECIMAL_ROUNDED;
}

/** The exponent that fills `p` to `end`, clamped to ±1e9; NaN if it is malformed. */
function readExponent(b: Uint8Array, start: number, end: number): number {
  let p = start;
  if (b[p] !== 101 && b[p] !== 69) return Number.NaN;
  p++;
  const negative = b[p] === 45;
  if (p < end && (negative || b[p] === 43)) p++;
  if (p >= end) return Number.NaN;
  let value = 0;
  for (; p < end; p++) {
    const c = b[p] ^ ZERO;
    if (c > 9) return Number.NaN;
    if (value < 1e9) value = value * 10 + c;
  }
  return negative ? -value : value;
}

/**
 * Classifies the digits that are dropped if only `kept` digits stay: 0 only zeros, -1 less than half, 1 exactly half, 2
 * more than half.
 */
function roundingOf(b: Uint8Array, first: number, last: number, kept: number): number {
  if (kept < 0) return -1;
  let skip = kept;
  let lead = -1;
  let rest = false;
  for (let p = first; p < last; p++) {
    const c = b[p] ^ ZERO;
    if (c > 9) continue;
    if (skip > 0) skip--;
    else if (lead < 0) lead = c;
    else if (c > 0) rest = true;
  }
  if (lead <= 0 && !rest) return 0;
  if (lead === 5 && !rest) return 1;
  return lead >= 5 ? 2 : -1;
}

/** The number of digits that are always exact as a double. */
export const DOUBLE_DIGITS = 15;

/** Stores the next `digits` digits from `first` in zeroed words from `at` on; returns the position of the last one. */
function takeDigits(b: Uint8Array, first: number, digits: number, to: DecimalTarget, at: number): number {
  const { words, stride } = to;
  let p = first;
  let stop = first;
  let left = digits;
  let most = DOUBLE_DIGITS;
  while (left > 0) {
    let chunk = 0;
    let taken = 0;
    while (taken < most && left > 0) {
      const c = b[p] ^ ZERO;
      if (c <= 9) {
        chunk = chunk * 10 + c;
        taken++;
        left--;
        stop = p;
      }
      p++;
    }
    if (most === DOUBLE_DIGITS) {
      words[at] = chunk | 0;
      words[at + 1] = Math.floor(chunk / TWO_32);
      most = FACTOR_DIGITS;
    } else multiplyAdd(words, at, stride, POWERS[taken], chunk);
  }
  return stop;
}

/** A 32-bit word times this power of ten stays below 2^53. */
const FACTOR_DIGITS = 6;

/** words = words × factor + add, for a factor of at most 10^6: all products stay below 2^53. */
function multiplyAdd(words: Int32Array, at: number, count: number, factor: number, add: number): void {
  let carry = add;
  for (let i = at; i < at + count; i++) {
    const product = (words[i] >>> 0) * factor + carry;
    words[i] = product | 0;
    carry = Math.floor(product / TWO_32);
  }
}

function negate(words: Int32Array, at: number, count: number): void {
  let carry = 1;
  for (let i = at; i < at + count; i++) {
    const sum = (~words[i] >>> 0) + carry;
    words[i] = sum | 0;
    carry = sum >= TWO_32 ? 1 : 0;
  }
}

type Words = Int32Array | Uint32Array;

/** The unscaled value of `count` words (1, 2, 4 or 8) from `at`. */
export function unscaled(words: Words, at: number, count: number): bigint {
  let value = BigInt(words[at + count - 1] | 0);
  for (let i = at + count - 2; i >= at; i--) value = (value << 32n) | BigInt(words[i] >>> 0);
  return value;
}

/** The unscaled value as a double if it is exact (magnitude below 2^53), otherwise NaN. */
export function smallUnscaled(words: Words, at: number, count: number): number {
  if (count === 1) return words[at] | 0;
  const high = words[at + 1] | 0;
  const sign = high >> 31;
  for (let i = at + 2; i < at + count; i++) if ((words[i] | 0) !== sign) return Number.NaN;
  const value = high * TWO_32 + (words[at] >>> 0);
  return value > -TWO_53 && value < TWO_53 ? value : Number.NaN;
}

/** The exact value as a string with `scale` digits after the point (trailing zeros for a negative scale). */
export function decimalText(words: Words, at: number, count: number, scale: number): string {
  const small = smallUnscaled(words, at, count);
  if (Number.isNaN(small)) return unscaledText(unscaled(words, at, count).toString(), scale);
  return unscaledText(small === 0 ? "0" : String(small), scale);
}

/** Inserts the point into the digits of an unscaled integer. */
export function unscaledText(digits: string, scale: number): string {
  if (scale === 0) return digits;
  if (scale < 0) return digits === "0" ? digits : digits + "0".repeat(-scale);
  const negative = digits.charCodeAt(0) === 45;
  const plain = (negative ? digits.slice(1) : digits).padStart(scale + 1, "0");
  const cut = plain.length - scale;
  return `${negative ? "-" : ""}${plain.slice(0, cut)}.${plain.slice(cut)}`;
}

/** The value as the nearest double. */
export function decimalNumber(words: Words, at: number, count: number, scale: number): number {
  const small = smallUnscaled(words, at, count);
  if (!Number.isNaN(small) && scale >= 0 && scale <= 22) return small / POWERS[scale];
  return Number(`${unscaled(words, at, count)}e${-scale}`);
}
