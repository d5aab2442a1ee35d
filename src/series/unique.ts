import type { Table } from "../columns/arrow/arrow.js";
import { columnIndex } from "../columns/arrow/column-names.js";
import { listOf } from "./core/choose.js";
import { rowsOf } from "./core/tables.js";
import { seriesCodes } from "./track/track.js";

/**
 * The first row of each combination of values in the named columns (default: all columns), in order, with all columns.
 * Nulls equal each other.
 *
 * @throws {InputError} UnknownColumn
 */
export function unique(table: Table, names: string | readonly string[] = []): Table {
  const named = listOf(names);
  const columns =
    named.length > 0 ? named.map((name) => columnIndex(table, name)) : table.schema.fields.map((_, at) => at);
  const codes = seriesCodes(table, columns);
  if (codes === undefined) return table;
  const seen = new Uint8Array(codes.size);
  const firsts: number[] = [];
  for (const [row, code] of codes.rows[0].entries()) {
    if (seen[code] === 1) continue;
    seen[code] = 1;
    firsts.push(row);
  }
  return firsts.length === table.numRows ? table : rowsOf(table, Int32Array.from(firsts));
}
