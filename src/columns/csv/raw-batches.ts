import { plainBytes } from "../build/buffer-pool.js";
import type { RawBatch } from "../build/builder.js";

/** A parser of text in chunks of any size. */
export interface ChunkParser {
  feed(chunk: Uint8Array): void;
  /** Ends the input. */
  finish(): void;
  /** The next batch; undefined if more bytes are needed, and at the end. */
  take(): RawBatch | undefined;
  close(): void;
}

/** Input is parsed in steps of this size, which stay in the processor's cache. */
const STEP_BYTES = 1_048_576;

/**
 * The batches of chunks of any size, as finished buffers; yields at least one, which may be empty.
 *
 * @throws {DataError} as {@link ChunkParser.take}; the reason of `signal` when it is aborted
 */
export async function* rawBatches(
  parser: ChunkParser,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<RawBatch> {
  try {
    for await (const chunk of source) {
      signal?.throwIfAborted();
      yield* fullBatches(parser, chunk);
    }
    yield* lastBatches(parser);
  } finally {
    parser.close();
  }
}

/** Feeds bytes to the parser; yields the batches that they fill. */
export function* fullBatches(parser: ChunkParser, bytes: Uint8Array, signal?: AbortSignal): Generator<RawBatch> {
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    signal?.throwIfAborted();
    parser.feed(plainBytes(bytes, at, Math.min(at + STEP_BYTES, bytes.length)));
    for (let raw = parser.take(); raw !== undefined; raw = parser.take()) yield raw;
  }
}

/** Ends the input; yields the remaining batches. */
export function* lastBatches(parser: ChunkParser): Generator<RawBatch> {
  parser.finish();
  for (let raw = parser.take(); raw !== undefined; raw = parser.take()) yield raw;
}
