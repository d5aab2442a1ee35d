import { type ColumnSpec, parseType } from "../../spec/columns.js";
import type { Batching, ReadOptions } from "../arrow/read-options.js";
import { textModes, warnUnknownTypes } from "../build/batch-maker.js";
import { plainBytes } from "../build/buffer-pool.js";
import type { RawBatch } from "../build/builder.js";
import { MemoryRows } from "../build/text-rows.js";
import { JsonRowsParser, type JsonRowsRange } from "./parser.js";

/**
 * The rows of a JSON reply, straight from its bytes (spec 2.1, 2.6). Numbers keep every digit; text is read as its
 * column's type, so numbers in quotes are numbers.
 *
 * @throws {DataError} naming row, column, value and byte offset
 */
export function jsonRows(
  { bytes, start, end }: JsonRowsRange,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching = {},
): MemoryRows {
  if (columns.some(({ type }) => parseType(type).kind === "unknown")) warnUnknownTypes(columns, options);
  const range = { bytes: plainBytes(bytes), start, end };
  const parser = new JsonRowsParser(range, columns, options, textModes(options.schema));
  const raws: RawBatch[] = [];
  for (let raw = parser.take(); raw !== undefined; raw = parser.take()) raws.push(raw);
  parser.batch.policy.report();
  return new MemoryRows(raws, columns, options);
}
