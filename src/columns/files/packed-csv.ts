import type { OnBytes } from "../arrow/read-options.js";
import { textModes } from "../build/batch-maker.js";
import type { RawBatch } from "../build/builder.js";
import { type LentBatches, rawBatches, type TextReader } from "../build/text-reader.js";
import type { CsvParser } from "../csv/parser.js";
import type { InflateTask } from "../workers/inflate.js";
import { inflatedAhead } from "../workers/inflate-ahead.js";
import { readTask } from "../workers/task.js";
import { hasThreads, THREADS, ThreadFailure } from "../workers/thread.js";
import { pipedBatches } from "../workers/thread-read.js";
import type { ReadEnd } from "../workers/transfer.js";

/** A shorter file is not worth a thread. */
const SHORTEST = 16_777_216;

/** A compressed CSV file. */
export interface PackedCsv {
  /** The declared size of its contents in bytes, if any. */
  readonly size: number;
  /** The contents; each chunk is valid until the next one is requested. */
  chunks(): AsyncGenerator<Uint8Array>;
  /** The task with which another thread inflates it; undefined for bytes in memory. */
  readonly task: InflateTask | undefined;
}

/** Options for reading a compressed CSV file, whatever its columns are. */
export interface PackedOptions extends OnBytes {
  readonly signal?: AbortSignal;
  /** Receives each batch's buffers for reuse. Batches are then parsed on the calling thread, none ahead. */
  readonly lent?: LentBatches;
}

/**
 * The batches of a compressed CSV file, of which at most `ahead` are read before they are requested. A long file is
 * inflated on one worker thread and parsed on another, or on the calling thread if batches are lent
 * (docs/decisions.md). If a thread fails, even because of an error in the file, the calling thread reads the remaining
 * batches and so reports the same error.
 */
export async function* packedRaws(
  file: PackedCsv,
  { parser }: TextReader<CsvParser>,
  { signal, onBytes, lent }: PackedOptions,
  ahead: number,
): AsyncGenerator<RawBatch> {
  const task = THREADS.most > 1 && file.size >= SHORTEST && hasThreads() ? file.task : undefined;
  let reached = -1;
  // If the calling thread reads the file again, the offset does not decrease.
  const onRead = (offset: number): void => {
    if (offset > reached) onBytes?.(offset, Math.max(offset, file.size));
    reached = Math.max(reached, offset);
  };
  const csv = parser.options;
  let passed = 0;
  if (task !== undefined && lent === undefined) {
    const onEnd = ({ reports }: ReadEnd): void => {
      for (const report of reports) csv.onReport?.(report);
    };
    try {
      const read = readTask(csv, textModes(csv.schema));
      for await (const raw of pipedBatches(task, read, { ahead, signal, onRead, onEnd })) {
        passed++;
        yield raw;
      }
      return;
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error;
    }
  }
  const contents = (): AsyncGenerator<Uint8Array> => file.chunks();
  const source = task !== undefined && lent !== undefined ? inflatedAhead(task, contents, signal) : contents();
  for await (const raw of rawBatches(parser, source, signal)) {
    if (passed > 0) {
      passed--;
      continue;
    }
    onRead(parser.offset);
    yield raw;
  }
}
