import { joinedBytes } from "../../../../platform/node/bytes.js";
import { BeyondUnit, ParquetFault } from "../format/fault.js";
import type { Grow } from "../format/growth.js";
import type { Encoding, Leaf } from "../format/types.js";
import {
  decodeBigEndian,
  decodeDelta,
  decodeHybrid,
  decodeWidened,
  type IntegerLayout,
  type Integers,
  type Range,
} from "./decoders.js";

/** The values of a page, nulls left out, as stores of a leaf take them. */
export type Values =
  /** Integers, unscaled decimals and times: `stride` words of 32 bits each, lowest first. */
  | { readonly kind: "words"; readonly words: Int32Array; readonly stride: number; readonly range?: Range }
  | { readonly kind: "doubles"; readonly doubles: Float64Array }
  /** 1 or 0 each. */
  | { readonly kind: "booleans"; readonly booleans: Int32Array | Uint8Array }
  | Texts
  /** Numbers of texts in a dictionary. */
  | { readonly kind: "numbered"; readonly numbers: Int32Array; readonly dictionary: Texts };

/** Texts or other bytes: value `i` is `bytes` from `starts[i]` to `ends[i]`. */
export interface Texts {
  readonly kind: "texts";
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** How integers of a leaf are wanted. */
export interface Wanted {
  /** Words of 32 bits of each; enough for the leaf's type. */
  readonly stride: number;
  /** Takes the bytes of texts that are longer than the page. */
  readonly grow?: Grow;
}

/** How the values of a page are encoded. */
interface EncodedValues {
  readonly encoding: Encoding;
  /** How many there are. */
  readonly count: number;
  /** Of the chunk, where it has one. */
  readonly dictionary?: Values | undefined;
}

/**
 * Decodes the values of a page. Integers are valid until the next page of any column is decoded.
 *
 * @throws {ParquetFault}
 */
export function decodeValues(
  bytes: Uint8Array,
  { encoding, count, dictionary }: EncodedValues,
  leaf: Leaf,
  wanted: Wanted,
): Values {
  switch (encoding) {
    case "PLAIN":
      return plainValues(bytes, leaf, count, wanted);
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY":
      return numberedValues(bytes, count, dictionary);
    case "DELTA_BINARY_PACKED":
      if (leaf.type !== "INT32" && leaf.type !== "INT64") break;
      return integers(decodeDelta(bytes, count, layoutOf(leaf, wanted)), wanted);
    case "DELTA_LENGTH_BYTE_ARRAY":
      if (leaf.type !== "BYTE_ARRAY") break;
      return ofBytes(lengthTexts(bytes, count), leaf, wanted);
    case "DELTA_BYTE_ARRAY":
      if (leaf.type !== "BYTE_ARRAY" && leaf.type !== "FIXED_LEN_BYTE_ARRAY") break;
      return ofBytes(prefixedTexts(bytes, count, wanted.grow), leaf, wanted);
    case "BYTE_STREAM_SPLIT":
      if (leaf.type === "BYTE_ARRAY" || leaf.type === "BOOLEAN") break;
      return plainValues(joinedStreams(bytes, widthOf(leaf), count), leaf, count, wanted);
    case "RLE":
      if (leaf.type !== "BOOLEAN") break;
      return { kind: "booleans", booleans: decodeHybrid(bytes.subarray(4), 1, count).slice() };
    case "BIT_PACKED":
      break;
  }
  throw new ParquetFault(`values of type ${leaf.type} cannot have the encoding ${encoding}`);
}

const layoutOf = (leaf: Leaf, { stride }: Wanted): IntegerLayout => ({
  words: stride,
  narrow: leaf.type === "INT32",
  unsigned: isUnsigned(leaf),
});

const integers = ({ words, range }: Integers, { stride }: Wanted): Values => ({ kind: "words", words, stride, range });

const isUnsigned = ({ meaning }: Leaf): boolean => meaning.kind === "integer" && !meaning.signed;

/** Bytes of a value of a fixed width. */
function widthOf({ type, width }: Leaf): number {
  switch (type) {
    case "INT32":
    case "FLOAT":
      return 4;
    case "INT64":
    case "DOUBLE":
      return 8;
    case "INT96":
      return 12;
    default:
      return width;
  }
}

function plainValues(bytes: Uint8Array, leaf: Leaf, count: number, wanted: Wanted): Values {
  const { type } = leaf;
  if (type === "BYTE_ARRAY") return ofBytes(plainTexts(bytes, count), leaf, wanted);
  if (type === "BOOLEAN") return { kind: "booleans", booleans: bitsOf(bytes, count) };
  const width = widthOf(leaf);
  if (width === 0 || bytes.length < width * count) throw new ParquetFault("a page ends early");
  switch (type) {
    case "INT32":
    case "INT64":
      return integers(decodeWidened(bytes, count, layoutOf(leaf, wanted)), wanted);
    case "INT96":
      return { kind: "words", words: instants96(bytes, count, leaf), stride: 2 };
    case "FLOAT":
      return { kind: "doubles", doubles: Float64Array.from(new Float32Array(aligned(bytes, count * 4))) };
    case "DOUBLE":
      return { kind: "doubles", doubles: new Float64Array(aligned(bytes, count * 8)) };
    case "FIXED_LEN_BYTE_ARRAY": {
      const { kind } = leaf.meaning;
      if (kind === "decimal") {
        return {
          kind: "words",
          words: decodeBigEndian(bytes, width, count, wanted.stride),
          stride: wanted.stride,
        };
      }
      if (kind === "float16") return { kind: "doubles", doubles: halves(bytes, count) };
      const starts = Int32Array.from({ length: count }, (_, i) => i * width);
      return { kind: "texts", bytes, starts, ends: starts.map((start) => start + width) };
    }
  }
}

/** The first `length` bytes in memory of their own. */
function aligned(bytes: Uint8Array, length: number): ArrayBuffer {
  const copy = new Uint8Array(length);
  copy.set(bytes.subarray(0, length));
  return copy.buffer;
}

const JULIAN_1970 = 2_440_588;
const NANOS_PER_DAY = 86_400_000_000_000n;

/**
 * The older timestamps of 96 bits, nanoseconds of the day and then the Julian day, as integers of 64 bits in the unit
 * of the leaf since 1970.
 *
 * @throws {BeyondUnit} where they do not fit
 */
function instants96(bytes: Uint8Array, count: number, { meaning }: Leaf): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const out = new BigInt64Array(count);
  const perUnit = "unit" in meaning && meaning.unit === "MICROS" ? 1000n : 1n;
  for (let i = 0; i < count; i++) {
    const day = BigInt(view.getInt32(i * 12 + 8, true) - JULIAN_1970);
    const nanos = day * NANOS_PER_DAY + view.getBigInt64(i * 12, true);
    out[i] = nanos / perUnit;
    if (out[i] * perUnit !== nanos) throw new BeyondUnit();
  }
  return new Int32Array(out.buffer);
}

