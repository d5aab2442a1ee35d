import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { readProgress } from "../../columns/io/read-progress.js";
import { arrowFileBatches } from "../../columns/ipc/read/read.js";
import { follow } from "../../display/progress/follow.js";
import { refuseUnknown } from "../../errors/options.js";
import { localFile } from "./local-source.js";
import type { Watched } from "./watched.js";

/**
 * The rows of an Arrow IPC stream or file, or of its bytes, as record batches, one at a time: the input is read by
 * range, and of a long file one batch and the dictionaries are in memory. There is at least one batch, without rows if
 * there are none. A batch has as many rows as it was written with.
 *
 * @throws {InputError} for wrong options
 * @throws {FileError} in the iteration
 * @throws {DataError} BadArrow, UnsupportedArrow in the iteration
 * @example
 * ```ts no-run
 * import { arrowBatches } from "arrowbook";
 * let rows = 0;
 * for await (const batch of arrowBatches("prices.arrow")) rows += batch.numRows;
 * ```
 */
export function arrowBatches(
  source: string | URL | Uint8Array | ArrayBuffer,
  options: Watched = {},
): AsyncGenerator<RecordBatch> {
  const local = localFile(source, "arrowBatches()", "an Arrow file");
  refuseUnknown(options, ["onProgress"], "arrowBatches()");
  return watchedBatches(local as string | Uint8Array, options);
}

async function* watchedBatches(source: string | Uint8Array, options: Watched): AsyncGenerator<RecordBatch> {
  const { tell, end } = follow(options.onProgress);
  const { step, done } = readProgress(tell, typeof source === "string" ? source : "bytes");
  try {
    let rows = 0;
    const onBytes = (bytes: number, total: number): void => step({ bytes, total, rows });
    for await (const batch of arrowFileBatches(source, { onBytes })) {
      rows += batch.numRows;
      yield batch;
    }
    done();
  } finally {
    end();
  }
}
