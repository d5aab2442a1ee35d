import { fileError } from "../../errors/file-error.js";
import { readBlocks } from "../../format/blocks.js";
import type { OpenableFile } from "../../format/random-access.js";
import { open } from "../../platform/node/files.js";
import type { OnBytes } from "../arrow/read-options.js";

/** Bytes read from a file at a time. */
const BLOCK_BYTES = 1_048_576;

/**
 * Reads a file in blocks of 1 MB, one block ahead; one that is not in the file system as it is streamed. A block is
 * valid until the next one is requested.
 *
 * @throws {FileError} FileNotFound, AccessDenied, NotAFile … if the file cannot be read
 */
export async function* fileBlocks(path: string | OpenableFile, { onBytes }: OnBytes = {}): AsyncGenerator<Uint8Array> {
  if (typeof path !== "string") return yield* openedBlocks(path, onBytes);
  const refuse = (cause: unknown): Promise<never> => Promise.reject(fileError(path, "read", cause));
  const file = await open(path).catch(refuse);
  const buffers = [new Uint8Array(BLOCK_BYTES), new Uint8Array(BLOCK_BYTES)];
  const read = (i: number): Promise<Uint8Array> => {
    const block = file
      .read(buffers[i], 0, BLOCK_BYTES)
      .then(({ bytesRead }) => buffers[i].subarray(0, bytesRead), refuse);
    // An error of a block read ahead is thrown when that block is requested.
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

async function* openedBlocks(file: OpenableFile, onBytes: OnBytes["onBytes"]): AsyncGenerator<Uint8Array> {
  const access = await file.open();
  let bytes = 0;
  try {
    for await (const block of readBlocks(access, 0, access.size)) {
      yield block;
      bytes += block.length;
      onBytes?.(bytes, access.size);
    }
  } finally {
    await access.close();
  }
}
