import { setImmediate } from "node:timers/promises";
import { Inflater } from "./inflater.js";

/**
 * Inflates raw deflate of `compressedSize` bytes, in chunks of at most 1 MB; each is only valid until the next one is
 * requested.
 *
 * @throws {Error} with zlib's wording when the stream is invalid, incomplete or followed by other bytes
 */
export async function* inflated(
  blocks: AsyncGenerator<Uint8Array>,
  compressedSize: number,
): AsyncGenerator<Uint8Array> {
  const inflater = Inflater.take();
  try {
    for await (const block of blocks) {
      yield* inflater.push(block);
      if (inflater.ended) return refuseRest(compressedSize - inflater.consumed);
      // Blocks of bytes in memory come without a turn of the event loop.
      await setImmediate();
    }
  } finally {
    inflater.release();
  }
  throw new Error("unexpected end of file");
}

/** The same with an inflater at the start of a stream, without a turn of the event loop. */
export function* inflatedHere(
  blocks: Iterable<Uint8Array>,
  compressedSize: number,
  inflater: Inflater,
): Generator<Uint8Array> {
  for (const block of blocks) {
    yield* inflater.push(block);
    if (inflater.ended) return refuseRest(compressedSize - inflater.consumed);
  }
  throw new Error("unexpected end of file");
}

function refuseRest(bytes: number): void {
  if (bytes !== 0) throw new Error(`the compressed data ends ${bytes} bytes early`);
}
