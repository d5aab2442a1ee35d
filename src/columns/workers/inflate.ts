import { gzipChunks } from "../../format/gzip.js";
import { Inflater } from "../../format/inflater.js";
import { fileAccess } from "../../format/random-access.js";
import { blockingChunks, type EntryPlace, type ZipOptions } from "../../format/zip-entry.js";
import type { MessagePort } from "../../platform/node/packages.js";
import { ChunkRing, RING_CHUNK } from "./chunk-ring.js";
import { MemoryMaker } from "./memory-ahead.js";

/** A compressed file to inflate on another thread: gzip, or an entry of a zip archive that was located before. */
export type InflateTask =
  | { readonly kind: "zip"; readonly place: EntryPlace; readonly limits: Limits }
  | { readonly kind: "gzip"; readonly path: string; readonly limits: Limits };

type Limits = Pick<ZipOptions, "maxRatio" | "maxSize" | "freeSize">;

/** An {@link InflateTask} as it is sent to a thread. */
export interface InflateRequest {
  readonly task: InflateTask;
  /** The memory of the {@link ChunkRing} that receives the chunks. */
  readonly ring: SharedArrayBuffer;
  /** Requests for memory, which is made while the ring is full ({@link MemoryMaker}). */
  readonly memory?: MessagePort;
}

/**
 * Inflates and verifies a file chunk by chunk, at the pace of the receiver.
 *
 * @throws {DataError}
 * @throws {FileError}
 */
export async function inflateTo({ task, ring: chunks, memory }: InflateRequest): Promise<void> {
  const ring = new ChunkRing(chunks);
  const maker = memory && new MemoryMaker(memory);
  const write = (chunk: Uint8Array): Promise<void> => ring.write(chunk, () => maker?.makeNext() === true);
  if (task.kind === "zip") {
    const inflater = Inflater.take(RING_CHUNK);
    try {
      for (const chunk of blockingChunks(task.place, task.limits, inflater)) await write(chunk);
    } finally {
      inflater.release();
    }
  } else {
    const file = await fileAccess(task.path);
    try {
      for await (const chunk of gzipChunks(file, task.limits)) await write(chunk);
    } finally {
      await file.close();
    }
  }
  await ring.end();
}
