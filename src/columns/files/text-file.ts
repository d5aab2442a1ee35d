import { DataError, reworded } from "../../errors/errors.js";
import { CR, LF } from "../../format/csv.js";
import { packedFile } from "../../format/packed-file.js";
import type { AnyFile } from "../../format/random-access.js";
import type { ZipOptions } from "../../format/zip-entry.js";
import { stat } from "../../platform/node/files.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import { type Batching, type CsvOptions, checkKey, type OnBytes } from "../arrow/read-options.js";
import type { RawBatch } from "../build/builder.js";
import { type Chunks, recordBatches, streamTable, type TextReader } from "../build/text-reader.js";
import { checkTyped } from "../build/type-guess.js";
import { columnsOfCsv, type InferredColumn, type UndeclaredOptions } from "../csv/infer.js";
import { csvReader, csvTable, csvTableReader } from "../csv/reader.js";
import { fileBlocks } from "../io/file-blocks.js";
import { type TextEncoding, utf8Chunks } from "../io/text-encoding.js";
import { type JsonArrayOptions, linesReader } from "../json/array-table.js";
import { columnsOfLines } from "../json/infer-lines.js";
import { csvThreadsTable } from "./csv-threads.js";
import { packedRaws } from "./packed-csv.js";

/** How the text of a file is stored; compression is detected by the first bytes. */
export interface TextOptions extends ZipOptions {
  /** The encoding; default `utf-8`. */
  readonly encoding?: TextEncoding;
}

/** Options for reading a CSV file; the limits apply to gzip and zstd. */
export type CsvFileOptions = (CsvOptions | UndeclaredOptions) & OnBytes & TextOptions & Batching;

/** How a file of JSON lines is read. */
export interface JsonLinesOptions extends JsonArrayOptions, TextOptions {}

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
 * Reads a file of JSON lines, or its bytes, as a table; either may be compressed.
 *
 * @throws {DataError} with row, line, column, value and byte offset
 * @throws {FileError}
 */
export async function jsonLinesTable(source: AnyFile, options: JsonLinesOptions & OnBytes & Batching): Promise<Table> {
  try {
    return await streamTable(await openLines(source, options), textChunks(source, options), options.signal);
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

/** As {@link csvFileBatches}, for JSON lines. */
export function jsonLinesFileBatches(
  source: AnyFile,
  options: JsonLinesOptions & OnBytes & Batching,
): AsyncGenerator<RecordBatch> {
  return fileBatches(source, options, () => openLines(source, options));
}

async function* fileBatches(
  source: AnyFile,
  options: TextOptions & OnBytes,
  open: () => Promise<TextReader>,
): AsyncGenerator<RecordBatch> {
  try {
    yield* recordBatches(await open(), textChunks(source, options), options.signal);
  } catch (error) {
    throw await withLine(error, source, options);
  }
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

/** The first pass over a file reports no progress. */
const quiet = (options: TextOptions & OnBytes): TextOptions => {
  const { onBytes: _, ...rest } = options;
  return rest;
};

async function declaredTable(source: AnyFile, options: DeclaredOptions): Promise<Table> {
  if ((options.encoding ?? "utf-8") !== "utf-8") return streamed(source, options);
  const packed = await packedFile(source, options);
  if (packed?.format === "gzip") {
    const { maxRatio, maxSize } = options;
    const limits = { maxRatio, maxSize };
    const task = typeof source === "string" ? ({ kind: "gzip", path: source, limits } as const) : undefined;
    const reader = csvReader(options);
    const raws: RawBatch[] = [];
    for await (const raw of packedRaws({ ...packed, task }, reader, options, Number.POSITIVE_INFINITY)) raws.push(raw);
    return reader.maker.table(raws);
  }
  if (packed !== undefined) return streamed(source, options);
  if (source instanceof Uint8Array) return csvTable(source, options);
  if (typeof source !== "string") return streamed(source, options, (await source.open()).size);
  const table = await csvThreadsTable(source, options);
  if (table !== undefined) return table;
  const info = await stat(source).catch(() => undefined);
  return streamed(source, options, info?.size);
}

function streamed(source: AnyFile, options: DeclaredOptions, size?: number): Promise<Table> {
  return streamTable(csvTableReader(options, size), textChunks(source, options), options.signal);
}

async function openLines(source: AnyFile, options: JsonLinesOptions & OnBytes & Batching): Promise<TextReader> {
  const { columns = "infer", types = {}, onBadCell = "error" } = options;
  if (columns !== "infer") return linesReader(columns, options, "the JSON lines");
  const found = await columnsOfLines(textChunks(source, quiet(options)), types, onBadCell);
  if (found.length === 0) {
    throw new DataError("The JSON lines have no members, so that there are no columns.", {
      code: "EmptyJsonLines",
      hint: "Pass columns to read an empty file.",
    });
  }
  if (!options.isPart) {
    checkTyped(
      types,
      found.map(({ name }) => name),
      "a member of any line",
    );
  }
  return linesReader(found, options, "the JSON lines");
}

/**
 * The text of a file, or of bytes, in UTF-8 and chunks of any size: gzip and zstd are decompressed, other encodings
 * converted. Each chunk is valid until the next one is requested.
 *
 * @throws {FileError}
 * @throws {DataError} BadGzip, GzipBomb, BadZstd, ZstdBomb, BadTextEncoding
 */
async function* textChunks(source: AnyFile, options: TextOptions & OnBytes): AsyncGenerator<Uint8Array> {
  const { encoding = "utf-8" } = options;
  const packed = await packedFile(source, options);
  const isBytes = source instanceof Uint8Array;
  const plain = isBytes ? (source.length > 0 ? [source] : []) : fileBlocks(source, options);
  const chunks: Chunks = packed?.chunks() ?? plain;
  if (encoding === "utf-8") yield* chunks;
  else yield* utf8Chunks(chunks, encoding);
}

/**
 * An error of reading the text of a file, with the line where it is. The text up to there is read again. In an encoding
 * other than UTF-8, the error loses its offset, which is not one in the file.
 */
async function withLine(error: unknown, source: AnyFile, options: TextOptions): Promise<unknown> {
  if (!(error instanceof DataError) || error.offset === undefined || error.row === undefined) return error;
  const line = await lineAt(source, options, error.offset).catch(() => undefined);
  if (line === undefined) return error;
  const isConverted = (options.encoding ?? "utf-8") !== "utf-8";
  const place = isConverted ? `line ${line}` : `line ${line}, byte ${error.offset}`;
  const message = error.message.replace(`(byte ${error.offset})`, `(${place})`);
  return reworded(error, message, { line, ...(isConverted && { offset: undefined }) });
}

/** The number of the line, from 1, that contains the byte at an offset of the text. */
async function lineAt(source: AnyFile, options: TextOptions, offset: number): Promise<number> {
  let line = 1;
  let at = 0;
  let before = 0;
  for await (const chunk of textChunks(source, options)) {
    const end = Math.min(chunk.length, offset - at);
    for (let i = 0; i < end; i++) {
      const byte = chunk[i];
      if (byte === CR || (byte === LF && before !== CR)) line++;
      before = byte;
    }
    at += chunk.length;
    if (at >= offset) break;
  }
  return line;
}
