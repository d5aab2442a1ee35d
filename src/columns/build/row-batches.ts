import type { ColumnSpec } from "../../spec/columns.js";
import { type Batching, READ_BATCH, type ReadOptions } from "../arrow/read-options.js";
import { CellPolicy } from "./bad-cells.js";
import { textModes, warnUnknownTypes } from "./batch-maker.js";
import { buildersFor, type ColumnBuilder, hasFull, type RawBatch } from "./builder.js";

/** Rows that are read one at a time. */
export interface RowSource {
  /** Steps to the next row; false when there are no more. */
  next(): boolean;
  /** Reads the current row into row `row` of the builders, which have room for it. */
  read(builders: readonly ColumnBuilder[], row: number, policy: CellPolicy): void;
}

/** Reads the rows into batches of at most `options.batchRows` rows; yields at least one. */
export function* rowBatches(
  source: RowSource,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching,
): Generator<RawBatch, void, undefined> {
  warnUnknownTypes(columns, options);
  const builders = buildersFor(columns, options, textModes(options.schema));
  const policy = new CellPolicy(options);
  const batchRows = options.batchRows ?? READ_BATCH.rows;
  const flush = (rows: number, final: boolean): RawBatch => {
    policy.rowsBefore += rows;
    return { rows, columns: builders.map((builder) => builder.take(rows, final)) };
  };
  let row = 0;
  let batches = 0;
  for (; source.next(); row++) {
    if (row === batchRows || (row > 0 && hasFull(builders))) {
      yield flush(row, false);
      row = 0;
      batches++;
    }
    for (const builder of builders) if (row === builder.capacity) builder.reserve(Math.min(batchRows, row * 4));
    source.read(builders, row, policy);
  }
  if (row > 0 || batches === 0) yield flush(row, true);
  policy.report();
}
