import { ByteReader } from "./byte-reader.js";

/** Bits taken at a time. */
const PIECE = 24;
const PIECE_VALUES = 2 ** PIECE;
/** Numbers up to which sums of doubles are exact. */
const EXACT = 2 ** 53;

/**
 * The first `count` numbers in Parquet's encoding DELTA_BINARY_PACKED ({@link deltaPacked}). `wraps`: of a column of 32
 * bits. Undefined where a number, or a difference, is beyond what doubles hold exactly.
 *
 * @throws {Error} where the bytes end early, or are not this encoding
 */
export function deltaUnpacked(bytes: Uint8Array, count: number, wraps = false): Float64Array | undefined {
  const reader = new ByteReader(bytes);
  const block = reader.varint();
  const stretches = reader.varint();
  const total = reader.varint();
  const length = block / stretches;
  if (!(stretches > 0 && length >= 8 && length % 8 === 0 && block < 2 ** 24 && total >= count)) {
    throw new Error("differences with a header that is none");
  }
  const out = new Float64Array(count);
  let value = reader.zigzag();
  if (count > 0) out[0] = value;
  if (!isExact(value)) return undefined;
  const widths = new Uint8Array(stretches);
  for (let at = 1; at < count; ) {
    const least = reader.zigzag();
    if (!isExact(least)) return undefined;
    for (let k = 0; k < stretches; k++) widths[k] = reader.byte();
    for (let k = 0; k < stretches && at < count; k++) {
      const width = widths[k];
      if (width > 53) return undefined;
      const packed = reader.take((width * length) / 8);
      const end = Math.min(at + length, count);
      let p = 0;
      let bits = 0;
      let held = 0;
      for (; at < end; at++) {
        let difference = least;
        let scale = 1;
        for (let left = width; left > 0; left -= PIECE) {
          const piece = Math.min(left, PIECE);
          for (; bits < piece; bits += 8) held |= packed[p++] << bits;
          difference += (held & ((1 << piece) - 1)) * scale;
          held >>>= piece;
          bits -= piece;
          scale *= PIECE_VALUES;
        }
        value += difference;
        if (wraps) value |= 0;
        else if (!isExact(difference) || !isExact(value)) return undefined;
        out[at] = value;
      }
    }
  }
  return out;
}

/** False for NaN, too. */
const isExact = (value: number): boolean => value < EXACT && value > -EXACT;
