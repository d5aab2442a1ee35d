/**
 * Stores the remainders of integers of 128 bits that 64 bits hold too, with the sign of the left operand; 0 where the
 * right one is 0. `step` is 16, or 0 where one right operand is used for all. Returns how many were made before the
 * first row with a larger operand, at most `count`.
 */
export function remainders(left: usize, right: usize, step: usize, count: i32, out: usize): i32 {
  const start = left;
  const end = left + (<usize>count << 4);
  for (; left < end; left += 16, right += step, out += 16) {
    const a = load<i64>(left);
    const b = load<i64>(right);
    if (((load<i64>(left, 8) ^ (a >> 63)) | (load<i64>(right, 8) ^ (b >> 63))) != 0) break;
    const rest = b == 0 ? 0 : a % b;
    store<i64>(out, rest);
    store<i64>(out, rest >> 63, 8);
  }
  return <i32>((left - start) >> 4);
}

/**
 * Stores integers of 128 bits that 64 bits hold too, or the bound beyond which they are. Returns how many were made
 * before the first larger one, at most `count`.
 */
export function clip(from: usize, count: i32, low: i64, high: i64, out: usize): i32 {
  const start = from;
  const end = from + (<usize>count << 4);
  for (; from < end; from += 16, out += 16) {
    const value = load<i64>(from);
    if (load<i64>(from, 8) != value >> 63) break;
    const kept = max(low, min(value, high));
    store<i64>(out, kept);
    store<i64>(out, kept >> 63, 8);
  }
  return <i32>((from - start) >> 4);
}

/** Stores doubles, or the bound beyond which they are; NaN stays. Reads and writes an even number of them. */
export function clipDoubles(from: usize, count: i32, low: f64, high: f64, out: usize): void {
  const least = f64x2.splat(low);
  const most = f64x2.splat(high);
  for (const end = from + (<usize>count << 3); from < end; from += 16, out += 16) {
    v128.store(out, f64x2.min(f64x2.pmax(v128.load(from), least), most));
  }
}
