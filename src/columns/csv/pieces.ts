import type { RawBatch } from "../build/builder.js";
import { plainBytes } from "../build/plain-bytes.js";
import type { CsvParser } from "./parser.js";

/** Bytes are parsed in pieces of this size, which stay in the processor's cache. */
const PIECE = 1_048_576;

/**
 * The batches of CSV chunks, cut anywhere, as finished buffers; at least one, without rows when there are none.
 *
 * @throws {DataError} as {@link CsvParser.take}; the reason of `signal` when it is aborted
 */
export async function* rawBatches(
  parser: CsvParser,
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

/** The batches that are full once these bytes follow those before. */
export function* fullBatches(parser: CsvParser, bytes: Uint8Array, signal?: AbortSignal): Generator<RawBatch> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    signal?.throwIfAborted();
    parser.feed(plainBytes(bytes, at, Math.min(at + PIECE, bytes.length)));
    for (let raw = parser.take(); raw !== undefined; raw = parser.take()) yield raw;
  }
}

/** The batches that are left when no bytes follow. */
export function* lastBatches(parser: CsvParser): Generator<RawBatch> {
  parser.finish();
  for (let raw = parser.take(); raw !== undefined; raw = parser.take()) yield raw;
}
