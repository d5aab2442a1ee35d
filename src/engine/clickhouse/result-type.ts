import {
  type Data,
  type DataType,
  Decimal,
  Dictionary,
  Float64,
  Int32,
  makeData,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  TimeUnit,
  Type,
  Utf8,
  vectorFromArray,
} from "../../columns/arrow/arrow.js";
import { validityBits } from "../../columns/arrow/bits.js";
import { validity } from "../../columns/arrow/cell-reader.js";
import { DataError, InputError } from "../../errors/errors.js";
import { withoutEnd } from "../../value/text.js";

/** A column of a result: its Arrow type here, and how a column as the server sends it becomes one. */
export interface ResultColumn {
  readonly type: DataType;
  readonly convert: (data: Data) => Data;
}

/**
 * Arrow types that the server uses for several of its own, which only the name of its type distinguishes:
 * `DateTime` is sent as an unsigned integer, an enum as a small one, wide integers as bytes.
 */
export function isAmbiguous(type: DataType): boolean {
  switch (type.typeId) {
    case Type.Int: {
      const { isSigned, bitWidth } = type as unknown as { isSigned: boolean; bitWidth: number };
      return isSigned ? bitWidth <= 16 : bitWidth === 32;
    }
    case Type.FixedSizeBinary:
    case Type.Binary:
      return true;
    default:
      return (type.children ?? []).length > 0;
  }
}

/** The widest decimal; wider integers are an error. */
const MOST_DIGITS = 76;
const DIGITS_128 = 39;

/**
 * How a column is read.
 *
 * @param found the name of the server's type; undefined where the Arrow type leaves no doubt
 * @throws {InputError} UnsupportedType for types whose values would be misread
 */
export function resultColumn(name: string, type: DataType, found: string | undefined): ResultColumn {
  if (type.typeId === Type.Timestamp) {
    const { unit } = type as unknown as { unit: TimeUnit };
    const utc = new TIMESTAMPS[unit]("UTC");
    return { type: utc, convert: (data) => data.clone(utc) };
  }
  const server = found === undefined ? undefined : inner(found);
  if (server === undefined) return same(type);
  const [, word, rest] = /^(\w+)(?:\(([\s\S]*)\))?$/.exec(server) ?? [];
  const text = (print: (bytes: Uint8Array) => string): ResultColumn => ({
    type: new Utf8(),
    convert: (data) => printed(data, print),
  });
  const wide = (precision: number, isSigned: boolean): ResultColumn => {
    const decimal = new Decimal(0, precision, 256);
    return { type: decimal, convert: (data) => wideIntegers(name, data, decimal, isSigned) };
  };
  switch (word) {
    case "DateTime":
    case "DateTime32":
      return { type: new TimestampSecond("UTC"), convert: seconds };
    case "Enum8":
    case "Enum16":
      return enumColumn(enumNames(rest ?? ""));
    case "Int128":
      return wide(DIGITS_128, true);
    case "UInt128":
      return wide(DIGITS_128, false);
    case "Int256":
      return wide(MOST_DIGITS, true);
    case "UInt256":
      return wide(MOST_DIGITS, false);
    case "UUID":
      return text(uuidText);
    case "IPv4":
      return text((bytes) => [bytes[3], bytes[2], bytes[1], bytes[0]].join("."));
    case "IPv6":
      return text(ipv6Text);
    case "FixedString":
      return text((bytes) => withoutEnd(decoder.decode(bytes), "\0"));
    case "BFloat16":
      return { type: new Float64(), convert: halfFloats };
    case "String":
      return { type: new Utf8(), convert: (data) => data.clone(new Utf8() as DataType) };
  }
  const isNested = (type.children ?? []).length > 0;
  if (!(isNested ? MISREAD.test(server) : isBytes(type))) return same(type);
  throw new InputError(`Column ${JSON.stringify(name)} of the result is ${server}, which Arrow cannot express.`, {
    code: "UnsupportedType",
    column: name,
    hint: `Convert it in the statement: toString(${name}).`,
  });
}

const same = (type: DataType): ResultColumn => ({ type, convert: (data) => data });

/** Types that would be misread inside a list, tuple or map. */
const MISREAD =
  /\b(?:DateTime(?:32)?|Enum(?:8|16)|U?Int(?:128|256)|UUID|IPv[46]|FixedString|BFloat16|AggregateFunction)\b/;

const isBytes = (type: DataType): boolean => type.typeId === Type.FixedSizeBinary || type.typeId === Type.Binary;

const TIMESTAMPS = {
  [TimeUnit.SECOND]: TimestampSecond,
  [TimeUnit.MILLISECOND]: TimestampMillisecond,
  [TimeUnit.MICROSECOND]: TimestampMicrosecond,
  [TimeUnit.NANOSECOND]: TimestampNanosecond,
};

