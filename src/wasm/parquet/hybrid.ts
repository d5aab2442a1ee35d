/**
 * `count` unsigned integers of `width` bits (at most 32) in Parquet's hybrid of runs and packed bits, as 32 bits each.
 */
export function hybrid(from: usize, end: usize, width: u32, count: u32, out: usize): bool {
  if (width > 32) return false;
  let p = from;
  const stop = out + (<usize>count << 2);
  while (out < stop) {
    let head: u64 = 0;
    for (let shift: u64 = 0; ; shift += 7) {
      if (p >= end || shift > 63) return false;
      const byte = load<u8>(p++);
      head |= <u64>(byte & 127) << shift;
      if (byte < 128) break;
    }
    // No run is longer than the memory.
    const length = min<u64>(head >> 1, <u64>1 << 40);
    if ((head & 1) == 0) {
      const size = <usize>((width + 7) >> 3);
      if (size > end - p) return false;
      let value: u32 = 0;
      for (let i: usize = 0; i < size; i++) value |= <u32>load<u8>(p + i) << <u32>(i << 3);
      p += size;
      if (length == 0) continue;
      const last = out + <usize>min<u64>(length << 2, <u64>(stop - out));
      const four = i32x4.splat(value);
      // Up to 12 bytes behind the last number are written as well.
      for (; out < last; out += 16) v128.store(out, four);
      out = last;
      continue;
    }
    const n = min<u64>(length << 3, <u64>((stop - out) >> 2));
    // Bits of no value may be missing at the end.
    const size = <usize>min<u64>(length * width, <u64>(end - p));
    if ((<u64>size << 3) < n * width) return false;
    const mask: u64 = (<u64>1 << width) - 1;
    for (let bit: u64 = 0, last = out + (<usize>n << 2); out < last; out += 4, bit += width) {
      const value = <u32>((load<u64>(p + <usize>(bit >> 3)) >> (bit & 7)) & mask);
      store<u32>(out, value);
    }
    p += size;
  }
  return true;
}
