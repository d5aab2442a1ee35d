import type { Data } from "../../arrow/arrow.js";
import { validity } from "../../arrow/cell-reader.js";
import { varint } from "./delta.js";

/** Which rows of a column of a row group hold a value. */
export interface Levels {
  readonly rows: number;
  /** How many rows hold one. */
  readonly present: number;
  /** A bit for each row, lowest first, set where there is a value; undefined where all rows have one. */
  readonly bits?: Uint8Array;
}

export function levelsOf(chunks: readonly Data[], rows: number): Levels {
  if (chunks.every(isWhole)) return { rows, present: rows };
  const bits = new Uint8Array((rows + 7) >> 3);
  let row = 0;
  let present = 0;
  for (const data of chunks) {
    const valid = validity(data);
    for (let i = 0; i < data.length; i++, row++) {
      if (!valid(i)) continue;
      bits[row >> 3] |= 1 << (row & 7);
      present++;
    }
  }
  return { rows, present, ...(present < rows && { bits }) };
}

/** Whether every row of a chunk holds a value, as far as is known without looking at each. */
export function isWhole(data: Data): boolean {
  return data.nullCount === 0 && (data.dictionary?.nullCount ?? 0) === 0;
}

export function isPresent({ bits }: Levels, row: number): boolean {
  return bits === undefined || (bits[row >> 3] & (1 << (row & 7))) !== 0;
}

/** The definition levels of the rows `from` (a multiple of 8) to `to` in Parquet's hybrid of runs and packed bits. */
export function levelBytes({ bits }: Levels, from: number, to: number): Uint8Array {
  const head = new Uint8Array(8);
  const rows = to - from;
  if (bits === undefined) {
    const end = varint(head, 0, rows * 2);
    head[end] = 1;
    return head.subarray(0, end + 1);
  }
  const packed = bits.subarray(from >> 3, (to + 7) >> 3);
  const end = varint(head, 0, packed.length * 2 + 1);
  const bytes = new Uint8Array(end + packed.length);
  bytes.set(head.subarray(0, end));
  bytes.set(packed, end);
  return bytes;
}

/** Numbers of `width` bits, at most 24, in Parquet's hybrid of runs and packed bits. */
export function hybridPacked(numbers: Int32Array, width: number): Uint8Array {
  const out = new Uint8Array(Math.ceil(numbers.length / 8) * (width + 10) + 10);
  let p = 0;
  let packedFrom = 0;
  for (let i = 0; i < numbers.length; ) {
    let end = i + 1;
    while (end < numbers.length && numbers[end] === numbers[i]) end++;
    if (end - i < 8) {
      i += 8;
      continue;
    }
    p = packedGroups(out, p, numbers.subarray(packedFrom, i), width);
    p = varint(out, p, (end - i) * 2);
    for (let bit = 0; bit < width; bit += 8) out[p++] = numbers[i] >>> bit;
    i = end;
    packedFrom = end;
  }
  return out.subarray(0, packedGroups(out, p, numbers.subarray(packedFrom), width));
}

/** Puts down numbers in groups of eight, the last of which is filled up with zeros; gives where they end. */
function packedGroups(out: Uint8Array, at: number, numbers: Int32Array, width: number): number {
  if (numbers.length === 0) return at;
  const groups = Math.ceil(numbers.length / 8);
  let p = varint(out, at, groups * 2 + 1);
  let held = 0;
  let bits = 0;
  for (let i = 0; i < groups * 8; i++) {
    held |= (i < numbers.length ? numbers[i] : 0) << bits;
    for (bits += width; bits >= 8; bits -= 8) {
      out[p++] = held;
      held >>>= 8;
    }
  }
  return p;
}
