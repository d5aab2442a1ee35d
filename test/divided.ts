import { READ_BATCH } from "../src/columns/arrow/read-options.js";
import { THREADS } from "../src/columns/workers/thread.js";

/** Runs `work` while a long read uses at most so many threads. */
export async function onThreads<T>(most: number, work: () => T | Promise<T>): Promise<T> {
  const usual = THREADS.most;
  THREADS.most = most;
  try {
    return await work();
  } finally {
    THREADS.most = usual;
  }
}

/** Runs `work` while readers make batches of at most so many rows. */
export async function inBatches<T>(rows: number, work: () => T | Promise<T>): Promise<T> {
  const usual = READ_BATCH.rows;
  READ_BATCH.rows = rows;
  try {
    return await work();
  } finally {
    READ_BATCH.rows = usual;
  }
}
