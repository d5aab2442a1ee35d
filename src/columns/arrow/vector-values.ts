import { InputError } from "../../errors/errors.js";
import type { Data, Vector } from "./arrow.js";
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
    const reader = chunkReader(data);
    const number = need(reader, "number", data);
    for (let i = 0; i < data.length; i++) out[at++] = reader.valid(i) ? number(i) : Number.NaN;
  }
  return out;
}

/**
 * A column as exact texts, null as null: decimals with exactly their scale's digits, dates `YYYY-MM-DD`, timestamps ISO
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
    const integer = need(reader, "integer", data);
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
    const time = need(reader, "time", data);
    for (let i = 0; i < data.length; i++) out[at++] = reader.valid(i) ? new Date(time(i)) : null;
  }
  return out;
}

/** A placeholder where no row holds a value, so that nothing is ever read. */
const NOTHING = (): number => Number.NaN;

function need<K extends "number" | "integer" | "time">(
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
    hint: "toStrings() and get() read every column.",
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
 * One cell: text as string, dates `YYYY-MM-DD`, timestamps ISO 8601, decimals and doubles as the nearest number,
 * integers as number when safe and else bigint, booleans, null. A row outside the column is null.
 */
export function cellAt(vector: Vector, i: number): Cell {
  if (!(i >= 0 && i < vector.length)) return null;
  const { find, chunks } = readerOf(vector);
  const [chunk, row] = find(i);
  return chunks[chunk].valid(row) ? chunks[chunk].value(row) : null;
}

/** One cell as its exact text, null as null (see {@link vectorToStrings}). */
export function cellText(vector: Vector, i: number): string | null {
  if (!(i >= 0 && i < vector.length)) return null;
  const { find, chunks } = readerOf(vector);
  const [chunk, row] = find(i);
  return chunks[chunk].valid(row) ? chunks[chunk].text(row) : null;
}
