import { ByteReader } from "./byte-reader.js";

/**
 * `count` whole numbers of `width` bits (at most 32) in Parquet's hybrid of runs and packed bits.
 *
 * @throws {Error} where the bytes end early
 */
export function hybridRuns(bytes: Uint8Array, width: number, count: number): Int32Array {
  if (width > 32) throw new Error(`numbers of ${width} bits`);
  const out = new Int32Array(count);
  const reader = new ByteReader(bytes);
  for (let at = 0; at < count; ) {
    const head = reader.varint();
    const length = Math.floor(head / 2);
    if (head % 2 === 0) {
      let value = 0;
      for (let bits = 0; bits < width; bits += 8) value |= reader.byte() << bits;
      const end = Math.min(count, at + length);
      out.fill(value, at, end);
      at = end;
    } else {
      const end = Math.min(count, at + length * 8);
      // Bits that stand for no value may be left out at the end.
      const packed = reader.take(Math.min(length * width, bytes.length - reader.offset));
      if (packed.length * 8 < (end - at) * width) throw new Error("a page ends early");
      unpack(packed, width, out, at, end);
      at = end;
    }
  }
  return out;
}

function unpack(packed: Uint8Array, width: number, out: Int32Array, start: number, end: number): void {
  let p = 0;
  let bits = 0;
  let held = 0;
  if (width <= 24) {
    const mask = (1 << width) - 1;
    for (let at = start; at < end; at++) {
      for (; bits < width; bits += 8) held |= packed[p++] << bits;
      out[at] = held & mask;
      held >>>= width;
      bits -= width;
    }
    return;
  }
  // More bits than whole numbers of 32 hold: a double has room for these and 7 more.
  const above = 2 ** width;
  for (let at = start; at < end; at++) {
    for (; bits < width; bits += 8) held += packed[p++] * 2 ** bits;
    out[at] = held % above;
    held = Math.floor(held / above);
    bits -= width;
  }
}
