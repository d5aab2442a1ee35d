import { type Data, DataType } from "./arrow.js";

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

/** As {@link validityBits}, where NaN counts as null. */
export const presentBits = (data: Data): Uint8Array | undefined => withoutNaN(data, validityBits(data));

/** The validity of a chunk without the rows that hold NaN. */
export function withoutNaN(data: Data, valid: Uint8Array | undefined): Uint8Array | undefined {
  const { type, values, length } = data;
  if (!DataType.isFloat(type)) return valid;
  const floats = values as Float64Array;
  const isHalf = type.precision === 0;
  const first = isHalf ? 0 : firstNaN(floats, length);
  if (first === length) return valid;
  const bits = valid?.slice() ?? new Uint8Array((length + 7) >> 3).fill(255);
  const isMissing = isHalf ? isHalfNaN : Number.isNaN;
  for (let i = first; i < length; i++) if (isMissing(floats[i])) bits[i >> 3] &= ~(1 << (i & 7));
  return bits;
}

/** The first row that holds NaN; `length` if none does. Most columns have none, so nothing else is in this loop. */
function firstNaN(values: Float64Array, length: number): number {
  let i = 0;
  while (i < length && !Number.isNaN(values[i])) i++;
  return i;
}

/** Floating point of 16 bits is held as its bits. */
const isHalfNaN = (bits: number): boolean => (bits & 0x7c00) === 0x7c00 && (bits & 0x3ff) !== 0;

/** How many rows of a column hold no value; NaN counts as null. */
export function missingCount(chunks: readonly Data[]): number {
  let count = 0;
  for (const data of chunks) {
    // Arrow reports 0 or -1 for a column that contains only nulls.
    if (DataType.isNull(data.type)) count += data.length;
    else if (!DataType.isFloat(data.type)) count += data.nullCount;
    else {
      const bits = presentBits(data);
      if (bits !== undefined) count += data.length - countBits(bits, data.length);
    }
  }
  return count;
}

/** How many of the first `length` bits are set. */
export function countBits(bits: Uint8Array, length: number): number {
  let count = 0;
  const whole = length >> 3;
  for (let i = 0; i < whole; i++) count += COUNTS[bits[i]];
  return (length & 7) === 0 ? count : count + COUNTS[bits[whole] & ((1 << (length & 7)) - 1)];
}

const COUNTS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);
