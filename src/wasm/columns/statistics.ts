/** 2^53: whole numbers below it in size are doubles. */
const MOST: i64 = 9007199254740992;

/** Values converted between two checks of their size. */
const CHECKED = 512;

/**
 * Stores integers of 128 bits, divided by a power of ten, as doubles: of values below 2^53 in size the nearest. Returns
 * how many there are before the first that is larger, at most `count`.
 */
export function doubles(from: usize, count: i32, power: f64, out: usize): i32 {
  const start = from;
  const end = from + (<usize>count << 4);
  while (from < end) {
    const stop = min(end, from + (CHECKED << 4));
    if (smallDoubles(from, stop, power, out)) {
      out += (stop - from) >> 1;
      from = stop;
      continue;
    }
    for (; from < stop; from += 16, out += 8) {
      const low = load<i64>(from);
      if (load<i64>(from, 8) != low >> 63 || low >= MOST || low <= -MOST) return <i32>((from - start) >> 4);
      store<f64>(out, <f64>low / power);
    }
  }
  return count;
}

/**
 * As {@link doubles}, two at a time; returns whether all are below 2^51 in size, and otherwise stores nothing of use.
 * Integers below 2^52 in the fraction of 2^52 make a double of their sum.
 */
function smallDoubles(from: usize, end: usize, power: f64, out: usize): bool {
  const shift = i64x2.splat(1 << 51);
  const exponent = i64x2.splat(0x4330000000000000);
  const shifted = f64x2.splat(6755399441055744);
  const divisor = f64x2.splat(power);
  let rest = i64x2.splat(0);
  for (; from + 16 < end; from += 32, out += 16) {
    const a = v128.load(from);
    const b = v128.load(from, 16);
    const low = v128.shuffle<i64>(a, b, 0, 2);
    const high = v128.shuffle<i64>(a, b, 1, 3);
    const sum = i64x2.add(low, shift);
    rest = v128.or(rest, v128.or(i64x2.shr_u(sum, 52), v128.xor(high, i64x2.shr_s(low, 63))));
    v128.store(out, f64x2.div(f64x2.sub(v128.or(sum, exponent), shifted), divisor));
  }
  if (v128.any_true(rest)) return false;
  if (from == end) return true;
  const low = load<i64>(from);
  store<f64>(out, <f64>low / power);
  return load<i64>(from, 8) == low >> 63 && low < MOST && low > -MOST;
}

// The state of a tally: the sum in two doubles, that of the infinite values, the least value and the largest, and how
// many there are; then the sum of squares in two doubles, and the sum of distances; last the sizes of all lower halves
// of the sum, which bound its error.
const LOW = 8;
const INFINITE = 16;
const LEAST = 24;
const LARGEST = 32;
const COUNT = 40;
const SQUARES = 48;
const SQUARES_LOW = 56;
const DRIFT = 64;
const DOUBT = 72;

/** Adds doubles to the sum, the extremes and the count of a state; NaN is left out. */
export function tally(values: usize, count: i32, state: usize): void {
  let high = load<f64>(state);
  let low = load<f64>(state, LOW);
  let least = load<f64>(state, LEAST);
  let most = load<f64>(state, LARGEST);
  let held = load<f64>(state, COUNT);
  let doubt = load<f64>(state, DOUBT);
  for (const end = values + (<usize>count << 3); values < end; values += 8) {
    const value = load<f64>(values);
    if (value != value) continue;
    held += 1;
    least = value < least ? value : least;
    most = value > most ? value : most;
    if (value - value != 0) {
      store<f64>(state, load<f64>(state, INFINITE) + value, INFINITE);
      continue;
    }
    const total = high + value;
    const part = total - high;
    low += high - (total - part) + (value - part);
    doubt += abs(low);
    high = total;
  }
  store<f64>(state, high);
  store<f64>(state, low, LOW);
  store<f64>(state, least, LEAST);
  store<f64>(state, most, LARGEST);
  store<f64>(state, held, COUNT);
  store<f64>(state, doubt, DOUBT);
}

/** Adds squared distances from the mean to a state, and counts the finite values in bins of equal width. */
export function spread(
  values: usize,
  count: i32,
  mean: f64,
  least: f64,
  scale: f64,
  bins: usize,
  state: usize,
): void {
  let high = load<f64>(state, SQUARES);
  let low = load<f64>(state, SQUARES_LOW);
  let drift = load<f64>(state, DRIFT);
  for (const end = values + (<usize>count << 3); values < end; values += 8) {
    const value = load<f64>(values);
    if (value != value) continue;
    const bin = bins + (<usize>(<i32>((value - least) * scale)) << 2);
    store<i32>(bin, load<i32>(bin) + 1);
    const distance = value - mean;
    const square = distance * distance;
    const total = high + square;
    const part = total - high;
    low += high - (total - part) + (square - part);
    high = total;
    drift += distance;
  }
  store<f64>(state, high, SQUARES);
  store<f64>(state, low, SQUARES_LOW);
  store<f64>(state, drift, DRIFT);
}

/**
 * Copies the values of the bins whose byte in `parts` is not 0, and those bytes; NaN is left out. Returns how many
 * there are.
 */
export function ofBins(
  values: usize,
  count: i32,
  least: f64,
  scale: f64,
  parts: usize,
  out: usize,
  outParts: usize,
): i32 {
  const start = outParts;
  for (const end = values + (<usize>count << 3); values < end; values += 8) {
    const value = load<f64>(values);
    if (value != value) continue;
    const part = load<u8>(parts + <usize>(<i32>((value - least) * scale)));
    store<f64>(out, value);
    store<u8>(outParts, part);
    if (part == 0) continue;
    out += 8;
    outParts++;
  }
  return <i32>(outParts - start);
}
