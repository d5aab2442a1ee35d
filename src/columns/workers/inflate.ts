import type { MessagePort } from "node:worker_threads";
import { type ZipOptions, zipEntry } from "../../format/zip.js";

/** Chunks that may be on their way: enough that whoever reads them need not wait for one. */
const CHUNKS = 3;

/** Bytes inflated in one go: two threads have more to wait for one another than one has for zlib. */
const PIECE = 4_194_304;

/** Memory smaller than this may be shared with others, as that of small Buffers is. */
const OWN_MEMORY = 65_536;

/** The one file of a zip archive, known by its CRC-32, to be inflated for another thread. */
export interface InflateTask {
  readonly path: string;
  readonly crc32: number;
  readonly limits: Pick<ZipOptions, "maxRatio" | "maxSize">;
  /** Where the chunks go, and null after the last; a number comes back for as many as were read. */
  readonly to: MessagePort;
}

/** Inflates and checks an archive's file, chunk by chunk, as they are read on the other side. Throws DataError, FileError. */
export async function inflateTo({ path, crc32, limits, to }: InflateTask): Promise<void> {
  let room = CHUNKS;
  let resume = (): void => {};
  to.on("message", (read: number) => {
    room += read;
    resume();
  });
  const entry = await zipEntry(path, limits);
  if (entry.crc32 !== crc32) throw new Error(`${path} changed.`);
  for await (const chunk of entry.chunks(PIECE)) {
    while (room === 0) {
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
    room--;
    const own = ownMemory(chunk);
    to.postMessage(own, [own.buffer]);
  }
  to.postMessage(null);
}

/** The chunk in memory that can be given away: its own where nothing can be behind it, else a copy. */
export function ownMemory(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = chunk;
  const last = byteOffset + length === buffer.byteLength && buffer.byteLength >= OWN_MEMORY;
  return last && buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, length) : new Uint8Array(chunk);
}
