import { MessageChannel } from "node:worker_threads";
import type { RawBatch } from "../build/builder.js";
import type { InflateTask } from "./inflate.js";
import type { ReadEnd, ReadTask } from "./task.js";
import { readerThread } from "./thread.js";
import { BatchReceiver } from "./transfer.js";

/** Chunks on their way between the threads: enough that neither waits for the other. */
const CHUNKS = 8;

interface ThreadOptions {
  /** No further chunk is read while so many batches have not been taken. */
  readonly ahead: number;
  readonly signal?: AbortSignal;
  /** Called before each batch with the byte offset of the row after it. */
  readonly onBatch?: (offset: number) => void;
}

/**
 * The batches of a compressed CSV file: one worker thread inflates and checks it, one parses.
 *
 * @throws {ThreadFailure} whose reason shows when the caller reads the same; the reason of `signal` when it is aborted
 */
export async function* pipedBatches(
  file: InflateTask,
  task: ReadTask,
  { ahead, signal, onBatch }: ThreadOptions,
): AsyncGenerator<RawBatch, ReadEnd> {
  // A signal of this read alone: the caller's may be shared by many, and would warn of so many listeners.
  const own = signal && AbortSignal.any([signal]);
  const parser = readerThread(own);
  let whole = false;
  try {
    const inflater = readerThread(own);
    try {
      inflater.onFailure(parser.fail);
      const { port1: from, port2: to } = new MessageChannel();
      parser.send({ stream: { ...task, from, ahead } }, [from]);
      inflater.send({ inflate: { task: file, to, chunks: CHUNKS } }, [to]);
      const receiver = new BatchReceiver();
      for (;;) {
        const answer = await parser.answer();
        if ("batch" in answer) {
          onBatch?.(answer.offset);
          yield receiver.unpack(answer.batch);
          parser.send({ taken: true });
        } else {
          whole = true;
          return answer.end;
        }
      }
    } finally {
      inflater.release(whole);
    }
  } finally {
    parser.release(whole);
  }
}
