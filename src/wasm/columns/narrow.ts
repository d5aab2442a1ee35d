/**
 * Copies signed integers of 128 bits to `width` bytes (4 or 8) each. Returns how many fit before the first that does
 * not, at most `count`.
 */
export function narrow(from: usize, count: i32, width: i32, out: usize): i32 {
  const start = from;
  const end = from + (<usize>count << 4);
  if (width == 8) {
    for (; from < end; from += 16, out += 8) {
      const low = load<i64>(from);
      if (load<i64>(from, 8) != low >> 63) break;
      store<i64>(out, low);
    }
  } else {
    for (; from < end; from += 16, out += 4) {
      const low = load<i64>(from);
      if (load<i64>(from, 8) != low >> 63 || low != <i64>(<i32>low)) break;
      store<i32>(out, <i32>low);
    }
  }
  return <i32>((from - start) >> 4);
}

/** Copies `count` signed integers of `width` bytes (4 or 8) from these places, numbers of 16 bits, to 128 bits each. */
export function pickWidened(from: usize, places: usize, count: i32, width: i32, out: usize): void {
  const end = places + (<usize>count << 1);
  if (width == 8) {
    for (; places < end; places += 2, out += 16) {
      const value = load<i64>(from + (<usize>load<u16>(places) << 3));
      store<i64>(out, value);
      store<i64>(out, value >> 63, 8);
    }
  } else {
    for (; places < end; places += 2, out += 16) {
      const value = <i64>load<i32>(from + (<usize>load<u16>(places) << 2));
      store<i64>(out, value);
      store<i64>(out, value >> 63, 8);
    }
  }
}
