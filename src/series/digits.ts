/**
 * Rounding to significant digits, exactly as C's `printf("%.14g")` read back as a number: the digits are those of the exact
 * binary value, and a tie goes to the even digit. (JavaScript's `toPrecision` sends ties away from zero and is 40 times slower.)
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
 * `value` rounded to `digits` significant decimal digits (1 to 15), half to even on the exact value. NaN, zero and the
 * infinities come back unchanged.
 *
 * @example
 * ```ts no-run
 * import { roundDigits } from "arrowbook";
 * roundDigits(100.03 - 100, 14); // 0.030000000000001
 * ```
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

/** Rounds every value of an array in place, as {@link roundDigits} does, in about 8 ns; what is not finite becomes NaN. */
export function roundAll(values: Float64Array, digits: number): void {
  rounderOf(values, digits)(0, values.length);
}

/** Rounds stretches of one array, from a place to another (exclusive); what is not finite becomes NaN. Gives how many NaN there are. */
export function rounderOf(values: Float64Array, digits: number): (from: number, to: number) => number {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  const { boundHigh, scales } = stepsOf(digits);
  return (from, to) => {
    let missing = 0;
    for (let i = from; i < to; i++) {
      const value = values[i];
      const high = bits[2 * i + HIGH] & 0x7fffffff;
      const exponent = high >>> 20;
      // Without a branch: 0 below the bound, 2 above it, 1 where the high words are equal and nothing is known.
      const above = high - boundHigh[exponent];
      const scale = scales[3 * exponent + 2 + (above >> 31) + ((above - 1) >> 31)];
      const product = value * scale;
      const whole = product + TO_WHOLE - TO_WHOLE;
      const off = product - whole;
      // The product is within 0.008 of the exact one; nearer to a half than that, and outside exact powers, the slow way decides.
      if (off > -0.49 && off < 0.49 && scale !== 0) values[i] = whole / scale;
      else if (Number.isFinite(value)) values[i] = roundDigits(value, digits);
      else {
        values[i] = Number.NaN;
        missing++;
      }
    }
    return missing;
  };
}

/** 1.5 × 2^52: added and taken away again, it leaves the nearest whole number. */
const TO_WHOLE = 6_755_399_441_055_744;

/** By binary exponent. */
interface Steps {
  /** High word of the power of ten among the doubles of that exponent, or of the next one. */
  readonly boundHigh: Int32Array;
  /** Powers of ten that make `digits` whole digits: below the bound, (0), and above it; 0 where none is exact. */
  readonly scales: Float64Array;
}

const steps = new Map<number, Steps>();

function stepsOf(digits: number): Steps {
  const known = steps.get(digits);
  if (known !== undefined) return known;
  const made: Steps = { boundHigh: new Int32Array(2048), scales: new Float64Array(3 * 2048) };
  for (let binary = 1; binary < 2047; binary++) {
    const exponent = Math.floor((binary - 1023) * LOG10_2);
    const shift = digits - 1 - exponent;
    double[0] = ALL_POWERS[exponent + 1 + 324];
    made.boundHigh[binary] = words[HIGH];
    if (shift > EXACT_POWERS || shift < 1) continue;
    made.scales[3 * binary] = POWERS[shift];
    made.scales[3 * binary + 2] = POWERS[shift - 1];
  }
  steps.set(digits, made);
  return made;
}

/** `size × power` as the nearest whole number, half to even, decided on the exact product. */
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

/** `size ÷ power` as the nearest whole number, times `power` again. */
function overPower(size: number, power: number): number {
  const rest = size % power; // exact
  const whole = Math.round((size - rest) / power);
  return nearestWhole(whole, rest - power / 2) * power;
}

/** `whole` or the next whole number, by the sign of how far the exact value lies above the middle between them. */
function nearestWhole(whole: number, above: number): number {
  if (above > 0) return whole + 1;
  if (above < 0) return whole;
  return whole % 2 === 0 ? whole : whole + 1;
}

/** Zero, not finite, or too small or large for powers of ten that are exact: through the digits themselves. */
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
