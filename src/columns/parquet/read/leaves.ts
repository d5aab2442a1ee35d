import { isUtf8 } from "node:buffer";
import type { ParquetParsers, SchemaElement } from "hyparquet";
import type { CellPolicy } from "../../build/bad-cells.js";
import type { ColumnBuilder } from "../../build/builder.js";
import { kindOfLeaf, parquetType } from "../types.js";

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

const WORD = 2 ** 32;

/**
 * How values of a leaf are stored: as they are where leaf and column are of one type, else by their text, as cells of
 * CSV are. What does not fit goes by its text too, so that one place decides what happens to it.
 */
export function leafStore(leaf: SchemaElement, builder: ColumnBuilder, policy: CellPolicy): LeafStore {
  const kind = kindOfLeaf(leaf);
  const { text, isDirect, range } = parquetType(kind);
  const textOf = text(leaf);
  const isText = kind === "text" && leaf.logical_type?.type !== "UUID";
  const byText: LeafStore = (row, value) => {
    // Bytes that are text go as they are, so that invalid UTF-8 is reported.
    const bytes = value instanceof Uint8Array && isText ? value : Buffer.from(textOf(value));
    policy.write(builder, row, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length, 0);
  };
  const column = builder.kind === "unknown" ? "text" : builder.kind;
  if (column !== kind || !isDirect(leaf, builder)) return byText;
  switch (builder.buffer) {
    case "words":
      return integerStore(builder, range?.(builder) ?? ANY, byText);
    case "floats":
      return doubleStore(builder);
    case "bits":
      return booleanStore(builder);
    case "text":
      return textStore(builder, byText);
  }
}

const ANY = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

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

/**
 * Integers, or the bytes of one, highest first, in the 32-bit words of a row. Those outside the range are read from
 * their text.
 */
function integerStore(builder: ColumnBuilder, [least, most]: readonly [number, number], byText: LeafStore): LeafStore {
  const count = builder.stride;
  return (row, value) => {
    const { words } = builder;
    const at = row * count;
    if (value instanceof Uint8Array) {
      if (value.length === 0 || value.length > count * 4) return byText(row, value);
      const near = putBytes(value, words, at, count);
      if (!(near >= least && near <= most)) byText(row, value);
      return;
    }
    const near = Number(value);
    if (!(near >= least && near <= most)) return byText(row, value);
    if (Number.isSafeInteger(near)) {
      words[at] = near;
      if (count === 1) return;
      words[at + 1] = Math.floor(near / WORD);
      for (let k = 2; k < count; k++) words[at + k] = near < 0 ? -1 : 0;
    } else {
      let rest = BigInt(value as bigint);
      for (let k = 0; k < count; k++, rest >>= 32n) words[at + k] = Number(BigInt.asIntN(32, rest));
    }
  };
}

/**
 * Puts a signed integer of at most `count` 32-bit words, highest byte first, into `words`, lowest first; returns its
 * nearest double.
 */
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
  // Values of a dictionary page are one and the same object in every row.
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

export function forgetType(leaf: SchemaElement): void {
  delete leaf.converted_type;
  delete leaf.logical_type;
}