function halves(bytes: Uint8Array, count: number): Float64Array {
  const out = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const bits = bytes[2 * i] | (bytes[2 * i + 1] << 8);
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const size =
      exponent === 31
        ? fraction === 0
          ? Number.POSITIVE_INFINITY
          : Number.NaN
        : exponent === 0
          ? fraction * 2 ** -24
          : (1024 + fraction) * 2 ** (exponent - 25);
    out[i] = bits & 0x8000 ? -size : size;
  }
  return out;
}

function bitsOf(bytes: Uint8Array, count: number): Uint8Array {
  if (bytes.length * 8 < count) throw new ParquetFault("a page ends early");
  const out = new Uint8Array(count);
  for (let i = 0; i < count; i++) out[i] = (bytes[i >> 3] >> (i & 7)) & 1;
  return out;
}

/** Bytes of which the first of each value come first, then the second of each, and so on. */
function joinedStreams(bytes: Uint8Array, width: number, count: number): Uint8Array {
  if (bytes.length < width * count) throw new ParquetFault("a page ends early");
  const out = new Uint8Array(width * count);
  for (let k = 0; k < width; k++) {
    for (let i = 0, at = k; i < count; i++, at += width) out[at] = bytes[k * count + i];
  }
  return out;
}

/** Texts of four bytes of length each and their bytes. */
function plainTexts(bytes: Uint8Array, count: number): Texts {
  // Each has its length at least.
  if (bytes.length < count * 4) throw new ParquetFault("a page ends early");
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  let p = 0;
  for (let i = 0; i < count; i++) {
    const length = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16) | (bytes[p + 3] << 24);
    p += 4;
    if (!(length >= 0 && length <= bytes.length - p)) throw new ParquetFault("a page ends early");
    starts[i] = p;
    p += length;
    ends[i] = p;
  }
  return { kind: "texts", bytes, starts, ends };
}

/** Their lengths, then their bytes. */
function lengthTexts(bytes: Uint8Array, count: number): Texts {
  const { words, bytes: used } = decodeDelta(bytes, count, { words: 1, narrow: true, unsigned: false });
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  let p = used;
  for (let i = 0; i < count; i++) {
    if (!(words[i] >= 0 && words[i] <= bytes.length - p)) throw new ParquetFault("a page ends early");
    starts[i] = p;
    p += words[i];
    ends[i] = p;
  }
  return { kind: "texts", bytes, starts, ends };
}

/** More bytes than any page holds uncompressed; a sum of prefixes beyond is damage. */
const MOST_PAGE = 2 ** 30;

