// Plain CSV by blocks of rows, 16 bytes at a time. This is AssemblyScript: TypeScript's grammar, WebAssembly's types.
// `scan` finds where the cells of some rows end; then each column of the block is read by one call, straight through. What a
// reader of a column does not know is no fault: it is noted as odd, and whoever called reads that cell by other means.
// Positions are addresses in this memory. 64 bytes around the input may be read, whatever they are.

const COMMA: u8 = 44;
const LF: u8 = 10;
const CR: u8 = 13;
const QUOTE: u8 = 34;
const MINUS: u8 = 45;
const ZERO: u8 = 48;

/** How {@link numbers} stores: 128 bits, 64 bits, or a double. */
const DECIMAL = 0;
const INTEGER = 1;

// Vectors are loaded from memory once before each loop: written as constants they would be put together anew for every cell.

/** 16 times each of: comma, LF, quote, CR. */
// prettier-ignore
const MARKS = memory.data<u8>([
  44,44,44,44,44,44,44,44,44,44,44,44,44,44,44,44, 10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,
  34,34,34,34,34,34,34,34,34,34,34,34,34,34,34,34, 13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,13,
]);
/** From `TAILS + n`: the last `n` bytes of 16 set. From `TAILS + 32 - n`: the first `n`. */
// prettier-ignore
const TAILS = memory.data<u8>([
  0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0, 255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,
  0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,
]);
/** From `WITHOUT + 16 * j`: the order of 16 bytes that takes byte `j` out and moves those before it up; 16 takes none out. */
// prettier-ignore
const WITHOUT = memory.data<u8>([
  255,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15, 255,0,2,3,4,5,6,7,8,9,10,11,12,13,14,15, 255,0,1,3,4,5,6,7,8,9,10,11,12,13,14,15,
  255,0,1,2,4,5,6,7,8,9,10,11,12,13,14,15, 255,0,1,2,3,5,6,7,8,9,10,11,12,13,14,15, 255,0,1,2,3,4,6,7,8,9,10,11,12,13,14,15,
  255,0,1,2,3,4,5,7,8,9,10,11,12,13,14,15, 255,0,1,2,3,4,5,6,8,9,10,11,12,13,14,15, 255,0,1,2,3,4,5,6,7,9,10,11,12,13,14,15,
  255,0,1,2,3,4,5,6,7,8,10,11,12,13,14,15, 255,0,1,2,3,4,5,6,7,8,9,11,12,13,14,15, 255,0,1,2,3,4,5,6,7,8,9,10,12,13,14,15,
  255,0,1,2,3,4,5,6,7,8,9,10,11,13,14,15, 255,0,1,2,3,4,5,6,7,8,9,10,11,12,14,15, 255,0,1,2,3,4,5,6,7,8,9,10,11,12,13,15,
  255,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,
]);
/** 16 times each of: `0`, `.` less `0`, what makes a byte above 9 a negative one; then the weights of digits, pairs and fours. */
// prettier-ignore
const DIGITS = memory.data<u8>([
  48,48,48,48,48,48,48,48,48,48,48,48,48,48,48,48, 254,254,254,254,254,254,254,254,254,254,254,254,254,254,254,254,
  118,118,118,118,118,118,118,118,118,118,118,118,118,118,118,118, 1,10,1,10,1,10,1,10,1,10,1,10,1,10,1,10,
  100,0,1,0,100,0,1,0,100,0,1,0,100,0,1,0, 16,39,1,0,16,39,1,0,16,39,1,0,16,39,1,0,
]);
/** The order `YYYYMMDD--` of the bytes of `YYYY-MM-DD`; what is taken off them; what makes wrong ones negative. */
// prettier-ignore
const DATES = memory.data<u8>([
  0,1,2,3,5,6,8,9,4,7,255,255,255,255,255,255, 48,48,48,48,48,48,48,48,45,45,0,0,0,0,0,0,
  118,118,118,118,118,118,118,118,127,127,127,127,127,127,127,127,
]);
/** Days before each month (1 to 13) of a common year, from 16 on of a leap year. */
// prettier-ignore
const BEFORE_MONTH = memory.data<i32>([
  0,0,31,59,90,120,151,181,212,243,273,304,334,365,0,0, 0,0,31,60,91,121,152,182,213,244,274,305,335,366,
]);

