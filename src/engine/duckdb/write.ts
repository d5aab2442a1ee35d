import type { Data, Decimal, Dictionary, Vector } from "../../columns/arrow/arrow.js";
import { validityBits } from "../../columns/arrow/bits.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { instantsOf } from "../../columns/arrow/instants.js";
import { takeVector } from "../../columns/table/take.js";
import { DataError } from "../../errors/errors.js";
import { DECIMAL128_DIGITS } from "../../value/decimal.js";
import { decimalWidth, writeDecimal } from "../../value/write-decimal.js";
import { bindings, type Native } from "./bindings.js";
import {
  dictionaryStrings,
  isPlainText,
  LONGEST_INLINE,
  putTexts,
  STRING_BYTES,
  StringWriter,
  type TextBytes,
} from "./strings.js";

export const CHUNK_ROWS = 2048;

/**
 * Fills a vector of the engine with `count` cells of a column, at most {@link CHUNK_ROWS}, from row `from` of the batch
 * on: a multiple of {@link CHUNK_ROWS}. Copies buffers; creates objects for long strings only.
 */
export type CellWriter = (vector: Native, from: number, count: number) => void;

/** Writes `count` rows of a batch, from row `from`, to an empty chunk with its columns. */
export function fillChunk(chunk: Native, writers: readonly CellWriter[], from: number, count: number): void {
  const native = bindings();
  native.data_chunk_set_size(chunk, count);
  for (const [i, write] of writers.entries()) write(native.data_chunk_get_vector(chunk, i), from, count);
}

/** The values that are being written, for types that are not copied as they are. */
const scratch = new ArrayBuffer(CHUNK_ROWS * 16);
const scratch8 = new Uint8Array(scratch);
const scratch16 = new Int16Array(scratch);
const scratch32 = new Int32Array(scratch);
const strings = new StringWriter(CHUNK_ROWS);

function withNulls(data: Data, write: CellWriter): CellWriter {
  const bits = validityBits(data);
  return bits === undefined ? write : withBits(unshared(bits), write);
}

/** Loads the bindings with the first vector, not with this module: the engine is an optional package. */
function withBits(bits: Uint8Array, write: CellWriter): CellWriter {
  return (vector, from, count) => {
    const native = bindings();
    write(vector, from, count);
    native.vector_ensure_validity_writable(vector);
    const bytes = (count + 7) >> 3;
    native.copy_data_to_vector_validity(vector, 0, bits.buffer, bits.byteOffset + (from >> 3), bytes);
  };
}

/** The bindings copy from plain memory only. */
function unshared<T extends ArrayBufferView & { slice(): T }>(values: T): T {
  return values.buffer instanceof ArrayBuffer ? values : values.slice();
}

function bytesWriter(values: ArrayBufferView & { slice(): ArrayBufferView }, width: number): CellWriter {
  const { buffer, byteOffset } = unshared(values as Uint8Array);
  const native = bindings();
  return (vector, from, count) =>
    native.copy_data_to_vector(vector, 0, buffer, byteOffset + from * width, count * width);
}

/** Copies values that `fill` puts into the scratch memory, `width` bytes each. */
function scratchWriter(width: number, fill: (from: number, count: number) => void): CellWriter {
  const native = bindings();
  return (vector, from, count) => {
    fill(from, count);
    native.copy_data_to_vector(vector, 0, scratch, 0, count * width);
  };
}

export function nullWriter(data: Data): CellWriter {
  return withBits(new Uint8Array((data.length + 7) >> 3), () => undefined);
}

/** For types with the same width and meaning on both sides: floats, integers, times. */
export function copyWriter(data: Data): CellWriter {
  const values = data.values as Float64Array;
  return withNulls(data, bytesWriter(values, values.BYTES_PER_ELEMENT));
}

/** The engine gets 64-bit floats. */
export function floatWriter(data: Data): CellWriter {
  const values = data.values as Float32Array | Float64Array;
  return values instanceof Float64Array ? copyWriter(data) : withNulls(data, bytesWriter(Float64Array.from(values), 8));
}

