import type { ColumnSpec } from "../../spec/columns.js";
import type { Batching, ReadOptions } from "../arrow/read-options.js";
import { textModes, warnUnknownTypes } from "./batch-maker.js";
import { BatchRows } from "./batch-rows.js";
import type { RawBatch } from "./builder.js";

/** Rows that are read one at a time. */
export interface RowSource {
  /** Steps to the next row; false when there are no more. */
  next(): boolean;
  /** Reads the current row into the next row of the batch, which has room for it. */
  read(batch: BatchRows): void;
}

/** Reads the rows into batches of at most `options.batchRows` rows; yields at least one. */
export function* rowBatches(
  source: RowSource,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching,
): Generator<RawBatch, void, undefined> {
  warnUnknownTypes(columns, options);
  const batch = new BatchRows(columns, options, { modes: textModes(options.schema) });
  while (source.next()) {
    if (batch.isFull) yield batch.take(false);
    batch.reserve();
    source.read(batch);
    batch.row++;
  }
  const last = batch.takeLast();
  if (last !== undefined) yield last;
  batch.policy.report();
}