/** Where free memory begins. */
export function start(): usize {
  return __heap_base;
}

/** Whether a cell of the block holds a quote that is written twice. */
let doubled = false;

/** The texts that {@link texts} met for the first time. */
export let added: i32 = 0;

/** The rows that {@link longTexts} has read. */
export let read: i32 = 0;

/** One bit a byte, for 64 bytes. */
// @ts-ignore: decorator
@inline
function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16);
  const high = <u32>i8x16.bitmask(c) | (<u32>i8x16.bitmask(d) << 16);
  return <u64>low | (<u64>high << 32);
}

/**
 * Finds where the cells of up to `rows` rows end, from a row's start at `from`, up to `end`: the addresses of the commas and line
 * feeds outside quotes go to `ends`, after that of the byte before the first cell. `ends` needs room for 65 more.
 *
 * @returns how many whole rows were found that have `width` cells and whose quotes stand where they may (RFC 4180)
 */
export function scan(from: usize, end: usize, width: i32, rows: i32, ends: usize): i32 {
  const comma = v128.load(MARKS), lf = v128.load(MARKS, 16), quote = v128.load(MARKS, 32), cr = v128.load(MARKS, 48);
  store<u32>(ends, from - 1);
  ends += 4;
  const stop = ends + (<usize>(rows * width) << 2);
  let out = ends;
  let lines: i32 = 0;
  // What the 64 bytes before ended in: a cell in quotes (all bits set), a closing quote, a CR.
  let inside: u64 = 0, closed: u64 = 0, returned: u64 = 0;
  doubled = false;
  for (let p = from; p < end && out < stop; p += 64) {
    const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48);
    const valid = end - p < 64 ? ((<u64>1) << <u64>(end - p)) - 1 : ~(<u64>0);
    let breaks = bits(i8x16.eq(a, lf), i8x16.eq(b, lf), i8x16.eq(c, lf), i8x16.eq(d, lf)) & valid;
    let marks = bits(i8x16.eq(a, comma), i8x16.eq(b, comma), i8x16.eq(c, comma), i8x16.eq(d, comma)) & valid;
    marks |= breaks;
    const quoted = v128.or(v128.or(i8x16.eq(a, quote), i8x16.eq(b, quote)), v128.or(i8x16.eq(c, quote), i8x16.eq(d, quote)));
    const ended = v128.or(v128.or(i8x16.eq(a, cr), i8x16.eq(b, cr)), v128.or(i8x16.eq(c, cr), i8x16.eq(d, cr)));
    if (v128.any_true(v128.or(quoted, ended)) || (inside | closed | returned) != 0) {
      const quotes = bits(i8x16.eq(a, quote), i8x16.eq(b, quote), i8x16.eq(c, quote), i8x16.eq(d, quote)) & valid;
      const returns = bits(i8x16.eq(a, cr), i8x16.eq(b, cr), i8x16.eq(c, cr), i8x16.eq(d, cr)) & valid;
      const before = load<u8>(p - 1);
      const fresh = <u64>(p == from || (inside == 0 && (before == COMMA || before == LF)));
      // A bit is within quotes when the quotes up to it, itself included, are odd in number.
      let within = quotes;
      within ^= within << 1;
      within ^= within << 2;
      within ^= within << 4;
      within ^= within << 8;
      within ^= within << 16;
      within ^= within << 32;
      within ^= inside;
      marks &= ~within;
      breaks &= ~within;
      const opening = quotes & within, closing = quotes & ~within, bare = returns & ~within;
      const afterClosing = (closing << 1) | closed;
      // A quote opens a cell or doubles one; after a closing quote the cell ends; a CR stands before LF.
      let wrong = opening & ~((marks << 1) | fresh | afterClosing);
      wrong |= afterClosing & ~(marks | bare | opening) & valid;
      wrong |= ((bare << 1) | returned) & ~breaks & valid;
      if ((opening & afterClosing) != 0) doubled = true;
      inside = <u64>(<i64>within >> 63);
      closed = closing >> 63;
      returned = bare >> 63;
      if (wrong != 0) {
        const right = ((<u64>1) << ctz(wrong)) - 1;
        marks &= right;
        breaks &= right;
        end = p;
      }
    }
    lines += <i32>popcnt(breaks);
    const found = <usize>popcnt(marks);
    // Eight at once: fewer are overwritten by what follows.
    store<u32>(out, p + <usize>ctz(marks)); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 4); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 8); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 12); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 16); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 20); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 24); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 28); marks &= marks - 1;
    for (let at = out + 32; marks != 0; at += 4) {
      store<u32>(at, p + <usize>ctz(marks));
      marks &= marks - 1;
    }
    out += found << 2;
  }
  const whole = min(rows, <i32>((out - ends) >> 2) / width);
  return wellFormed(ends, out, width, whole, lines);
}

