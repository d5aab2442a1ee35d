import { messageChannel } from "../../platform/node/packages.js";
import type { RawBatch } from "../build/builder.js";
import { ChunkRing } from "./chunk-ring.js";
import type { InflateTask } from "./inflate.js";
import type { ParquetTask } from "./parquet-part.js";
import type { PartTask, ReadTask } from "./task.js";
import { readerThread } from "./thread.js";
import { BatchReceiver, type ReadEnd } from "./transfer.js";

/**
 * Reads on a worker thread.
 *
 * @param onBatch called with each batch, in order
 * @param onRead called with the offset that the thread has reached
 * @throws {ThreadFailure} where the thread cannot start or read; the reason of an aborted signal
 */
export async function threadRead(
  request: { readonly part: PartTask } | { readonly parquet: ParquetTask },
  signal: AbortSignal | undefined,
  onBatch: (raw: RawBatch) => void,
  onRead: (offset: number) => void,
): Promise<ReadEnd> {
  const thread = readerThread(signal);
  const receiver = new BatchReceiver();
  let complete = false;
  try {
    thread.send(request);
    for (;;) {
      const reply = await thread.answer();
      complete = "end" in reply;
      if ("end" in reply) return reply.end;
      onRead(reply.offset);
      for (const raw of receiver.batches(reply)) onBatch(raw);
    }
  } finally {
    thread.release(complete);
  }
}

interface PipeOptions {
  /** No further chunk is read while this many batches have not been taken; infinity where all are kept. */
  readonly ahead: number;
  readonly signal?: AbortSignal;
  /** Called with the offset that was reached. */
  readonly onRead: (offset: number) => void;
  readonly onEnd: (end: ReadEnd) => void;
}

/**
 * The batches of a compressed CSV file: one worker thread inflates and verifies it, another parses it.
 *
 * @throws {ThreadFailure} if a thread fails; the caller finds the reason by reading the file itself; the reason of
 *   `signal` when it is aborted
 */
export async function* pipedBatches(
  file: InflateTask,
  task: ReadTask,
  { ahead, signal, onRead, onEnd }: PipeOptions,
): AsyncGenerator<RawBatch> {
  // A signal per read: the caller's may be shared by many reads, and would warn about too many listeners.
  const own = signal && AbortSignal.any([signal]);
  const parser = readerThread(own);
  let complete = false;
  try {
    const inflater = readerThread(own);
    try {
      inflater.onFailure(parser.fail);
      const ring = new ChunkRing().memory;
      const stream = { ...task, ring, ahead };
      if (ahead < Number.POSITIVE_INFINITY) {
        inflater.send({ inflate: { task: file, ring } });
        parser.send({ stream });
      } else {
        // Batches that are all kept fill fresh memory.
        const { port1, port2 } = messageChannel();
        inflater.send({ inflate: { task: file, ring, memory: port1 } }, [port1]);
        parser.send({ stream: { ...stream, memory: port2 } }, [port2]);
      }
      const receiver = new BatchReceiver();
      for (;;) {
        const reply = await parser.answer();
        complete = "end" in reply;
        if ("end" in reply) return onEnd(reply.end);
        onRead(reply.offset);
        for (const raw of receiver.batches(reply)) {
          yield raw;
          if (ahead < Number.POSITIVE_INFINITY) parser.send({ taken: true });
        }
      }
    } finally {
      inflater.release(complete);
    }
  } finally {
    parser.release(complete);
  }
}
