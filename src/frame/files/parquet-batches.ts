import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { checkParquetOptions, type ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { localFile } from "./local-source.js";
import { type Watched, watchedBatches } from "./watched.js";

/**
 * Reads a Parquet file, its bytes, or all Parquet files in a folder as record batches, one at a time: only a few pages
 * of each column are in memory (some engines make a page as long as a row group). Yields at least one batch, which may
 * be empty.
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
export function parquetBatches(
  source: string | URL | Uint8Array,
  options: ParquetReadOptions & Watched = {},
): AsyncGenerator<RecordBatch> {
  const local = localFile(source, "parquetBatches()", "a Parquet file");
  checkParquetOptions(options, "parquetBatches()", ["onProgress"]);
  return watchedBatches(local, options, async function* (onBytes) {
    const { parquetFileBatches } = await import("../../columns/parquet/read/read.js");
    yield* parquetFileBatches(local, { ...options, onBytes });
  });
}
