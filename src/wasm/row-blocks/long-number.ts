import { TAILS } from "./bytes";
import { DIGITS, valueOf, WITHOUT } from "./digits";

/** How `numbers` stores: 128 bits, 64 bits, or a double. */
export const DECIMAL = 0;
export const INTEGER = 1;

const TEN_16: i64 = 10000000000000000;

/** Powers of ten: of 64 bits up to 10^18, as doubles up to 10^22. */
const TENS = memory.data<i64>([
  1,10,100,1000,10000,100000,1000000,10000000,100000000,1000000000,10000000000,100000000000,1000000000000,10000000000000,
  100000000000000,1000000000000000,10000000000000000,100000000000000000,1000000000000000000,
]);
const FLOAT_TENS = memory.data<f64>([
  1e0,1e1,1e2,1e3,1e4,1e5,1e6,1e7,1e8,1e9,1e10,1e11,1e12,1e13,1e14,1e15,1e16,1e17,1e18,1e19,1e20,1e21,1e22,
]);

/**
 * Stores the number of 17 to 32 characters at `p`, which begins with a digit; false, and nothing stored, when it is
 * odd.
 */
export function longNumber(p: usize, q: usize, negative: i64, kind: i32, out: usize, table: usize): bool {
  const zeros = v128.load(DIGITS), point = v128.load(DIGITS, 16), over = v128.load(DIGITS, 32);
  let low = i8x16.sub(v128.load(q - 16), zeros);
  let high = v128.and(i8x16.sub(v128.load(q - 32), zeros), v128.load(TAILS + (q - p) - 16));
  const inLow = i8x16.bitmask(i8x16.eq(low, point)), inHigh = i8x16.bitmask(i8x16.eq(high, point));
  let fraction: i32 = 0, digits = <i32>(q - p);
  if (inLow) {
    const j = ctz(inLow);
    if (j == 15) return false;
    fraction = 15 - j;
    // The last digit of the upper half becomes the first of the lower.
    low = i8x16.replace_lane(v128.swizzle(low, v128.load(WITHOUT + (<usize>j << 4))), 0, i8x16.extract_lane_u(high, 15));
    high = v128.swizzle(high, v128.load(WITHOUT, 15 << 4));
    digits--;
  } else if (inHigh) {
    const j = ctz(inHigh);
    fraction = 31 - j;
    high = v128.swizzle(high, v128.load(WITHOUT + (<usize>j << 4)));
    digits--;
  }
  if (i8x16.bitmask(i8x16.add_sat_u(low, over)) | i8x16.bitmask(i8x16.add_sat_u(high, over))) return false;
  const ones = v128.load(DIGITS, 48), pairs = v128.load(DIGITS, 64), fours = v128.load(DIGITS, 80);
  const upper = valueOf(high, ones, pairs, fours), lower = valueOf(low, ones, pairs, fours);
  if (kind == DECIMAL) return storeDecimal(upper, lower, digits, fraction, negative, out, table);
  if (upper > 99) return false;
  const value = upper * TEN_16 + lower;
  if (kind > INTEGER) return storeFloat(value, fraction, negative, out);
  if (fraction > 0) return false;
  store<i64>(out, (value ^ negative) - negative);
  return true;
}

/**
 * Stores `upper` * 10^16 + `lower`, which has so many digits, with the zeros that the column's scale asks for, in 128
 * bits.
 */
function storeDecimal(upper: i64, lower: i64, digits: i32, fraction: i32, negative: i64, out: usize, table: usize): bool {
  const zeros = load<i32>(table, 17 * 16) - fraction;
  if (<u32>zeros > 18 || digits + zeros > load<i32>(table, 17 * 16 + 4)) return false;
  let low = upper * TEN_16 + lower;
  let high = upperProduct(upper, TEN_16) + i64(<u64>low < <u64>lower);
  if (zeros > 0) {
    const factor = load<i64>(TENS + (<usize>zeros << 3));
    high = high * factor + upperProduct(low, factor);
    low *= factor;
  }
  if (negative) {
    low = -low;
    high = ~high + i64(low == 0);
  }
  store<i64>(out, low);
  store<i64>(out, high, 8);
  return true;
}

/** The upper 64 of the 128 bits of a product, both factors without sign. */
function upperProduct(a: u64, b: u64): i64 {
  const a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const cross = a0 * b1, other = a1 * b0;
  const middle = ((a0 * b0) >> 32) + (cross & 0xffffffff) + (other & 0xffffffff);
  return a1 * b1 + (cross >> 32) + (other >> 32) + (middle >> 32);
}

/** Cuts a double into two of 26 bits, whose products are exact. */
const CUT: f64 = 134217729;
/** More than the error of the last step of {@link storeFloat}, relative: 2^-45. */
const DOUBT: f64 = 2.842170943040401e-14;

/**
 * Stores the double nearest to `value` / 10^`fraction`, as `longNumber` of src/value/number.ts does: the value as the
 * exact sum of two doubles, divided with the remainder. False where the value is too close to a midpoint of two doubles
 * to decide.
 */
function storeFloat(value: i64, fraction: i32, negative: i64, out: usize): bool {
  if (fraction > 22) return false;
  const power = load<f64>(FLOAT_TENS + (<usize>fraction << 3));
  const upper = <f64>(value / 1000000000) * 1e9, lower = <f64>(value % 1000000000);
  const sum = upper + lower;
  let result = sum;
  if (fraction > 0) {
    const quotient = sum / power;
    const rest = (sum - quotient * power - productError(quotient, power) + (lower - (sum - upper))) / power;
    result = quotient + rest;
    if (quotient + rest * (1 + DOUBT) != result || quotient + rest * (1 - DOUBT) != result) return false;
  }
  store<f64>(out, negative ? -result : result);
  return true;
}

/** What `x * y` loses by rounding, exactly (Dekker). */
function productError(x: f64, y: f64): f64 {
  const xUpper = x * CUT - (x * CUT - x), yUpper = y * CUT - (y * CUT - y);
  const xLower = x - xUpper, yLower = y - yUpper;
  return xUpper * yUpper - x * y + xUpper * yLower + xLower * yUpper + xLower * yLower;
}
