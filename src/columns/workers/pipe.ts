import { builtin } from "../../package/builtin.js";
import type { RawBatch } from "../build/builder.js";
import { ChunkRing } from "./chunk-ring.js";
import { HeldBatches } from "./held-batches.js";
import type { InflateTask } from "./inflate.js";
import type { ReadEnd, ReadTask } from "./task.js";
import { type ReaderThread, readerThread, ThreadFailure } from "./thread.js";
import { BatchReceiver } from "./transfer.js";

interface ThreadOptions {
  /** No further chunk is read while this many batches have not been taken. */
  readonly ahead: number;
  readonly signal?: AbortSignal;
  /** Called for each batch that was read, with the byte offset of the row after it. */
  readonly onRead?: (offset: number) => void;
}

/**
 * The batches of a compressed CSV file: one worker thread inflates and verifies it, another parses it.
 *
 * @param choose returns the options of the read; its argument asks the parsing thread for the cells of the first line
 * @throws {ThreadFailure} if a thread fails; the caller finds the reason by reading the file itself; the reason of
 *   `signal` when it is aborted
 */
export async function* pipedBatches(
  file: InflateTask,
  choose: (firstCells: () => Promise<readonly string[]>) => Promise<ReadTask>,
  { ahead, signal, onRead }: ThreadOptions,
): AsyncGenerator<RawBatch, ReadEnd> {
  // A signal per read: the caller's may be shared by many reads, and would warn about too many listeners.
  const own = signal && AbortSignal.any([signal]);
  const parser = readerThread(own);
  // Batches that are all kept fill fresh memory; of others, the memory is used again.
  const held = ahead === Number.POSITIVE_INFINITY ? new HeldBatches() : undefined;
  let complete = false;
  try {
    const inflater = readerThread(own);
    try {
      inflater.onFailure(parser.fail);
      const ring = new ChunkRing().memory;
      if (held === undefined) {
        inflater.send({ inflate: { task: file, ring } });
        parser.send({ stream: { ring, ahead } });
      } else {
        const { port1, port2 } = new (builtin("node:worker_threads").MessageChannel)();
        inflater.send({ inflate: { task: file, ring, memory: port1 } }, [port1]);
        parser.send({ stream: { ring, ahead, memory: port2, held: held.port } }, [port2, held.port]);
      }
      const task = await choose(firstCellsOf(parser));
      parser.send({ read: task });
      const receiver = new BatchReceiver();
      for (;;) {
        const answer = await parser.answer();
        if ("end" in answer) {
          if (held !== undefined) yield* held.rest();
          complete = true;
          return answer.end;
        }
        if ("held" in answer) {
          onRead?.(answer.offset);
          if (held !== undefined) yield* held.add(answer.held);
        }
        if ("batch" in answer) {
          onRead?.(answer.offset);
          yield receiver.unpack(answer.batch);
          parser.send({ taken: true });
        }
      }
    } finally {
      inflater.release(complete);
    }
  } finally {
    held?.close();
    parser.release(complete);
  }
}

/** Asks a parsing thread for the cells of the first line, once. */
function firstCellsOf(parser: ReaderThread): () => Promise<readonly string[]> {
  const ask = async (): Promise<readonly string[]> => {
    parser.send({ firstCells: true });
    const answer = await parser.answer();
    if ("first" in answer) return answer.first;
    throw new ThreadFailure("The worker answered something else.");
  };
  let cells: Promise<readonly string[]> | undefined;
  return () => {
    cells ??= ask();
    return cells;
  };
}
