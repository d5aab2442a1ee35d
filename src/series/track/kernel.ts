import type { DataType, Table, Vector } from "../../columns/arrow/arrow.js";
import { type ColumnChoice, choose, vectorAt } from "../core/choose.js";
import { type Computed, doublesColumn, numberPieces, numbersOf, renamed } from "../core/numbers.js";
import { cutsOf, type PieceKernel, type RunOptions, runPieces, runRows } from "../core/pieces.js";
import { withColumns } from "../core/tables.js";
import { seriesTrack } from "./series-track.js";
import { byRow, inOrder, type Track } from "./track.js";

/**
 * One calculation along one series of doubles: reads `y` and fills `out` from `from` to `to` (exclusive), NaN for null
 * in both. `y` and `out` are in the order of the track, or hold a part of it that begins elsewhere; `y` is never
 * written.
 */
export type Kernel = (y: Float64Array, out: Float64Array, from: number, to: number) => void;

/** How a column becomes its result. */
export type Compute = (table: Table, at: number, track: Track) => Computed;

/**
 * The chosen columns computed one by one, in place or beside the originals; rows and their order stay. `fits` says
 * which types may be.
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

/** The columns at these positions computed one by one, in place, or with a suffix beside the originals. */
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
  return withColumns(table, replaced, added);
}

/** The result of a kernel on a column, as a `Float64` column in the order of the table. */
export function runKernel(table: Table, at: number, track: Track, kernel: Kernel): Computed {
  return doublesColumn(table.schema.fields[at], runAlong(vectorAt(table, at), track, kernel).results);
}

/** As {@link runKernel}, for a kernel that goes by the positions of the track: `y` and `out` hold all of it. */
export function runWhole(table: Table, at: number, { rows, starts }: Track, kernel: Kernel): Computed {
  const y = inOrder(numbersOf(vectorAt(table, at)), rows);
  const { results } = runPieces([y], starts, kernel);
  return doublesColumn(table.schema.fields[at], [byRow(results[0], rows)]);
}

/**
 * A kernel along every series of a column, by row: batch by batch where the table is in the order of the track and
 * holds more series than pieces, so that most series lie within one; else in one piece.
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
