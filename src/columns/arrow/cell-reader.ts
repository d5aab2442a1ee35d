import { DataError } from "../../errors/errors.js";
import { type Data, type DataType, Type, type Vector } from "./arrow.js";
import type { Cell, TypedReader } from "./typed-readers.js";
import { columnType } from "./types.js";

/** Reads the cells of one chunk by row number. Only `valid` checks validity. */
export interface ChunkReader extends TypedReader {
  readonly valid: (i: number) => boolean;
}

const readers = new WeakMap<Data, ChunkReader>();

/**
 * Returns the reader of a chunk, which reads the raw buffers: Arrow's own accessors misread decimals, dates and byte
 * order marks.
 */
export function chunkReader(data: Data): ChunkReader {
  let reader = readers.get(data);
  if (reader === undefined) {
    reader = { valid: validity(data), ...typedReader(data) };
    readers.set(data, reader);
  }
  return reader;
}

function typedReader(data: Data): TypedReader {
  const type = data.type as DataType;
  return type.typeId === Type.Dictionary ? dictionary(data) : columnType(type).read(data, chunkReader);
}

/** Returns whether row `i` of the chunk holds a value. A dictionary may itself hold nulls. */
export function validity(data: Data): (i: number) => boolean {
  const own = bitmapOf(data);
  const values = data.dictionary as Vector | undefined;
  if (data.type.typeId !== Type.Dictionary || values === undefined || values.nullCount === 0) return own;
  const find = chunkFinder(values);
  const chunks = values.data.map((chunk) => validity(chunk as Data));
  return (i) => {
    if (!own(i)) return false;
    const [chunk, row] = find(Number(data.values[i]));
    return chunks[chunk](row);
  };
}

/** {@link ChunkReader.valid} of a chunk without nulls. */
export const ALL_VALID = (): boolean => true;

function bitmapOf(data: Data): (i: number) => boolean {
  const { nullBitmap, offset } = data;
  if (data.type.typeId === Type.Null) return () => false;
  if (data.type.typeId === Type.Union) return (i) => data.getValid(i);
  if (data.nullCount === 0 || nullBitmap === undefined || nullBitmap === null || nullBitmap.length === 0) {
    return ALL_VALID;
  }
  return (i) => (nullBitmap[(offset + i) >> 3] & (1 << ((offset + i) & 7))) !== 0;
}

function dictionary(data: Data): TypedReader {
  const indices = data.values as Int32Array | BigInt64Array;
  const values = data.dictionary as Vector;
  const read = dictionaryReader(values);
  const at = (i: number): number => {
    const index = Number(indices[i]);
    if (index >= 0 && index < values.length) return index;
    throw new DataError(`Dictionary index ${index} is outside the dictionary of ${values.length} values.`, {
      code: "BadDictionaryIndex",
      row: i,
      hint: "The table is corrupt; write it again.",
    });
  };
  const { number, integer, time } = read;
  return {
    value: (i) => read.value(at(i)),
    text: (i) => read.text(at(i)) ?? "",
    ...(number && { number: (i: number) => number(at(i)) }),
    ...(integer && { integer: (i: number) => integer(at(i)) }),
    ...(time && { time: (i: number) => time(at(i)) }),
  };
}

const dictionaryReaders = new WeakMap<Vector, TypedReader>();

/** The reader of a dictionary's values. Strings are decoded once and shared by all rows that refer to them. */
function dictionaryReader(values: Vector): TypedReader {
  let reader = dictionaryReaders.get(values);
  if (reader === undefined) {
    const find = chunkFinder(values);
    const typed = values.data.map(chunkReader);
    const [first] = typed;
    const cached: (string | undefined)[] = [];
    const text = (index: number): string => {
      let found = cached[index];
      if (found === undefined) {
        const [chunk, i] = find(index);
        found = typed[chunk].text(i);
        cached[index] = found;
      }
      return found;
    };
    const isText = first !== undefined && first.number === undefined;
    const value = (index: number): Cell => {
      const [chunk, i] = find(index);
      return isText ? text(index) : typed[chunk].value(i);
    };
    const of = <K extends "number" | "integer" | "time">(name: K) =>
      first?.[name] && {
        [name]: (index: number) => {
          const [chunk, i] = find(index);
          return (typed[chunk][name] as (i: number) => unknown)(i);
        },
      };
    reader = { value, text, ...of("number"), ...of("integer"), ...of("time") } as TypedReader;
    dictionaryReaders.set(values, reader);
  }
  return reader;
}

/** Maps a row of a vector to its chunk and the row within it. */
export function chunkFinder(vector: Vector): (i: number) => readonly [chunk: number, row: number] {
  const starts: number[] = [];
  let total = 0;
  for (const data of vector.data) {
    starts.push(total);
    total += data.length;
  }
  if (starts.length <= 1) return (i) => [0, i];
  return (i) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= i) low = middle;
      else high = middle - 1;
    }
    return [low, i - starts[low]];
  };
}
