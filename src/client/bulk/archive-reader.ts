import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { ReadOptions } from "../../columns/arrow/read-options.js";
import type { LentBatches } from "../../columns/build/lent-batches.js";
import { atomicFile } from "../../columns/io/atomic-file.js";
import type { OnProgress } from "../../columns/io/progress.js";
import { readProgress } from "../../columns/io/read-progress.js";
import { zipBatches } from "../../columns/workers/zip-file.js";
import { zipEntry } from "../../format/zip.js";
import type { ColumnChooser } from "./bulk-columns.js";
import { firstCells } from "./first-cells.js";

/** An archive on the disk and how to read it. */
export interface Landing {
  readonly zip: string;
  readonly code: string;
  readonly choose: ColumnChooser;
  readonly emptyText: "quoted" | "null";
  readonly onProgress: OnProgress;
  /** The caller returns the batches after reading them. */
  readonly lent?: LentBatches;
}

/** How a bulk file is read. */
export type LandOptions = ReadOptions & { readonly signal?: AbortSignal };

/**
 * The archive's rows as record batches, one at a time. Nothing is final until the end is reached.
 *
 * @throws {DataError}
 */
export async function* landedBatches(landing: Landing, options: LandOptions): AsyncGenerator<RecordBatch> {
  const { zip, code, emptyText, onProgress, lent } = landing;
  const entry = await zipEntry(zip, { signal: options.signal });
  const { size: total } = entry;
  const chosen = await landing.choose(() => firstCells(entry.chunks()));
  const key = options.key ?? chosen.key;
  if (total === 0) return;
  const progress = readProgress(onProgress, code);
  let bytes = 0;
  let rows = 0;
  const onBytes = (read: number): void => {
    bytes = read;
  };
  for await (const batch of zipBatches(zip, entry, { ...options, ...chosen, key, emptyText, onBytes, lent })) {
    rows += batch.numRows;
    progress.step({ rows, bytes, total });
    yield batch;
  }
  progress.done({ rows, bytes: total, total });
}

/** Copies the archive's CSV to `path`, byte for byte: whole, or not at all. Gives its size. */
export async function copyCsv(landing: Landing, path: string, signal?: AbortSignal): Promise<number> {
  const { code, onProgress } = landing;
  const entry = await zipEntry(landing.zip, { signal });
  const progress = readProgress(onProgress, code);
  const { size: total } = entry;
  return atomicFile(path, async (file) => {
    let bytes = 0;
    for await (const chunk of entry.chunks()) {
      await file.writeFile(chunk);
      bytes += chunk.length;
      progress.step({ bytes, total });
    }
    progress.done({ bytes, total });
    return bytes;
  });
}
