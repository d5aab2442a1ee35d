import { statSync } from "../../platform/node/files.js";
import {
  availableParallelism,
  startThread,
  type TransferListItem,
  threadProgram,
  type Worker,
} from "../../platform/node/packages.js";
import type { ThreadReply, ThreadRequest } from "./task.js";

/**
 * No thread could start, a thread ended early, or it could not parse its input: the caller then reads on its own
 * thread.
 */
export class ThreadFailure extends Error {}

/** A worker thread reserved for one read. It keeps the process alive only while a reply is awaited. */
export interface ReaderThread {
  send(order: ThreadRequest, transfer?: readonly TransferListItem[]): void;
  /**
   * The next message. Throws ThreadFailure, the reason of an aborted signal, and the error passed to {@link
   * ReaderThread.fail}.
   */
  answer(): Promise<Exclude<ThreadReply, { failed: true }>>;
  /** The value of a promise that the thread's work resolves; it keeps the process alive. */
  awaited<T>(promise: Promise<T>): Promise<T>;
  /** Registers a callback for when the thread fails or ends. */
  onFailure(call: (error: unknown) => void): void;
  /** Queues an error after the replies that have arrived. */
  fail(error: unknown): void;
  /** Returns the thread: for the next read if this one was `complete`, otherwise it is terminated. */
  release(complete: boolean): void;
}

/** Idle threads, which have loaded their code already. They do not keep the process alive. */
const idle: Worker[] = [];

/** How many threads a long read uses, the caller's included. Tests change it. */
export const THREADS: { most: number } = { most: availableParallelism() };

/** Whether worker threads are available. */
export const hasThreads = (): boolean => threadProgram() !== undefined;

function newWorker(path: string): Worker {
  try {
    return startThread(path);
  } catch (cause) {
    // A process may be forbidden to create threads.
    throw new ThreadFailure("No thread can start.", { cause });
  }
}

/** Starts a worker thread, which leaves the idle list when it ends; errors are reported to its current owner. */
function started(): Worker {
  const path = threadProgram();
  if (path === undefined) throw new ThreadFailure("The package was not built.");
  const worker = newWorker(path);
  worker.on("error", () => {});
  worker.on("exit", () => {
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
  });
  return worker;
}

/**
 * Starts threads for a long read that is about to begin: they load their code while its first bytes are read.
 *
 * @param first sent to each of them
 */
export function prepareThreads(count: number, first?: ThreadRequest): void {
  try {
    while (idle.length < Math.min(count, availableParallelism())) {
      const worker = started();
      worker.unref();
      if (first !== undefined) worker.postMessage(first);
      idle.push(worker);
    }
  } catch (error) {
    if (!(error instanceof ThreadFailure)) throw error;
  }
}

/** As {@link prepareThreads}, if there are threads and the file has at least this many bytes. */
export function prepareThreadsFor(path: string, leastBytes: number, count: number, first?: ThreadRequest): void {
  if (count > 0 && hasThreads() && fileSize(path) >= leastBytes) prepareThreads(count, first);
}

/** Bytes of a file; 0 where it cannot be found, which the read reports. */
function fileSize(path: string): number {
  try {
    const info = statSync(path);
    return info.isFile() ? info.size : 0;
  } catch {
    return 0;
  }
}

/** Reserves a thread for one read. Throws ThreadFailure if none can start, or the reason of an aborted signal. */
export function readerThread(signal?: AbortSignal): ReaderThread {
  signal?.throwIfAborted();
  const worker = idle.pop() ?? started();
  const mail: (ThreadReply | { readonly error: unknown })[] = [];
  let wake = (): void => {};
  const put = (item: ThreadReply | { readonly error: unknown }): void => {
    mail.push(item);
    wake();
  };
  let fail = (error: unknown): void => put({ error });
  const onMessage = (answer: ThreadReply): void => {
    if ("failed" in answer) fail(new ThreadFailure("The worker could not read its input."));
    else put(answer);
  };
  const onEnd = (): void => fail(new ThreadFailure("The worker thread ended."));
  const onAbort = (): void => fail(signal?.reason);
  worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
  // A message listener would keep the process alive.
  worker.unref();
  signal?.addEventListener("abort", onAbort);
  const awaited = async <T>(promise: Promise<T>): Promise<T> => {
    worker.ref();
    try {
      return await promise;
    } finally {
      worker.unref();
    }
  };
  return {
    send: (order, transfer) => worker.postMessage(order, transfer),
    awaited,
    async answer() {
      while (mail.length === 0) {
        await awaited(
          new Promise<void>((resolve) => {
            wake = resolve;
          }),
        );
      }
      const item = mail.shift() as (typeof mail)[number];
      if ("error" in item) throw item.error;
      return item as Exclude<ThreadReply, { failed: true }>;
    },
    onFailure(call) {
      fail = call;
    },
    fail: (error) => put({ error }),
    release(complete) {
      worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
      signal?.removeEventListener("abort", onAbort);
      if (complete && idle.length < availableParallelism()) idle.push(worker);
      else void worker.terminate();
    },
  };
}
