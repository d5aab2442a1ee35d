import { availableParallelism } from "node:os";
import { type ZipEntry, type ZipOptions, type ZipSource, zipEntry } from "../../format/zip.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { CsvOptions, OnBytes } from "../arrow/read-options.js";
import { textModes } from "../build/batch-maker.js";
import type { RawBatch } from "../build/builder.js";
import type { LentBatches } from "../build/lent-batches.js";
import type { CsvParser } from "../csv/parser.js";
import { rawBatches } from "../csv/pieces.js";
import { csvReader } from "../csv/reader.js";
import { inflatedAhead } from "./inflate-ahead.js";
import { zipThreadsBatches } from "./pipe.js";
import { readTask } from "./task.js";
import { hasThreads, ThreadFailure } from "./thread.js";

/** An archive whose file is shorter does not repay a thread. */
const SHORTEST = 16_777_216;

/** Batches a thread may have finished before they are asked for: enough that neither waits, few enough for memory. */
const AHEAD = 2;

/** How the CSV file inside an archive is read. */
export interface ZipCsvOptions extends CsvOptions, ZipOptions, OnBytes {
  /**
   * Receives what each batch is made of, so that its memory can be used again. Batches are then parsed on the caller's thread, none ahead, unless `threads`
   * says otherwise.
   */
  readonly lent?: LentBatches;
}

/** The one CSV file of a zip archive (spec 2.5, 4.9) as a table, CRC-32 and sizes checked. Throws DataError, FileError. */
export async function zipTable(source: ZipSource, options: ZipCsvOptions): Promise<Table> {
  const entry = await zipEntry(source, options);
  const { parser, maker } = csvReader(options);
  const raws: RawBatch[] = [];
  for await (const raw of zipRaws(source, entry, parser, options, Number.POSITIVE_INFINITY)) raws.push(raw);
  return maker.table(raws);
}

/**
 * The CSV file of an archive as record batches, one at a time. Nothing is final until the end is reached: sizes and CRC-32 are checked last.
 *
 * @throws DataError, FileError
 */
export async function* zipBatches(
  source: ZipSource,
  entry: ZipEntry,
  options: ZipCsvOptions,
): AsyncGenerator<RecordBatch> {
  const { parser, maker } = csvReader(options);
  for await (const raw of zipRaws(source, entry, parser, options, AHEAD)) {
    const batch = maker.batch(raw);
    options.lent?.lend(batch, raw);
    yield batch;
  }
}

/**
 * A long file is inflated on one worker thread and parsed on another; where batches are lent, it is parsed on the caller's (docs/decisions.md).
 * What stops the threads, an error in the file included, is met again by the caller's thread, which yields the batches that are still due.
 */
async function* zipRaws(
  source: ZipSource,
  entry: ZipEntry,
  parser: CsvParser,
  options: ZipCsvOptions,
  ahead: number,
): AsyncGenerator<RawBatch> {
  const { threads = availableParallelism(), signal, onBytes, maxRatio, maxSize } = options;
  let chunks = (): AsyncGenerator<Uint8Array> => entry.chunks();
  let passed = 0;
  if (typeof source === "string" && threads > 1 && entry.size >= SHORTEST && hasThreads()) {
    const archive = { path: source, crc32: entry.crc32, limits: { maxRatio, maxSize } };
    if (options.lent !== undefined && options.threads === undefined) {
      chunks = () => inflatedAhead(archive, () => entry.chunks(), signal);
    } else {
      const onBatch = (offset: number): void => {
        passed++;
        onBytes?.(offset, entry.size);
      };
      try {
        const task = readTask(options, textModes(options.schema));
        const end = yield* zipThreadsBatches(archive, task, { ahead, signal, onBatch });
        if (options.onReport !== undefined) for (const report of end.reports) options.onReport(report);
        return;
      } catch (error) {
        if (!(error instanceof ThreadFailure)) throw error;
      }
    }
  }
  for await (const raw of rawBatches(parser, chunks(), signal)) {
    if (passed > 0) {
      passed--;
      continue;
    }
    onBytes?.(parser.offset, entry.size);
    yield raw;
  }
  parser.policy.report();
}
