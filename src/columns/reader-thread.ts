import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { packageRoot } from "../package/package-root.js";
import type { ThreadAnswer, ThreadOrder } from "./read-task.js";

/** No thread could start, one ended before its time, or what it read does not fit: the caller reads on its own thread instead. */
export class ThreadFailure extends Error {}

/** A worker thread while one read has it. */
export interface ReaderThread {
  send(order: ThreadOrder, transfer?: readonly ArrayBuffer[]): void;
  /** Answers that nobody has taken yet. */
  readonly waiting: number;
  /** The next answer. Throws ThreadFailure, the reason of an aborted signal, and what {@link ReaderThread.fail} was given. */
  answer(): Promise<Exclude<ThreadAnswer, { failed: true }>>;
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

/** A new worker thread, which leaves the idle ones when it ends; whoever has it hears of its errors. */
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

/** A thread for one read. */
export function readerThread(signal?: AbortSignal): ReaderThread {
  signal?.throwIfAborted();
  const worker = idle.pop() ?? started();
  const mail: (ThreadAnswer | { readonly error: unknown })[] = [];
  let wake = (): void => {};
  const put = (item: ThreadAnswer | { readonly error: unknown }): void => {
    mail.push(item);
    wake();
  };
  const onEnd = (): void => put({ error: new ThreadFailure("The worker thread ended.") });
  const onAbort = (): void => put({ error: signal?.reason });
  worker.on("message", put).on("error", onEnd).on("exit", onEnd);
  signal?.addEventListener("abort", onAbort);
  worker.ref();
  return {
    send: (order, transfer) => worker.postMessage(order, transfer),
    get waiting() {
      return mail.length;
    },
    async answer() {
      while (mail.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const item = mail.shift() as (typeof mail)[number];
      if ("error" in item) throw item.error;
      if ("failed" in item) throw new ThreadFailure("Something did not fit.");
      return item;
    },
    fail: (error) => put({ error }),
    release(whole) {
      worker.off("message", put).off("error", onEnd).off("exit", onEnd);
      signal?.removeEventListener("abort", onAbort);
      if (whole && idle.length < availableParallelism()) {
        worker.unref();
        idle.push(worker);
      } else void worker.terminate();
    },
  };
}
