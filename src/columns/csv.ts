import type { RecordBatch, Table } from "./arrow.js";
import { BatchMaker, textModes, warnUnknownTypes } from "./batches.js";
import { CsvParser, type RawBatch } from "./csv-parser.js";
import type { CsvOptions } from "./options.js";

/** Bytes are parsed in pieces of this size, which stay in the processor's cache. */
const PIECE = 1_048_576;

/**
 * CSV chunks, cut anywhere, as record batches of `batchRows` rows, one at a time (spec 2.6, 4.9).
 * There is at least one batch, without rows when there are none.
 *
 * @throws DataError naming row, column, value and byte offset for whatever does not fit (see {@link CsvOptions})
 */
export async function* csvBatches(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CsvOptions,
): AsyncGenerator<RecordBatch> {
  const { parser, maker } = readers(options);
  for await (const chunk of source) {
    options.signal?.throwIfAborted();
    for (let at = 0; at < chunk.length; at += PIECE) {
      parser.feed(plainBytes(chunk, at, Math.min(at + PIECE, chunk.length)));
      for (let raw = parser.take(); raw !== undefined; raw = parser.take()) yield maker.batch(raw);
    }
  }
  parser.finish();
  for (let raw = parser.take(); raw !== undefined; raw = parser.take()) yield maker.batch(raw);
  parser.policy.report();
}

/**
 * CSV text as a table, on the calling thread.
 *
 * @throws DataError naming row, column, value and byte offset for whatever does not fit (see {@link CsvOptions})
 */
export function csvTable(bytes: Uint8Array, options: CsvOptions): Table {
  const { parser, maker } = readers(options);
  const raws: RawBatch[] = [];
  const drain = (): void => {
    for (let raw = parser.take(); raw !== undefined; raw = parser.take()) raws.push(raw);
  };
  for (let at = 0; at < bytes.length; at += PIECE) {
    options.signal?.throwIfAborted();
    parser.feed(plainBytes(bytes, at, Math.min(at + PIECE, bytes.length)));
    drain();
  }
  parser.finish();
  drain();
  parser.policy.report();
  return maker.table(raws);
}

/** CSV chunks, cut anywhere, as a table: {@link csvTable} for bytes that are still arriving. */
export async function csvStreamTable(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CsvOptions,
): Promise<Table> {
  const { parser, maker } = readers(options);
  const raws: RawBatch[] = [];
  for await (const chunk of source) {
    options.signal?.throwIfAborted();
    for (let at = 0; at < chunk.length; at += PIECE) {
      parser.feed(plainBytes(chunk, at, Math.min(at + PIECE, chunk.length)));
      for (let raw = parser.take(); raw !== undefined; raw = parser.take()) raws.push(raw);
    }
  }
  parser.finish();
  for (let raw = parser.take(); raw !== undefined; raw = parser.take()) raws.push(raw);
  parser.policy.report();
  return maker.table(raws);
}

function readers(options: CsvOptions): { parser: CsvParser; maker: BatchMaker } {
  warnUnknownTypes(options.columns, options);
  const modes = textModes(options.schema);
  const parser = new CsvParser(options, modes === undefined ? undefined : { offset: 0, modes });
  return { parser, maker: new BatchMaker(options.columns, options) };
}

/** A view of the bytes that is a plain Uint8Array: a Buffer beside it would make every loop over bytes slower. */
export function plainBytes(bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}
