import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createInflateRaw, type ZlibOptions } from "node:zlib";
import { CHUNK, Inflater } from "./inflater.js";

/** Shorter streams are left to zlib: WebAssembly is compiled and warmed up first. */
const LEAST = 1 << 16;

/** Chunks that zlib inflates before they are requested. */
const AHEAD = 2;

/**
 * Inflates raw deflate of `compressedSize` bytes, in chunks of at most 1 MB; each is only valid until the next one is
 * requested. The bytes of a block must stay as they are until the third block after it is requested.
 *
 * @throws {Error} with zlib's wording when the stream is invalid, incomplete or followed by other bytes
 */
export async function* inflated(
  blocks: AsyncGenerator<Uint8Array>,
  compressedSize: number,
): AsyncGenerator<Uint8Array> {
  const inflater = compressedSize >= LEAST ? Inflater.take() : undefined;
  const consumed = yield* inflater === undefined ? byZlib(blocks) : byInflater(inflater, blocks);
  refuseRest(compressedSize - consumed);
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

async function* byInflater(inflater: Inflater, blocks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array, number> {
  try {
    for await (const block of blocks) {
      yield* inflater.push(block);
      if (inflater.ended) return inflater.consumed;
      // Blocks of bytes in memory come without a turn of the event loop.
      await setImmediate();
    }
    throw new Error("unexpected end of file");
  } finally {
    inflater.release();
  }
}

/** zlib inflates on a thread of its own: it reads ahead while the caller works. */
async function* byZlib(blocks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array, number> {
  const input = Readable.from(blocks, { objectMode: true, highWaterMark: 1 });
  // As objects, chunks are not joined when two wait.
  const options: ZlibOptions = { chunkSize: CHUNK };
  const inflate = createInflateRaw({
    ...options,
    readableObjectMode: true,
    readableHighWaterMark: AHEAD,
  } as ZlibOptions);
  input.on("error", (error) => inflate.destroy(error));
  input.pipe(inflate);
  try {
    for await (const chunk of inflate) yield chunk as Uint8Array;
    return inflate.bytesWritten;
  } finally {
    inflate.destroy();
    input.destroy();
  }
}