/** How many of `rows` rows end in a line feed, and only there; `lines` line feeds are known up to `out`. */
function wellFormed(ends: usize, out: usize, width: i32, rows: i32, lines: i32): i32 {
  const stride = <usize>width << 2;
  const last = ends + <usize>rows * stride;
  for (let at = last; at < out; at += 4) lines -= i32(load<u8>(load<u32>(at)) == LF);
  let right = lines == rows;
  for (let at = ends + stride - 4; at < last; at += stride) if (load<u8>(load<u32>(at)) != LF) right = false;
  if (right) return rows;
  let cell = 0;
  for (let at = ends; at < last; at += 4, cell++) {
    if ((load<u8>(load<u32>(at)) == LF) != (cell % width == width - 1)) break;
  }
  return cell / width;
}

// Readers of one column, `k` of `width`, of the block of `rows` rows whose cells end at `ends` as {@link scan} left it. They give how
// many rows they noted at `odd`; those have no value yet.

/**
 * Numbers of at most 32 characters, a sign apart. `table` holds 17 pairs: for a point at place `j` of 16 (16: none) what the digits
 * are multiplied by (as a double: divided by), and the most they may be (-1: no number may have its point there); behind them scale
 * and precision.
 */
export function numbers(
  ends: usize, k: i32, width: i32, rows: i32, kind: i32, out: usize, table: usize, odd: usize,
): i32 {
  const zeros = v128.load(DIGITS), point = v128.load(DIGITS, 16), over = v128.load(DIGITS, 32);
  const ones = v128.load(DIGITS, 48), pairs = v128.load(DIGITS, 64), fours = v128.load(DIGITS, 80);
  const stride = <usize>width << 2, last = k == width - 1, step: usize = kind == DECIMAL ? 16 : 8;
  let noted = odd;
  for (let row = 0, at = ends + (<usize>k << 2); row < rows; row++, at += stride, out += step) {
    let p = <usize>load<u32>(at) + 1, q = <usize>load<u32>(at, 4);
    if (last) q -= <usize>(load<u8>(q - 1) == CR);
    let c = load<u8>(p);
    let negative: i64 = 0;
    if (c < ZERO) {
      if (c == QUOTE) {
        c = load<u8>(++p);
        q--;
      }
      if (c == MINUS) {
        c = load<u8>(++p);
        negative = -1;
      }
      if (c < ZERO) {
        store<u32>(noted, row);
        noted += 4;
        continue;
      }
    }
    const length = <u32>(q - p);
    if (length > 16) {
      if (length > 32 || !longNumber(p, q, negative, kind, out, table)) {
        store<u32>(noted, row);
        noted += 4;
      }
      continue;
    }
    const text = v128.and(i8x16.sub(v128.load(q - 16), zeros), v128.load(TAILS + length));
    const j = <usize>ctz(i8x16.bitmask(i8x16.eq(text, point)) | 0x10000) << 4;
    const digits = v128.swizzle(text, v128.load(WITHOUT + j));
    if (i8x16.bitmask(i8x16.add_sat_u(digits, over))) {
      store<u32>(noted, row);
      noted += 4;
      continue;
    }
    const value = valueOf(digits, ones, pairs, fours);
    if (value > load<i64>(table + j, 8)) {
      store<u32>(noted, row);
      noted += 4;
      continue;
    }
    if (kind <= INTEGER) {
      const scaled = ((value * load<i64>(table + j)) ^ negative) - negative;
      store<i64>(out, scaled);
      if (kind == DECIMAL) store<i64>(out, scaled >> 63, 8);
    } else {
      const quotient = <f64>value / load<f64>(table + j);
      store<f64>(out, negative ? -quotient : quotient);
    }
  }
  return <i32>((noted - odd) >> 2);
}

