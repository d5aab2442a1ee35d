import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type TransferListItem, Worker } from "node:worker_threads";
import { packageRoot } from "../../package/package-root.js";
import type { ThreadAnswer, ThreadOrder } from "./task.js";

/**
 * No thread could start, one ended before its time, or what it read does not fit: the caller reads on its own thread
 * instead.
 */
export class ThreadFailure extends Error {}

/** A worker thread while one read has it. It keeps the process alive only while an answer is awaited. */
export interface ReaderThread {
  send(order: ThreadOrder, transfer?: readonly TransferListItem[]): void;
  /**
   * The next message. Throws ThreadFailure, the reason of an aborted signal, and the error passed to
   * {@link ReaderThread.fail}.
   */
  answer(): Promise<Exclude<ThreadAnswer, { failed: true }>>;
  /** Has this called when the thread fails or ends, instead of an answer. */
  onFailure(call: (error: unknown) => void): void;
  /** Puts an error behind the answers that are there. */
  fail(error: unknown): void;
  /** Gives the thread back: for the next read when this one is `whole`, else it is ended. */
  release(whole: boolean): void;
}

/** Threads that have nothing to do: they know their code already. They do not keep the process alive. */
const idle: Worker[] = [];

/** The worker's file in the built package; none in a source tree that was not built. */
function workerPath(): string | undefined {
  const path = join(packageRoot(), "dist/esm/worker.js");
  return existsSync(path) ? path : undefined;
}

/** Whether there is code for a thread to run. */
export const hasThreads = (): boolean => workerPath() !== undefined;

function newWorker(path: string): Worker {
  try {
    return new Worker(path);
  } catch (cause) {
    // A process may be forbidden to have threads.
    throw new ThreadFailure("No thread can start.", { cause });
  }
}

/** A new worker thread, which leaves the idle ones when it ends; errors are reported to the current owner. */
function started(): Worker {
  const path = workerPath();
  if (path === undefined) throw new ThreadFailure("The package was not built.");
  const worker = newWorker(path);
  worker.on("error", () => {});
  worker.on("exit", () => {
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
  });
  return worker;
}

/** A thread for one read. Throws ThreadFailure where none can start, the reason of an aborted signal. */
export function readerThread(signal?: AbortSignal): ReaderThread {
  signal?.throwIfAborted();
  const worker = idle.pop() ?? started();
  const mail: (ThreadAnswer | { readonly error: unknown })[] = [];
  let wake = (): void => {};
  const put = (item: ThreadAnswer | { readonly error: unknown }): void => {
    mail.push(item);
    wake();
  };
  let fail = (error: unknown): void => put({ error });
  const onMessage = (answer: ThreadAnswer): void => {
    if ("failed" in answer) fail(new ThreadFailure("The worker could not read its input."));
    else put(answer);
  };
  const onEnd = (): void => fail(new ThreadFailure("The worker thread ended."));
  const onAbort = (): void => fail(signal?.reason);
  worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
  // A listener for messages would keep the process alive.
  worker.unref();
  signal?.addEventListener("abort", onAbort);
  return {
    send: (order, transfer) => worker.postMessage(order, transfer),
    async answer() {
      worker.ref();
      try {
        while (mail.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        worker.unref();
      }
      const item = mail.shift() as (typeof mail)[number];
      if ("error" in item) throw item.error;
      return item as Exclude<ThreadAnswer, { failed: true }>;
    },
    onFailure(call) {
      fail = call;
    },
    fail: (error) => put({ error }),
    release(whole) {
      worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
      signal?.removeEventListener("abort", onAbort);
      if (whole && idle.length < availableParallelism()) idle.push(worker);
      else void worker.terminate();
    },
  };
}
