import { InputError } from "../../../errors/errors.js";
import { compressSnappy } from "../../../format/block-codecs.js";
import { addCrc32 } from "../../../format/blocks.js";
import { compressZstd } from "../../../platform/node/compression.js";
import { CODECS, type Codec, ENCODINGS, type Encoding, PHYSICAL_TYPES } from "../read/format/types.js";
import type { Compression } from "../read/options.js";
import type { ByteWriter, ThriftFields } from "./byte-writer.js";
import type { ParquetColumn } from "./columns.js";
import type { EncodedColumn, EncodedPage } from "./encoded.js";

/** How pages are compressed. */
export interface PageCodec {
  readonly codec: Codec;
  readonly compress?: (bytes: Uint8Array) => Uint8Array;
}

/** @throws {InputError} for a compression that this Node does not have */
export function pageCodec(compression: Compression = compressZstd === undefined ? "snappy" : "zstd"): PageCodec {
  if (compression === "none") return { codec: "UNCOMPRESSED" };
  if (compression === "zstd" && compressZstd !== undefined) return { codec: "ZSTD", compress: compressZstd };
  if (compression === "snappy") return { codec: "SNAPPY", compress: compressSnappy };
  throw new InputError(`Parquet cannot be compressed by ${JSON.stringify(compression)} here.`, {
    code: "UnknownValue",
    hint: 'Take "snappy" or "none"; "zstd" needs Node 22.15 or newer.',
  });
}

/** A column of a row group in the file. */
export interface WrittenChunk {
  /** What the file's metadata says of it, as Thrift has it. */
  readonly fields: ThriftFields;
  /** Bytes that it would take uncompressed, with the headers of its pages. */
  readonly unpacked: number;
}

const DICTIONARY_PAGE = 2;
const DATA_PAGE_V2 = 3;

const numberOf = (encoding: Encoding): number => ENCODINGS.indexOf(encoding);

/** Writes the pages of a column of a row group. */
export function writeChunk(
  writer: ByteWriter,
  codec: PageCodec,
  { name, element }: ParquetColumn,
  { encoding, dictionary, bounds, pages }: EncodedColumn,
  rows: number,
): WrittenChunk {
  const start = writer.offset;
  let unpacked = dictionary === undefined ? 0 : writeDictionary(writer, codec, dictionary);
  const pagesAt = writer.offset;
  let nulls = 0;
  let count = 0;
  for (const page of pages) {
    unpacked += writePage(writer, codec, encoding, page);
    nulls += page.nulls;
    count++;
  }
  const data = { 1: DATA_PAGE_V2, 2: numberOf(encoding), 3: count };
  const meta = {
    1: PHYSICAL_TYPES.indexOf(element.type),
    2: (["RLE", ...(dictionary ? (["PLAIN"] as const) : []), encoding] as const).map(numberOf),
    3: [name],
    4: CODECS.indexOf(codec.codec),
    5: BigInt(rows),
    6: BigInt(unpacked),
    7: BigInt(writer.offset - start),
    9: BigInt(pagesAt),
    11: dictionary && BigInt(start),
    12: {
      3: BigInt(nulls),
      5: bounds.max,
      6: bounds.min,
      7: bounds.maxIsCut ? false : undefined,
      8: bounds.minIsCut ? false : undefined,
    },
    13: dictionary ? [{ 1: DICTIONARY_PAGE, 2: numberOf("PLAIN"), 3: 1 }, data] : [data],
  };
  return { fields: { 2: BigInt(start), 3: meta }, unpacked };
}

/** Gives the bytes it would take uncompressed, with its header. */
function writeDictionary(
  writer: ByteWriter,
  { compress }: PageCodec,
  { bytes, count }: { readonly bytes: Uint8Array; readonly count: number },
): number {
  const start = writer.offset;
  const stored = compress?.(bytes) ?? bytes;
  writer.struct({
    1: DICTIONARY_PAGE,
    2: bytes.length,
    3: stored.length,
    4: addCrc32(0, stored) | 0,
    7: { 1: count, 2: numberOf("PLAIN") },
  });
  const header = writer.offset - start;
  writer.bytes(stored);
  return header + bytes.length;
}

/** Gives the bytes it would take uncompressed, with its header. */
function writePage(
  writer: ByteWriter,
  { compress }: PageCodec,
  encoding: Encoding,
  { rows, nulls, levels, values, dense }: EncodedPage,
): number {
  const start = writer.offset;
  const shorter = dense || values.length === 0 ? undefined : compress?.(values);
  const isShorter = shorter !== undefined && shorter.length < values.length;
  const stored = isShorter ? shorter : values;
  writer.struct({
    1: DATA_PAGE_V2,
    2: levels.length + values.length,
    3: levels.length + stored.length,
    4: addCrc32(addCrc32(0, levels), stored) | 0,
    8: {
      1: rows,
      2: nulls,
      3: rows,
      4: numberOf(encoding),
      5: levels.length,
      6: 0,
      // Values are compressed where nothing is said.
      7: isShorter ? undefined : false,
    },
  });
  const header = writer.offset - start;
  writer.bytes(levels);
  writer.bytes(stored);
  return header + levels.length + values.length;
}