/**
 * Days; Arrow's other date type counts milliseconds in 64 bits, which the library represents as BigInt or as numbers.
 */
export function dateWriter(data: Data): CellWriter {
  const values = data.values as Int32Array | BigInt64Array;
  if (values instanceof Int32Array && (data.type as unknown as { unit: number }).unit === 0) return copyWriter(data);
  const { days } = instantsOf(data);
  return withNulls(
    data,
    scratchWriter(4, (from, count) => {
      for (let i = 0; i < count; i++) scratch32[i] = days(from + i);
    }),
  );
}

export function boolWriter(data: Data): CellWriter {
  const bits = data.values as Uint8Array;
  return withNulls(
    data,
    scratchWriter(1, (from, count) => {
      for (let i = 0, bit = data.offset + from; i < count; i++, bit++) scratch8[i] = (bits[bit >> 3] >> (bit & 7)) & 1;
    }),
  );
}

/** Digits of the engine's decimals of 16, 32 and 64 bits; wider ones have 128. */
const [DIGITS16, DIGITS32, DIGITS64] = [4, 9, 18];

export function decimalWriter(data: Data<Decimal>): CellWriter {
  const { precision, scale, bitWidth } = data.type;
  const values = data.values as Uint32Array;
  const step = bitWidth / 32;
  const words = new Int32Array(values.buffer, values.byteOffset, data.length * step);
  if (precision > DECIMAL128_DIGITS) return wideDecimalWriter(data, words, step, scale);
  return withNulls(data, unitsWriter(words, step, precision));
}

function unitsWriter(words: Int32Array, step: number, precision: number): CellWriter {
  if (precision > DIGITS64 && step === 4) return bytesWriter(words, 16);
  if (precision > DIGITS64) {
    return scratchWriter(16, (from, count) => {
      for (let i = 0, at = from * step; i < count; i++, at += step) {
        for (let part = 0; part < 4; part++) scratch32[i * 4 + part] = words[at + part];
      }
    });
  }
  if (precision > DIGITS32) return scratchWriter(8, (from, count) => copyLow64(words, from * step, step, count));
  const [out, width] = precision > DIGITS16 ? [scratch32, 4] : [scratch16, 2];
  return scratchWriter(width, (from, count) => {
    for (let i = 0; i < count; i++) out[i] = words[(from + i) * step];
  });
}

/** Copies the lowest 64 bits of values to {@link scratch}. A function of its own, whose loop reads no closure. */
function copyLow64(words: Int32Array, from: number, step: number, count: number): void {
  for (let at = from, to = 0; to < count * 2; at += step, to += 2) {
    scratch32[to] = words[at];
    scratch32[to + 1] = words[at + 1];
  }
}

/** More digits than the engine supports: the exact text with `scale` fraction digits. */
function wideDecimalWriter(data: Data, words: Int32Array, step: number, scale: number): CellWriter {
  const text = new Uint8Array(decimalWidth(step, scale));
  const { valid } = chunkReader(data);
  return stringsWriter(data, (from, count) => {
    for (let i = 0; i < count; i++) {
      if (!valid(from + i)) continue;
      const end = writeDecimal(words, (from + i) * step, step, scale, text, 0);
      strings.put(i, text.slice(0, end), 0, end);
    }
  });
}

/** Writes the strings that `fill` puts into {@link strings}. */
function stringsWriter(data: Data, fill: (from: number, count: number) => void): CellWriter {
  const native = bindings();
  return withNulls(data, (vector, from, count) => {
    strings.clear(count);
    fill(from, count);
    native.copy_data_to_vector(vector, 0, strings.words.buffer, 0, count * STRING_BYTES);
    for (const [i, bytes] of strings.long) native.vector_assign_string_element_len(vector, i, bytes);
  });
}

export function textWriter(data: Data): CellWriter {
  if (!isPlainText(data.type)) {
    const { valid, value } = chunkReader(data);
    return stringsWriter(data, (from, count) => {
      for (let i = 0; i < count; i++) if (valid(from + i)) strings.putText(i, String(value(from + i)));
    });
  }
  const offsets = data.valueOffsets as Int32Array | BigInt64Array;
  const text: TextBytes = {
    bytes: (data.values as Uint8Array | undefined) ?? new Uint8Array(0),
    offsets: offsets instanceof BigInt64Array ? Int32Array.from(offsets, Number) : offsets,
  };
  return stringsWriter(data, (from, count) => putTexts(text, from, count, strings));
}

