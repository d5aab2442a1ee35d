import type { Data, Decimal } from "../../arrow/arrow.js";
import { Type } from "../../arrow/arrow.js";
import { type ChunkReader, chunkReader, validity } from "../../arrow/cell-reader.js";
import { isWhole } from "./levels.js";

// The values of the chunks of a column one after the other, nulls left out, as Parquet stores them.

/** A decimal is further from zero than its type allows. */
export class TooManyDigits extends Error {}

let scratch = new Float64Array(0);

/** Room for `length` numbers, that holds until the next call. */
function room(length: number): Float64Array {
  if (scratch.length < length) scratch = new Float64Array(length);
  return scratch.subarray(0, length);
}

/** Numbers as doubles, which hold until those of another column are asked for. */
export interface Numbers {
  readonly values: Float64Array;
  /** Least and greatest; infinite where there is none. */
  readonly min: number;
  readonly max: number;
}

/** Integers of 32 bits, as are the days of dates. */
export function int32s(chunks: readonly Data[], present: number): Numbers {
  return gathered(chunks, present, Int32Array, (data) => integers(data).integer);
}

/** Doubles; least and greatest leave NaN out. */
export function doubles(chunks: readonly Data[], present: number): Numbers {
  return gathered(chunks, present, Float64Array, (data) => chunkReader(data).value);
}

/** Values that are in an array of the kind `Ready` already, or are read one by one. */
function gathered(
  chunks: readonly Data[],
  present: number,
  Ready: typeof Int32Array | typeof Float64Array,
  readerOf: (data: Data) => (i: number) => unknown,
): Numbers {
  const values = room(present);
  let at = 0;
  for (const data of chunks) {
    const given: unknown = data.values;
    if (given instanceof Ready && isWhole(data)) {
      values.set(given.subarray(0, data.length), at);
      at += data.length;
    } else {
      const valid = validity(data);
      const read = readerOf(data);
      for (let i = 0; i < data.length; i++) if (valid(i)) values[at++] = Number(read(i));
    }
  }
  return { values, ...range(values) };
}

function range(values: Float64Array): { readonly min: number; readonly max: number } {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

const WORD = 2 ** 32;
/** High 32 bits of numbers whose magnitude is below 2^51. */
const HIGHEST = 2 ** 19;

/** Integers of 64 bits; undefined where one is 2^51 or further from zero. */
export function exactInt64s(chunks: readonly Data[], present: number): Numbers | undefined {
  const values = room(present);
  let at = 0;
  for (const data of chunks) {
    const { words, stride } = lowWords(data);
    const valid = isWhole(data) ? undefined : validity(data);
    if (words !== undefined) {
      for (let i = 0, w = 0; i < data.length; i++, w += stride) {
        if (valid !== undefined && !valid(i)) continue;
        const high = words[w + 1];
        for (let k = 2; k < stride; k++) if (words[w + k] !== high >> 31) throw new TooManyDigits();
        if (high >= HIGHEST || high < -HIGHEST) return undefined;
        values[at++] = high * WORD + (words[w] >>> 0);
      }
    } else {
      const { integer } = integers(data);
      for (let i = 0; i < data.length; i++) {
        if (valid !== undefined && !valid(i)) continue;
        const value = Number(integer(i));
        if (value >= HIGHEST * WORD || value < -HIGHEST * WORD) return undefined;
        values[at++] = value;
      }
    }
  }
  return { values, ...range(values) };
}

/** Integers of 64 bits, whatever they are. */
export function int64s(chunks: readonly Data[], present: number): BigInt64Array {
  const out = new BigInt64Array(present);
  const target = new Int32Array(out.buffer);
  let at = 0;
  for (const data of chunks) {
    const { words, stride } = lowWords(data);
    const { valid, integer } = integers(data);
    for (let i = 0, w = 0; i < data.length; i++, w += stride) {
      if (!valid(i)) continue;
      if (words === undefined) out[at] = integer(i);
      else {
        for (let k = 2; k < stride; k++) if (words[w + k] !== words[w + 1] >> 31) throw new TooManyDigits();
        target[2 * at] = words[w];
        target[2 * at + 1] = words[w + 1];
      }
      at++;
    }
  }
  return out;
}

/**
 * The 32-bit halves of a chunk whose integers are in the first two of every `stride` of them, the low one first;
 * undefined for other layouts.
 */
function lowWords({ type, values }: Data): { readonly words?: Int32Array; readonly stride: number } {
  const isDecimal = type.typeId === Type.Decimal;
  const stride = isDecimal ? (type as Decimal).bitWidth / 32 : 2;
  const fits = isDecimal ? stride >= 2 : values instanceof BigInt64Array || values instanceof BigUint64Array;
  return { stride, ...(fits && { words: new Int32Array(values.buffer, values.byteOffset, values.byteLength >> 2) }) };
}

/** The unscaled integers of a column of decimals in `width` bytes each, highest first. */
export function decimalBytes(chunks: readonly Data[], present: number, width: number): Uint8Array {
  const out = new Uint8Array(present * width);
  let at = 0;
  for (const data of chunks) {
    const valid = validity(data);
    const { buffer, byteOffset, byteLength } = data.values as Uint32Array;
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    const stride = (data.type as Decimal).bitWidth >> 3;
    for (let i = 0; i < data.length; i++) {
      if (!valid(i)) continue;
      const from = i * stride;
      for (let k = width - 1; k >= 0; k--) out[at++] = bytes[from + k];
      const sign = bytes[from + width - 1] < 128 ? 0 : 255;
      for (let k = width; k < stride; k++) if (bytes[from + k] !== sign) throw new TooManyDigits();
    }
  }
  return out;
}

/** A byte for each boolean. */
export function booleans(chunks: readonly Data[], present: number): Uint8Array {
  const out = new Uint8Array(present);
  let at = 0;
  for (const data of chunks) {
    const { valid, value } = chunkReader(data);
    for (let i = 0; i < data.length; i++) if (valid(i)) out[at++] = value(i) === true ? 1 : 0;
  }
  return out;
}

function integers(data: Data): { readonly valid: ChunkReader["valid"]; readonly integer: (i: number) => bigint } {
  const { valid, value, integer } = chunkReader(data);
  return { valid, integer: integer ?? ((i) => BigInt(value(i) as number)) };
}
