import type { Data } from "./arrow.js";

/** The first `length` bits from bit `offset` on, from the first bit of a byte; shared where they begin with one. */
export function alignedBits(bits: Uint8Array, offset: number, length: number): Uint8Array {
  const bytes = (length + 7) >> 3;
  const from = offset >> 3;
  const shift = offset & 7;
  if (shift === 0) return bits.subarray(from, from + bytes);
  const out = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) out[i] = (bits[from + i] >> shift) | ((bits[from + i + 1] ?? 0) << (8 - shift));
  return out;
}

/** Validity bits of a chunk from the first bit of a byte; undefined where all rows hold values. */
export function validityBits(data: Data): Uint8Array | undefined {
  const { nullBitmap, offset, length } = data;
  if (data.nullCount === 0 || nullBitmap === undefined || nullBitmap === null || nullBitmap.length === 0)
    return undefined;
  return alignedBits(nullBitmap, offset, length);
}

/** How many of the first `length` bits are set. */
export function countBits(bits: Uint8Array, length: number): number {
  let count = 0;
  const whole = length >> 3;
  for (let i = 0; i < whole; i++) count += COUNTS[bits[i]];
  return (length & 7) === 0 ? count : count + COUNTS[bits[whole] & ((1 << (length & 7)) - 1)];
}

const COUNTS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);
