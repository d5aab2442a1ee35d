import type { ColumnMetaData, Compressors, PageHeader, SchemaElement } from "hyparquet";
import { ByteReader } from "./byte-reader.js";
import type { ReadHeader } from "./check.js";
import { deltaUnpacked } from "./delta.js";
import { hybridRuns } from "./hybrid-runs.js";

/** The rows of a page: the values there are, and for each row whether it has one (all have, where nothing is said). */
export interface DecodedPage {
  readonly rows: number;
  readonly present?: Int32Array;
  readonly values: Values;
}

/** Values as the store of a leaf takes them. */
type Values = ArrayLike<unknown>;

/** What the library does. */
export interface ParquetTools {
  readonly readHeader: ReadHeader;
  readonly snappyUncompress: (input: Uint8Array, output: Uint8Array) => void;
  readonly compressors: Compressors;
}

const ENCODINGS = new Set(["PLAIN", "RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "DELTA_BINARY_PACKED"]);
const TYPES = new Set(["BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"]);
/** What values may mean; others, such as unsigned integers and 16-bit floats, the library puts right. */
const MEANINGS = new Set([
  "UTF8",
  "ENUM",
  "JSON",
  "DECIMAL",
  "DATE",
  "TIMESTAMP_MILLIS",
  "TIMESTAMP_MICROS",
  "INT_8",
  "INT_16",
  "INT_32",
  "INT_64",
]);
const LOGICAL = new Set(["STRING", "ENUM", "JSON", "DECIMAL", "DATE", "TIMESTAMP"]);

/**
 * The pages of a column of a row group, whose headers were checked. Undefined where a page is of a kind that this does
 * not know: the library reads such a column.
 *
 * @throws {Error} that says what is damaged
 */
export function decodeChunk(
  bytes: ArrayBuffer,
  chunk: ColumnMetaData,
  leaf: SchemaElement,
  tools: ParquetTools,
): DecodedPage[] | undefined {
  if (!chunk.encodings.every((encoding) => ENCODINGS.has(encoding)) || !TYPES.has(chunk.type)) return undefined;
  if (leaf.repetition_type === "REPEATED" || !isPlain(leaf)) return undefined;
  const reader = { view: new DataView(bytes), offset: Number(chunk.dictionary_page_offset || chunk.data_page_offset) };
  const pages: DecodedPage[] = [];
  let dictionary: Values | undefined;
  for (let missing = Number(chunk.num_values); missing > 0; ) {
    const header = tools.readHeader(reader);
    const stored = new Uint8Array(bytes, reader.offset, header.compressed_page_size);
    reader.offset += header.compressed_page_size;
    const inflate = (packed: Uint8Array, length: number): Uint8Array => inflated(packed, length, chunk, tools);
    if (header.type === "DICTIONARY_PAGE") {
      const page = inflate(stored, header.uncompressed_page_size);
      dictionary = plainValues(page, leaf, header.dictionary_page_header?.num_values ?? 0);
      continue;
    }
    const page = dataPage(header, stored, leaf, inflate);
    if (page === undefined) continue;
    const { rows, present, count, encoding, values: part } = page;
    missing -= rows;
    const values = decodeValues(part, encoding, leaf, count, dictionary);
    if (values === undefined) return undefined;
    pages.push({ rows, values, ...(present && { present }) });
  }
  return pages;
}

function isPlain({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  if (converted !== undefined && !MEANINGS.has(converted)) return false;
  return logical === undefined || LOGICAL.has(logical.type) || (logical.type === "INTEGER" && logical.isSigned);
}

interface DataPart {
  readonly rows: number;
  readonly count: number;
  readonly present?: Int32Array;
  readonly encoding: string;
  readonly values: Uint8Array;
}

/** Levels and values of a data page of either version; undefined for other pages. */
function dataPage(
  header: PageHeader,
  stored: Uint8Array,
  leaf: SchemaElement,
  inflate: (packed: Uint8Array, length: number) => Uint8Array,
): DataPart | undefined {
  const optional = leaf.repetition_type !== "REQUIRED";
  const { uncompressed_page_size: size, data_page_header: v1, data_page_header_v2: v2 } = header;
  if (header.type === "DATA_PAGE" && v1) {
    const reader = new ByteReader(inflate(stored, size));
    const rows = v1.num_values;
    if (optional && v1.definition_level_encoding !== "RLE") throw new Error("levels in an encoding that is gone");
    const levels = optional ? levelsOf(reader.take(reader.uint32()), rows) : { count: rows };
    return { rows, ...levels, encoding: v1.encoding, values: reader.bytes.subarray(reader.offset) };
  }
  if (header.type === "DATA_PAGE_V2" && v2) {
    const { num_values: rows, definition_levels_byte_length: length, repetition_levels_byte_length: before } = v2;
    const levels = optional ? levelsOf(stored.subarray(before, before + length), rows) : { count: rows };
    const packed = stored.subarray(before + length);
    const values = v2.is_compressed === false ? packed : inflate(packed, size - before - length);
    return { rows, ...levels, encoding: v2.encoding, values };
  }
  return undefined;
}

function levelsOf(bytes: Uint8Array, rows: number): { readonly count: number; readonly present?: Int32Array } {
  const present = hybridRuns(bytes, 1, rows);
  let count = 0;
  for (let i = 0; i < rows; i++) count += present[i];
  return count === rows ? { count } : { count, present };
}

function inflated(packed: Uint8Array, length: number, { codec }: ColumnMetaData, tools: ParquetTools): Uint8Array {
  if (codec === "UNCOMPRESSED") return packed;
  const decompress = tools.compressors[codec];
  let out: Uint8Array;
  if (decompress) out = decompress(packed, length);
  else if (codec === "SNAPPY") {
    out = new Uint8Array(length);
    // No bytes at all stand for no bytes in some files.
    if (length > 0) tools.snappyUncompress(packed, out);
  } else throw new Error(`compressed by ${codec}, which this Node does not know`);
  if (out.length !== length) throw new Error(`a page of ${length} bytes inflates to ${out.length}`);
  return out;
}

function decodeValues(
  bytes: Uint8Array,
  encoding: string,
  leaf: SchemaElement,
  count: number,
  dictionary: Values | undefined,
): Values | undefined {
  switch (encoding) {
    case "PLAIN":
      return plainValues(bytes, leaf, count);
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY":
      return numberedValues(bytes, count, dictionary);
    case "DELTA_BINARY_PACKED":
      return deltaUnpacked(bytes, count, leaf.type === "INT32");
    case "RLE":
      return leaf.type === "BOOLEAN" ? Array.from(hybridRuns(bytes.subarray(4), 1, count), Boolean) : undefined;
    default:
      return undefined;
  }
}

function numberedValues(bytes: Uint8Array, count: number, dictionary: Values | undefined): Values {
  if (count === 0) return [];
  if (dictionary === undefined) throw new Error("a page needs a dictionary, and there is none");
  const numbers = hybridRuns(bytes.subarray(1), bytes[0], count);
  const out: unknown[] | Float64Array =
    dictionary instanceof Float64Array ? new Float64Array(count) : new Array<unknown>(count);
  const { length } = dictionary;
  for (let i = 0; i < count; i++) {
    const number = numbers[i];
    if (number >= length || number < 0) throw new Error("a value is outside the dictionary");
    out[i] = dictionary[number] as number;
  }
  return out;
}

function plainValues(bytes: Uint8Array, leaf: SchemaElement, count: number): Values {
  switch (leaf.type) {
    case "BOOLEAN":
      if (bytes.length * 8 < count) throw new Error("a page ends early");
      return Array.from({ length: count }, (_, i) => (bytes[i >> 3] & (1 << (i & 7))) !== 0);
    case "INT32":
      return Float64Array.from(new Int32Array(aligned(bytes, count * 4)));
    case "INT64":
      return int64s(aligned(bytes, count * 8));
    case "FLOAT":
      return Float64Array.from(new Float32Array(aligned(bytes, count * 4)));
    case "DOUBLE":
      return new Float64Array(aligned(bytes, count * 8));
    case "FIXED_LEN_BYTE_ARRAY": {
      const width = leaf.type_length ?? 0;
      if (width <= 0 || bytes.length < width * count) throw new Error("a page ends early");
      return Array.from({ length: count }, (_, i) => bytes.subarray(i * width, (i + 1) * width));
    }
    case "BYTE_ARRAY": {
      const reader = new ByteReader(bytes);
      return Array.from({ length: count }, () => reader.take(reader.uint32()));
    }
    default:
      throw new Error(`a column of type ${leaf.type} has pages of another type`);
  }
}

/** The first `length` bytes in memory of their own. */
function aligned(bytes: Uint8Array, length: number): ArrayBuffer {
  if (bytes.length < length) throw new Error("a page ends early");
  const copy = new Uint8Array(length);
  copy.set(bytes.subarray(0, length));
  return copy.buffer;
}

/** As doubles where all of them are exact. */
function int64s(buffer: ArrayBuffer): Float64Array | BigInt64Array {
  const words = new Int32Array(buffer);
  const out = new Float64Array(words.length >> 1);
  for (let i = 0; i < out.length; i++) {
    const high = words[2 * i + 1];
    if (high >= 2 ** 20 || high < -(2 ** 20)) return new BigInt64Array(buffer);
    out[i] = high * 2 ** 32 + (words[2 * i] >>> 0);
  }
  return out;
}
