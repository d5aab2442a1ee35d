// The codes of a block: canonical Huffman codes (RFC 1951, 3.2.2) as tables for the fast loop, and as counts for single
// symbols.

/** Bits that index the table of literals and lengths, and that of distances. */
export const SYMBOL_BITS: u32 = 11;
export const DISTANCE_BITS: u32 = 9;
export const LONGEST_CODE: u32 = 15;

export const END_OF_BLOCK: u32 = 256;
/** Lengths and distances that the format defines; symbols above are invalid. */
export const LENGTH_SYMBOLS: u32 = 29;
export const DISTANCE_SYMBOLS: u32 = 30;

/** First length of each length symbol and the bits that are added to it; likewise for distances. */
export const LENGTH_BASE = memory.data<u16>([
  3,4,5,6,7,8,9,10,11,13,15,17,19,23,27,31,35,43,51,59,67,83,99,115,131,163,195,227,258,
]);
export const LENGTH_EXTRA = memory.data<u8>([0,0,0,0,0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3,4,4,4,4,5,5,5,5,0]);
export const DISTANCE_BASE = memory.data<u16>([
  1,2,3,4,5,7,9,13,17,25,33,49,65,97,129,193,257,385,513,769,1025,1537,2049,3073,4097,6145,8193,12289,16385,24577,
]);
export const DISTANCE_EXTRA = memory.data<u8>([
  0,0,0,0,1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8,9,9,10,10,11,11,12,12,13,13,
]);

/**
 * What 11 bits hold: up to two literals, a length after them, or one length whose extra bits follow. Zero where the
 * bits do not show: longer codes, the end of the block, invalid codes.
 *
 * bits 0-5: bits consumed; 6-7: literals, 3 for a length with extra bits; 8-15: length less 2, 0 for none; 16-31: the
 * literals, or base and number of extra bits (base << 3 | extra).
 */
export const symbolTable = memory.data(4 << SYMBOL_BITS, 16);
/**
 * bits 0-5: bits consumed, extra bits included; 8-11: bits of the code alone; 16-31: base. Zero for longer and invalid
 * codes.
 */
export const distanceTable = memory.data(4 << DISTANCE_BITS, 16);
/** Symbols that are decoded in `k` bits, from entry 2^k on for each `k` below 11; literals in the second place. */
const levels = memory.data(4 << SYMBOL_BITS, 16);

/** A code for single symbols: how many codes have each length, and the symbols in the order of their codes. */
export const symbolCode = memory.data(32 + 288 * 2, 16);
export const distanceCode = memory.data(32 + 32 * 2, 16);
export const lengthCode = memory.data(32 + 19 * 2, 16);

/** The next code of each length, bits reversed, and where its symbol goes. */
const next = memory.data(16 * 4, 16);
const places = memory.data(16 * 4, 16);
/** By total of bits: how many codes; then where the next one goes. The codes in that order: code and entry. */
const totals = memory.data(16 * 4, 16);
const items = memory.data(288 * 8, 16);

/**
 * Counts the lengths of `n` codes, and sorts the symbols.
 *
 * @returns whether the code is complete; a code of one symbol, or of none, is when `partial`
 */
export function sortSymbols(lengths: usize, n: u32, code: usize, partial: bool): bool {
  memory.fill(code, 0, 32);
  for (let i: u32 = 0; i < n; i++) {
    const at = code + (<usize>load<u8>(lengths + i) << 1);
    store<u16>(at, load<u16>(at) + 1);
  }
  const unused = load<u16>(code);
  store<u16>(code, 0);
  let left: i32 = 1, place: u32 = 0, first: u32 = 0;
  for (let k: u32 = 1; k <= LONGEST_CODE; k++) {
    const count = <u32>load<u16>(code + (k << 1));
    left = (left << 1) - <i32>count;
    if (left < 0) return false;
    store<u32>(places + (k << 2), place);
    store<u32>(next + (k << 2), reversed(first << (16 - k)));
    place += count;
    first = (first + count) << 1;
  }
  if (left > 0 && !(partial && (n == unused || (n - unused == 1 && load<u16>(code, 2) == 1)))) return false;
  const symbols = code + 32;
  for (let i: u32 = 0; i < n; i++) {
    const k = <u32>load<u8>(lengths + i);
    if (k == 0) continue;
    const at = places + (k << 2);
    const to = load<u32>(at);
    store<u32>(at, to + 1);
    store<u16>(symbols + (to << 1), <u16>i);
  }
  return true;
}

/** The 16 bits in reverse order. */
@inline
function reversed(x: u32): u32 {
  x = ((x & 0x5555) << 1) | ((x >>> 1) & 0x5555);
  x = ((x & 0x3333) << 2) | ((x >>> 2) & 0x3333);
  x = ((x & 0x0f0f) << 4) | ((x >>> 4) & 0x0f0f);
  return ((x & 0xff) << 8) | (x >>> 8);
}

