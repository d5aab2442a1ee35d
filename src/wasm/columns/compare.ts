const LESS: i32 = 1;
const EQUAL: i32 = 2;
const MORE: i32 = 4;

@inline
function maskOf(orders: i32, order: i32): v128 {
  return i64x2.splat((orders & order) != 0 ? -1 : 0);
}

/**
 * Sets a bit for each of `count` doubles whose order to a number is in `orders` (1 less, 2 equal, 4 more); NaN has
 * none. Writes whole bytes, and reads as many values.
 */
export function compareDoubles(from: usize, count: i32, orders: i32, number: f64, bits: usize): void {
  const less = maskOf(orders, LESS);
  const equal = maskOf(orders, EQUAL);
  const more = maskOf(orders, MORE);
  const other = f64x2.splat(number);
  for (const end = from + (<usize>count << 3); from < end; bits++) {
    let byte: i32 = 0;
    for (let shift: i32 = 0; shift < 8; shift += 2, from += 16) {
      const value = v128.load(from);
      const found = v128.or(
        v128.or(v128.and(f64x2.lt(value, other), less), v128.and(f64x2.eq(value, other), equal)),
        v128.and(f64x2.gt(value, other), more),
      );
      byte |= i64x2.bitmask(found) << shift;
    }
    store<u8>(bits, byte);
  }
}

/**
 * As {@link compareDoubles}, of integers of 128 bits and one that 64 bits hold. Returns how many rows were compared, a
 * multiple of 8, before those with a larger integer, at least `count` if there is none.
 */
export function compareIntegers(from: usize, count: i32, orders: i32, number: i64, bits: usize): i32 {
  const less = maskOf(orders, LESS);
  const equal = maskOf(orders, EQUAL);
  const more = maskOf(orders, MORE);
  const other = i64x2.splat(number);
  const start = from;
  for (const end = from + (<usize>count << 4); from < end; bits++) {
    let byte: i32 = 0;
    let rest = i64x2.splat(0);
    for (let shift: i32 = 0; shift < 8; shift += 2) {
      const at = from + (<usize>shift << 4);
      const a = v128.load(at);
      const b = v128.load(at, 16);
      const low = v128.shuffle<i64>(a, b, 0, 2);
      rest = v128.or(rest, v128.xor(v128.shuffle<i64>(a, b, 1, 3), i64x2.shr_s(low, 63)));
      const found = v128.or(
        v128.or(v128.and(i64x2.lt_s(low, other), less), v128.and(i64x2.eq(low, other), equal)),
        v128.and(i64x2.gt_s(low, other), more),
      );
      byte |= i64x2.bitmask(found) << shift;
    }
    if (v128.any_true(rest)) break;
    store<u8>(bits, byte);
    from += 128;
  }
  return <i32>((from - start) >> 4);
}
