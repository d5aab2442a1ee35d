import type { RawBatch } from "../build/builder.js";
import { HeldBatches } from "./held-batches.js";
import type { ParquetTask } from "./parquet-part.js";
import type { PartTask, ReadEnd } from "./task.js";
import { readerThread } from "./thread.js";
import { BatchReceiver } from "./transfer.js";

/**
 * Reads on a worker thread. The batches of CSV arrive many at a time ({@link HeldBatches}).
 *
 * @param onBatch called with each batch, in order, and the offset that the thread has reached
 * @param onRead called with that offset after each message of several batches, or of none
 * @throws {ThreadFailure} where the thread cannot start or read; the reason of an aborted signal
 */
export async function threadRead(
  request: { readonly part: PartTask } | { readonly parquet: ParquetTask },
  signal: AbortSignal | undefined,
  onBatch: (raw: RawBatch, offset: number) => void,
  onRead: (offset: number) => void = () => {},
): Promise<ReadEnd> {
  const thread = readerThread(signal);
  const held = new HeldBatches();
  const receiver = new BatchReceiver();
  let complete = false;
  try {
    if ("part" in request) thread.send({ ...request, held: held.port }, [held.port]);
    else thread.send(request);
    for (;;) {
      const reply = await thread.answer();
      if ("end" in reply) {
        for (const raw of held.rest()) onBatch(raw, reply.end.offset);
        complete = true;
        return reply.end;
      }
      if ("held" in reply) {
        onRead(reply.offset);
        for (const raw of held.add(reply.held)) onBatch(raw, reply.offset);
      }
      if ("batch" in reply) onBatch(receiver.unpack(reply.batch), reply.offset);
      if ("batches" in reply) {
        for (const batch of reply.batches) onBatch(receiver.unpack(batch), reply.offset);
        onRead(reply.offset);
      }
    }
  } finally {
    held.close();
    thread.release(complete);
  }
}
