import type { DataType, Table, Vector } from "../../columns/arrow/arrow.js";
import { namesOf } from "../../columns/arrow/column-names.js";
import { type ColumnChoice, choose, vectorAt } from "../core/choose.js";
import { type Computed, doublesColumn, numberPieces, numbersOf, renamed } from "../core/numbers.js";
import { cutsOf, type PieceKernel, type RunOptions, runPieces, runRows } from "../core/pieces.js";
import { refuseTakenNames } from "../core/result-shape.js";
import { withColumns } from "../core/tables.js";
import { seriesTrack } from "./series-track.js";
import { byRow, inOrder, type Track } from "./track.js";

export type Compute = (table: Table, at: number, track: Track) => Computed;

/**
 * Computes the selected columns one by one, in place or beside the originals; keeps the rows and their order. `fits`
 * tests whether a type is supported.
 */
export function computeColumns(
  table: Table,
  choice: ColumnChoice,
  compute: Compute,
  fits?: (type: DataType) => boolean,
): Table {
  const chosen = choose(table, choice, fits);
  const track = seriesTrack(table, chosen);
  return eachColumn(table, chosen.values, (at) => compute(table, at, track), choice.suffix);
}

/** Computes the columns at these positions one by one, in place, or beside the originals with a suffix. */
export function eachColumn(
  table: Table,
  values: readonly number[],
  compute: (at: number) => Computed,
  suffix?: string,
): Table {
  const replaced = new Map<number, Computed>();
  const added: Computed[] = [];
  for (const at of values) {
    const column = compute(at);
    if (suffix === undefined) replaced.set(at, column);
    else added.push({ ...column, field: renamed(column.field, table.schema.fields[at].name + suffix) });
  }
  refuseTakenNames(namesOf(table), added, "Pass another suffix, or rename the column first.");
  return withColumns(table, replaced, added);
}

/** Runs a kernel on a column; returns a `Float64` column in table order. */
export function runKernel(table: Table, at: number, track: Track, kernel: PieceKernel): Computed {
  return doublesColumn(table.schema.fields[at], runAlong(vectorAt(table, at), track, kernel).results);
}

/** As {@link runKernel}, for a kernel that uses track positions: `y` and `out` cover the whole track. */
export function runWhole(table: Table, at: number, track: Track, kernel: PieceKernel): Computed {
  const { results } = runPieces([numbersAlong(table, at, track)], track.starts, kernel);
  return doublesColumn(table.schema.fields[at], [byRow(results[0], track.rows)]);
}

/** The values of a column in the order of the track. */
export const numbersAlong = (table: Table, at: number, { rows }: Track): Float64Array =>
  inOrder(numbersOf(vectorAt(table, at)), rows);

/**
 * Runs a kernel along every series of a column and returns the results by row: batch by batch if the table is in track
 * order and has more series than pieces, so that most series lie within one; otherwise in one piece.
 */
export function runAlong(
  vector: Vector,
  { rows, starts }: Track,
  kernel: PieceKernel,
  options?: RunOptions,
): ReturnType<typeof runPieces> {
  if (rows !== undefined) {
    const { results, missing } = runRows(numbersOf(vector), rows, starts, kernel, options);
    return { results: [results], missing };
  }
  const pieces = vector.data.reduce((sum, { length }) => sum + cutsOf(length).length, 0);
  const isCut = pieces > 0 && starts.length > pieces;
  return runPieces(isCut ? numberPieces(vector) : [numbersOf(vector)], starts, kernel, options);
}
