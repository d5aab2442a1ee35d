import { bitsAt, markedBits } from "./bits";
import { accuracy, readTable, tableEnd } from "./fse";

/** Longest code. */
const MOST_BITS: u32 = 11;
const MOST_ACCURACY: u32 = 6;
const SYMBOLS: u32 = 256;

const weights = memory.data(260, 16);
const states = memory.data(256, 16);
/** For every next {@link width} bits: the symbol in the lower 8 bits, the length of its code in the upper 8. */
const codes = memory.data(4096, 16);
const ranks = memory.data(64, 16);

/** Bits that {@link codes} is looked up by; 0 where there is none yet. */
export let width: u32 = 0;
/** Where the last {@link readCodes} has stopped reading. */
export let codesEnd: usize = 0;

export function forgetCodes(): void {
  width = 0;
}

/** Reads the description of a Huffman code (RFC 8878, 4.2.1). */
export function readCodes(from: usize, end: usize): bool {
  width = 0;
  if (from >= end) return false;
  const head = <u32>load<u8>(from++);
  let count: u32;
  if (head >= 128) {
    count = head - 127;
    const size = <usize>((count + 1) >> 1);
    if (size > end - from) return false;
    for (let i: u32 = 0; i < count; i++) {
      const pair = load<u8>(from + (i >> 1));
      store<u8>(weights + i, i & 1 ? pair & 15 : pair >> 4);
    }
    codesEnd = from + size;
  } else {
    if (<usize>head > end - from) return false;
    codesEnd = from + head;
    count = compressedWeights(from, codesEnd);
    if (count == 0) return false;
  }
  return fillCodes(count);
}

/** Reads weights that are compressed by FSE with two states in turn; how many, 0 for malformed ones. */
function compressedWeights(from: usize, end: usize): u32 {
  if (!readTable(from, end, MOST_ACCURACY, MOST_BITS + 2, states)) return 0;
  const stream = tableEnd, bits = accuracy;
  let at = markedBits(stream, end);
  if (at < <i64>bits << 1) return 0;
  at -= bits;
  let one = <u32>bitsAt(stream, at, bits);
  at -= bits;
  let two = <u32>bitsAt(stream, at, bits);
  let count: u32 = 0;
  // Both states have a last symbol, which follows when the bits are used up.
  while (count < SYMBOLS - 2) {
    const entry = load<u32>(states + (one << 2)), more = (entry >> 16) & 255;
    store<u8>(weights + count++, <u8>(entry >> 24));
    at -= more;
    if (at < 0) {
      store<u8>(weights + count++, <u8>(load<u32>(states + (two << 2)) >> 24));
      return count;
    }
    one = (entry & 0xffff) + <u32>bitsAt(stream, at, more);
    const other = load<u32>(states + (two << 2)), bitsOfOther = (other >> 16) & 255;
    store<u8>(weights + count++, <u8>(other >> 24));
    at -= bitsOfOther;
    if (at < 0) {
      store<u8>(weights + count++, <u8>(load<u32>(states + (one << 2)) >> 24));
      return count;
    }
    two = (other & 0xffff) + <u32>bitsAt(stream, at, bitsOfOther);
  }
  return 0;
}

/** Makes the table of codes from the weights of all symbols but the last, which follows from them. */
function fillCodes(count: u32): bool {
  if (count >= SYMBOLS) return false;
  let sum: u32 = 0;
  memory.fill(ranks, 0, 64);
  for (let i: u32 = 0; i < count; i++) {
    const weight = <u32>load<u8>(weights + i);
    if (weight > MOST_BITS) return false;
    if (weight > 0) sum += <u32>1 << (weight - 1);
  }
  if (sum == 0) return false;
  const bits: u32 = 32 - <u32>clz(sum);
  const rest = (<u32>1 << bits) - sum;
  if (bits > MOST_BITS || popcnt(rest) != 1) return false;
  store<u8>(weights + count, <u8>(ctz(rest) + 1));
  count++;
  // Codes of the same length are in the order of their symbols; lesser weights come first.
  let at: u32 = 0;
  for (let weight: u32 = 1; weight <= bits; weight++) {
    for (let symbol: u32 = 0; symbol < count; symbol++) {
      if (<u32>load<u8>(weights + symbol) != weight) continue;
      const entry = symbol | ((bits + 1 - weight) << 8);
      for (const end = at + (<u32>1 << (weight - 1)); at < end; at++) store<u16>(codes + (at << 1), <u16>entry);
    }
  }
  width = bits;
  return true;
}

/** Decodes the stream `from` to `end` into exactly the bytes `out` to `stop`. */
export function decodeStream(from: usize, end: usize, out: usize, stop: usize): bool {
  let at = markedBits(from, end);
  if (at < 0) return false;
  const bits = <u64>width, mask = (<u64>1 << bits) - 1;
  // Five codes of at most 11 bits out of one load.
  while (stop - out >= 5 && at >= 64) {
    const word = load<u64>(from + <usize>((at - 56) >> 3)) << (8 - (<u64>at & 7));
    let used: u64 = 0;
    for (let k = 0; k < 5; k++) {
      const entry = <u64>load<u16>(codes + <usize>(((word << used) >> (64 - bits)) << 1));
      store<u8>(out++, <u8>entry);
      used += entry >> 8;
    }
    at -= <i64>used;
  }
  while (out < stop) {
    const entry = <u64>load<u16>(codes + <usize>((bitsAt(from, at - <i64>bits, bits) & mask) << 1));
    store<u8>(out++, <u8>entry);
    at -= <i64>(entry >> 8);
    if (at < 0) return false;
  }
  return at == 0;
}
