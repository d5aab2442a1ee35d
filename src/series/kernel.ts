import type { DataType, Table } from "../columns/arrow.js";
import { inOrder } from "./aggregate.js";
import { type ColumnChoice, choose, vectorAt } from "./choose.js";
import { type Column, doubleColumn, numbersOf, renamed } from "./numbers.js";
import { withColumns } from "./tables.js";
import { type Track, trackOf } from "./track.js";

/**
 * One calculation along one series of doubles: reads `y` and fills `out` from `from` to `to` (exclusive), NaN for null in both.
 * `y` and `out` stand in the order of the track; `y` is never written.
 */
export type Kernel = (y: Float64Array, out: Float64Array, from: number, to: number) => void;

/** How a column becomes its result. */
export type Compute = (table: Table, at: number, track: Track) => Column;

/** The chosen columns computed one by one, in place or beside the originals; rows and their order stay. `fits` says which types may be. */
export function computeColumns(
  table: Table,
  choice: ColumnChoice,
  compute: Compute,
  fits?: (type: DataType) => boolean,
): Table {
  const { on, by, values } = choose(table, choice, fits);
  const track = trackOf(table, on, by);
  const replaced = new Map<number, Column>();
  const added: Column[] = [];
  for (const at of values) {
    const column = compute(table, at, track);
    if (choice.suffix === undefined) replaced.set(at, column);
    else added.push({ field: renamed(column.field, table.schema.fields[at].name + choice.suffix), data: column.data });
  }
  return withColumns(table, replaced, added);
}

/** The result of a kernel on a column, as a `Float64` column in the order of the table. */
export function runKernel(table: Table, at: number, track: Track, kernel: Kernel): Column {
  const vector = vectorAt(table, at);
  const y = inOrder(numbersOf(vector), track.rows);
  const out = new Float64Array(y.length);
  for (let g = 0; g + 1 < track.starts.length; g++) kernel(y, out, track.starts[g], track.starts[g + 1]);
  return doubleColumn(table.schema.fields[at], byRow(out, track.rows));
}

/** Results by position as results by row. */
export function byRow(results: Float64Array, rows: Int32Array | undefined): Float64Array {
  if (rows === undefined) return results;
  const out = new Float64Array(results.length);
  for (let i = 0; i < rows.length; i++) out[rows[i]] = results[i];
  return out;
}

/** The row at a position of the track. */
export const rowAt = ({ rows }: Track, at: number): number => (rows === undefined ? at : rows[at]);
