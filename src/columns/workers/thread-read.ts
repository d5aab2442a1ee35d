import type { RawBatch } from "../build/builder.js";
import type { ReadEnd, ThreadRequest } from "./task.js";
import { readerThread } from "./thread.js";
import { BatchReceiver } from "./transfer.js";

/**
 * Reads on a worker thread.
 *
 * @param onBatch called with each batch, in order, and the offset that the thread has reached
 * @param onRead called with that offset after each message of several batches, or of none
 * @throws {ThreadFailure} where the thread cannot start or read; the reason of an aborted signal
 */
export async function threadRead(
  request: ThreadRequest,
  signal: AbortSignal | undefined,
  onBatch: (raw: RawBatch, offset: number) => void,
  onRead: (offset: number) => void = () => {},
): Promise<ReadEnd> {
  const thread = readerThread(signal);
  const receiver = new BatchReceiver();
  let complete = false;
  try {
    thread.send(request);
    for (;;) {
      const reply = await thread.answer();
      if ("end" in reply) {
        complete = true;
        return reply.end;
      }
      if ("batch" in reply) onBatch(receiver.unpack(reply.batch), reply.offset);
      if ("batches" in reply) {
        for (const batch of reply.batches) onBatch(receiver.unpack(batch), reply.offset);
        onRead(reply.offset);
      }
    }
  } finally {
    thread.release(complete);
  }
}
