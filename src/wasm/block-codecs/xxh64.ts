const P1: u64 = 0x9e3779b185ebca87;
const P2: u64 = 0xc2b2ae3d27d4eb4f;
const P3: u64 = 0x165667b19e3779f9;
const P4: u64 = 0x85ebca77c2b2ae63;
const P5: u64 = 0x27d4eb2f165667c5;

@inline
function round(sum: u64, word: u64): u64 {
  return rotl<u64>(sum + word * P2, 31) * P1;
}

@inline
function merged(sum: u64, lane: u64): u64 {
  return (sum ^ round(0, lane)) * P1 + P4;
}

/** The XXH64 of the bytes `p` to `end`, seed 0. */
export function xxh64(p: usize, end: usize): u64 {
  const length = <u64>(end - p);
  let sum: u64 = P5;
  if (length >= 32) {
    let a = P1 + P2, b = P2, c: u64 = 0, d: u64 = 0 - P1;
    for (; end - p >= 32; p += 32) {
      a = round(a, load<u64>(p));
      b = round(b, load<u64>(p, 8));
      c = round(c, load<u64>(p, 16));
      d = round(d, load<u64>(p, 24));
    }
    sum = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18);
    sum = merged(merged(merged(merged(sum, a), b), c), d);
  }
  sum += length;
  for (; end - p >= 8; p += 8) sum = rotl<u64>(sum ^ round(0, load<u64>(p)), 27) * P1 + P4;
  if (end - p >= 4) {
    sum = rotl<u64>(sum ^ (<u64>load<u32>(p) * P1), 23) * P2 + P3;
    p += 4;
  }
  for (; p < end; p++) sum = rotl<u64>(sum ^ (<u64>load<u8>(p) * P5), 11) * P1;
  sum = (sum ^ (sum >> 33)) * P2;
  sum = (sum ^ (sum >> 29)) * P3;
  return sum ^ (sum >> 32);
}
