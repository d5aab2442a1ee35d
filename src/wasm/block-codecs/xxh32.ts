const P1: u32 = 0x9e3779b1;
const P2: u32 = 0x85ebca77;
const P3: u32 = 0xc2b2ae3d;
const P4: u32 = 0x27d4eb2f;
const P5: u32 = 0x165667b1;

@inline
function round(sum: u32, word: u32): u32 {
  return rotl<u32>(sum + word * P2, 13) * P1;
}

/** The XXH32 of the bytes `p` to `end`, seed 0. */
export function xxh32(p: usize, end: usize): u32 {
  const length = <u32>(end - p);
  let sum: u32 = P5;
  if (length >= 16) {
    let a = P1 + P2, b = P2, c: u32 = 0, d: u32 = 0 - P1;
    for (; end - p >= 16; p += 16) {
      a = round(a, load<u32>(p));
      b = round(b, load<u32>(p, 4));
      c = round(c, load<u32>(p, 8));
      d = round(d, load<u32>(p, 12));
    }
    sum = rotl<u32>(a, 1) + rotl<u32>(b, 7) + rotl<u32>(c, 12) + rotl<u32>(d, 18);
  }
  sum += length;
  for (; end - p >= 4; p += 4) sum = rotl<u32>(sum + load<u32>(p) * P3, 17) * P4;
  for (; p < end; p++) sum = rotl<u32>(sum + <u32>load<u8>(p) * P5, 11) * P1;
  sum = (sum ^ (sum >> 15)) * P2;
  sum = (sum ^ (sum >> 13)) * P3;
  return sum ^ (sum >> 16);
}
