import { open } from "node:fs/promises";
import { fileError } from "../../errors/file-error.js";
import type { OnBytes } from "../arrow/read-options.js";

/** Bytes read from a file at a time. */
const BLOCK = 1_048_576;

/**
 * The bytes of a file in blocks of 1 MB; the next block is read ahead. A block is valid until the next one is
 * requested.
 *
 * @throws {FileError} FileNotFound, AccessDenied, NotAFile … when the file cannot be read
 */
export async function* fileBlocks(path: string, { onBytes }: OnBytes = {}): AsyncGenerator<Uint8Array> {
  const refuse = (cause: unknown): Promise<never> => Promise.reject(fileError(path, "read", cause));
  const file = await open(path).catch(refuse);
  const buffers = [new Uint8Array(BLOCK), new Uint8Array(BLOCK)];
  const read = (i: number): Promise<Uint8Array> => {
    const block = file.read(buffers[i], 0, BLOCK).then(({ bytesRead }) => buffers[i].subarray(0, bytesRead), refuse);
    // An error of a block read ahead is thrown when that block is due.
    block.catch(() => {});
    return block;
  };
  let next = read(0);
  let bytes = 0;
  try {
    const { size } = await file.stat();
    for (let i = 1; ; i = 1 - i) {
      const block = await next;
      if (block.length === 0) return;
      next = read(i);
      yield block;
      bytes += block.length;
      onBytes?.(bytes, size);
    }
  } finally {
    await next.catch(() => {});
    await file.close();
  }
}
