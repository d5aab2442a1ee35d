import { MessageChannel } from "node:worker_threads";
import type { InflateTask } from "./inflate.js";
import { readerThread, ThreadFailure } from "./thread.js";

/** Chunks on their way: one is read, one waits, one is being inflated. */
const CHUNKS = 3;

/**
 * The chunks of a compressed file, inflated ahead on a worker thread; each is only valid until the next one is
 * requested. What stops the thread, an error in the file included, is met again by the caller's thread: it inflates by
 * `chunks`, from the start, what is still due.
 *
 * @throws {Error} what `chunks` throws; the reason of `signal` when it is aborted
 */
export async function* inflatedAhead(
  task: InflateTask,
  chunks: () => AsyncGenerator<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  try {
    for await (const chunk of byThread(task, signal)) {
      yield chunk;
      passed += chunk.length;
    }
    return;
  } catch (error) {
    if (!(error instanceof ThreadFailure)) throw error;
  }
  let at = 0;
  for await (const chunk of chunks()) {
    const known = Math.min(chunk.length, passed - at);
    at += chunk.length;
    if (known < chunk.length) yield chunk.subarray(Math.max(0, known));
  }
}

async function* byThread(task: InflateTask, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  // A signal of this read alone: the caller's may be shared by many, and would warn of so many listeners.
  const thread = readerThread(signal && AbortSignal.any([signal]));
  const { port1: from, port2: to } = new MessageChannel();
  const mail: (Uint8Array<ArrayBuffer> | null | { readonly error: unknown })[] = [];
  let wake = (): void => {};
  const put = (item: (typeof mail)[number]): void => {
    mail.push(item);
    wake();
  };
  let whole = false;
  try {
    thread.onFailure((error) => put({ error }));
    thread.send({ inflate: { task, to, chunks: CHUNKS } }, [to]);
    from.on("message", put);
    for (;;) {
      while (mail.length === 0) {
        from.ref();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      // Only a wait keeps the process alive.
      from.unref();
      const item = mail.shift() as (typeof mail)[number];
      if (item === null) break;
      if ("error" in item) throw item.error;
      yield item;
      from.postMessage(item.buffer, [item.buffer]);
    }
    whole = true;
  } finally {
    from.close();
    thread.release(whole);
  }
}
