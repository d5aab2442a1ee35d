const ZERO: u8 = 48;
const MINUS: u8 = 45;
const POINT: u8 = 46;

/** Both digits of each number below 100. */
const PAIRS = memory.data(200, 16);
for (let i: u32 = 0; i < 100; i++) {
  store<u8>(PAIRS + (i << 1), <u8>(ZERO + i / 10));
  store<u8>(PAIRS + (i << 1), <u8>(ZERO + (i % 10)), 1);
}

/** Powers of ten up to 10^18. */
const POWERS = memory.data(19 * 8, 8);
for (let i: u32 = 0, power: u64 = 1; i < 19; i++, power *= 10) store<u64>(POWERS + (i << 3), power);

/** The largest power of ten in {@link POWERS}. */
const WIDEST: u32 = 18;

@inline
function powerOf(scale: u32): u64 {
  return load<u64>(POWERS + (scale << 3));
}

@inline
function putPair(at: usize, value: u32): void {
  store<u16>(at, load<u16>(PAIRS + (value << 1)));
}

/** Writes the last `digits` digits of a number, zeros first. */
export function padded(value: u64, digits: u32, out: usize): usize {
  const end = out + digits;
  let p = end;
  let n = value;
  while (n > u32.MAX_VALUE && p - out > 1) {
    const next = n / 100;
    p -= 2;
    putPair(p, <u32>(n - next * 100));
    n = next;
  }
  let small = <u32>n;
  while (p - out > 1) {
    const next = small / 100;
    p -= 2;
    putPair(p, small - next * 100);
    small = next;
  }
  if (p > out) store<u8>(out, <u8>(ZERO + <u32>(n > u32.MAX_VALUE ? n % 10 : <u64>(small % 10))));
  return end;
}

function digitCount(value: u64): u32 {
  if (value < 10000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  let digits: u32 = 5;
  while (digits <= WIDEST && value >= powerOf(digits)) digits++;
  return digits;
}

/** Writes a whole number from 0 on. */
@inline
export function whole(value: u64, out: usize): usize {
  return padded(value, digitCount(value), out);
}

/** Writes a number of which the last `scale` digits follow a point. */
export function scaled(value: i64, scale: u32, out: usize): usize {
  let p = out;
  let size = <u64>value;
  if (value < 0) {
    store<u8>(p++, MINUS);
    size = 0 - size;
  }
  if (scale == 0) return whole(size, p);
  let units: u64 = 0;
  if (scale <= WIDEST) {
    const power = powerOf(scale);
    units = size <= u32.MAX_VALUE && power <= u32.MAX_VALUE ? <u64>(<u32>size / <u32>power) : size / power;
    size -= units * power;
  }
  p = whole(units, p);
  store<u8>(p, POINT);
  return padded(size, scale, p + 1);
}

/** The most digits after the point of a double that {@link float} writes, and what all its digits are below. */
const MOST_FRACTION: u32 = 6;
const MOST_DIGITS: f64 = 1e15;

/**
 * Writes a double of at most 15 digits, at most six of them after the point, of which there is at least one. No two
 * numbers of so few digits have the same double. Returns 0 for any other double.
 */
export function float(value: f64, out: usize): usize {
  const size = abs(value);
  let fraction: u32 = 0;
  let digits = size;
  while (digits != floor(digits) || digits / <f64>powerOf(fraction) != size) {
    if (fraction == MOST_FRACTION) return 0;
    fraction++;
    digits = floor(size * <f64>powerOf(fraction) + 0.5);
  }
  if (!(digits < MOST_DIGITS) || reinterpret<i64>(value) == i64.MIN_VALUE) return 0;
  let p = out;
  if (value < 0) store<u8>(p++, MINUS);
  const power = powerOf(fraction);
  const units = <u64>digits / power;
  p = whole(units, p);
  store<u8>(p, POINT);
  return padded(<u64>digits - units * power, max<u32>(fraction, 1), p + 1);
}
