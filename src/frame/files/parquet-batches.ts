import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { noBatches } from "../../columns/io/written.js";
import { checkParquetOptions, type ParquetReadOptions } from "../../columns/parquet/read/options.js";
import type { AnyFile } from "../../format/random-access.js";
import type { FileKind, FileSource, FileSources, FoundFile } from "./find-files.js";
import { localFile } from "./local-source.js";
import { CAST_FIRST, type FilesRead, filesToUnite, readFiles, UNION_OPTIONS, unionBatches } from "./many-files.js";
import type { UnionOptions } from "./union.js";
import { type Watched, watched, watchedBatches } from "./watched.js";

/** How Parquet files are read, and several as one table. */
export type ParquetFileOptions = ParquetReadOptions & UnionOptions & Watched;

const kind = (where: string): FileKind => ({
  where,
  what: "a Parquet file",
  names: /\.(?:parquet|parq|pq)$/i,
  readsFolders: true,
});

/** Reads Parquet files for `Frame.fromParquet`. */
export async function readParquetFiles(sources: FileSources, options: ParquetFileOptions): Promise<FilesRead> {
  checkParquetOptions(options, "fromParquet()", ["onProgress", ...UNION_OPTIONS]);
  const { parquetFileTable } = await import("../../columns/files/parquet-file.js");
  return readFiles(sources, kind("fromParquet()"), unionOf(options), CAST_FIRST, async (local, isPart) => {
    const own = isPart ? await partOptions(local, options) : options;
    return watched(local, options, (onBytes) => parquetFileTable(local, { ...own, onBytes }));
  });
}

const unionOf = ({ source, missingColumns, columns }: ParquetFileOptions) => ({
  source,
  missingColumns,
  only: columns,
});

/** The options for one of several files, which may lack some of the columns; at least one is read. */
async function partOptions(file: AnyFile, options: ParquetFileOptions): Promise<ParquetReadOptions> {
  const { columns, ...rest } = options;
  if (columns === undefined) return rest;
  const { parquetShape } = await import("../../columns/parquet/read/read.js");
  const { names } = await parquetShape(file);
  const own = columns.filter((name) => names.includes(name));
  return { ...rest, columns: own.length === 0 ? names.slice(0, 1) : own };
}

/**
 * Reads Parquet files, the bytes of one, or all Parquet files in a folder as record batches, one at a time: only a few
 * pages of each column are in memory (some engines make a page as long as a row group). Yields at least one batch,
 * which may be empty.
 *
 * @param options as for `Frame.fromParquet`; a batch has at most 65,536 rows
 * @throws {InputError} for wrong options
 * @throws {FileError} in the iteration
 * @throws {DataError} BadParquet, UnsupportedParquet in the iteration
 * @example
 * ```ts no-run
 * import { parquetBatches } from "arrowbook";
 * let rows = 0;
 * for await (const batch of parquetBatches("prices.parquet", { columns: ["date", "close"] })) rows += batch.numRows;
 * ```
 */
export function parquetBatches(sources: FileSources, options: ParquetFileOptions = {}): AsyncGenerator<RecordBatch> {
  const { where, what } = kind("parquetBatches()");
  const local = Array.isArray(sources) ? undefined : localFile(sources as FileSource, where, what);
  checkParquetOptions(options, where, ["onProgress", ...UNION_OPTIONS]);
  return watchedBatches(local, options, async function* (onBytes) {
    const { parquetFileBatches } = await import("../../columns/parquet/read/read.js");
    const files = await filesToUnite(sources, kind(where), options);
    if (files === undefined) {
      yield* parquetFileBatches(local as AnyFile, { ...options, onBytes });
      return;
    }
    const batchesOf = async function* ({ source }: FoundFile): AsyncGenerator<RecordBatch> {
      const ownOptions = await partOptions(source, options);
      yield* parquetFileBatches(typeof source === "string" ? [source] : source, { ...ownOptions, onBytes });
    };
    const partOf = async (file: FoundFile) => {
      for await (const { schema } of batchesOf(file)) return { schema, isEmpty: () => false };
      throw noBatches();
    };
    yield* unionBatches(files, unionOf(options), CAST_FIRST, partOf, batchesOf);
  });
}
