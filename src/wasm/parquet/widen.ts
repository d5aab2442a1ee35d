import { setRange } from "./range";

/** Stores integers of type `T` one after the other as two's complement of `words` words of 32 bits each. */
@inline
function widenAs<T>(from: usize, count: i32, words: i32, out: usize): void {
  let low: i64 = i64.MAX_VALUE, high: i64 = i64.MIN_VALUE;
  const isUnsigned = !isSigned<T>();
  for (const end = from + <usize>count * sizeof<T>(); from < end; from += sizeof<T>(), out += <usize>words << 2) {
    const value = <i64>load<T>(from);
    low = min(low, value);
    high = max(high, value);
    if (words == 1) {
      store<i32>(out, <i32>value);
      continue;
    }
    store<i64>(out, value);
    const sign: i64 = isUnsigned ? 0 : value >> 63;
    if (words >= 4) store<i64>(out, sign, 8);
    if (words == 8) {
      store<i64>(out, sign, 16);
      store<i64>(out, sign, 24);
    }
  }
  setRange(low, high);
}

/**
 * `count` integers as they are in memory, of 32 bits (`narrow`) or 64, as `words` words of 32 bits each: 1, 2, 4 or 8.
 */
export function widen(from: usize, end: usize, count: i32, words: i32, narrow: bool, unsigned: bool, out: usize): bool {
  if ((<u64>count << (narrow ? 2 : 3)) > <u64>(end - from)) return false;
  if (!narrow && words == 2) widenAs<i64>(from, count, 2, out);
  else if (!narrow && words == 4 && !unsigned) widenAs<i64>(from, count, 4, out);
  else if (narrow && words == 1) widenAs<i32>(from, count, 1, out);
  else if (narrow && words == 2 && !unsigned) widenAs<i32>(from, count, 2, out);
  else if (narrow) {
    if (unsigned) widenAs<u32>(from, count, words, out);
    else widenAs<i32>(from, count, words, out);
  } else if (unsigned) widenAs<u64>(from, count, words, out);
  else widenAs<i64>(from, count, words, out);
  return true;
}
