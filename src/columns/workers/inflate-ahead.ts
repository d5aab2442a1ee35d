import { nextTurn } from "../../platform/node/process.js";
import { ChunkRing } from "./chunk-ring.js";
import type { InflateTask } from "./inflate.js";
import { readerThread, ThreadFailure } from "./thread.js";

/**
 * The chunks of a compressed file, inflated ahead on a worker thread; each is valid until the next one is requested. If
 * the thread fails, even because of an error in the file, the calling thread inflates the remaining chunks with
 * `chunks`, from the start, and so reports the same error.
 *
 * @throws {Error} any error of `chunks`; the reason of `signal` when it is aborted
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
  // A signal per read: the caller's may be shared by many reads, and would warn about too many listeners.
  const thread = readerThread(signal && AbortSignal.any([signal]));
  const ring = new ChunkRing();
  let failure: { readonly error: unknown } | undefined;
  let complete = false;
  try {
    thread.onFailure((error) => {
      failure ??= { error };
      ring.close();
    });
    thread.send({ inflate: { task, ring: ring.memory } });
    for (;;) {
      const chunk = await thread.awaited(ring.next());
      if (failure !== undefined) throw failure.error;
      if (chunk === undefined) break;
      yield chunk;
      ring.release();
      // Chunks that have arrived come without a turn of the event loop.
      await nextTurn();
    }
    complete = true;
  } finally {
    ring.close();
    thread.release(complete);
  }
}
