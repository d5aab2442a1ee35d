import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { BatchMaker } from "./batch-maker.js";
import type { BatchRows } from "./batch-rows.js";
import { plainBytes } from "./buffer-pool.js";
import type { RawBatch } from "./builder.js";

// Worker threads load this module, so it must not import Arrow.

/** A parser of text in chunks of any size. */
export interface ChunkParser {
  readonly batch: BatchRows;
  feed(chunk: Uint8Array): void;
  /** Ends the input. */
  finish(): void;
  /** The next batch; undefined if more bytes are needed, and at the end. */
  take(): RawBatch | undefined;
  close(): void;
}

/** A reader of text: its parser, and the maker of Arrow batches from the parser's buffers. */
export interface TextReader<Parser extends ChunkParser = ChunkParser> {
  readonly parser: Parser;
  readonly maker: BatchMaker;
}

/** Bytes in chunks of any size. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Input is parsed in steps of this size, which stay in the processor's cache. */
const STEP_BYTES = 1_048_576;

/** The rows of chunks of any size as record batches; yields at least one, which may be empty. As {@link rawBatches}. */
export async function* recordBatches(
  { parser, maker }: TextReader,
  source: Chunks,
  signal?: AbortSignal,
): AsyncGenerator<RecordBatch> {
  for await (const raw of rawBatches(parser, source, signal)) yield maker.batch(raw);
}

/** The rows of chunks of any size as a table. As {@link rawBatches}. */
export async function streamTable({ parser, maker }: TextReader, source: Chunks, signal?: AbortSignal): Promise<Table> {
  const raws: RawBatch[] = [];
  for await (const raw of rawBatches(parser, source, signal)) raws.push(raw);
  return maker.table(raws);
}

/** The rows of bytes as a table, on the calling thread. As {@link rawBatches}. */
export function bytesTable({ parser, maker }: TextReader, bytes: Uint8Array, signal?: AbortSignal): Table {
  const raws = [...fullBatches(parser, bytes, signal), ...lastBatches(parser)];
  parser.batch.policy.report();
  return maker.table(raws);
}

/**
 * The batches of chunks of any size, as finished buffers; yields at least one, which may be empty. At the end, the
 * cells that were changed are reported.
 *
 * @throws {DataError} as {@link ChunkParser.take}; the reason of `signal` when it is aborted
 */
export async function* rawBatches(parser: ChunkParser, source: Chunks, signal?: AbortSignal): AsyncGenerator<RawBatch> {
  try {
    for await (const chunk of source) {
      signal?.throwIfAborted();
      yield* fullBatches(parser, chunk);
    }
    yield* lastBatches(parser);
  } finally {
    parser.close();
  }
  parser.batch.policy.report();
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

/**
 * Recycles the memory of batches: the consumer releases each batch when it is done with it, and later batches reuse its
 * buffers.
 */
export class LentBatches {
  private readonly raws = new WeakMap<RecordBatch, RawBatch>();

  /** Registers the buffers of a batch. */
  lend(batch: RecordBatch, raw: RawBatch): void {
    if (raw.spare !== undefined) this.raws.set(batch, raw);
  }

  /** Releases a batch that is no longer read: its cells are about to be overwritten. */
  takeBack(batch: RecordBatch): void {
    const raw = this.raws.get(batch);
    if (raw === undefined) return;
    this.raws.delete(batch);
    for (const { words, floats, bytes } of raw.columns) {
      for (const array of [words, floats, bytes]) {
        if (array !== undefined && array.byteLength > 0) raw.spare?.give(array.buffer as ArrayBuffer);
      }
    }
  }
}