/** The number of 16 digits: two in each 16 bits, then four, then eight in each 32. */
// @ts-ignore: decorator
@inline
function valueOf(digits: v128, ones: v128, pairs: v128, fours: v128): i64 {
  const two = i16x8.shr_u(i16x8.mul(digits, ones), 8);
  const four = i32x4.dot_i16x8_s(two, pairs);
  const eight = i64x2.extract_lane(i32x4.dot_i16x8_s(i16x8.narrow_i32x4_s(four, four), fours), 0);
  return (eight & 0xffffffff) * 100000000 + (eight >>> 32);
}

const TEN_16: i64 = 10000000000000000;

/** Powers of ten: of 64 bits up to 10^18, as doubles up to 10^22. */
// prettier-ignore
const TENS = memory.data<i64>([
  1,10,100,1000,10000,100000,1000000,10000000,100000000,1000000000,10000000000,100000000000,1000000000000,10000000000000,
  100000000000000,1000000000000000,10000000000000000,100000000000000000,1000000000000000000,
]);
// prettier-ignore
const FLOAT_TENS = memory.data<f64>([
  1e0,1e1,1e2,1e3,1e4,1e5,1e6,1e7,1e8,1e9,1e10,1e11,1e12,1e13,1e14,1e15,1e16,1e17,1e18,1e19,1e20,1e21,1e22,
]);

