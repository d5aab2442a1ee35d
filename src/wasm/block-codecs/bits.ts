// Zstandard's bit streams are read from their last byte to the first: the highest bit set ends them, and bits are taken
// from there down.

/** Bits of the stream `from` to `end` below its mark; -1 for a stream without one. */
export function markedBits(from: usize, end: usize): i64 {
  if (end <= from) return -1;
  const last = <u32>load<u8>(end - 1);
  if (last == 0) return -1;
  return (<i64>(end - from - 1) << 3) + <i64>(31 - clz(last));
}

/** The `n` bits (at most 56) from bit `at` of the stream at `from` up; bits below the stream are zero. */
@inline
export function bitsAt(from: usize, at: i64, n: u64): u64 {
  const mask = (<u64>1 << n) - 1;
  if (at >= 0) return (load<u64>(from + <usize>(at >> 3)) >> (<u64>at & 7)) & mask;
  return at <= -64 ? 0 : (load<u64>(from) << <u64>-at) & mask;
}
