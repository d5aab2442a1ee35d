import { isAscii, isUtf8 } from "../../platform/node/bytes.js";
import { invalidUtf8 } from "../../value/text.js";
/** Offsets of values: 32-bit, or 64-bit for large lists and large strings. */
export type Offsets = Int32Array | BigInt64Array;

export type Indices =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array;

const INT32_RANGE = 2 ** 32;

/**
 * Returns the first row whose offsets decrease or exceed `limit`, or -1. `offsets` has one more item than there are
 * rows.
 */
export function badOffset(offsets: Offsets, limit: number): number {
  return offsets instanceof Int32Array ? badOffset32(offsets, limit) : badOffset64(offsets, limit);
}

function badOffset32(offsets: Int32Array, limit: number): number {
  // ORs all offsets and differences and tests the sign bit: if no offset is negative, no difference overflows. Unrolled
  // by four, because this loop dominates the cost of checking.
  let signs = 0;
  let last = 0;
  let i = 0;
  for (; i + 3 < offsets.length; i += 4) {
    const a = offsets[i];
    const b = offsets[i + 1];
    const c = offsets[i + 2];
    const d = offsets[i + 3];
    signs |= a | b | c | d | (a - last) | (b - a) | (c - b) | (d - c);
    last = d;
  }
  for (; i < offsets.length; i++) {
    signs |= offsets[i] | (offsets[i] - last);
    last = offsets[i];
  }
  if (signs >= 0 && last <= limit) return -1;
  return slowBadOffset(offsets.length, (row) => offsets[row], limit);
}

function badOffset64(offsets: BigInt64Array, limit: number): number {
  // Compares pairs of 32-bit halves: a bigint per row would cost more than the rest of reading.
  const words = new Uint32Array(offsets.buffer, offsets.byteOffset, offsets.length * 2);
  let right = true;
  let last = 0;
  for (let i = 0; i < words.length; i += 2) {
    const offset = words[i + 1] * INT32_RANGE + words[i];
    right = right && offset >= last;
    last = offset;
  }
  if (right && last <= limit) return -1;
  return slowBadOffset(offsets.length, (i) => Number(offsets[i]), limit);
}

function slowBadOffset(count: number, offset: (i: number) => number, limit: number): number {
  for (let i = 0, last = 0; i < count; i++) {
    if (offset(i) < last || offset(i) > limit) return Math.max(0, i - 1);
    last = offset(i);
  }
  return -1;
}

/** Returns the first of `length` rows that is valid and whose index is outside a dictionary of `size` values, or -1. */
export function badIndex(indices: Indices, length: number, size: number, isValid: (row: number) => boolean): number {
  if (indices instanceof Int32Array && !hasOutside(indices, length, size)) return -1;
  if (indices instanceof BigInt64Array || indices instanceof BigUint64Array) {
    for (let i = 0; i < length; i++) if (!(indices[i] >= 0n && indices[i] < size) && isValid(i)) return i;
    return -1;
  }
  for (let i = 0; i < length; i++) {
    // Read as unsigned, a negative index is a large one.
    if (indices[i] >>> 0 >= size && isValid(i)) return i;
  }
  return -1;
}

/**
 * Returns whether an index is out of range. A separate function for one array type: a loop that sees several array
 * types is slow for all of them.
 */
function hasOutside(indices: Int32Array, length: number, size: number): boolean {
  const top = size - 1;
  let signs = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    const a = indices[i];
    const b = indices[i + 1];
    const c = indices[i + 2];
    const d = indices[i + 3];
    signs |= a | b | c | d | (top - a) | (top - b) | (top - c) | (top - d);
  }
  for (; i < length; i++) signs |= indices[i] | (top - indices[i]);
  return signs < 0;
}

