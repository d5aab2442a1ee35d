import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { readProgress } from "../../columns/io/read-progress.js";
import { checkParquetOptions, type ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { follow } from "../../display/progress/follow.js";
import { localFile } from "./local-source.js";
import type { Watched } from "./watched.js";

/**
 * Reads a Parquet file, its bytes, or all Parquet files in a folder as record batches, one at a time: only a few pages
 * of each column are in memory (some engines make a page as long as a row group). Yields at least one batch, which may
 * be empty.
 *
 * @param options as for `Frame.fromParquet`; `batchRows` is the number of rows per batch, 65,536 by default
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
  return watchedBatches(local, options);
}

async function* watchedBatches(
  source: string | Uint8Array,
  options: ParquetReadOptions & Watched,
): AsyncGenerator<RecordBatch> {
  const { tell, end } = follow(options.onProgress);
  const { parquetFileBatches } = await import("../../columns/parquet/read/read.js");
  const { step, done } = readProgress(tell, typeof source === "string" ? source : "bytes");
  try {
    let rows = 0;
    const onBytes = (bytes: number, total: number): void => step({ bytes, total, rows });
    for await (const batch of parquetFileBatches(source, { ...options, onBytes })) {
      rows += batch.numRows;
      yield batch;
    }
    done();
  } finally {
    end();
  }
}
