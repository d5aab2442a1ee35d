import { type ColumnSpec, parseType } from "../../spec/columns.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { Batching, ReadOptions } from "../arrow/read-options.js";
import { BatchMaker, textModes, warnUnknownTypes } from "../build/batch-maker.js";
import { plainBytes } from "../build/buffer-pool.js";
import type { RawBatch } from "../build/builder.js";
import { JsonRowsParser } from "./parser.js";

/**
 * The rows of a JSON reply as record batches, straight from its bytes (spec 2.1, 2.6): `bytes[start]` is the `[` of the
 * array of rows and `end` the offset after its `]`. Numbers keep every digit; text is read as its column's type, so
 * numbers in quotes are numbers. There is at least one batch.
 *
 * @throws {DataError} naming row, column, value and byte offset
 */
export function jsonRowsBatches(
  bytes: Uint8Array,
  start: number,
  end: number,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching = {},
): RecordBatch[] {
  const { raws, maker } = readRows(bytes, start, end, columns, options);
  return raws.map((raw) => maker.batch(raw));
}

/** {@link jsonRowsBatches} as a table. */
export function jsonRowsTable(
  bytes: Uint8Array,
  start: number,
  end: number,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching = {},
): Table {
  const { raws, maker } = readRows(bytes, start, end, columns, options);
  return maker.table(raws);
}

function readRows(
  bytes: Uint8Array,
  start: number,
  end: number,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching,
): { raws: readonly RawBatch[]; maker: BatchMaker } {
  if (columns.some(({ type }) => parseType(type).kind === "unknown")) warnUnknownTypes(columns, options);
  const parser = new JsonRowsParser({ b: plainBytes(bytes), start, end }, columns, options, textModes(options.schema));
  const raws: RawBatch[] = [];
  for (let raw = parser.take(); raw !== undefined; raw = parser.take()) raws.push(raw);
  parser.batch.policy.report();
  return { raws, maker: new BatchMaker(columns, options) };
}