/** How many bytes each shares with the one before, then the rest of each. */
function prefixedTexts(bytes: Uint8Array, count: number, grow: Grow | undefined): Texts {
  const layout = { words: 1, narrow: true, unsigned: false };
  const { words, bytes: used } = decodeDelta(bytes, count, layout);
  const prefixes = words.slice();
  const rest = bytes.subarray(used);
  const suffixes = lengthTexts(rest, count);
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  let size = 0;
  let before = 0;
  for (let i = 0; i < count; i++) {
    if (!(prefixes[i] >= 0 && prefixes[i] <= before)) throw new ParquetFault("a text shares more than there is");
    before = prefixes[i] + suffixes.ends[i] - suffixes.starts[i];
    size += before;
    if (size > MOST_PAGE) throw new ParquetFault("the texts of a page are too long");
  }
  grow?.(size);
  const out = new Uint8Array(size);
  for (let i = 0, at = 0; i < count; i++) {
    starts[i] = at;
    if (i > 0) out.copyWithin(at, starts[i - 1], starts[i - 1] + prefixes[i]);
    at += prefixes[i];
    out.set(rest.subarray(suffixes.starts[i], suffixes.ends[i]), at);
    at += suffixes.ends[i] - suffixes.starts[i];
    ends[i] = at;
  }
  return { kind: "texts", bytes: out, starts, ends };
}

/** Bytes of a leaf that are decimals become integers; other bytes stay. */
function ofBytes(texts: Texts, { type, width, meaning }: Leaf, { stride }: Wanted): Values {
  const { bytes, starts, ends } = texts;
  if (type === "FIXED_LEN_BYTE_ARRAY") {
    for (let i = 0; i < starts.length; i++)
      if (ends[i] - starts[i] !== width) throw new ParquetFault(`a value has not ${width} bytes`);
  }
  if (meaning.kind !== "decimal") {
    if (meaning.kind !== "float16") return texts;
    return {
      kind: "doubles",
      doubles: halves(joinedBytes([...starts].map((start) => bytes.subarray(start, start + 2))), starts.length),
    };
  }
  const words = new Int32Array(starts.length * stride);
  for (let i = 0; i < starts.length; i++) putBigEndian(texts, i, words, stride);
  return { kind: "words", words, stride };
}

/** A signed integer, highest byte first, as 32-bit words, lowest first. */
function putBigEndian({ bytes, starts, ends }: Texts, i: number, words: Int32Array, stride: number): void {
  const end = ends[i];
  let from = starts[i];
  if (end === from) throw new ParquetFault("a decimal has no bytes");
  const sign = bytes[from] < 128 ? 0 : -1;
  // Bytes that only repeat the sign may be more than there is room for.
  for (; end - from > stride * 4; from++)
    if ((bytes[from] << 24) >> 24 !== sign) throw new ParquetFault("a decimal is too long for its type");
  for (let k = 0, last = end; k < stride; k++, last -= 4) {
    let word = sign;
    for (let p = Math.max(from, last - 4); p < last; p++) word = (word << 8) | bytes[p];
    words[i * stride + k] = word;
  }
}

function numberedValues(bytes: Uint8Array, count: number, dictionary: Values | undefined): Values {
  if (dictionary === undefined) throw new ParquetFault("a page needs a dictionary, and there is none");
  const numbers = count === 0 ? new Int32Array(0) : decodeHybrid(bytes.subarray(1), bytes[0], count);
  switch (dictionary.kind) {
    case "words": {
      const { stride, words, range } = dictionary;
      checkNumbers(numbers, words.length / stride);
      return { kind: "words", words: gathered(numbers, words, stride), stride, range };
    }
    case "doubles": {
      const { doubles } = dictionary;
      checkNumbers(numbers, doubles.length);
      const out = new Float64Array(count);
      for (let i = 0; i < count; i++) out[i] = doubles[numbers[i]];
      return { kind: "doubles", doubles: out };
    }
    case "texts":
      checkNumbers(numbers, dictionary.starts.length);
      return { kind: "numbered", numbers, dictionary };
    case "booleans":
    case "numbered":
      throw new ParquetFault("truth values have no dictionary");
  }
}

function checkNumbers(numbers: Int32Array, length: number): void {
  let most = 0;
  for (let i = 0; i < numbers.length; i++) most = Math.max(most, numbers[i] >>> 0);
  if (most >= length && numbers.length > 0) throw new ParquetFault("a value is outside the dictionary");
}

function gathered(numbers: Int32Array, words: Int32Array, stride: number): Int32Array {
  const count = numbers.length;
  const out = new Int32Array(count * stride);
  if (stride === 1) for (let i = 0; i < count; i++) out[i] = words[numbers[i]];
  else if (stride === 2) {
    for (let i = 0, at = 0; i < count; i++, at += 2) {
      const from = numbers[i] << 1;
      out[at] = words[from];
      out[at + 1] = words[from + 1];
    }
  } else {
    for (let i = 0, at = 0; i < count; i++) {
      for (let k = 0, from = numbers[i] * stride; k < stride; k++) out[at++] = words[from++];
    }
  }
  return out;
}
