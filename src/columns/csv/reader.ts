import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { CsvOptions } from "../arrow/read-options.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../build/batch-maker.js";
import type { RawBatch } from "../build/builder.js";
import { CsvParser } from "./parser.js";
import { fullBatches, lastBatches, rawBatches } from "./pieces.js";

/**
 * CSV chunks, cut anywhere, as record batches of `batchRows` rows, one at a time (spec 2.6, 4.9).
 * There is at least one batch, without rows when there are none.
 *
 * @throws {DataError} naming row, column, value and byte offset for whatever does not fit (see {@link CsvOptions})
 */
export async function* csvBatches(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CsvOptions,
): AsyncGenerator<RecordBatch> {
  const { parser, maker } = csvReader(options);
  for await (const raw of rawBatches(parser, source, options.signal)) yield maker.batch(raw);
  parser.policy.report();
}

/**
 * CSV text as a table, on the calling thread.
 *
 * @throws {DataError} naming row, column, value and byte offset for whatever does not fit (see {@link CsvOptions})
 */
export function csvTable(bytes: Uint8Array, options: CsvOptions): Table {
  const { parser, maker } = csvReader(options);
  const raws = [...fullBatches(parser, bytes, options.signal), ...lastBatches(parser)];
  parser.policy.report();
  return maker.table(raws);
}

/** CSV chunks, cut anywhere, as a table: {@link csvTable} for bytes that are still arriving. */
export async function csvStreamTable(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CsvOptions,
): Promise<Table> {
  const { parser, maker } = csvReader(options);
  const raws: RawBatch[] = [];
  for await (const raw of rawBatches(parser, source, options.signal)) raws.push(raw);
  parser.policy.report();
  return maker.table(raws);
}

/** Turns CSV into batches: the parser, and the maker of Arrow batches from its buffers. Warns of unknown types. */
export function csvReader(options: CsvOptions): { readonly parser: CsvParser; readonly maker: BatchMaker } {
  warnUnknownTypes(options.columns, options);
  const modes = textModes(options.schema);
  const parser = new CsvParser(options, modes === undefined ? undefined : { offset: 0, modes });
  return { parser, maker: new BatchMaker(options.columns, options) };
}
