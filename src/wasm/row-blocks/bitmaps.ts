/** One bit a byte, for 64 bytes whose matches have all bits set. */
@inline
export function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16);
  const high = <u32>i8x16.bitmask(c) | (<u32>i8x16.bitmask(d) << 16);
  return <u64>low | (<u64>high << 32);
}

/** Each bit set where the bits up to it, itself included, are odd in number. */
@inline
export function oddUpTo(marks: u64): u64 {
  marks ^= marks << 1;
  marks ^= marks << 2;
  marks ^= marks << 4;
  marks ^= marks << 8;
  marks ^= marks << 16;
  return marks ^ (marks << 32);
}
