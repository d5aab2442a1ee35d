/**
 * Rounds to significant digits, exactly as C's `printf("%.14g")` read back as a number: by the digits of the exact
 * binary value, with ties to even. (JavaScript's `toPrecision` rounds ties away from zero and is 40 times slower.)
 */

const EXACT_POWERS = 22;
const POWERS = Float64Array.from({ length: EXACT_POWERS + 1 }, (_, i) => Number(`1e${i}`));
const ALL_POWERS = Float64Array.from({ length: 309 + 324 }, (_, i) => Number(`1e${i - 324}`));
const LOG10_2 = 0.301_029_995_663_981_2;
const SPLITTER = 134_217_729; // 2^27 + 1
const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
const LITTLE = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
const HIGH = LITTLE ? 1 : 0;

/**
 * Rounds `value` to `digits` significant decimal digits (1 to 15), half to even on the exact value. NaN, zero and the
 * infinities are returned unchanged: `roundDigits(100.03 - 100, 14)` is 0.030000000000001.
 */
export function roundDigits(value: number, digits: number): number {
  const size = Math.abs(value);
  if (!(size > 1e-292 && size < 1e292)) return special(value, digits);
  double[0] = size;
  // floor(log10(size)), one too low at most before the comparison.
  let exponent = Math.floor(((words[HIGH] >>> 20) - 1023) * LOG10_2);
  if (size >= ALL_POWERS[exponent + 1 + 324]) exponent++;
  const shift = digits - 1 - exponent;
  if (shift > EXACT_POWERS || shift < -EXACT_POWERS) return special(value, digits);
  const rounded = shift >= 0 ? timesPower(size, POWERS[shift]) / POWERS[shift] : overPower(size, POWERS[-shift]);
  return value < 0 ? -rounded : rounded;
}

/**
 * Returns a function that rounds a range of the array, `from` to `to` (exclusive), in place as {@link roundDigits}
 * does, in about 2 ns each; values that are not finite become NaN. It returns the number of NaN.
 */
export function rounderOf(values: Float64Array, digits: number): (from: number, to: number) => number {
  return (from, to) => {
    let missing = 0;
    for (let at = from; at < to; at++) {
      at = roundPlain(values, digits * DECADES, at, to);
      if (at === to) break;
      const value = values[at];
      if (Number.isFinite(value)) values[at] = roundDigits(value, digits);
      else {
        values[at] = Number.NaN;
        missing++;
      }
    }
    return missing;
  };
}

/**
 * Rounds up to the first value that needs more than a multiplication and a division, and returns its position. The
 * product is the exact one rounded to a double, and a half is a double too: if the product is below a half, so is the
 * exact value. Only a product of exactly a half is undecided. (Without calls and with constant tables only, the loop is
 * twice as fast.)
 */
function roundPlain(values: Float64Array, scales: number, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const value = values[i];
    double[0] = value;
    const scale = SCALES[scales + DECADE_OF[(words[HIGH] & 0x7fffffff) >>> BUCKET]];
    const product = value * scale;
    const whole = product + TO_WHOLE - TO_WHOLE;
    if (Math.abs(product - whole) < 0.5) values[i] = whole / scale;
    else if (value !== 0) return i;
  }
  return to;
}

/** 1.5 × 2^52: adding and subtracting it rounds to the nearest integer. */
const TO_WHOLE = 6_755_399_441_055_744;

const LOWEST = -EXACT_POWERS;
const HIGHEST = 14;
const DECADES = HIGHEST - LOWEST + 2;
/** Bits of the high word that {@link DECADE_OF} ignores: it uses the exponent and 7 bits of the fraction. */
const BUCKET = 13;

/**
 * For each bucket of doubles, the decade 10^k ≤ size < 10^(k + 1) that contains all of them, as k − LOWEST + 1; 0 if
 * the bucket spans two decades or is out of range.
 */
const DECADE_OF = decadeOf();

/** By digits and decade, the power of ten that scales to that number of integer digits; NaN if it is not exact. */
const SCALES = scales();

function decadeOf(): Uint8Array {
  const table = new Uint8Array(2 ** (31 - BUCKET));
  for (let k = LOWEST; k <= HIGHEST; k++) table.fill(k - LOWEST + 1, bucketsOf(k).first, bucketsOf(k + 1).holding);
  return table;
}

/**
 * The bucket that contains 10^k, and the first whose values are all at least 10^k: the next bucket if 10^k is inside
 * one.
 */
function bucketsOf(k: number): { readonly holding: number; readonly first: number } {
  double[0] = ALL_POWERS[k + 324];
  const holding = words[HIGH] >>> BUCKET;
  const begins = words[1 - HIGH] === 0 && words[HIGH] === holding << BUCKET;
  return { holding, first: begins ? holding : holding + 1 };
}

function scales(): Float64Array {
  const table = new Float64Array(16 * DECADES).fill(Number.NaN);
  for (let digits = 1; digits < 16; digits++) {
    for (let k = LOWEST; k <= HIGHEST; k++) {
      const shift = digits - 1 - k;
      if (shift >= 0 && shift <= EXACT_POWERS) table[digits * DECADES + k - LOWEST + 1] = POWERS[shift];
    }
  }
  return table;
}

/** `size × power` rounded to an integer, half to even on the exact product. */
function timesPower(size: number, power: number): number {
  const product = size * power;
  const whole = Math.floor(product);
  // Two-product: product + rest is exact.
  const a = SPLITTER * size;
  const sizeHigh = a - (a - size);
  const sizeLow = size - sizeHigh;
  const b = SPLITTER * power;
  const powerHigh = b - (b - power);
  const powerLow = power - powerHigh;
  const rest = sizeLow * powerLow - (product - sizeHigh * powerHigh - sizeLow * powerHigh - sizeHigh * powerLow);
  return nearestWhole(whole, product - whole - 0.5 + rest);
}

/** `size ÷ power` rounded to an integer, times `power` again. */
function overPower(size: number, power: number): number {
  const rest = size % power; // exact
  const whole = Math.round((size - rest) / power);
  return nearestWhole(whole, rest - power / 2) * power;
}

/** `whole` or the next integer, by the sign of the exact distance from the midpoint between them; even at 0. */
export function nearestWhole(whole: number, above: number): number {
  if (above > 0) return whole + 1;
  if (above < 0) return whole;
  return whole % 2 === 0 ? whole : whole + 1;
}

/** Zero, not finite, or too small or too large for exact powers of ten: rounded through the decimal digits. */
function special(value: number, digits: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  const exact = value.toExponential(100);
  const point = exact.indexOf(".");
  const mantissaEnd = exact.indexOf("e");
  const rest = exact.slice(point + digits, mantissaEnd);
  const isTie = rest[0] === "5" && /^50*$/.test(rest);
  if (!isTie) return Number(value.toPrecision(digits));
  const kept = exact.slice(0, point + digits);
  const isEven = Number(kept[kept.length - 1]) % 2 === 0;
  return isEven ? Number(kept + exact.slice(mantissaEnd)) : Number(value.toPrecision(digits));
}
