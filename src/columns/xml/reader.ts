import type { XMLFragment } from "../../format/xml/cursor.js";
import { XMLRows } from "../../format/xml/rows.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { RecordBatch, Table } from "../arrow/arrow.js";
import type { Batching, ReadOptions } from "../arrow/read-options.js";
import type { CellPolicy } from "../build/bad-cells.js";
import { BatchMaker } from "../build/batch-maker.js";
import type { ColumnBuilder, RawBatch } from "../build/builder.js";
import { type RowSource, rowBatches, wrongWidth } from "../build/from-text-rows.js";
import { TEXT } from "../build/types.js";

/**
 * The rows of an XML reply as record batches, straight from its bytes (spec 1, 2.6); cells are read by their column's
 * type exactly as those of CSV and JSON are. There is at least one batch.
 *
 * @throws {DataError} naming row, column, value and byte offset
 */
export function xmlRowsBatches(
  rows: XMLFragment,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching = {},
): RecordBatch[] {
  const maker = new BatchMaker(columns, options);
  return [...rawBatches(rows, columns, options)].map((raw) => maker.batch(raw));
}

/** {@link xmlRowsBatches} as a table. */
export function xmlRowsTable(
  rows: XMLFragment,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching = {},
): Table {
  return new BatchMaker(columns, options).table([...rawBatches(rows, columns, options)]);
}

function rawBatches(
  fragment: XMLFragment,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching,
): Generator<RawBatch, void, undefined> {
  const rows = new XMLRows(fragment);
  const source: RowSource = {
    next: () => rows.nextRow(),
    read({ builders, row, policy }) {
      let cells = 0;
      for (; rows.nextCell(); cells++) if (cells < builders.length) writeCell(rows, builders[cells], row, policy);
      if (cells !== builders.length) throw wrongWidth(policy.rowNumber(row), cells, builders.length, rows.rowOffset);
    },
  };
  return rowBatches(source, columns, options);
}

function writeCell(rows: XMLRows, builder: ColumnBuilder, row: number, policy: CellPolicy): void {
  const { cell, start, end } = rows;
  if (rows.isNull) builder.setNull(row);
  else if (builder.reader === TEXT) builder.setText(row, cell, start, end);
  else policy.write(builder, row, cell, start, end, rows.offset);
}
