import type { RandomAccess } from "./random-access.js";

/** Bytes read at a time. */
const BLOCK = 1 << 19;

/** Blocks in use: zlib has one inflated, one waits, one is passed on and one is read ahead; the rest is headroom. */
const RING = 5;

/**
 * Bytes from `start` to `end` in blocks of half a MB, the next one read meanwhile. The memory of each is used again for
 * the fifth after it.
 */
export async function* readBlocks(access: RandomAccess, start: number, end: number): AsyncGenerator<Uint8Array> {
  const buffers: Uint8Array[] = [];
  const read = async (i: number): Promise<Uint8Array> => {
    const position = start + i * BLOCK;
    const length = Math.min(BLOCK, end - position);
    buffers[i % RING] ??= Buffer.allocUnsafeSlow(length);
    const block = buffers[i % RING].subarray(0, length);
    await access.read(block, position);
    return block;
  };
  const count = Math.ceil((end - start) / BLOCK);
  if (count === 0) return;
  let next = read(0);
  try {
    for (let i = 1; i <= count; i++) {
      const block = await next;
      if (i < count) {
        next = read(i);
        // An error of the read ahead is met when its block is due.
        next.catch(() => {});
      }
      yield block;
    }
  } finally {
    await next.catch(() => {});
  }
}