/** Counts the 0 bits among `length` bits from bit `offset`. */
export function zeroBits(bitmap: Uint8Array, offset: number, length: number): number {
  const end = offset + length;
  let ones = 0;
  let bit = offset;
  const single = (until: number): void => {
    for (; bit < until; bit++) ones += (bitmap[bit >> 3] >> (bit & 7)) & 1;
  };
  const firstByte = (bit + 7) >> 3;
  const firstWord = firstByte + ((4 - ((bitmap.byteOffset + firstByte) & 3)) & 3);
  single(Math.min(end, firstWord * 8));
  const count = Math.max(0, end - bit) >> 5;
  if (count > 0) {
    const words = new Uint32Array(bitmap.buffer, bitmap.byteOffset + firstWord, count);
    for (let i = 0; i < count; i++) ones += onesIn(words[i]);
    bit += count * 32;
  }
  single(end);
  return length - ones;
}

function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

export const VIEW_BYTES = 16;
/** Length in bytes of the longest value stored inside a view. */
export const LONGEST_INLINE = 12;

/**
 * Returns the first of `length` rows that is valid and whose view points outside the buffers or has a wrong prefix, or
 * -1.
 */
export function badView(
  views: Uint8Array,
  length: number,
  buffers: readonly Uint8Array[],
  isValid: (row: number) => boolean,
): number {
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  for (let i = 0; i < length; i++) {
    const at = i * VIEW_BYTES;
    const size = view.getInt32(at, true);
    if (size >= 0 && size <= LONGEST_INLINE) continue;
    if (!isValid(i)) continue;
    const buffer = buffers[view.getInt32(at + 8, true)];
    const offset = view.getInt32(at + 12, true);
    if (size < 0 || buffer === undefined || offset < 0 || offset + size > buffer.length) return i;
    for (let byte = 0; byte < 4; byte++) if (buffer[offset + byte] !== views[at + 4 + byte]) return i;
  }
  return -1;
}

/**
 * Returns the first of `length` rows of a union whose type id has no child or whose offset is outside that child, or
 * -1. `childLengths` is indexed by type id; sparse unions have no offsets.
 */
export function badUnionRow(
  typeIds: Int8Array,
  offsets: Int32Array | undefined,
  length: number,
  childLengths: ReadonlyMap<number, number>,
): number {
  const limits = new Float64Array(256).fill(-1);
  for (const [id, size] of childLengths) limits[id & 255] = size;
  for (let i = 0; i < length; i++) {
    const limit = limits[typeIds[i] & 255];
    const offset = offsets === undefined ? i : offsets[i];
    if (offset < 0 || offset >= limit) return i;
  }
  return -1;
}

/** Returns the first valid row whose text is not UTF-8, or -1; the offsets are within the bytes. */
export function badText(bytes: Uint8Array, offsets: Offsets, valid: (row: number) => boolean): number {
  const rows = offsets.length - 1;
  const all = bytes.subarray(Number(offsets[0]), Number(offsets[rows]));
  if (isAscii(all) || (isUtf8(all) && areApart(bytes, offsets))) return -1;
  for (let row = 0; row < rows; row++) {
    if (valid(row) && invalidUtf8(bytes, Number(offsets[row]), Number(offsets[row + 1])) >= 0) return row;
  }
  return -1;
}

/** Whether no text begins inside of a character. */
function areApart(bytes: Uint8Array, offsets: Offsets): boolean {
  for (let row = 0; row < offsets.length; row++) if ((bytes[Number(offsets[row])] & 0xc0) === 0x80) return false;
  return true;
}

/** As {@link badText}, for views that are within their buffers. */
export function badViewText(
  views: Uint8Array,
  rows: number,
  buffers: readonly Uint8Array[],
  valid: (row: number) => boolean,
): number {
  if (isAscii(views) && buffers.every((buffer) => isAscii(buffer))) return -1;
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  for (let row = 0; row < rows; row++) {
    if (!valid(row)) continue;
    const at = row * VIEW_BYTES;
    const size = view.getInt32(at, true);
    const isInline = size <= LONGEST_INLINE;
    const [bytes, start] = isInline
      ? [views, at + 4]
      : [buffers[view.getInt32(at + 8, true)], view.getInt32(at + 12, true)];
    if (invalidUtf8(bytes, start, start + size) >= 0) return row;
  }
  return -1;
}
