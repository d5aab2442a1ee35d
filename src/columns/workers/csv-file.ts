import { stat } from "node:fs/promises";
import { type GzipFile, gzipFile } from "../../format/gzip.js";
import { zstdFile } from "../../format/zstd.js";
import type { RecordBatch, Schema, Table } from "../arrow/arrow.js";
import { type CsvOptions, checkKey, type OnBytes } from "../arrow/read-options.js";
import type { RawBatch } from "../build/builder.js";
import { columnsOfCsv, type UndeclaredOptions } from "../csv/infer.js";
import { csvBatches, csvReader, csvStreamTable, csvTable } from "../csv/reader.js";
import { type CsvTextOptions, csvHead, csvLineBlocks } from "../csv/write.js";
import { fileBlocks } from "../io/file-blocks.js";
import { writeBlocks } from "../io/write-blocks.js";
import type { Written } from "../io/written.js";
import { withLine } from "./line-of.js";
import { type PackedCsv, packedRaws } from "./packed-csv.js";
import { csvThreadsTable } from "./split.js";
import { type TextOptions, textChunks } from "./text-chunks.js";

/** Options for reading a CSV file; the limits apply to gzip and zstd. */
export type CsvFileOptions = (CsvOptions | UndeclaredOptions) & OnBytes & TextOptions;

/**
 * Reads a CSV file, or CSV bytes, as a table; either may be compressed. A long file is split over threads,
 * with equal results. Columns that are not declared are found first ({@link columnsOfCsv}).
 *
 * @throws {DataError} with row, line, column, value and byte offset; `BadGzip`, `GzipBomb`, `BadZstd`, `ZstdBomb`
 * @throws {FileError} if the file cannot be read
 */
export async function csvFileTable(source: string | Uint8Array, options: CsvFileOptions): Promise<Table> {
  try {
    return await declaredTable(source, await declared(source, options));
  } catch (error) {
    throw await withLine(error, source, options);
  }
}

/**
 * Reads a CSV file, or CSV bytes, as record batches, one at a time: of a long file, one batch is in memory. A file
 * whose types are inferred is read twice. Yields at least one batch, which may be empty.
 *
 * @throws {DataError} as {@link csvFileTable}
 * @throws {FileError}
 */
export async function* csvFileBatches(
  source: string | Uint8Array,
  options: CsvFileOptions,
): AsyncGenerator<RecordBatch> {
  try {
    const known = await declared(source, options);
    yield* csvBatches(textChunks(source, known), known);
  } catch (error) {
    throw await withLine(error, source, options);
  }
}

type DeclaredOptions = CsvOptions & OnBytes & TextOptions;

/** The options with the columns of the file. */
async function declared(source: string | Uint8Array, options: CsvFileOptions): Promise<DeclaredOptions> {
  if (isDeclared(options)) return options;
  const { onBytes: _, ...quiet } = options;
  const columns = await columnsOfCsv(textChunks(source, quiet), options);
  checkKey(options.key, columns, "the CSV file");
  return { ...options, columns, byPosition: true };
}

const isDeclared = (options: CsvFileOptions): options is DeclaredOptions => typeof options.columns !== "string";

async function declaredTable(source: string | Uint8Array, options: DeclaredOptions): Promise<Table> {
  const isUtf8 = (options.encoding ?? "utf-8") === "utf-8";
  const packed = isUtf8 ? await gzipFile(source, options) : undefined;
  if (packed !== undefined) return gzipTable(source, packed, options);
  const isPlain = isUtf8 && (await zstdFile(source, options)) === undefined;
  if (!isPlain) return csvStreamTable(textChunks(source, options), options);
  if (typeof source !== "string") return csvTable(source, options);
  const table = await csvThreadsTable(source, options);
  if (table !== undefined) return table;
  const info = await stat(source).catch(() => undefined);
  return csvStreamTable(fileBlocks(source, options), options, info?.size);
}

async function gzipTable(source: string | Uint8Array, file: GzipFile, options: DeclaredOptions): Promise<Table> {
  const reader = csvReader(options);
  const { maxRatio, maxSize } = options;
  const packed: PackedCsv = {
    size: file.declaredSize,
    chunks: () => file.chunks(),
    task: typeof source === "string" ? { kind: "gzip", path: source, limits: { maxRatio, maxSize } } : undefined,
  };
  const raws: RawBatch[] = [];
  for await (const raw of packedRaws(packed, async () => reader, options, Number.POSITIVE_INFINITY)) raws.push(raw);
  return reader.maker.table(raws);
}

/**
 * Writes batches as a CSV file with a header line: null as an empty cell, empty text as `""`, every value as the exact
 * text that reads back; compressed if the path ends in `.gz`. The file gets its name once it is complete.
 *
 * @throws {FileError} if it cannot be written; also any error of the batches
 */
export async function writeCsv(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  path: string,
  schema?: Schema,
  options?: CsvTextOptions,
): Promise<Written> {
  let rows = 0;
  async function* blocks(): AsyncGenerator<Uint8Array> {
    if (schema !== undefined) yield csvHead(schema, options);
    let begun = schema !== undefined;
    for await (const batch of batches) {
      if (!begun) yield csvHead(batch.schema, options);
      begun = true;
      yield* csvLineBlocks(batch, options);
      rows += batch.numRows;
    }
  }
  const bytes = await writeBlocks(path, blocks());
  return { rows, bytes };
}
