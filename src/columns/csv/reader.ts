import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { Batching, CsvOptions } from "../arrow/read-options.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../build/batch-maker.js";
import { type ColumnMemory, KeptMemory } from "../build/buffer-pool.js";
import { bytesTable, recordBatches, type TextReader } from "../build/text-reader.js";
import { CsvParser } from "./parser.js";

/**
 * Reads CSV chunks of any size as record batches of `batchRows` rows, one at a time (spec 2.6, 4.9). Yields at least
 * one batch, which may be empty.
 *
 * @throws {DataError} with row, column, value and byte offset if a cell or row is invalid (see {@link CsvOptions})
 */
export async function* csvBatches(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CsvOptions & Batching,
): AsyncGenerator<RecordBatch> {
  yield* recordBatches(csvReader(options), source, options.signal);
}

/** Reads CSV bytes as a table on the calling thread. As {@link csvBatches}. */
export function csvTable(bytes: Uint8Array, options: CsvOptions & Batching): Table {
  return bytesTable(csvTableReader(options, bytes.length), bytes, options.signal);
}

/** The reader of CSV. Warns of unknown types. */
export function csvReader(options: CsvOptions & Batching, memoryOfColumn?: () => ColumnMemory): TextReader<CsvParser> {
  warnUnknownTypes(options.columns, options);
  const modes = textModes(options.schema);
  const parser = new CsvParser(options, modes === undefined ? undefined : { offset: 0, modes }, memoryOfColumn);
  return { parser, maker: new BatchMaker(options.columns, options) };
}

/** The same for an input of about `size` bytes (if known) whose batches are all kept: they share large buffers. */
export function csvTableReader(options: CsvOptions & Batching, size: number | undefined): TextReader<CsvParser> {
  if (size === undefined) return csvReader(options);
  let parser: CsvParser | undefined;
  const batchesLeft = (): number => parser?.batchesLeft(size) ?? 1;
  const reader = csvReader(options, () => new KeptMemory(batchesLeft));
  ({ parser } = reader);
  return reader;
}
