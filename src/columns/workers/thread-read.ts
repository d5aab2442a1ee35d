import type { RawBatch } from "../build/builder.js";
import type { ParquetTask } from "./parquet-part.js";
import type { PartTask, ReadEnd } from "./task.js";
import { type ReaderThread, readerThread } from "./thread.js";
import { BatchReceiver } from "./transfer.js";

/**
 * The batches that a thread sends until its read ends.
 *
 * @param onRead called with the offset that the thread has reached, before the batches up to there
 * @param onTaken called when a batch was taken
 * @throws {ThreadFailure} where the thread cannot read; the reason of an aborted signal
 */
export async function* sentBatches(
  thread: ReaderThread,
  onRead: (offset: number) => void = () => {},
  onTaken: () => void = () => {},
): AsyncGenerator<RawBatch, ReadEnd> {
  const receiver = new BatchReceiver();
  for (;;) {
    const reply = await thread.answer();
    if ("end" in reply) return reply.end;
    if (!("batches" in reply)) continue;
    onRead(reply.offset);
    for (const batch of reply.batches) {
      yield receiver.unpack(batch);
      onTaken();
    }
  }
}

/**
 * Reads on a worker thread; `onBatch` is called with each batch, in order, `onRead` as that of {@link sentBatches}.
 *
 * @throws {ThreadFailure} where the thread cannot start or read; the reason of an aborted signal
 */
export async function threadRead(
  request: { readonly part: PartTask } | { readonly parquet: ParquetTask },
  signal: AbortSignal | undefined,
  onBatch: (raw: RawBatch) => void,
  onRead: (offset: number) => void,
): Promise<ReadEnd> {
  const thread = readerThread(signal);
  let complete = false;
  try {
    thread.send(request);
    const batches = sentBatches(thread, onRead);
    for (;;) {
      const { done, value } = await batches.next();
      complete = done === true;
      if (done) return value;
      onBatch(value);
    }
  } finally {
    thread.release(complete);
  }
}
