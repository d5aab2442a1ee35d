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

/**
 * Stores the places of the bits, counted from `p`, from `out` on; returns the place after them. Eight, or twelve of
 * `many`, are stored at once: fewer are overwritten by what follows.
 */
@inline
export function storeMarks(out: usize, p: usize, marks: u64, many: bool): usize {
  const after = out + (<usize>popcnt(marks) << 2);
  store<u32>(out, p + <usize>ctz(marks)); marks &= marks - 1;
  store<u32>(out, p + <usize>ctz(marks), 4); marks &= marks - 1;
  store<u32>(out, p + <usize>ctz(marks), 8); marks &= marks - 1;
  store<u32>(out, p + <usize>ctz(marks), 12); marks &= marks - 1;
  store<u32>(out, p + <usize>ctz(marks), 16); marks &= marks - 1;
  store<u32>(out, p + <usize>ctz(marks), 20); marks &= marks - 1;
  store<u32>(out, p + <usize>ctz(marks), 24); marks &= marks - 1;
  store<u32>(out, p + <usize>ctz(marks), 28); marks &= marks - 1;
  if (many) {
    store<u32>(out, p + <usize>ctz(marks), 32); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 36); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 40); marks &= marks - 1;
    store<u32>(out, p + <usize>ctz(marks), 44); marks &= marks - 1;
  }
  for (let at = out + (many ? 48 : 32); marks != 0; at += 4) {
    store<u32>(at, p + <usize>ctz(marks));
    marks &= marks - 1;
  }
  return after;
}
