/** `size` bytes, at most 8, that end at `to`, highest first, as a signed integer. */
@inline
function signed(to: usize, size: u64): i64 {
  const unused = 64 - (size << 3);
  return (<i64>bswap(load<u64>(to - 8)) << unused) >> unused;
}

/**
 * `count` signed integers of `width` bytes, highest first, as two's complement of `words` words of 32 bits each: 2, 4
 * or 8.
 */
export function bigEndian(from: usize, end: usize, width: u32, count: u32, words: u32, out: usize): bool {
  if (width == 0 || width > words << 2 || <u64>count * width > <u64>(end - from)) return false;
  let to = from + width;
  if (width <= 8) {
    for (let last = out + <usize>(count * words << 2); out < last; to += width, out += <usize>words << 2) {
      const value = signed(to, width);
      store<i64>(out, value);
      for (let k: u32 = 8; k < words << 2; k += 8) store<i64>(out + k, value >> 63);
    }
    return true;
  }
  for (let last = out + <usize>(count * words << 2); out < last; to += width, out += <usize>words << 2) {
    let left = width, at = to, value: i64 = 0;
    for (let k: u32 = 0; k < words << 2; k += 8) {
      if (left > 0) {
        const size = min<u32>(left, 8);
        value = signed(at, size);
        at -= size;
        left -= size;
      } else value >>= 63;
      store<i64>(out + k, value);
    }
  }
  return true;
}
