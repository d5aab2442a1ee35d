import type { RawBatch } from "./csv-parser.js";
import type { ReadEnd, ReadTask } from "./read-task.js";
import { readerThread } from "./reader-thread.js";
import { BatchReceiver } from "./sent-batch.js";

/** Chunks that the thread may have before it: enough that it need not wait for one. */
const CHUNKS = 3;

/** Memory smaller than this may be shared with others, as that of small Buffers is. */
const OWN_MEMORY = 65_536;

interface StreamOptions {
  /** No further chunk is sent while so many answers wait for the caller. */
  readonly ahead: number;
  readonly signal?: AbortSignal;
  /** Called before each batch with the byte offset of the row after it. */
  readonly onBatch?: (offset: number) => void;
}

/**
 * The batches of CSV chunks, parsed on a worker thread while this one brings the chunks. A chunk that reaches to the end of its memory
 * takes it along: nobody else may look at it after the next was asked for.
 *
 * @throws ThreadFailure, whose reason shows when the caller reads the same; the reason of `signal` when it is aborted; what `chunks` throws
 */
export async function* threadBatches(
  chunks: AsyncIterable<Uint8Array>,
  task: ReadTask,
  { ahead, signal, onBatch }: StreamOptions,
): AsyncGenerator<RawBatch, ReadEnd> {
  const thread = readerThread(signal);
  const receiver = new BatchReceiver();
  let unread = 0;
  let left = false;
  let whole = false;
  let resume = (): void => {};
  const bring = async (): Promise<void> => {
    for await (const chunk of chunks) {
      while (!left && (unread >= CHUNKS || thread.waiting >= ahead)) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      if (left) return;
      unread++;
      const own = ownMemory(chunk);
      thread.send({ chunk: own }, [own.buffer]);
    }
    thread.send({ ended: true });
  };
  thread.send({ stream: task });
  const bringing = bring().catch((error: unknown) => thread.fail(error));
  try {
    for (;;) {
      const answer = await thread.answer();
      if ("read" in answer) unread--;
      resume();
      if ("batch" in answer) {
        onBatch?.(answer.offset);
        yield receiver.unpack(answer.batch);
      } else if ("end" in answer) {
        whole = true;
        return answer.end;
      }
    }
  } finally {
    left = true;
    resume();
    thread.release(whole);
    await bringing;
  }
}

/** The chunk in memory that can be given away: its own when nothing can be behind it, else a copy. */
function ownMemory(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = chunk;
  const last = byteOffset + length === buffer.byteLength && buffer.byteLength >= OWN_MEMORY;
  return last && buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, length) : new Uint8Array(chunk);
}