/** Stores the number of 17 to 32 characters at `p`, which begins with a digit; false, and nothing stored, when it is odd. */
function longNumber(p: usize, q: usize, negative: i64, kind: i32, out: usize, table: usize): bool {
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

/** Stores `upper` * 10^16 + `lower`, which has so many digits, with the zeros that the column's scale asks for, in 128 bits. */
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
 * Stores the double nearest to `value` / 10^`fraction`, as `longNumber` of src/value/number.ts does: the value as the exact sum of two
 * doubles, divided with the remainder taken along. False where two doubles are so nearly as near that this cannot tell them apart.
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

/** Dates `YYYY-MM-DD` of the years 1 to 9999 as days from 1970-01-01, the calendar checked (spec 2.6). */
export function dates(ends: usize, k: i32, width: i32, rows: i32, out: usize, odd: usize): i32 {
  const order = v128.load(DATES), off = v128.load(DATES, 16), over = v128.load(DATES, 32), ones = v128.load(DIGITS, 48);
  const stride = <usize>width << 2, last = k == width - 1;
  let noted = odd;
  // The month before, as its text `YYYY-MM-`, the day before its first, and how many days it has: dates mostly repeat it.
  let known: i64 = 0, before: i32 = 0, days: u32 = 0;
  for (let row = 0, at = ends + (<usize>k << 2); row < rows; row++, at += stride, out += 4) {
    let p = <usize>load<u32>(at) + 1, q = <usize>load<u32>(at, 4);
    if (last) q -= <usize>(load<u8>(q - 1) == CR);
    if (load<u8>(p) == QUOTE) {
      p++;
      q--;
    }
    if (q - p != 10) {
      store<u32>(noted, row);
      noted += 4;
      continue;
    }
    const text = load<i64>(p);
    if (text != known) {
      const parts = i8x16.sub(v128.swizzle(v128.load(p), order), off);
      const two = i64x2.extract_lane(i16x8.shr_u(i16x8.mul(parts, ones), 8), 0);
      const y = <u32>(two & 0xffff) * 100 + (<u32>two >>> 16), m = <u32>(two >>> 32) & 0xffff;
      if (i8x16.bitmask(i8x16.add_sat_u(parts, over)) != 0 || m - 1 > 11 || y == 0) {
        store<u32>(noted, row);
        noted += 4;
        continue;
      }
      const leap: u32 = (y % 100 == 0 ? y & 15 : y & 3) == 0 ? 16 : 0;
      const month = BEFORE_MONTH + (<usize>(m + leap) << 2);
      const n = y - 1;
      known = text;
      before = <i32>(365 * n + n / 4 - n / 100 + n / 400) - 719163 + load<i32>(month);
      days = <u32>(load<i32>(month, 4) - load<i32>(month));
    }
    const tens = <u32>load<u8>(p, 8) - 48, units = <u32>load<u8>(p, 9) - 48;
    const day = tens * 10 + units;
    if (units > 9 || day - 1 >= days) {
      store<u32>(noted, row);
      noted += 4;
      continue;
    }
    store<i32>(out, before + <i32>day);
  }
  return <i32>((noted - odd) >> 2);
}

/** Bytes of a slot, for a text {@link texts} has met: 32 bytes (zeros behind it), length, number + 1. */
export const SLOT_BYTES: i32 = 64;
const SLOT_LENGTH: usize = 32;
export const SLOT_NUMBER: usize = 36;
/** Words of a note at `fresh`: slot, address and length of the text. */
export const NOTE_WORDS: i32 = 3;
/** Slots looked at; when all hold other texts, the last one is given away. */
const PROBES = 8;
/** Longest text with a slot. */
const LONGEST: u32 = 32;

/**
 * Numbers of the texts of 1 to 32 bytes, at most `most`, without quotes in them. Of the `mask + 1` texts in `slots` the number is known; others are
 * put there with numbers from `next` on and noted at `fresh`: {@link added} of them.
 */
export function texts(
  ends: usize, k: i32, width: i32, rows: i32, out: usize, slots: usize, mask: i32, most: u32, next: i32, fresh: usize, odd: usize,
): i32 {
  const quote = v128.load(MARKS, 32);
  const stride = <usize>width << 2, last = k == width - 1;
  const longest = min(most, LONGEST);
  let noted = odd, note = fresh;
  // The text of the row before: columns that are sorted repeat it.
  let first = i8x16.splat(0), second = i8x16.splat(0), before: u32 = 0, number: i32 = 0;
  for (let row = 0, at = ends + (<usize>k << 2); row < rows; row++, at += stride, out += 4) {
    let p = <usize>load<u32>(at) + 1, q = <usize>load<u32>(at, 4);
    if (last) q -= <usize>(load<u8>(q - 1) == CR);
    if (load<u8>(p) == QUOTE) {
      p++;
      q--;
    }
    const length = <u32>(q - p);
    if (length - 1 >= longest) {
      store<u32>(noted, row);
      noted += 4;
      continue;
    }
    const one = v128.and(v128.load(p), v128.load(TAILS + 32 - min<u32>(length, 16)));
    let two = i8x16.splat(0);
    if (length > 16) two = v128.and(v128.load(p, 16), v128.load(TAILS + 48 - length));
    if (length != before || v128.any_true(v128.or(v128.xor(one, first), v128.xor(two, second)))) {
      if (doubled && v128.any_true(v128.or(i8x16.eq(one, quote), i8x16.eq(two, quote)))) {
        store<u32>(noted, row);
        noted += 4;
        continue;
      }
      first = one;
      second = two;
      before = length;
      let slot = hash(one, two, length);
      for (let probe = 1; ; probe++, slot++) {
        const place = slots + <usize>((slot & mask) * SLOT_BYTES);
        const held = load<i32>(place, SLOT_NUMBER);
        if (held != 0 && load<u32>(place, SLOT_LENGTH) == length) {
          const other = v128.or(v128.xor(one, v128.load(place)), v128.xor(two, v128.load(place, 16)));
          if (!v128.any_true(other)) {
            number = held - 1;
            break;
          }
        }
        if (held == 0 || probe == PROBES) {
          number = next++;
          v128.store(place, one);
          v128.store(place, two, 16);
          store<u32>(place, length, SLOT_LENGTH);
          store<i32>(place, next, SLOT_NUMBER);
          store<u32>(note, place);
          store<u32>(note, p, 4);
          store<u32>(note, length, 8);
          note += NOTE_WORDS << 2;
          break;
        }
      }
    }
    store<i32>(out, number);
  }
  added = <i32>((note - fresh) >> 2) / NOTE_WORDS;
  return <i32>((noted - odd) >> 2);
}

// @ts-ignore: decorator
@inline
function hash(one: v128, two: v128, length: u32): i32 {
  let h = (i64x2.extract_lane(one, 0) ^ <i64>length) * 0x9e3779b97f4a7c15;
  h = (h ^ i64x2.extract_lane(one, 1)) * 0xc2b2ae3d27d4eb4f;
  if (length > 16) h = ((h ^ i64x2.extract_lane(two, 0)) * 0x9e3779b97f4a7c15 ^ i64x2.extract_lane(two, 1)) * 0xc2b2ae3d27d4eb4f;
  return <i32>((h ^ (h >>> 29)) >>> 24);
}

/**
 * Copies texts, doubled quotes undone, one after another to `heap`; where each ends, counted from `length` bytes before the first, goes
 * to `out`. Empty text is odd unless it stands in quotes and `blank` says that it is text; it takes no bytes.
 *
 * @returns how many rows are odd; reading ends before a text of more than `most` bytes: {@link read} says how many rows were read
 */
export function longTexts(
  ends: usize, k: i32, width: i32, rows: i32, out: usize, heap: usize, length: i32, most: u32, blank: bool, odd: usize,
): i32 {
  const quote = v128.load(MARKS, 32);
  const stride = <usize>width << 2, last = k == width - 1;
  let noted = odd, to = heap, row = 0;
  for (let at = ends + (<usize>k << 2); row < rows; row++, at += stride, out += 4) {
    let p = <usize>load<u32>(at) + 1, q = <usize>load<u32>(at, 4);
    if (last) q -= <usize>(load<u8>(q - 1) == CR);
    const quoted = load<u8>(p) == QUOTE;
    if (quoted) {
      p++;
      q--;
    }
    if (<u32>(q - p) > most) break;
    if (p == q && !(quoted && blank)) {
      store<u32>(noted, row);
      noted += 4;
    }
    if (doubled) {
      while (p < q) {
        const part = v128.load(p);
        v128.store(to, part);
        const n = min<usize>(q - p, 16);
        const first = <usize>ctz(i8x16.bitmask(i8x16.eq(part, quote)) | 0x10000);
        // Up to the first of two quotes, the second left out.
        p += first < n ? first + 2 : n;
        to += first < n ? first + 1 : n;
      }
    } else {
      const n = q - p;
      for (let i: usize = 0; i < n; i += 16) v128.store(to + i, v128.load(p + i));
      to += n;
    }
    store<i32>(out, <i32>(to - heap) + length);
  }
  read = row;
  return <i32>((noted - odd) >> 2);
}
