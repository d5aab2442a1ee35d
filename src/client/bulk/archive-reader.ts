import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { Batching, ReadOptions } from "../../columns/arrow/read-options.js";
import type { LentBatches } from "../../columns/build/text-reader.js";
import { zipBatches } from "../../columns/files/zip-file.js";
import { type OnProgress, readProgress } from "../../columns/io/progress.js";
import { writeBlocks } from "../../columns/io/write-blocks.js";
import { DataError } from "../../errors/errors.js";
import { refuseBomb, type ZipEntry, type ZipOptions } from "../../format/zip-entry.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { ColumnChooser } from "./bulk-columns.js";

export interface RowReading {
  readonly choose: ColumnChooser;
  readonly emptyText: "quoted" | "null";
  readonly check?: RowCheck;
}

/** The CSV file of an archive on disk and how to read it. */
export interface Landing extends RowReading {
  readonly entry: ZipEntry;
  readonly code: string;
  readonly onProgress: OnProgress;
  /** The caller releases each batch after reading it. */
  readonly lent?: LentBatches;
}

/** Begins a check of the rows of a file, which throws for rows that were not requested. */
export type RowCheck = (columns: readonly ColumnSpec[], options: LandOptions) => (batch: RecordBatch) => void;

/** Limits of the archive of a bulk file. */
export interface ArchiveLimits {
  /**
   * The highest ratio of uncompressed to compressed bytes. Default: any up to 1 GB of uncompressed bytes, which take
   * seconds; 200 beyond, and for a file that does not begin with the columns of the query.
   */
  readonly maxRatio?: number;
  /** The most uncompressed bytes. Default 2^40. */
  readonly maxSize?: number;
}

/** Up to here, columns that repeat their values may be as dense as they are. */
const FREE_SIZE = 2 ** 30;

export function zipLimits({ maxRatio, maxSize }: ArchiveLimits): ZipOptions {
  return maxRatio === undefined ? { maxSize, freeSize: FREE_SIZE } : { maxRatio, maxSize };
}

/** Options for reading a bulk file. */
export type LandOptions = ReadOptions & ArchiveLimits & { readonly signal?: AbortSignal };

/**
 * Reads the rows of an archive as record batches, one at a time. They are verified only once the end has been reached.
 *
 * @throws {DataError}
 */
export async function* landedBatches(landing: Landing, options: LandOptions & Batching): AsyncGenerator<RecordBatch> {
  const { entry, code, emptyText, onProgress, lent } = landing;
  const { size: total } = entry;
  if (total === 0) {
    // Its contents may contradict the declared size.
    await landing.choose(() => readThrough(entry).then(() => []));
    return;
  }
  const progress = readProgress(onProgress, code);
  let bytes = 0;
  let rows = 0;
  const onBytes = (read: number): void => {
    bytes = read;
  };
  let check: ReturnType<RowCheck> | undefined;
  const choose = async (firstCells: () => Promise<readonly string[]>) => {
    const chosen = await landing.choose(firstCells);
    check = landing.check?.(chosen.columns, options);
    return { ...options, ...chosen, key: options.key ?? chosen.key, emptyText };
  };
  const { signal } = options;
  try {
    for await (const batch of zipBatches(entry, choose, { signal, onBytes, lent, ...zipLimits(options) })) {
      check?.(batch);
      rows += batch.numRows;
      progress.step({ rows, bytes, total });
      yield batch;
    }
  } catch (error) {
    // Its first line is not that of the query: no columns explain why it is so dense.
    if (error instanceof DataError && error.row === undefined && rows === 0) refuseBomb(entry, options);
    throw error;
  }
  progress.done({ rows, bytes: total, total });
}

/** Reads an entry to its end, which verifies its size and checksum. */
export async function readThrough(entry: ZipEntry): Promise<void> {
  for await (const _ of entry.chunks());
}

/** Copies the archive's CSV to `path`, byte for byte; the file is complete or absent. Returns its size. */
export async function copyCsv({ entry, code, onProgress }: Landing, path: string): Promise<number> {
  const progress = readProgress(onProgress, code);
  const { size: total } = entry;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of entry.chunks()) {
      yield chunk;
      bytes += chunk.length;
      progress.step({ bytes, total });
    }
    progress.done({ bytes, total });
  }
  return writeBlocks(path, chunks());
}
