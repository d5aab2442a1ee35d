import type { MessagePort } from "node:worker_threads";
import { CHUNK } from "../../format/inflater.js";
import { type ZipOptions, zipEntry } from "../../format/zip.js";

/** The one file of a zip archive, known by its CRC-32, to be inflated on another thread. */
export interface InflateTask {
  readonly path: string;
  readonly crc32: number;
  readonly limits: Pick<ZipOptions, "maxRatio" | "maxSize">;
}

/** An {@link InflateTask} as it is sent to a thread. */
export interface InflateOrder extends InflateTask {
  /** Where the chunks go, and null after the last. The memory of each comes back once it was read. */
  readonly to: MessagePort;
  /** Chunks on their way at most. */
  readonly chunks: number;
}

/** Inflates and checks a file, chunk by chunk, as the chunks are read on the other side. Throws DataError, FileError. */
export async function inflateTo({ path, crc32, limits, to, chunks }: InflateOrder): Promise<void> {
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
  const entry = await zipEntry(path, limits);
  if (entry.crc32 !== crc32) throw new Error(`${path} changed.`);
  for await (const chunk of entry.chunks()) {
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
