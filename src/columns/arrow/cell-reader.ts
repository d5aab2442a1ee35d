import { DataError } from "../../errors/errors.js";
import { formatDate } from "../../value/date.js";
import { decimalNumber, decimalText, unscaled } from "../../value/decimal.js";
import { formatNumber } from "../../value/number.js";
import { type Data, type DataType, DateUnit, type Decimal, TimeUnit, Type, Vector } from "./arrow.js";
import { LONGEST_INLINE, VIEW_BYTES } from "./data-faults.js";
import { nestedText, unionCells } from "./nested-cells.js";

/** What a cell is in JavaScript: design §5, `rows()` with its defaults. */
export type Cell = string | number | bigint | boolean | null;

/** Reads of one chunk by row number within it; none of them looks at validity. */
export interface ChunkReader {
  readonly valid: (i: number) => boolean;
  readonly value: (i: number) => Cell;
  readonly text: (i: number) => string;
  /** The nearest double (instants and dates in milliseconds); absent for text. */
  readonly number?: (i: number) => number;
  /** The exact integer: unscaled decimals, integers, days of dates, the unit of instants; absent for other types. */
  readonly integer?: (i: number) => bigint;
  /** Milliseconds since 1970-01-01 UTC; dates and instants only. */
  readonly time?: (i: number) => number;
}

const MS_PER_DAY = 86_400_000;
const readers = new WeakMap<Data, ChunkReader>();

/** The reader of a chunk, over its raw buffers. Arrow's own accessors misread decimals, dates and byte order marks. */
export function chunkReader(data: Data): ChunkReader {
  let reader = readers.get(data);
  if (reader === undefined) {
    reader = { valid: validity(data), ...typedReader(data) };
    readers.set(data, reader);
  }
  return reader;
}

/** Whether row `i` of the chunk holds a value; a dictionary may itself hold nulls. */
export function validity(data: Data): (i: number) => boolean {
  const own = bitmapOf(data);
  const words = data.dictionary as Vector | undefined;
  if (data.type.typeId !== Type.Dictionary || words === undefined || words.nullCount === 0) return own;
  const find = chunkFinder(words);
  const chunks = words.data.map((chunk) => validity(chunk as Data));
  return (i) => {
    if (!own(i)) return false;
    const [chunk, row] = find(Number(data.values[i]));
    return chunks[chunk](row);
  };
}

function bitmapOf(data: Data): (i: number) => boolean {
  const { nullBitmap, offset } = data;
  if (data.type.typeId === Type.Null) return () => false;
  if (data.type.typeId === Type.Union) return (i) => data.getValid(i);
  if (data.nullCount === 0 || nullBitmap === undefined || nullBitmap === null || nullBitmap.length === 0) {
    return () => true;
  }
  return (i) => (nullBitmap[(offset + i) >> 3] & (1 << ((offset + i) & 7))) !== 0;
}

type Typed = Omit<ChunkReader, "valid">;

function typedReader(data: Data): Typed {
  const type = data.type as DataType;
  switch (type.typeId) {
    case Type.Null:
      return { value: () => null, text: () => "" };
    case Type.Bool:
      return booleans(data);
    case Type.Int:
      return integers(data);
    case Type.Float:
      return floats(data);
    case Type.Decimal:
      return decimals(data, type as Decimal);
    case Type.Date:
      return dates(data);
    case Type.Timestamp:
      return instants(data);
    case Type.Utf8:
    case Type.LargeUtf8:
      return texts(data);
    case Type.Utf8View:
      return viewedTexts(data);
    case Type.Dictionary:
      return dictionary(data);
    case Type.Union:
      return unionCells(data, chunkReader);
    default: {
      const text = nestedText(data, chunkReader);
      return text === undefined ? anything(data) : { value: text, text };
    }
  }
}

function booleans(data: Data): Typed {
  const bits = data.values as Uint8Array;
  const at = (i: number): boolean => (bits[(data.offset + i) >> 3] & (1 << ((data.offset + i) & 7))) !== 0;
  return { value: at, text: (i) => String(at(i)), number: (i) => (at(i) ? 1 : 0) };
}

/** A whole number when it is safe, else a bigint. */
function safeInteger(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

function integers(data: Data): Typed {
  const values = data.values as Int32Array | BigInt64Array;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    return {
      value: (i) => safeInteger(values[i]),
      text: (i) => values[i].toString(),
      number: (i) => Number(values[i]),
      integer: (i) => values[i],
    };
  }
  return {
    value: (i) => values[i],
    text: (i) => String(values[i]),
    number: (i) => values[i],
    integer: (i) => BigInt(values[i]),
  };
}

function floats(data: Data): Typed {
  const values = data.values as Float64Array | Uint16Array;
  const at = values instanceof Uint16Array ? (i: number) => half(values[i]) : (i: number) => values[i];
  return { value: at, text: (i) => formatNumber(at(i)), number: at };
}

/** The value of an IEEE 754 half. */
function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

function decimals(data: Data, type: Decimal): Typed {
  const words = data.values as Uint32Array;
  const count = type.bitWidth / 32;
  const { scale } = type;
  const number = (i: number): number => decimalNumber(words, i * count, count, scale);
  return {
    value: number,
    number,
    text: (i) => decimalText(words, i * count, count, scale),
    integer: (i) => unscaled(words, i * count, count),
  };
}

