import { greatest, least, setRange } from "./range";

/** Where the last {@link delta} has stopped reading. */
export let end: usize = 0;

let p: usize = 0;
let stop: usize = 0;
let overrun = false;

function varint(): u64 {
  let value: u64 = 0;
  for (let shift: u64 = 0; shift < 70; shift += 7) {
    if (p >= stop) break;
    const byte = load<u8>(p++);
    value |= <u64>(byte & 127) << shift;
    if (byte < 128) return value;
  }
  overrun = true;
  return 0;
}

@inline
function zigzag(): i64 {
  const value = varint();
  return <i64>(value >> 1) ^ -<i64>(value & 1);
}

/** Stores a number as two's complement of `words` words of 32 bits. */
@inline
function put(out: usize, value: i64, words: i32, unsigned: bool): void {
  if (words == 1) store<i32>(out, <i32>value);
  else store<i64>(out, value);
  const sign = unsigned ? 0 : value >> 63;
  if (words >= 4) store<i64>(out, sign, 8);
  if (words == 8) {
    store<i64>(out, sign, 16);
    store<i64>(out, sign, 24);
  }
}

/** `n` numbers from differences of `width` bits above `lowest`, which follow `value`; gives the last one. */
@inline
function stretch(
  out: usize, n: usize, value: i64, lowest: i64, width: u64, words: i32, narrow: bool, unsigned: bool,
): i64 {
  const mask: u64 = width == 64 ? ~(<u64>0) : (<u64>1 << width) - 1;
  let low = least, high = greatest;
  for (let bit: u64 = 0, last = out + (n << 2) * words; out < last; out += <usize>words << 2, bit += width) {
    const q = p + <usize>(bit >> 3), shift = bit & 7;
    let more = load<u64>(q) >> shift;
    if (width > 56 && shift > 0) more |= <u64>load<u8>(q, 8) << (64 - shift);
    value += lowest + <i64>(more & mask);
    if (narrow) value = unsigned ? <i64><u32>value : <i64><i32>value;
    low = min(low, value);
    high = max(high, value);
    put(out, value, words, unsigned);
  }
  setRange(low, high);
  return value;
}

/**
 * `count` numbers in the encoding DELTA_BINARY_PACKED as two's complement of `words` words of 32 bits each: 1, 2, 4 or
 * 8.
 *
 * @param narrow they are of 32 bits, and sums beyond wrap around
 * @param unsigned the upper words are zero, not the sign
 */
export function delta(
  from: usize, to: usize, count: i32, words: i32, narrow: bool, unsigned: bool, out: usize,
): bool {
  p = from;
  stop = to;
  overrun = false;
  const block = varint(), stretches = varint(), total = varint();
  if (overrun || stretches == 0 || block >= 1 << 24 || total < <u64>count) return false;
  const length = block / stretches;
  if (length * stretches != block || length < 8 || (length & 7) != 0) return false;
  let value = zigzag();
  if (narrow) value = unsigned ? <i64><u32>value : <i64><i32>value;
  setRange(value, value);
  const step = <usize>words << 2;
  if (count > 0) {
    put(out, value, words, unsigned);
    out += step;
  }
  for (let left: u64 = <u64>count - 1; count > 0 && left > 0; ) {
    const lowest = zigzag();
    const widths = p;
    p += <usize>stretches;
    if (overrun || p > stop) return false;
    for (let k: u64 = 0; k < stretches && left > 0; k++) {
      const width = <u64>load<u8>(widths + <usize>k);
      const size = <usize>((width * length) >> 3);
      if (width > 64 || size > stop - p) return false;
      const n = <usize>min(length, left);
      if (narrow) {
        if (words == 1) value = stretch(out, n, value, lowest, width, 1, true, unsigned);
        else if (words == 2) value = stretch(out, n, value, lowest, width, 2, true, unsigned);
        else value = stretch(out, n, value, lowest, width, words, true, unsigned);
      } else if (words == 2) value = stretch(out, n, value, lowest, width, 2, false, false);
      else if (words == 4 && !unsigned) value = stretch(out, n, value, lowest, width, 4, false, false);
      else value = stretch(out, n, value, lowest, width, words, false, unsigned);
      p += size;
      out += n * step;
      left -= n;
    }
  }
  end = p;
  return !overrun;
}