/** Writes text by its dictionary, whose strings are made once. */
export function dictionaryWriter(data: Data<Dictionary>): CellWriter {
  const dictionary = data.dictionary as Vector;
  const { words, long } = dictionaryStrings(dictionary);
  const indices = indicesOf(data);
  const { valid } = chunkReader(data);
  const native = bindings();
  const size = dictionary.length;
  const longRows: number[] = [];
  const write = scratchWriter(STRING_BYTES, (from, count) => {
    longRows.length = 0;
    for (let i = 0, to = 0; i < count; i++, to += 4) {
      const index = indices[from + i];
      if (index >>> 0 >= size) {
        scratch32.fill(0, to, to + 4);
        continue;
      }
      const at = index * 4;
      scratch32[to] = words[at];
      scratch32[to + 1] = words[at + 1];
      scratch32[to + 2] = words[at + 2];
      scratch32[to + 3] = words[at + 3];
      if (words[at] > LONGEST_INLINE) longRows.push(i);
    }
  });
  checkIndices(data, indices, size);
  const writeAll: CellWriter = (vector, from, count) => {
    write(vector, from, count);
    for (const i of longRows) {
      native.vector_assign_string_element_len(vector, i, long.get(indices[from + i]) as Uint8Array);
    }
  };
  if (dictionary.nullCount === 0) return withNulls(data, writeAll);
  const bits = new Uint8Array((data.length + 7) >> 3);
  for (let i = 0; i < data.length; i++) if (valid(i)) bits[i >> 3] |= 1 << (i & 7);
  return withBits(bits, writeAll);
}

/** Writes a dictionary's indices as the numbers of an enum's `size` members; those of nulls are 0. */
export function enumWriter(data: Data<Dictionary>, size: number): CellWriter {
  const indices = indicesOf(data);
  checkIndices(data, indices, size);
  const [out, width] = size <= 256 ? [scratch8, 1] : size <= 65_536 ? [scratch16, 2] : [scratch32, 4];
  return withNulls(
    data,
    scratchWriter(width, (from, count) => copyIndices(indices, from, count, size, out)),
  );
}

function copyIndices(
  indices: ArrayLike<number>,
  from: number,
  count: number,
  size: number,
  out: Uint8Array | Int16Array | Int32Array,
): void {
  for (let i = 0; i < count; i++) {
    const index = indices[from + i];
    out[i] = index >>> 0 < size ? index : 0;
  }
}

export function withoutDictionary(data: Data<Dictionary>): Data {
  const dictionary = data.dictionary as Vector;
  const indices = indicesOf(data);
  checkIndices(data, indices, dictionary.length);
  const bits = validityBits(data);
  const isNull = (i: number): boolean => bits !== undefined && (bits[i >> 3] & (1 << (i & 7))) === 0;
  return takeVector(
    dictionary,
    Int32Array.from({ length: data.length }, (_, i) => (isNull(i) ? -1 : indices[i])),
  ).data[0];
}

const indicesOf = ({ values }: Data): ArrayLike<number> =>
  values instanceof BigInt64Array || values instanceof BigUint64Array
    ? Int32Array.from(values, Number)
    : (values as Int32Array);

/** @throws {DataError} BadDictionaryIndex */
function checkIndices(data: Data, indices: ArrayLike<number>, size: number): void {
  const bits = validityBits(data);
  for (let row = 0; row < data.length; row++) {
    if (indices[row] >>> 0 < size || (bits !== undefined && (bits[row >> 3] & (1 << (row & 7))) === 0)) continue;
    throw new DataError(`Row ${row}: dictionary index ${indices[row]} is outside the dictionary of ${size} entries.`, {
      code: "BadDictionaryIndex",
      row,
      hint: "The Arrow data is corrupt; write the column without a dictionary.",
    });
  }
}
