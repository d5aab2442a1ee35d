import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { AsyncBuffer, ColumnData, Compressors, FileMetaData, SchemaElement } from "hyparquet";
import { DataError } from "../../../errors/errors.js";
import { distinctNames } from "../../arrow/column-names.js";
import { isDecimal } from "../types.js";
import { checkPages } from "./check.js";
import { type DecodedPage, decodeChunk, type ParquetTools } from "./decode.js";
import { forgetType, PARSERS } from "./leaves.js";

/** A Parquet file in memory, whose pages are sound. */
export interface ParquetSource {
  readonly metadata: FileMetaData;
  /** One for each column, as the file declares it. */
  readonly leaves: readonly SchemaElement[];
  /** Rows of each row group. */
  readonly groups: readonly number[];
  /** The pages of a column of a row group that has rows. */
  pages(group: number, column: number): Promise<readonly DecodedPage[]>;
}

/** @throws {DataError} for nested columns; Error that says what is damaged */
export async function openParquet(bytes: ArrayBuffer): Promise<ParquetSource> {
  const [{ parquetMetadataAsync, parquetRead, snappyUncompress }, { parquetHeader: readHeader }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet/src/column.js"),
  ]);
  const file: AsyncBuffer = { byteLength: bytes.byteLength, slice: (start, end) => bytes.slice(start, end) };
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const theirs = metadata.schema.slice(1);
  if (theirs.some((leaf) => leaf.num_children !== undefined)) {
    throw new DataError("The Parquet file has nested columns.", {
      code: "UnsupportedParquet",
      hint: "Read it with an SQL engine and select their parts.",
    });
  }
  checkPages(bytes, metadata, readHeader);
  const leaves = theirs.map((leaf) => ({ ...leaf }));
  // The library's own decimals pass through doubles; without the type it hands out what the file holds.
  for (const leaf of theirs) if (isDecimal(leaf)) forgetType(leaf);
  separateNames(metadata, theirs);
  const compressors = await knownCompressors();
  const tools: ParquetTools = { readHeader, snappyUncompress, compressors };
  const groups = metadata.row_groups.map((group) => Number(group.num_rows));
  /** A column in an encoding that only the library reads: its nulls are among the values. */
  const byLibrary = async (group: number, column: number): Promise<DecodedPage[]> => {
    const found: DecodedPage[] = [];
    const onChunk = ({ columnData: values }: ColumnData): void => {
      found.push({ rows: values.length, values });
    };
    const rowStart = groups.slice(0, group).reduce((sum, rows) => sum + rows, 0);
    const range = { rowStart, rowEnd: rowStart + groups[group], columns: [theirs[column].name] };
    await parquetRead({ file, metadata, ...range, utf8: false, parsers: PARSERS, compressors, onChunk });
    return found;
  };
  return {
    metadata,
    leaves,
    groups,
    async pages(group, column) {
      const chunk = metadata.row_groups[group].columns[column].meta_data;
      return (chunk && decodeChunk(bytes, chunk, leaves[column], tools)) ?? byLibrary(group, column);
    },
  };
}

/** The library finds columns by name: those of one name would all be the last one of them. */
function separateNames(metadata: FileMetaData, leaves: readonly SchemaElement[]): void {
  const names = distinctNames(leaves.map((leaf) => leaf.name));
  for (const [i, leaf] of leaves.entries()) leaf.name = names[i];
  for (const { columns } of metadata.row_groups) {
    for (const [i, { meta_data: chunk }] of columns.entries()) if (chunk) chunk.path_in_schema = [names[i]];
  }
}

type Inflate = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** What Node itself can inflate; Snappy is built in. */
async function knownCompressors(): Promise<Compressors> {
  const zlib: unknown = await import("node:zlib");
  const zstd = (zlib as { zstdDecompressSync?: Inflate }).zstdDecompressSync;
  // As many bytes as the page's header says, and no more. No bytes at all stand for no bytes in some files.
  const exactly =
    (inflate: Inflate) =>
    (bytes: Uint8Array, length: number): Uint8Array =>
      length === 0 ? new Uint8Array(0) : inflate(bytes, { maxOutputLength: length });
  return {
    GZIP: exactly(gunzipSync),
    BROTLI: exactly(brotliDecompressSync),
    ...(zstd && { ZSTD: exactly(zstd) }),
  };
}
