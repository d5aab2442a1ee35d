import type { ByteWriter, SchemaElement } from "hyparquet-writer";
import { InputError } from "../../../errors/errors.js";
import { addCrc32 } from "../../../format/blocks.js";
import type { Compression } from "../compression.js";
import type { EncodedColumn, EncodedPage, WriteIndices } from "./encoded.js";
import type { Codec, ColumnChunk } from "./file-metadata.js";

/** What a Parquet file is put together with: headers and metadata are the library's, values are ours. */
export interface ParquetForm {
  readonly codec: Codec;
  readonly ByteWriter: typeof ByteWriter;
  readonly writeIndices: WriteIndices;
  readonly compress?: (bytes: Uint8Array) => Uint8Array;
  readonly writePageHeader: typeof import("hyparquet-writer/src/datapage.js").writePageHeader;
  readonly writeMetadata: typeof import("hyparquet-writer/src/metadata.js").writeMetadata;
}

/** @throws {InputError} for a compression that this Node does not have */
export async function parquetForm(wanted: Compression | undefined): Promise<ParquetForm> {
  const [{ ByteWriter }, { writePageHeader }, { writeRleBitPackedHybrid }, { writeMetadata }] = await Promise.all([
    import("hyparquet-writer"),
    import("hyparquet-writer/src/datapage.js"),
    import("hyparquet-writer/src/encoding.js"),
    import("hyparquet-writer/src/metadata.js"),
  ]);
  const writeIndices: WriteIndices = (indices, bitWidth) => {
    const writer = new ByteWriter();
    writeRleBitPackedHybrid(writer, indices, bitWidth);
    return writer.getBytes();
  };
  return { ...(await codecOf(wanted)), ByteWriter, writeIndices, writePageHeader, writeMetadata };
}

async function codecOf(wanted: Compression | undefined): Promise<Pick<ParquetForm, "codec" | "compress">> {
  const zlib: unknown = await import("node:zlib");
  const zstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Uint8Array }).zstdCompressSync;
  const compression = wanted ?? (zstd === undefined ? "snappy" : "zstd");
  if (compression === "none") return { codec: "UNCOMPRESSED" };
  if (compression === "zstd" && zstd !== undefined) return { codec: "ZSTD", compress: (bytes) => zstd(bytes) };
  if (compression === "snappy") {
    const { snappyCompress } = await import("hyparquet-writer/src/snappy.js");
    return { codec: "SNAPPY", compress: snappyCompress };
  }
  throw new InputError(`Parquet cannot be compressed by ${JSON.stringify(compression)} here.`, {
    code: "UnknownValue",
    hint: 'Take "snappy" or "none"; "zstd" needs Node 22.15 or newer.',
  });
}

/** Writes the pages of a column of a row group; gives what the file's metadata says of them. */
export function writeChunk(
  writer: ByteWriter,
  form: ParquetForm,
  element: SchemaElement,
  encoded: EncodedColumn,
  rows: number,
): ColumnChunk {
  const start = writer.offset;
  const { encoding, dictionary, statistics } = encoded;
  let unpacked = 0;
  if (dictionary !== undefined) unpacked += writeDictionary(writer, form, dictionary);
  const pagesAt = writer.offset;
  let nulls = 0;
  let pages = 0;
  for (const page of encoded.pages) {
    unpacked += writePage(writer, form, encoding, page);
    nulls += page.nulls;
    pages++;
  }
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: element.type ?? "BYTE_ARRAY",
      encodings: ["RLE", ...(dictionary ? (["PLAIN"] as const) : []), encoding],
      path_in_schema: [element.name],
      codec: form.codec,
      num_values: BigInt(rows),
      total_uncompressed_size: BigInt(unpacked),
      total_compressed_size: BigInt(writer.offset - start),
      data_page_offset: BigInt(pagesAt),
      ...(dictionary && { dictionary_page_offset: BigInt(start) }),
      statistics: { ...statistics, null_count: BigInt(nulls) },
      encoding_stats: [
        ...(dictionary ? [{ page_type: "DICTIONARY_PAGE", encoding: "PLAIN", count: 1 } as const] : []),
        { page_type: "DATA_PAGE_V2", encoding, count: pages },
      ],
    },
  };
}

/** Gives the bytes it would take uncompressed, with its header. */
function writeDictionary(
  writer: ByteWriter,
  { compress, writePageHeader }: ParquetForm,
  { bytes, count }: { readonly bytes: Uint8Array; readonly count: number },
): number {
  const start = writer.offset;
  const stored = compress?.(bytes) ?? bytes;
  writePageHeader(writer, {
    type: "DICTIONARY_PAGE",
    uncompressed_page_size: bytes.length,
    compressed_page_size: stored.length,
    crc: addCrc32(0, stored) | 0,
    dictionary_page_header: { num_values: count, encoding: "PLAIN" },
  });
  const header = writer.offset - start;
  writer.appendBytes(stored);
  return header + bytes.length;
}

/** Gives the bytes it would take uncompressed, with its header. */
function writePage(
  writer: ByteWriter,
  { compress, writePageHeader }: ParquetForm,
  encoding: EncodedColumn["encoding"],
  { rows, nulls, levels, values, dense }: EncodedPage,
): number {
  const start = writer.offset;
  const shorter = dense || values.length === 0 ? undefined : compress?.(values);
  const isShorter = shorter !== undefined && shorter.length < values.length;
  const stored = isShorter ? shorter : values;
  writePageHeader(writer, {
    type: "DATA_PAGE_V2",
    uncompressed_page_size: levels.length + values.length,
    compressed_page_size: levels.length + stored.length,
    crc: addCrc32(addCrc32(0, levels), stored) | 0,
    data_page_header_v2: {
      num_values: rows,
      num_nulls: nulls,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed: isShorter,
    },
  });
  const header = writer.offset - start;
  writer.appendBytes(levels);
  writer.appendBytes(stored);
  return header + levels.length + values.length;
}