function dates(data: Data): Typed {
  const values = data.values as Int32Array | BigInt64Array;
  const unit = (data.type as unknown as { unit: DateUnit }).unit;
  const days =
    unit === DateUnit.DAY
      ? (i: number): number => Number(values[i])
      : (i: number): number => Math.floor(Number(values[i]) / MS_PER_DAY);
  const time = (i: number): number => days(i) * MS_PER_DAY;
  const text = (i: number): string => formatDate(days(i));
  return { value: text, text, number: time, time, integer: (i) => BigInt(days(i)) };
}

const UNITS_PER_SECOND: Readonly<Record<number, bigint>> = {
  [TimeUnit.SECOND]: 1n,
  [TimeUnit.MILLISECOND]: 1_000n,
  [TimeUnit.MICROSECOND]: 1_000_000n,
  [TimeUnit.NANOSECOND]: 1_000_000_000n,
};

function instants(data: Data): Typed {
  const values = data.values as BigInt64Array;
  const { unit, timezone } = data.type as unknown as { unit: TimeUnit; timezone?: string | null };
  const perSecond = UNITS_PER_SECOND[unit];
  const zone = timezone ? "Z" : "";
  const time = (i: number): number => (Number(values[i]) * 1000) / Number(perSecond);
  const text = (i: number): string => instantText(values[i], perSecond) + zone;
  return { value: text, text, number: time, time, integer: (i) => values[i] };
}

/** `YYYY-MM-DDThh:mm:ss` with as many digits after the seconds, in threes, as there are. */
function instantText(value: bigint, perSecond: bigint): string {
  const rest = ((value % perSecond) + perSecond) % perSecond;
  const seconds = Number((value - rest) / perSecond);
  const days = Math.floor(seconds / 86_400);
  const clock = new Date((seconds - days * 86_400) * 1000).toISOString().slice(11, 19);
  const width = perSecond.toString().length - 1;
  const fraction =
    rest === 0n
      ? ""
      : `.${rest
          .toString()
          .padStart(width, "0")
          .replace(/(?:000)+$/, "")}`;
  return `${formatDate(days)}T${clock}${fraction}`;
}

/** Bytes `start` to `end` as text; unlike TextDecoder's default, a byte order mark is a character like any other. */
function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
}

function texts(data: Data): Typed {
  const bytes = data.values as Uint8Array;
  const offsets = data.valueOffsets as Int32Array | BigInt64Array;
  const text = (i: number): string => decode(bytes, Number(offsets[i]), Number(offsets[i + 1]));
  return { value: text, text };
}

function viewedTexts({ values, variadicBuffers }: Data): Typed {
  const bytes = values as Uint8Array;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (i: number): string => {
    const at = i * VIEW_BYTES;
    const size = view.getInt32(at, true);
    if (size <= LONGEST_INLINE) return decode(bytes, at + 4, at + 4 + size);
    const offset = view.getInt32(at + 12, true);
    return decode(variadicBuffers[view.getInt32(at + 8, true)], offset, offset + size);
  };
  return { value: text, text };
}

function dictionary(data: Data): Typed {
  const indices = data.values as Int32Array | BigInt64Array;
  const words = data.dictionary as Vector;
  const read = dictionaryReader(words);
  const at = (i: number): number => {
    const index = Number(indices[i]);
    if (index >= 0 && index < words.length) return index;
    throw new DataError(`Dictionary index ${index} is outside the dictionary of ${words.length} values.`, {
      code: "BadDictionaryIndex",
      row: i,
      hint: "The table is damaged; write it again.",
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

interface DictionaryReader {
  readonly value: (index: number) => Cell;
  readonly text: (index: number) => string;
  readonly number?: (index: number) => number;
  readonly integer?: (index: number) => bigint;
  readonly time?: (index: number) => number;
}

const dictionaryReaders = new WeakMap<Vector, DictionaryReader>();

/** The reader of a dictionary's values; strings are decoded once and shared by every row that points at them. */
function dictionaryReader(words: Vector): DictionaryReader {
  let reader = dictionaryReaders.get(words);
  if (reader === undefined) {
    const find = chunkFinder(words);
    const typed = words.data.map(chunkReader);
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
    reader = { value, text, ...of("number"), ...of("integer"), ...of("time") } as DictionaryReader;
    dictionaryReaders.set(words, reader);
  }
  return reader;
}

/** Finds the chunk and the row within it of a row of a vector. */
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

/** Types without a reader of their own, such as bytes and times: Arrow's value, bytes in hexadecimal. */
function anything(data: Data): Typed {
  const vector = new Vector([data]);
  const value = (i: number): Cell => {
    const found: unknown = vector.get(i);
    switch (typeof found) {
      case "string":
      case "number":
      case "bigint":
      case "boolean":
        return found;
      default:
        if (!ArrayBuffer.isView(found)) return null;
        return Buffer.from(found.buffer, found.byteOffset, found.byteLength).toString("hex");
    }
  };
  return { value, text: (i) => String(value(i)) };
}
