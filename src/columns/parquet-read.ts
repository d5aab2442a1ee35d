import { readFile } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { AsyncBuffer, ColumnData, Compressors, FileMetaData, SchemaElement } from "hyparquet";
import { DataError, isArrowbookError } from "../errors/errors.js";
import type { ColumnSpec } from "../spec/columns.js";
import type { Table } from "./arrow.js";
import { BatchMaker, textModes, warnUnknownTypes } from "./batches.js";
import { buildersFor, type RawBatch } from "./builder.js";
import { fileError } from "./file.js";
import { distinctNames } from "./names.js";
import type { ReadOptions } from "./options.js";
import { COLUMNS_KEY } from "./parquet.js";
import { checkPages } from "./parquet-check.js";
import { forgetType, isDecimal, leafStore, PARSERS, serviceType } from "./parquet-leaves.js";
import { CellPolicy } from "./policy.js";

/**
 * A Parquet file as a table: decimals by their digits, dates as days, the service's types where this package wrote the file.
 *
 * @throws FileError when it cannot be read; DataError for what is no Parquet file, has nested columns, or is compressed in an
 * unknown way
 */
export async function readParquet(path: string, options: ReadOptions = {}): Promise<Table> {
  const bytes = await readFile(path).catch((error: unknown) => Promise.reject(fileError(path, error)));
  const { buffer, byteOffset, length } = bytes;
  try {
    return await parquetTable(buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer, options);
  } catch (error) {
    if (isArrowbookError(error)) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new DataError(`${path}: not a readable Parquet file: ${what}.`, { code: "BadParquet", cause: error });
  }
}

async function parquetTable(bytes: ArrayBuffer, options: ReadOptions): Promise<Table> {
  const [{ parquetMetadataAsync, parquetRead }, { parquetHeader }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet/src/column.js"),
  ]);
  const file: AsyncBuffer = { byteLength: bytes.byteLength, slice: (start, end) => bytes.slice(start, end) };
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const leaves = metadata.schema.slice(1);
  if (leaves.some((leaf) => leaf.num_children !== undefined)) {
    throw new DataError("The Parquet file has nested columns.", {
      code: "UnsupportedType",
      hint: "Read it with an SQL engine and select their parts.",
    });
  }
  checkPages(bytes, metadata, parquetHeader);
  const columns = declaredColumns(metadata, leaves);
  const kept = leaves.map((leaf) => ({ ...leaf }));
  // The library's own decimals pass through doubles; without the type it hands out what the file holds.
  for (const leaf of leaves) if (isDecimal(leaf)) forgetType(leaf);
  separateNames(metadata, leaves);
  const compressors = await knownCompressors();
  warnUnknownTypes(columns, options);
  const groups = metadata.row_groups.map((group) => Number(group.num_rows));
  const builders = buildersFor(columns, options, textModes(options.schema), groups[0] ?? 0);
  const policy = new CellPolicy(options);
  const stores = kept.map((leaf, i) => leafStore(leaf, builders[i], policy));
  const raws: RawBatch[] = [];
  let rowStart = 0;
  for (const [g, rows] of groups.entries()) {
    for (const [i, { name }] of leaves.entries()) {
      options.signal?.throwIfAborted();
      const builder = builders[i];
      const store = stores[i];
      builder.reserve(rows);
      const pieces: ColumnData[] = [];
      const onChunk = (piece: ColumnData): void => {
        pieces.push(piece);
      };
      const range = { rowStart, rowEnd: rowStart + rows };
      if (rows > 0) {
        await parquetRead({
          file,
          metadata,
          ...range,
          columns: [name],
          utf8: false,
          parsers: PARSERS,
          compressors,
          onChunk,
        });
      }
      let row = 0;
      for (const { columnData } of pieces) {
        for (let k = 0; k < columnData.length && row < rows; k++, row++) {
          const value: unknown = columnData[k];
          if (value === null || value === undefined) builder.setNull(row);
          else store(row, value);
        }
      }
      if (row < rows) throw new Error(`column ${JSON.stringify(name)} has ${row} of ${rows} rows in row group ${g}`);
    }
    if (rows > 0) raws.push({ rows, columns: builders.map((builder) => builder.take(rows, g === groups.length - 1)) });
    policy.rowsBefore += rows;
    rowStart += rows;
  }
  policy.report();
  return new BatchMaker(columns, options).table(raws);
}

/** The service's columns as this package noted them, or the nearest type of each leaf. */
function declaredColumns(metadata: FileMetaData, leaves: readonly SchemaElement[]): ColumnSpec[] {
  const noted = metadata.key_value_metadata?.find(({ key }) => key === COLUMNS_KEY)?.value;
  const parsed: unknown = noted === undefined ? undefined : JSON.parse(noted);
  const names = Array.isArray(parsed) ? distinctNames(parsed.map((column) => String(column?.name))) : [];
  const fits = names.length === leaves.length && names.every((name, i) => name === leaves[i].name);
  return fits ? (parsed as ColumnSpec[]) : leaves.map((leaf) => ({ name: leaf.name, type: serviceType(leaf) }));
}

/** The library finds columns by name: those of one name would all be the last one of them. */
function separateNames(metadata: FileMetaData, leaves: readonly SchemaElement[]): void {
  const names = distinctNames(leaves.map((leaf) => leaf.name));
  for (const [i, leaf] of leaves.entries()) leaf.name = names[i];
  for (const { columns } of metadata.row_groups) {
    for (const [i, { meta_data: chunk }] of columns.entries()) if (chunk) chunk.path_in_schema = [names[i]];
  }
}

/** What Node itself can inflate; Snappy is built in. */
async function knownCompressors(): Promise<Compressors> {
  const zlib: unknown = await import("node:zlib");
  const zstd = (zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array }).zstdDecompressSync;
  return {
    GZIP: (bytes) => gunzipSync(bytes),
    BROTLI: (bytes) => brotliDecompressSync(bytes),
    ...(zstd && { ZSTD: (bytes: Uint8Array) => zstd(bytes) }),
  };
}
