import { packedFile } from "../../format/packed-file.js";
import type { AnyFile } from "../../format/random-access.js";
import { stat } from "../../platform/node/files.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import { type Batching, type CsvOptions, checkKey, type OnBytes } from "../arrow/read-options.js";
import type { RawBatch } from "../build/builder.js";
import { streamTable } from "../build/text-reader.js";
import { columnsOfCsv, type InferredColumn, type UndeclaredOptions } from "../csv/infer.js";
import { csvReader, csvTable, csvTableReader } from "../csv/reader.js";
import type { csvThreadsTable } from "./csv-threads.js";
import { fileBatches, quiet, type TextOptions, textChunks, withLine } from "./text-file.js";

/** Options for reading a CSV file; the limits apply to gzip and zstd. */
export type CsvFileOptions = (CsvOptions | UndeclaredOptions) & OnBytes & TextOptions & Batching;

/**
 * Reads a CSV file, or CSV bytes, as a table; either may be compressed. A long file is split over threads,
 * with equal results. Columns that are not declared are found first ({@link columnsOfCsv}).
 *
 * @throws {DataError} with row, line, column, value and byte offset; `BadGzip`, `GzipBomb`, `BadZstd`, `ZstdBomb`
 * @throws {FileError} if the file cannot be read
 */
export async function csvFileTable(source: AnyFile, options: CsvFileOptions): Promise<Table> {
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
export function csvFileBatches(source: AnyFile, options: CsvFileOptions): AsyncGenerator<RecordBatch> {
  return fileBatches(source, options, async () => csvReader(await declared(source, options)));
}

type DeclaredOptions = CsvOptions & OnBytes & TextOptions;

async function declared(source: AnyFile, options: CsvFileOptions): Promise<DeclaredOptions> {
  if (isDeclared(options)) return options;
  const columns = await csvFileColumns(source, options);
  checkKey(options.key, columns, "the CSV file");
  return { ...options, columns, byPosition: true };
}

/** The columns of a CSV file that are not declared: {@link columnsOfCsv}. */
export function csvFileColumns(
  source: AnyFile,
  options: UndeclaredOptions & TextOptions & Batching,
): Promise<readonly InferredColumn[]> {
  return columnsOfCsv(() => textChunks(source, quiet(options)), options);
}

const isDeclared = (options: CsvFileOptions): options is DeclaredOptions => typeof options.columns === "object";

async function declaredTable(source: AnyFile, options: DeclaredOptions): Promise<Table> {
  if ((options.encoding ?? "utf-8") !== "utf-8") return streamed(source, options);
  const packed = await packedFile(source, options);
  if (packed?.format === "gzip") {
    const { maxRatio, maxSize } = options;
    const limits = { maxRatio, maxSize };
    const task = typeof source === "string" ? ({ kind: "gzip", path: source, limits } as const) : undefined;
    const { packedRaws } = await import("./packed-csv.js");
    const reader = csvReader(options);
    const raws: RawBatch[] = [];
    for await (const raw of packedRaws({ ...packed, task }, reader, options, Number.POSITIVE_INFINITY)) raws.push(raw);
    return reader.maker.table(raws);
  }
  if (packed !== undefined) return streamed(source, options);
  if (source instanceof Uint8Array) return csvTable(source, options);
  if (typeof source === "string")
    return (await onThreads(source, options)) ?? streamed(source, options, await sizeAt(source));
  const { blob } = source;
  const table = blob !== undefined && blob.size >= LONG ? await onThreads({ ...source, blob }, options) : undefined;
  return table ?? streamed(source, options, (await source.open()).size);
}

/**
 * A shorter file of a page is read on the page's thread, in a fraction of a second and with turns for the page between
 * blocks: workers take longer to start and to load their program than they save.
 */
const LONG = 33_554_432;

const onThreads = async (...call: Parameters<typeof csvThreadsTable>): Promise<Table | undefined> =>
  (await import("./csv-threads.js")).csvThreadsTable(...call);

/** Bytes of the file at a path, if it is there. */
const sizeAt = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

function streamed(source: AnyFile, options: DeclaredOptions, size?: number): Promise<Table> {
  return streamTable(csvTableReader(options, size), textChunks(source, options), options.signal);
}
