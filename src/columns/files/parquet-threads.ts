import type { FileState, SendableFile } from "../../format/random-access.js";
import { setMaxListeners } from "../../platform/node/process.js";
import { READ_BATCH } from "../arrow/read-options.js";
import { joinedReports } from "../build/bad-cells.js";
import type { RawBatch } from "../build/builder.js";
import { type FlatPlan, groupWork, type PlannedGroup, sizeOf } from "../parquet/read/flat-rows.js";
import type { ParquetRead } from "../parquet/read/options.js";
import type { DecodeElsewhere } from "../parquet/read/rows.js";
import { type ParquetTask, readGroups } from "../workers/parquet-part.js";
import { hasThreads, prepareThreadsFor, THREADS, ThreadFailure } from "../workers/thread.js";
import { threadRead } from "../workers/thread-read.js";
import type { ReadEnd } from "../workers/transfer.js";

/** Starts threads for a file that is surely read on them: it has at least this many bytes. */
export const prepareParquetThreads = (path: string, leastBytes: number): void =>
  prepareThreadsFor(path, leastBytes, THREADS.most - 1, { prepare: "parquet" });

/** Decodes the flat columns of a file on the caller's thread and worker threads, each a stretch of its row groups. */
export function decodeOnThreads(file: SendableFile, state: FileState | undefined, shortest: number): DecodeElsewhere {
  return async (plan, options, begin) => {
    if (THREADS.most < 2 || !hasThreads()) return undefined;
    const parts = stretches(plan, THREADS.most, shortest, options.batchRows ?? READ_BATCH.rows);
    if (parts.length < 2) return undefined;
    const stop = new AbortController();
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    setMaxListeners(0, signal);
    const onDone = bytesOfAll(parts, options);
    const takes = parts.map(begin);
    const tasks = parts.map((groups): ParquetTask => {
      return { file, state, plan: { ...plan, groups }, options: plainOptions(options) };
    });
    try {
      const others = tasks.slice(1).map(async (parquet, i): Promise<ReadEnd> => {
        const end = await threadRead({ parquet }, signal, takes[i + 1], (done) => onDone(i + 1, done));
        onDone(i + 1, end.offset);
        return end;
      });
      const own = ownPart(tasks[0], signal, (raw, done) => {
        takes[0](raw);
        onDone(0, done);
      });
      const ends = await Promise.all([own, ...others]);
      onDone(0, ends[0].offset);
      return joinedReports(ends.map(({ reports }) => ({ reports, before: 0 })));
    } catch (error) {
      // The caller reads the same and meets the error.
      if (error instanceof ThreadFailure) return undefined;
      throw error;
    } finally {
      stop.abort();
    }
  };
}

/** Reads a stretch on the caller's thread, which would else wait. */
async function ownPart(
  task: ParquetTask,
  signal: AbortSignal,
  take: (raw: RawBatch, done: number) => void,
): Promise<ReadEnd> {
  try {
    return await readGroups(task, (raw, done) => {
      signal.throwIfAborted();
      take(raw, done);
    });
  } catch (cause) {
    signal.throwIfAborted();
    throw new ThreadFailure("The stretch could not be read.", { cause });
  }
}

/** The options without functions and Arrow's classes. Rows are numbered as in the file. */
function plainOptions(options: ParquetRead): ParquetRead {
  const { decimals, onBadCell, onPrecisionLoss, batchRows = READ_BATCH.rows, text, firstRow } = options;
  return { decimals, onBadCell, onPrecisionLoss, batchRows, text, firstRow };
}

/**
 * The row groups of a plan as about equal stretches, at most one a thread. The first holds a whole batch: the first
 * batch decides how text is kept.
 */
function stretches(plan: FlatPlan, threads: number, shortest: number, batchRows: number): PlannedGroup[][] {
  const { groups } = plan;
  const work = groupWork(plan);
  const total = work.reduce((sum, one) => sum + one, 0);
  const count = Math.min(threads, Math.floor(total / shortest));
  const parts = Array.from({ length: count }, (): PlannedGroup[] => []);
  if (count < 2) return parts;
  let done = 0;
  for (const [i, group] of groups.entries()) {
    // A row group belongs to the stretch that its middle is in.
    parts[Math.floor(((done + work[i] / 2) / total) * count)].push(group);
    done += work[i];
  }
  const [first, ...others] = parts;
  let rows = first.reduce((sum, group) => sum + group.rows, 0);
  for (const part of others) {
    for (; rows < batchRows && part.length > 0; rows += first[first.length - 1].rows) first.push(...part.splice(0, 1));
  }
  return parts.filter(({ length }) => length > 0);
}

function bytesOfAll(
  parts: readonly (readonly PlannedGroup[])[],
  { onBytes }: ParquetRead,
): (part: number, bytes: number) => void {
  const read = parts.map(() => 0);
  const total = parts.flat().reduce((sum, group) => sum + sizeOf(group), 0);
  return (part, bytes) => {
    read[part] = bytes;
    onBytes?.(
      read.reduce((sum, one) => sum + one, 0),
      total,
    );
  };
}
