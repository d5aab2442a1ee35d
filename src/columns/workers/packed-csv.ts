import { availableParallelism } from "node:os";
import type { CsvOptions, OnBytes } from "../arrow/read-options.js";
import { textModes } from "../build/batch-maker.js";
import type { RawBatch } from "../build/builder.js";
import type { LentBatches } from "../build/lent-batches.js";
import type { CsvParser } from "../csv/parser.js";
import { rawBatches } from "../csv/pieces.js";
import type { InflateTask } from "./inflate.js";
import { inflatedAhead } from "./inflate-ahead.js";
import { pipedBatches } from "./pipe.js";
import { readTask } from "./task.js";
import { hasThreads, ThreadFailure } from "./thread.js";

/** A shorter file does not repay a thread. */
const SHORTEST = 16_777_216;

/** A compressed CSV file. */
export interface PackedCsv {
  /** Bytes of its contents, as far as it says. */
  readonly size: number;
  /** The contents; each chunk is only valid until the next one is requested. */
  chunks(): AsyncGenerator<Uint8Array>;
  /** How another thread inflates it; undefined for bytes in memory. */
  readonly task: InflateTask | undefined;
}

/** How a compressed CSV file is read. */
export interface PackedOptions extends CsvOptions, OnBytes {
  /**
   * Receives what each batch is made of, so that its memory can be used again. Batches are then parsed on the caller's
   * thread, none ahead, unless `threads` says otherwise.
   */
  readonly lent?: LentBatches;
}

/**
 * The batches of a compressed CSV file, of which at most `ahead` are read before they are requested. A long file is
 * inflated on one worker thread and parsed on another; where batches are lent, it is parsed on the caller's
 * (docs/decisions.md). What stops the threads, an error in the file included, is met again by the caller's thread,
 * which yields the batches that are still due.
 */
export async function* packedRaws(
  file: PackedCsv,
  parser: CsvParser,
  options: PackedOptions,
  ahead: number,
): AsyncGenerator<RawBatch> {
  const { threads = availableParallelism(), signal, onBytes } = options;
  const { task } = file;
  const onBatch = (offset: number): void => onBytes?.(offset, Math.max(offset, file.size));
  let chunks = (): AsyncGenerator<Uint8Array> => file.chunks();
  let passed = 0;
  if (task !== undefined && threads > 1 && file.size >= SHORTEST && hasThreads()) {
    if (options.lent !== undefined && options.threads === undefined) {
      chunks = () => inflatedAhead(task, () => file.chunks(), signal);
    } else {
      const onPiped = (offset: number): void => {
        passed++;
        onBatch(offset);
      };
      try {
        const reading = readTask(options, textModes(options.schema));
        const end = yield* pipedBatches(task, reading, { ahead, signal, onBatch: onPiped });
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
    onBatch(parser.offset);
    yield raw;
  }
  parser.policy.report();
}
