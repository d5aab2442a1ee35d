import type { MessagePort } from "node:worker_threads";
import { gzipFile } from "../../format/gzip.js";
import { CHUNK } from "../../format/inflater.js";
import { type ZipOptions, zipEntry } from "../../format/zip.js";

/** A compressed file, to be inflated on another thread: gzip, or the one file of a zip archive, known by its CRC-32. */
export type InflateTask =
  | { readonly kind: "zip"; readonly path: string; readonly crc32: number; readonly limits: Limits }
  | { readonly kind: "gzip"; readonly path: string; readonly limits: Limits };

type Limits = Pick<ZipOptions, "maxRatio" | "maxSize">;

/** An {@link InflateTask} as it is sent to a thread. */
export interface InflateOrder {
  readonly task: InflateTask;
  /** Where the chunks go, and null after the last. The memory of each comes back once it was read. */
  readonly to: MessagePort;
  /** Chunks on their way at most. */
  readonly chunks: number;
}

/**
 * Inflates and checks a file, chunk by chunk, as the chunks are read on the other side.
 *
 * @throws {DataError}
 * @throws {FileError}
 */
export async function inflateTo({ task, to, chunks }: InflateOrder): Promise<void> {
  const free: ArrayBuffer[] = [];
  let room = chunks;
  let resume = (): void => {};
  to.on("message", (memory: ArrayBuffer) => {
    free.push(memory);
    resume();
  });
  const newMemory = (): ArrayBuffer => {
    room--;
    return new ArrayBuffer(CHUNK);
  };
  for await (const chunk of await contents(task)) {
    while (free.length === 0 && room === 0) {
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
    const memory = free.pop() ?? newMemory();
    const sent = new Uint8Array(memory, 0, chunk.length);
    sent.set(chunk);
    to.postMessage(sent, [memory]);
  }
  to.postMessage(null);
}

async function contents(task: InflateTask): Promise<AsyncGenerator<Uint8Array>> {
  const { path, limits } = task;
  const file = task.kind === "gzip" ? await gzipFile(path, limits) : await zipEntry(path, limits);
  const same = task.kind === "gzip" || (file !== undefined && "crc32" in file && file.crc32 === task.crc32);
  if (file === undefined || !same) throw new Error(`${path} changed.`);
  return file.chunks();
}
