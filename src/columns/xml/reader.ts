import type { XMLFragment } from "../../format/xml/cursor.js";
import { XMLRows } from "../../format/xml/rows.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Batching, ReadOptions } from "../arrow/read-options.js";
import type { CellPolicy } from "../build/bad-cells.js";
import type { ColumnBuilder } from "../build/builder.js";
import { MemoryRows, type RowSource, rowBatches, wrongWidth } from "../build/text-rows.js";
import { TEXT } from "../build/types.js";

/**
 * The rows of an XML reply, straight from its bytes (spec 1, 2.6); cells are read by their column's type exactly as
 * those of CSV and JSON are.
 *
 * @throws {DataError} naming row, column, value and byte offset
 */
export function xmlRows(
  fragment: XMLFragment,
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching = {},
): MemoryRows {
  const rows = new XMLRows(fragment);
  const source: RowSource = {
    next: () => rows.nextRow(),
    read({ builders, row, policy }) {
      let cells = 0;
      for (; rows.nextCell(); cells++) if (cells < builders.length) writeCell(rows, builders[cells], row, policy);
      if (cells !== builders.length) throw wrongWidth(policy.rowNumber(row), cells, builders.length, rows.rowOffset);
    },
  };
  return new MemoryRows(rowBatches(source, columns, options), columns, options);
}

function writeCell(rows: XMLRows, builder: ColumnBuilder, row: number, policy: CellPolicy): void {
  const { cell, start, end } = rows;
  if (rows.isNull) builder.setNull(row);
  else if (builder.reader === TEXT) builder.setText(row, cell, start, end);
  else policy.write(builder, row, cell, start, end, rows.offset);
}
