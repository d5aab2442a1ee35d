import { isUtf8 } from "node:buffer";
import type { ParquetParsers, SchemaElement } from "hyparquet";
import { FIRST_DAY, formatDate, LAST_DAY } from "../../../value/date.js";
import { unscaledText } from "../../../value/decimal.js";
import { formatInstant } from "../../../value/instant.js";
import { formatNumber } from "../../../value/number.js";
import type { CellPolicy } from "../../build/bad-cells.js";
import {
  BOOLEAN,
  type ColumnBuilder,
  DATE,
  DECIMAL128,
  DECIMAL256,
  FLOAT,
  INSTANT,
  INTEGER,
  TEXT,
} from "../../build/builder.js";
import { bigEndian } from "../big-endian.js";

/** Everything stays what the file holds. */
export const PARSERS: ParquetParsers = {
  timestampFromMilliseconds: (ms) => ms,
  timestampFromMicroseconds: (us) => us,
  timestampFromNanoseconds: (ns) => ns,
  dateFromDays: (days) => days,
  stringFromBytes: (bytes) => bytes as unknown as string,
  jsonFromBytes: (bytes) => bytes,
  geometryFromBytes: (bytes) => bytes,
  geographyFromBytes: (bytes) => bytes,
  uuidFromBytes: (bytes) => bytes,
};

/** Puts a value of a leaf, null excepted, into a row of its column. */
export type LeafStore = (row: number, value: unknown) => void;

const MS_PER_DAY = 86_400_000;
const WORD = 2 ** 32;

/**
 * How values of a leaf are stored: as they are where leaf and column are of one kind, else by their text, as cells of CSV are. What does not
 * fit goes by its text too, so that one place decides what happens to it.
 */
export function leafStore(leaf: SchemaElement, builder: ColumnBuilder, policy: CellPolicy): LeafStore {
  const text = textOf(leaf);
  const byText: LeafStore = (row, value) => {
    // Bytes that are text go as they are, so that what is not UTF-8 is told.
    const bytes = value instanceof Uint8Array && isText(leaf) ? value : Buffer.from(text(value));
    policy.write(builder, row, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length, 0);
  };
  const type = serviceType(leaf);
  switch (builder.kind) {
    case DATE:
      return type === "Date" ? dayStore(builder, byText) : byText;
    case INTEGER:
      return type === "Integer" ? integerStore(builder, 2, 2 ** 63, byText) : byText;
    case DECIMAL128:
    case DECIMAL256: {
      if (!isDecimal(leaf) || decimalOf(leaf).scale !== builder.scale) return byText;
      return integerStore(builder, builder.stride, 10 ** builder.precision, byText);
    }
    case FLOAT:
      return type === "double" && builder.notANumber ? doubleStore(builder) : byText;
    case INSTANT:
      return type === "DateTime" && leaf.type === "INT64" && unitsPerMs(leaf) === 1n
        ? instantStore(builder, byText)
        : byText;
    case BOOLEAN:
      return type === "Boolean" ? booleanStore(builder) : byText;
    case TEXT:
      return leaf.type === "BYTE_ARRAY" && type === "String" ? textStore(builder, byText) : byText;
    default:
      return byText;
  }
}

function dayStore(builder: ColumnBuilder, byText: LeafStore): LeafStore {
  return (row, value) => {
    const day = Number(value);
    if (day >= FIRST_DAY && day <= LAST_DAY) builder.words[row] = day;
    else byText(row, value);
  };
}

function instantStore(builder: ColumnBuilder, byText: LeafStore): LeafStore {
  const store = integerStore(builder, 2, 2 ** 63, byText);
  return (row, value) => {
    const ms = Number(value);
    if (ms >= FIRST_DAY * MS_PER_DAY && ms < (LAST_DAY + 1) * MS_PER_DAY) store(row, value);
    else byText(row, value);
  };
}

function doubleStore(builder: ColumnBuilder): LeafStore {
  return (row, value) => {
    builder.floats[row] = Number(value);
  };
}

function booleanStore(builder: ColumnBuilder): LeafStore {
  return (row, value) => {
    if (value === true) builder.bits[row >> 3] |= 1 << (row & 7);
    else builder.bits[row >> 3] &= ~(1 << (row & 7));
  };
}

/** Integers, or the bytes of one, highest first, in `count` words of 32 bits. Those about as large as `limit` go by their text. */
function integerStore(builder: ColumnBuilder, count: number, limit: number, byText: LeafStore): LeafStore {
  const below = limit * (1 - 2 ** -50);
  return (row, value) => {
    const { words } = builder;
    const at = row * count;
    if (value instanceof Uint8Array) {
      if (value.length === 0 || value.length > count * 4) return byText(row, value);
      const near = putBytes(value, words, at, count);
      if (!(near < below && near > -below)) byText(row, value);
      return;
    }
    const near = Number(value);
    if (!(near < below && near > -below)) return byText(row, value);
    if (Number.isSafeInteger(near)) {
      const high = Math.floor(near / WORD);
      words[at] = near - high * WORD;
      words[at + 1] = high;
      for (let k = 2; k < count; k++) words[at + k] = near < 0 ? -1 : 0;
    } else {
      let rest = BigInt(value as bigint);
      for (let k = 0; k < count; k++, rest >>= 32n) words[at + k] = Number(BigInt.asIntN(32, rest));
    }
  };
}

