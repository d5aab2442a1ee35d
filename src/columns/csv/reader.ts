import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { Batching, CsvOptions } from "../arrow/read-options.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../build/batch-maker.js";
import { type ColumnMemory, KeptMemory } from "../build/buffer-pool.js";
import type { RawBatch } from "../build/builder.js";
import { CsvParser } from "./parser.js";
import { fullBatches, lastBatches, rawBatches } from "./raw-batches.js";

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
  const { parser, maker } = csvReader(options);
  for await (const raw of rawBatches(parser, source, options.signal)) yield maker.batch(raw);
  parser.batch.policy.report();
}

/**
 * Reads CSV bytes as a table on the calling thread.
 *
 * @throws {DataError} with row, column, value and byte offset if a cell or row is invalid (see {@link CsvOptions})
 */
export function csvTable(bytes: Uint8Array, options: CsvOptions & Batching): Table {
  const { parser, maker } = tableReader(options, bytes.length);
  const raws = [...fullBatches(parser, bytes, options.signal), ...lastBatches(parser)];
  parser.batch.policy.report();
  return maker.table(raws);
}

/** As {@link csvTable}, for about `size` bytes (if known) that arrive in chunks of any size. */
export async function csvStreamTable(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CsvOptions & Batching,
  size?: number,
): Promise<Table> {
  const { parser, maker } = size === undefined ? csvReader(options) : tableReader(options, size);
  const raws: RawBatch[] = [];
  for await (const raw of rawBatches(parser, source, options.signal)) raws.push(raw);
  parser.batch.policy.report();
  return maker.table(raws);
}

/** The parser of CSV and the maker of Arrow batches from its buffers. */
export interface CsvReader {
  readonly options: CsvOptions & Batching;
  readonly parser: CsvParser;
  readonly maker: BatchMaker;
}

/** Creates the parser and the maker of Arrow batches from its buffers. Warns of unknown types. */
export function csvReader(options: CsvOptions & Batching, memoryOfColumn?: () => ColumnMemory): CsvReader {
  warnUnknownTypes(options.columns, options);
  const modes = textModes(options.schema);
  const parser = new CsvParser(options, modes === undefined ? undefined : { offset: 0, modes }, memoryOfColumn);
  return { options, parser, maker: new BatchMaker(options.columns, options) };
}

/** The same for an input of about `size` bytes whose batches are all kept: they share large buffers. */
function tableReader(options: CsvOptions & Batching, size: number): CsvReader {
  let reader: CsvReader | undefined;
  const batchesLeft = (): number => reader?.parser.batchesLeft(size) ?? 1;
  reader = csvReader(options, () => new KeptMemory(batchesLeft));
  return reader;
}
