import { InputError } from "../../errors/errors.js";
import { decimalNumber, POWERS } from "../../value/decimal.js";
import { type Data, DataType, type Decimal, type Vector } from "./arrow.js";
import { validityBits } from "./bits.js";
import { type ChunkReader, chunkFinder, chunkReader } from "./cell-reader.js";
import { typeName } from "./schema.js";
import type { Cell } from "./typed-readers.js";

/**
 * A column as doubles, null as NaN: decimals by their nearest double, dates and timestamps in milliseconds since
 * 1970-01-01 UTC, booleans as 0 and 1.
 *
 * @throws {InputError} for a text column
 */
export function vectorToNumbers(vector: Vector): Float64Array {
  const out = new Float64Array(vector.length);
  let at = 0;
  for (const data of vector.data) {
    if (data.values instanceof Float64Array && data.nullCount === 0) {
      out.set(data.values.subarray(0, data.length), at);
      at += data.length;
      continue;
    }
    if (isDecimal128(data.type)) {
      decimalNumbers(data, out, at);
      at += data.length;
      continue;
    }
    const reader = chunkReader(data);
    const number = requireReader(reader, "number", data);
    for (let i = 0; i < data.length; i++) out[at++] = reader.valid(i) ? number(i) : Number.NaN;
  }
  return out;
}

const isDecimal128 = (type: DataType): type is Decimal =>
  DataType.isDecimal(type) && type.bitWidth === 128 && type.scale >= 0 && type.scale <= MOST_EXACT_POWER;

/** Powers of ten up to this are exact doubles. */
const MOST_EXACT_POWER = 22;
/** Bits of the upper halves of values below 2^53 in size. */
const HIGH_BITS = 21;
const TWO_32 = 4_294_967_296;

/** The decimals of a chunk in one loop without calls, except for values of 2^53 units and more. */
function decimalNumbers(data: Data<Decimal>, out: Float64Array, at: number): void {
  const { scale } = data.type;
  const power = POWERS[scale];
  const { buffer, byteOffset } = data.values;
  const words = new Int32Array(buffer, byteOffset, data.length * 4);
  for (let i = 0, w = 0; i < data.length; i++, w += 4) {
    const high = words[w + 1];
    const sign = high >> 31;
    const rest = (words[w + 2] ^ sign) | (words[w + 3] ^ sign) | ((high ^ sign) >> HIGH_BITS);
    out[at + i] = rest === 0 ? (high * TWO_32 + (words[w] >>> 0)) / power : decimalNumber(words, w, 4, scale);
  }
  const bits = validityBits(data);
  if (bits === undefined) return;
  for (let i = 0; i < data.length; i++) if ((bits[i >> 3] & (1 << (i & 7))) === 0) out[at + i] = Number.NaN;
}

/**
 * A column as exact strings, null as null: decimals with all digits of their scale, dates `YYYY-MM-DD`, timestamps ISO
 * 8601.
 */
export function vectorToStrings(vector: Vector): (string | null)[] {
  const out = new Array<string | null>(vector.length);
  let at = 0;
  for (const data of vector.data) {
    const { valid, text } = chunkReader(data);
    for (let i = 0; i < data.length; i++) out[at++] = valid(i) ? text(i) : null;
  }
  return out;
}

/**
 * A column as exact integers, null as null: decimals unscaled (12.50 of scale 2 is 1250n), dates as days, timestamps in
 * their unit.
 *
 * @throws {InputError} for text, booleans and doubles
 */
export function vectorToBigInts(vector: Vector): (bigint | null)[] {
  const out = new Array<bigint | null>(vector.length);
  let at = 0;
  for (const data of vector.data) {
    const reader = chunkReader(data);
    const integer = requireReader(reader, "integer", data);
    for (let i = 0; i < data.length; i++) out[at++] = reader.valid(i) ? integer(i) : null;
  }
  return out;
}

/**
 * A column of dates or timestamps as `Date`, null as null; a date is its midnight in UTC.
 *
 * @throws {InputError} for any other type
 */
export function vectorToDates(vector: Vector): (Date | null)[] {
  const out = new Array<Date | null>(vector.length);
  let at = 0;
  for (const data of vector.data) {
    const reader = chunkReader(data);
    const time = requireReader(reader, "time", data);
    for (let i = 0; i < data.length; i++) out[at++] = reader.valid(i) ? new Date(time(i)) : null;
  }
  return out;
}

/** The reader of columns without chunks, which is never called. */
const NOTHING = (): number => Number.NaN;

function requireReader<K extends "number" | "integer" | "time">(
  reader: ChunkReader,
  kind: K,
  data: Data,
): NonNullable<ChunkReader[K]> {
  const found = reader[kind];
  if (found !== undefined) return found;
  if (data.length === 0 || data.nullCount === data.length) return NOTHING as unknown as NonNullable<ChunkReader[K]>;
  const what = { number: "numbers", integer: "integers", time: "dates" }[kind];
  throw new InputError(`A column of type ${typeName(data.type)} holds no ${what}.`, {
    code: "WrongType",
    hint: "toStrings() and get() support every column type.",
  });
}

interface VectorReader {
  readonly find: (i: number) => readonly [number, number];
  readonly chunks: readonly ChunkReader[];
}

const vectorReaders = new WeakMap<Vector, VectorReader>();

function readerOf(vector: Vector): VectorReader {
  let reader = vectorReaders.get(vector);
  if (reader === undefined) {
    reader = { find: chunkFinder(vector), chunks: vector.data.map(chunkReader) };
    vectorReaders.set(vector, reader);
  }
  return reader;
}

/**
 * One cell: text as a string, dates `YYYY-MM-DD`, timestamps ISO 8601, decimals and doubles as the nearest number,
 * integers as a number if safe, else a bigint; booleans; null. A row outside the column is null.
 */
export function cellAt(vector: Vector, i: number): Cell {
  if (!(i >= 0 && i < vector.length)) return null;
  const { find, chunks } = readerOf(vector);
  const [chunk, row] = find(i);
  return chunks[chunk].valid(row) ? chunks[chunk].value(row) : null;
}

/** One cell as an exact string, null as null (see {@link vectorToStrings}). */
export function cellText(vector: Vector, i: number): string | null {
  if (!(i >= 0 && i < vector.length)) return null;
  const { find, chunks } = readerOf(vector);
  const [chunk, row] = find(i);
  return chunks[chunk].valid(row) ? chunks[chunk].text(row) : null;
}
