/** Values of a block, and of each of the stretches in it that have a bit width of their own. */
const BLOCK = 128;
const STRETCH = 32;
/** Bytes of a block at most: the least difference, four widths, and 128 differences of 53 bits. */
const BLOCK_BYTES = 10 + 4 + (BLOCK * 53) / 8;
const HEADER_BYTES = 40;
/** Bits put down at a time. */
const PIECE = 24;
const PIECE_VALUES = 2 ** PIECE;

let scratch = new Uint8Array(0);
const differences = new Float64Array(BLOCK);

/**
 * Whole numbers of at most 2^51 either way in Parquet's encoding DELTA_BINARY_PACKED: of each the difference to the one
 * before, in as few bits as those of its neighbours need. `wraps`: for a column of 32 bits, whose differences have no
 * more. The bytes hold until the next call.
 */
export function deltaPacked(values: Float64Array, wraps = false): Uint8Array {
  const { length } = values;
  const most = HEADER_BYTES + Math.ceil(length / BLOCK) * BLOCK_BYTES;
  if (scratch.length < most) scratch = new Uint8Array(most);
  const out = scratch;
  let p = varint(out, 0, BLOCK);
  p = varint(out, p, BLOCK / STRETCH);
  p = varint(out, p, length);
  p = varint(out, p, zigzag(length > 0 ? values[0] : 0));
  for (let from = 1; from < length; from += BLOCK) {
    const count = Math.min(BLOCK, length - from);
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const difference = values[from + i] - values[from + i - 1];
      const stored = wraps ? difference | 0 : difference;
      differences[i] = stored;
      if (stored < least) least = stored;
    }
    p = varint(out, p, zigzag(least));
    const widths = p;
    p += BLOCK / STRETCH;
    for (let stretch = 0; stretch < BLOCK / STRETCH; stretch++) {
      const start = stretch * STRETCH;
      const end = Math.min(start + STRETCH, count);
      let highest = 0;
      for (let i = start; i < end; i++) {
        differences[i] -= least;
        if (differences[i] > highest) highest = differences[i];
      }
      const width = bitsOf(highest);
      out[widths + stretch] = width;
      if (width === 0) continue;
      // The last stretch is filled up.
      if (end > start && end < start + STRETCH) differences.fill(0, end, start + STRETCH);
      p = packed(out, p, start, width);
    }
  }
  return out.subarray(0, p);
}

/** Puts down the 32 differences from `start` on, `width` bits each, lowest bits first. */
function packed(out: Uint8Array, at: number, start: number, width: number): number {
  let p = at;
  let bits = 0;
  let held = 0;
  for (let i = start; i < start + STRETCH; i++) {
    let value = differences[i];
    let left = width;
    for (; left > PIECE; left -= PIECE) {
      const piece = value % PIECE_VALUES;
      value = (value - piece) / PIECE_VALUES;
      held |= piece << bits;
      // A whole number of bytes: as many bits are held as before.
      out[p] = held;
      out[p + 1] = held >>> 8;
      out[p + 2] = held >>> 16;
      p += 3;
      held >>>= PIECE;
    }
    held |= value << bits;
    for (bits += left; bits >= 8; bits -= 8) {
      out[p++] = held;
      held >>>= 8;
    }
  }
  return p;
}

/** The bits a whole number of at most 2^53 takes. */
function bitsOf(value: number): number {
  const high = Math.floor(value / 2 ** 32);
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(value);
}

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

/** Writes a whole number of at most 2^53 in groups of seven bits; gives where it ends. */
export function varint(out: Uint8Array, at: number, value: number): number {
  let p = at;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out[p++] = (rest % 128) | 128;
  out[p++] = rest;
  return p;
}
