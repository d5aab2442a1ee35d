const HASH_BITS: u32 = 14;
/** Where bytes of each hash were last met, from the first byte of the input on. */
const places = memory.data(65536, 16);
/** Matches that begin closer to the end are not looked for. */
const REST: usize = 15;
const MOST_DISTANCE: usize = 65535;

@inline
function placeOf(word: u32, shift: u32): usize {
  return places + (<usize>((word * 0x1e35a7bd) >> shift) << 2);
}

/** Compresses the bytes `from` to `end` by Snappy; where the output ends, which begins at `out`. */
export function packSnappy(from: usize, end: usize, out: usize): usize {
  let size = <u32>(end - from);
  for (; size > 127; size >>= 7) store<u8>(out++, <u8>(size | 128));
  store<u8>(out++, <u8>size);
  let begin = from;
  if (end - from > REST) {
    const bits = min<u32>(HASH_BITS, 32 - clz(<u32>(end - from)));
    const shift = 32 - bits;
    const limit = end - REST;
    memory.fill(places, 0, <usize>4 << bits);
    let skip: u32 = 32;
    for (let p = from + 1; p < limit; ) {
      const word = load<u32>(p);
      const place = placeOf(word, shift);
      const before = from + load<u32>(place);
      store<u32>(place, <u32>(p - from));
      if (p - before > MOST_DISTANCE || load<u32>(before) != word) {
        // The longer nothing is found, the fewer bytes are looked at.
        p += skip++ >> 5;
        continue;
      }
      out = putLiteral(begin, <u32>(p - begin), out);
      const stop = matchEnd(p + 4, before + 4, end);
      out = putCopy(<u32>(p - before), <u32>(stop - p), out);
      begin = p = stop;
      skip = 32;
      if (p < limit) store<u32>(placeOf(load<u32>(p - 1), shift), <u32>(p - 1 - from));
    }
  }
  return begin < end ? putLiteral(begin, <u32>(end - begin), out) : out;
}

/** Where the bytes from `p` on stop to be those from `before` on. */
@inline
function matchEnd(p: usize, before: usize, end: usize): usize {
  for (; end - p >= 8; p += 8, before += 8) {
    const other = load<u64>(p) ^ load<u64>(before);
    if (other != 0) return p + <usize>(ctz(other) >> 3);
  }
  for (; p < end && load<u8>(p) == load<u8>(before); p++) before++;
  return p;
}

function putLiteral(from: usize, length: u32, out: usize): usize {
  if (length == 0) return out;
  const last = length - 1;
  if (last < 60) store<u8>(out++, <u8>(last << 2));
  else {
    const bytes: u32 = (39 - clz(last)) >> 3;
    store<u8>(out++, <u8>((59 + bytes) << 2));
    store<u32>(out, last);
    out += bytes;
  }
  memory.copy(out, from, length);
  return out + length;
}

/** Copies of at most 64 bytes; none of less than 4. */
function putCopy(distance: u32, length: u32, out: usize): usize {
  while (length > 0) {
    const some = length < 65 ? length : length < 68 ? 60 : 64;
    if (some < 12 && distance < 2048) {
      store<u8>(out, <u8>(1 | ((some - 4) << 2) | ((distance >> 8) << 5)));
      store<u8>(out, <u8>distance, 1);
      out += 2;
    } else {
      store<u8>(out, <u8>(2 | ((some - 1) << 2)));
      store<u16>(out, <u16>distance, 1);
      out += 3;
    }
    length -= some;
  }
  return out;
}
