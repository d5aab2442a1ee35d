import { prepareThreadsFor, THREADS } from "../../columns/workers/thread.js";

/** Archives of this size hold a file large enough for threads: tables deflate to about a quarter. */
const LONG = 4_194_304;

/**
 * Starts the threads that read a long archive: one inflates, one parses. They start while the code that reads its
 * directory is loaded.
 */
export function prepareForArchive(source: unknown): void {
  if (typeof source === "string") prepareThreadsFor(source, LONG, THREADS.most > 1 ? 2 : 0);
}