/** Puts a signed integer of at most `count` words, highest byte first, into words, lowest first; gives about its value. */
function putBytes(bytes: Uint8Array, words: Int32Array, at: number, count: number): number {
  const sign = bytes[0] < 128 ? 0 : -1;
  let near = 0;
  for (let k = count - 1, from = bytes.length - count * 4; k >= 0; k--, from += 4) {
    let word = sign;
    for (let i = Math.max(from, 0); i < from + 4; i++) word = (word << 8) | bytes[i];
    words[at + k] = word;
    near = near * WORD + (k === count - 1 ? word : word >>> 0);
  }
  return near;
}

function textStore(builder: ColumnBuilder, byText: LeafStore): LeafStore {
  // Values of a dictionary page are one and the same object wherever they stand.
  let last: unknown;
  let number = 0;
  let dictionary: unknown;
  return (row, value) => {
    if (value === last && builder.dictionary === dictionary && builder.mode !== "utf8") {
      builder.words[row] = number;
      return;
    }
    const bytes = value as Uint8Array;
    if (!isUtf8(bytes)) return byText(row, value);
    builder.setText(row, bytes, 0, bytes.length);
    last = value;
    number = builder.words[row];
    dictionary = builder.dictionary;
  };
}

export function isDecimal(leaf: SchemaElement): boolean {
  return leaf.converted_type === "DECIMAL" || leaf.logical_type?.type === "DECIMAL";
}

export function forgetType(leaf: SchemaElement): void {
  delete leaf.converted_type;
  delete leaf.logical_type;
}

function decimalOf(leaf: SchemaElement): { precision: number; scale: number } {
  const logical = leaf.logical_type as { precision?: number; scale?: number } | undefined;
  return { precision: leaf.precision ?? logical?.precision ?? 38, scale: leaf.scale ?? logical?.scale ?? 0 };
}

/** The service type that holds what a leaf holds. */
export function serviceType(leaf: SchemaElement): string {
  if (isDecimal(leaf)) return `BigDecimal(${decimalOf(leaf).precision},${decimalOf(leaf).scale})`;
  const { type, converted_type: converted, logical_type: logical } = leaf;
  if (converted === "DATE" || logical?.type === "DATE") return "Date";
  if (logical?.type === "TIMESTAMP" || converted?.startsWith("TIMESTAMP_") || type === "INT96") return "DateTime";
  if (converted === "UINT_64" || (logical?.type === "INTEGER" && logical.bitWidth === 64 && !logical.isSigned)) {
    return "BigDecimal(20,0)";
  }
  if (type === "BOOLEAN") return "Boolean";
  if (type === "DOUBLE" || type === "FLOAT" || logical?.type === "FLOAT16") return "double";
  return type === "INT32" || type === "INT64" ? "Integer" : "String";
}

/** Whether the bytes of a leaf are text, or are taken for it. */
function isText(leaf: SchemaElement): boolean {
  return serviceType(leaf) === "String" && leaf.logical_type?.type !== "UUID";
}

/** How a value of a leaf is spelt so that its service type reads it. */
function textOf(leaf: SchemaElement): (value: unknown) => string {
  if (isDecimal(leaf)) {
    const { scale } = decimalOf(leaf);
    return (value) => unscaledText(value instanceof Uint8Array ? bigEndian(value).toString() : String(value), scale);
  }
  switch (serviceType(leaf)) {
    case "Date":
      return (value) => formatDate(Number(value));
    case "DateTime": {
      const perMs = unitsPerMs(leaf);
      return (value) => instantText(BigInt(value as bigint), perMs);
    }
    case "double":
      return (value) => formatNumber(Number(value));
    default:
      return (value) => (value instanceof Uint8Array ? uuidText(value) : String(value));
  }
}

function unitsPerMs(leaf: SchemaElement): bigint {
  const unit = (leaf.logical_type as { unit?: string } | undefined)?.unit;
  if (leaf.type === "INT96" || unit === "NANOS") return 1_000_000n;
  return unit === "MICROS" || leaf.converted_type === "TIMESTAMP_MICROS" ? 1_000n : 1n;
}

/** An instant with every digit of its unit. */
function instantText(value: bigint, perMs: bigint): string {
  const rest = ((value % perMs) + perMs) % perMs;
  const text = formatInstant(Number((value - rest) / perMs));
  if (rest === 0n) return text;
  const whole = text.includes(".") ? text.slice(0, -1) : `${text.slice(0, -1)}.000`;
  return `${whole}${rest.toString().padStart(perMs.toString().length - 1, "0")}Z`;
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
