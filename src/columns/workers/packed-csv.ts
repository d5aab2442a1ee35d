import { peeked } from "../../format/first-record.js";
import type { OnBytes } from "../arrow/read-options.js";
import { textModes } from "../build/batch-maker.js";
import type { RawBatch } from "../build/builder.js";
import type { LentBatches } from "../build/lent-batches.js";
import { rawBatches } from "../csv/raw-batches.js";
import type { CsvReader } from "../csv/reader.js";
import type { InflateTask } from "./inflate.js";
import { inflatedAhead } from "./inflate-ahead.js";
import { pipedBatches } from "./pipe.js";
import { readTask } from "./task.js";
import { hasThreads, THREADS, ThreadFailure } from "./thread.js";

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
 *
 * @param open is called while the file is being inflated; its argument reads the cells of the first line from the
 *   chunks that are then parsed
 */
export async function* packedRaws(
  file: PackedCsv,
  open: (firstCells: () => Promise<readonly string[]>) => Promise<CsvReader>,
  options: PackedOptions,
  ahead: number,
): AsyncGenerator<RawBatch> {
  const { signal, onBytes, lent } = options;
  const task = THREADS.most > 1 && file.size >= SHORTEST && hasThreads() ? file.task : undefined;
  let reached = -1;
  // If the calling thread reads the file again, the offset does not decrease.
  const onRead = (offset: number): void => {
    if (offset > reached) onBytes?.(offset, Math.max(offset, file.size));
    reached = Math.max(reached, offset);
  };
  let reader: CsvReader | undefined;
  let passed = 0;
  if (task !== undefined && lent === undefined) {
    const piped = pipedBatches(
      task,
      async (firstCells) => {
        reader = await open(firstCells);
        return readTask(reader.options, textModes(reader.options.schema));
      },
      { ahead, signal, onRead },
    );
    try {
      const end = yield* counted(piped, () => {
        passed++;
      });
      for (const report of end.reports) reader?.options.onReport?.(report);
      return;
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error;
    }
  }
  const contents = (): AsyncGenerator<Uint8Array> => file.chunks();
  const source = peeked(task !== undefined && lent !== undefined ? inflatedAhead(task, contents, signal) : contents());
  try {
    reader ??= await open(source.firstCells);
    for await (const raw of rawBatches(reader.parser, source.chunks(), signal)) {
      if (passed > 0) {
        passed--;
        continue;
      }
      onRead(reader.parser.offset);
      yield raw;
    }
    reader.parser.batch.policy.report();
  } finally {
    await source.close();
  }
}

/** The same items and result; `onItem` is called before each item. */
async function* counted<T, End>(items: AsyncGenerator<T, End>, onItem: () => void): AsyncGenerator<T, End> {
  try {
    for (;;) {
      const next = await items.next();
      if (next.done === true) return next.value;
      onItem();
      yield next.value;
    }
  } finally {
    await items.return(undefined as End);
  }
}