function inner(found: string): string {
  const match = /^(?:Nullable|LowCardinality|SimpleAggregateFunction\(\w+,\s*)\(?([\s\S]*)\)$/.exec(found);
  return match === null ? found : inner(match[1]);
}

const decoder = new TextDecoder();

const nullsOf = (data: Data): { nullCount: number; nullBitmap?: Uint8Array } => {
  const nullBitmap = validityBits(data);
  return nullBitmap === undefined ? { nullCount: 0 } : { nullCount: data.nullCount, nullBitmap };
};

function seconds(data: Data): Data {
  const values = BigInt64Array.from(data.values as unknown as Uint32Array, BigInt);
  return makeData({ type: new TimestampSecond("UTC"), length: data.length, data: values, ...nullsOf(data) } as never);
}

function halfFloats(data: Data): Data {
  const { valueOffsets, values } = data as unknown as { valueOffsets: Int32Array; values: Uint8Array };
  const out = new Float64Array(data.length);
  const bits = new DataView(new ArrayBuffer(4));
  for (let i = 0; i < data.length; i++) {
    const at = valueOffsets[i];
    bits.setUint32(0, ((values[at] | (values[at + 1] << 8)) << 16) >>> 0);
    out[i] = bits.getFloat32(0);
  }
  return makeData({ type: new Float64(), length: data.length, data: out, ...nullsOf(data) });
}

/** Integers of 128 and 256 bits, sent as little-endian bytes. */
function wideIntegers(name: string, data: Data, type: Decimal, isSigned: boolean): Data {
  const source = data.values as unknown as Uint8Array;
  const width = (data.type as unknown as { byteWidth: number }).byteWidth;
  const limit = 10n ** BigInt(type.precision);
  const valid = validity(data);
  const out = new Uint8Array(32 * data.length);
  const view = new DataView(out.buffer);
  for (let i = 0; i < data.length; i++) {
    if (!valid(i)) continue;
    out.set(source.subarray(width * i, width * (i + 1)), 32 * i);
    const isNegative = isSigned && out[32 * i + width - 1] > 127;
    if (isNegative) out.fill(255, 32 * i + width, 32 * (i + 1));
    if (width < 32) continue;
    let value = isNegative ? -1n : 0n;
    for (let word = 24; word >= 0; word -= 8) value = (value << 64n) | view.getBigUint64(32 * i + word, true);
    if (value > -limit && value < limit) continue;
    throw new DataError(`Column ${JSON.stringify(name)} of the result is ${value}, which has more than 76 digits.`, {
      code: "EngineData",
      column: name,
      value: String(value),
      hint: `Convert it in the statement: toString(${name}).`,
    });
  }
  const words = new Uint32Array(out.buffer);
  return makeData({ type, length: data.length, data: words, ...nullsOf(data) } as never);
}

function printed(data: Data, print: (bytes: Uint8Array) => string): Data {
  const { buffer, byteOffset, byteLength } = data.values as unknown as Uint8Array;
  const width = data.length === 0 ? 0 : byteLength / data.length;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const valid = validity(data);
  const offsets = new Int32Array(data.length + 1);
  const parts: Uint8Array[] = [];
  const encoder = new TextEncoder();
  for (let i = 0; i < data.length; i++) {
    const part = valid(i) ? encoder.encode(print(bytes.subarray(width * i, width * (i + 1)))) : EMPTY;
    parts.push(part);
    offsets[i + 1] = offsets[i] + part.length;
  }
  const all = new Uint8Array(Buffer.concat(parts));
  return makeData({ type: new Utf8(), length: data.length, valueOffsets: offsets, data: all, ...nullsOf(data) });
}

const EMPTY = new Uint8Array(0);

const uuidText = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** RFC 5952: the longest run of at least two zero groups becomes `::`; an IPv4 address inside is written as one. */
function ipv6Text(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] << 8) | bytes[2 * i + 1]).toString(16));
  if (groups.slice(0, 5).every((group) => group === "0") && groups[5] === "ffff") {
    return `::ffff:${bytes.subarray(12).join(".")}`;
  }
  const runs = [
    ...groups
      .map((group) => (group === "0" ? "0" : "x"))
      .join("")
      .matchAll(/0{2,}/g),
  ];
  const longest = runs.reduce<RegExpMatchArray | undefined>(
    (best, run) => (best === undefined || run[0].length > best[0].length ? run : best),
    undefined,
  );
  if (longest === undefined) return groups.join(":");
  const start = longest.index ?? 0;
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + longest[0].length).join(":")}`;
}

/** The names of an enum by their numbers: `'a' = 1, 'it\'s' = 2`. */
function enumNames(list: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const [, name, number] of list.matchAll(/[\s,]*'((?:[^'\\]|\\[\s\S])*)'\s*=\s*(-?\d+)/gy)) {
    names.set(
      Number(number),
      name.replace(/\\([\s\S])/g, (_, character: string) => ESCAPES[character] ?? character),
    );
  }
  return names;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "0": "\0" };

function enumColumn(names: ReadonlyMap<number, string>): ResultColumn {
  const type = new Dictionary(new Utf8(), new Int32());
  const numbers = new Map([...names.keys()].map((number, i) => [number, i]));
  const dictionary = vectorFromArray([...names.values()], new Utf8());
  const convert = (data: Data): Data => {
    const values = data.values as unknown as Int8Array | Int16Array;
    const indices = new Int32Array(data.length);
    for (let i = 0; i < data.length; i++) indices[i] = numbers.get(values[i]) ?? 0;
    return makeData({ type, length: data.length, data: indices, dictionary, ...nullsOf(data) } as never);
  };
  return { type, convert };
}
