/**
 * Stores the products of integers of 128 bits that 64 bits hold too; `step` is 16, or 0 where one right operand is used
 * for all. Returns how many were made before the first row with a larger operand, at most `count`.
 */
export function multiply(left: usize, right: usize, step: usize, count: i32, out: usize): i32 {
  const start = left;
  const end = left + (<usize>count << 4);
  for (; left < end; left += 16, right += step, out += 16) {
    const a = load<i64>(left);
    const b = load<i64>(right);
    if (((load<i64>(left, 8) ^ (a >> 63)) | (load<i64>(right, 8) ^ (b >> 63))) != 0) break;
    store<i64>(out, a * b);
    store<i64>(out, upperHalf(a, b), 8);
  }
  return <i32>((left - start) >> 4);
}

const LOW: i64 = 0xffffffff;

/** The upper 64 bits of the product, by parts of 32 bits. */
@inline
function upperHalf(a: i64, b: i64): i64 {
  const aLow = a & LOW;
  const aHigh = a >> 32;
  const bLow = b & LOW;
  const bHigh = b >> 32;
  const middle = aHigh * bLow + (<i64>(<u64>(aLow * bLow) >> 32));
  return aHigh * bHigh + (middle >> 32) + ((aLow * bHigh + (middle & LOW)) >> 32);
}
