import { crc32, unsetBytes } from "../platform/node/bytes.js";
import type { RandomAccess } from "./random-access.js";

/** Bytes read at a time. */
const BLOCK_BYTES = 1 << 19;

/**
 * Blocks in use: zlib holds one being inflated, one waits, one is passed on and one is read ahead; the rest is
 * headroom.
 */
const RING = 5;

/**
 * Reads the bytes from `start` to `end` in blocks of half a MB, one block ahead. Each block's memory is reused for the
 * fifth block after it. A file that is better read as a stream is.
 */
export async function* readBlocks(access: RandomAccess, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (access.stream !== undefined) return yield* access.stream(start, end);
  const buffers: Uint8Array[] = [];
  const read = async (i: number): Promise<Uint8Array> => {
    const position = start + i * BLOCK_BYTES;
    const length = Math.min(BLOCK_BYTES, end - position);
    buffers[i % RING] ??= unsetBytes(length);
    const block = buffers[i % RING].subarray(0, length);
    await access.read(block, position);
    return block;
  };
  const count = Math.ceil((end - start) / BLOCK_BYTES);
  if (count === 0) return;
  let next = read(0);
  try {
    for (let i = 1; i <= count; i++) {
      const block = await next;
      if (i < count) {
        next = read(i);
        // An error of a block read ahead is thrown when that block is requested.
        next.catch(() => {});
      }
      yield block;
    }
  } finally {
    await next.catch(() => {});
  }
}

/**
 * The CRC-32 of all bytes so far and these; `sum` starts at 0. An empty block changes nothing, which node:zlib does not
 * promise: it gives 0 where the block has no memory of its own.
 */
export const addCrc32 = (sum: number, bytes: Uint8Array): number => (bytes.length === 0 ? sum : crc32(bytes, sum));