/** The next code of length `k`, bits reversed. */
@inline
function nextCode(k: u32): u32 {
  const at = next + (k << 2);
  const code = load<u32>(at);
  // One is added to the reversed number: its highest zero bit is set, the ones above it are cleared.
  const zeros = ~code & ((1 << k) - 1);
  if (zeros != 0) {
    const bit: u32 = 1 << (31 - clz(zeros));
    store<u32>(at, (code & (bit - 1)) | bit);
  }
  return code;
}

/** Fills {@link symbolTable} for the code that {@link sortSymbols} has just sorted. */
export function fillSymbols(lengths: usize, n: u32): void {
  memory.fill(totals, 0, 64);
  for (let i: u32 = 0; i < n; i++) {
    const k = <u32>load<u8>(lengths + i);
    if (k == 0 || i == END_OF_BLOCK) continue;
    const total = i < END_OF_BLOCK ? k : k + load<u8>(LENGTH_EXTRA + i - 257);
    if (total <= SYMBOL_BITS && i < 284) {
      const at = totals + (total << 2);
      store<u32>(at, load<u32>(at) + 1);
    }
  }
  let place: u32 = 0;
  for (let k: u32 = 1; k <= SYMBOL_BITS; k++) {
    const at = totals + (k << 2);
    const count = load<u32>(at);
    store<u32>(at, place);
    place += count;
  }
  const late = items + (place << 3);
  let more = late;
  for (let i: u32 = 0; i < n; i++) {
    const k = <u32>load<u8>(lengths + i);
    if (k == 0) continue;
    const code = nextCode(k);
    if (k > SYMBOL_BITS || i == END_OF_BLOCK || i > 285) continue;
    let total = k, entry: u32;
    if (i < END_OF_BLOCK) entry = k | (1 << 6) | (i << 24);
    else {
      const base = <u32>load<u16>(LENGTH_BASE + ((i - 257) << 1)), extra = <u32>load<u8>(LENGTH_EXTRA + i - 257);
      total += extra;
      if (total > SYMBOL_BITS || i >= 284) {
        store<u32>(more, code);
        store<u32>(more, k | (3 << 6) | (base << 19) | (extra << 16), 4);
        more += 8;
        continue;
      }
      entry = total | ((base - 2) << 8) | (extra << 16);
    }
    const at = totals + (total << 2);
    const to = load<u32>(at);
    store<u32>(at, to + 1);
    store<u32>(items + (to << 3), code);
    store<u32>(items + (to << 3), entry, 4);
  }
  // From one number of bits to the next: entries of shorter codes are repeated, and codes of this length are added.
  let item = items;
  store<u32>(levels, 0, 4);
  for (let k: u32 = 1; k <= SYMBOL_BITS; k++) {
    const half: u32 = 2 << k;
    const from = levels + half;
    const to = k == SYMBOL_BITS ? symbolTable : levels + half * 2;
    memory.copy(to, from, half);
    memory.copy(to + half, from, half);
    const last = items + (load<u32>(totals + (k << 2)) << 3);
    for (; item < last; item += 8) {
      const code = load<u32>(item), entry = load<u32>(item, 4);
      if (entry & 0xff00) {
        const extra = (entry >>> 16) & 7;
        const bits = k - extra;
        for (let v: u32 = 0; v < <u32>1 << extra; v++) {
          store<u32>(to + ((code | (v << bits)) << 2), (entry & 0xffff) + (v << 8));
        }
      } else store<u32>(to + (code << 2), entry);
    }
  }
  // Each literal with what the bits behind it show.
  for (item = items; item < late; item += 8) {
    const code = load<u32>(item), entry = load<u32>(item, 4);
    if (entry & 0xff00) continue;
    const k = entry & 15, first = (entry & 0xffff) | (entry >>> 24 << 16);
    let from = levels + (4 << (SYMBOL_BITS - k));
    const step: usize = 4 << k;
    const end = symbolTable + (4 << SYMBOL_BITS);
    for (let to = symbolTable + (code << 2); to < end; to += step, from += 4) store<u32>(to, first + load<u32>(from));
  }
  for (; item < more; item += 8) {
    const step: usize = 4 << (load<u32>(item, 4) & 15);
    const end = symbolTable + (4 << SYMBOL_BITS);
    for (let to = symbolTable + (load<u32>(item) << 2); to < end; to += step) store<u32>(to, load<u32>(item, 4));
  }
}

/** Fills {@link distanceTable} for the code that {@link sortSymbols} has just sorted. */
export function fillDistances(lengths: usize, n: u32): void {
  const end = distanceTable + (4 << DISTANCE_BITS);
  memory.fill(distanceTable, 0, 4 << DISTANCE_BITS);
  for (let i: u32 = 0; i < n; i++) {
    const k = <u32>load<u8>(lengths + i);
    if (k == 0) continue;
    const code = nextCode(k);
    if (k > DISTANCE_BITS || i >= DISTANCE_SYMBOLS) continue;
    const extra = <u32>load<u8>(DISTANCE_EXTRA + i);
    const entry = (k + extra) | (k << 8) | (<u32>load<u16>(DISTANCE_BASE + (i << 1)) << 16);
    const step: usize = 4 << k;
    for (let to = distanceTable + (code << 2); to < end; to += step) store<u32>(to, entry);
  }
}
