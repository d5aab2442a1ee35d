import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { withOwnLayouts } from "../../columns/table/foreign-table.js";
import { refuseUnknown } from "../../errors/options.js";
import type { FileSources } from "./find-files.js";
import { localFile } from "./local-source.js";
import { CAST_FIRST, type FilesRead, readFiles, UNION_OPTIONS } from "./many-files.js";
import type { UnionOptions } from "./union.js";
import { type Watched, watchedBatches } from "./watched.js";

/** Reads Arrow files for `Frame.fromArrow`. */
export async function readArrowFiles(sources: FileSources | ArrayBuffer, options: UnionOptions): Promise<FilesRead> {
  refuseUnknown(options, UNION_OPTIONS, "fromArrow()");
  const { readArrow, tableFromIPCBytes } = await import("../../columns/ipc/read/read.js");
  const given = sources instanceof ArrayBuffer ? new Uint8Array(sources) : sources;
  const kind = { where: "fromArrow()", what: "an Arrow stream or file", names: /\.(?:arrows?|feather|ipc)$/i };
  return readFiles(given, kind, options, CAST_FIRST, async (local) =>
    withOwnLayouts(local instanceof Uint8Array ? tableFromIPCBytes(local) : await readArrow(local)),
  );
}

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
  source: string | URL | Uint8Array | ArrayBuffer | Blob,
  options: Watched = {},
): AsyncGenerator<RecordBatch> {
  const local = localFile(source, "arrowBatches()", "an Arrow file");
  refuseUnknown(options, ["onProgress"], "arrowBatches()");
  return watchedBatches(local, options, async function* (onBytes) {
    const { arrowFileBatches } = await import("../../columns/ipc/read/read.js");
    yield* arrowFileBatches(local, { onBytes });
  });
}
