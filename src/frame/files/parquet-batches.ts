import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { readProgress } from "../../columns/io/read-progress.js";
import { checkParquetOptions, type ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { parquetFileBatches } from "../../columns/parquet/read/read.js";
import { follow } from "../../display/progress/follow.js";
import { needBytes } from "../cells/given.js";
import type { Watched } from "./watched.js";

/**
 * The rows of a Parquet file, of its bytes, or of all Parquet files in a folder, as record batches, one at a time: of a
 * long file only a few pages of each column are in memory. There is at least one batch, without rows where there are
 * none.
 *
 * @param options as those of `Frame.fromParquet`; `batchRows` is the number of rows of a batch, 65,536 by default
 * @throws InputError for wrong options; the iteration throws FileError, DataError `BadParquet`, `UnsupportedParquet`
 * @example
 * ```ts no-run
 * import { parquetBatches } from "arrowbook";
 * let rows = 0;
 * for await (const batch of parquetBatches("prices.parquet", { columns: ["date", "close"] })) rows += batch.numRows;
 * ```
 */
export function parquetBatches(
  source: string | Uint8Array,
  options: ParquetReadOptions & Watched = {},
): AsyncGenerator<RecordBatch> {
  if (typeof source !== "string")
    needBytes(source, "parquetBatches()", "Pass the path or the bytes of a Parquet file.");
  checkParquetOptions(options, "parquetBatches()", ["onProgress"]);
  return watchedBatches(source, options);
}

async function* watchedBatches(
  source: string | Uint8Array,
  options: ParquetReadOptions & Watched,
): AsyncGenerator<RecordBatch> {
  const { tell, end } = follow(options.onProgress);
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
