import { type Field, type Table, Vector } from "../columns/arrow/arrow.js";
import { columnIndex } from "../columns/arrow/column-names.js";
import { cellText } from "../columns/arrow/vector-values.js";
import { sortedRows } from "../columns/table/sort.js";
import { takeRows } from "../columns/table/take.js";
import { InputError } from "../errors/errors.js";
import { refuseUnknown } from "../errors/options.js";
import type { OneOrMore } from "../spec/columns.js";
import { listOf, vectorAt } from "./core/choose.js";
import { firstsOf } from "./core/codes.js";
import { type Column, picked, renamed } from "./core/numbers.js";
import { refuseRepeatedNames } from "./core/result-shape.js";
import { tableOf } from "./core/tables.js";
import { type AggregateOption, aggregate, presentOf, type Spans } from "./track/aggregate.js";
import { groupTrack, rowAt, seriesCodes } from "./track/track.js";

/** Options of {@link Frame.pivot}. */
export interface PivotOptions<Name extends string = string> {
  /** Columns whose values become the rows. */
  readonly index: OneOrMore<Name>;
  /** The column whose values become the columns. */
  readonly columns: Name;
  /** The columns whose values fill the cells. */
  readonly values: OneOrMore<Name>;
  /** How several values of one cell are reduced; by default they are an error. */
  readonly agg?: AggregateOption["name"];
  /** A last column `total` and a last row, whose `index` is null as in SQL, of all values of the row and the column. */
  readonly totals?: boolean;
}

/**
 * Converts a long table to wide: a row per combination of `index`, ascending, and a column per value of `columns`,
 * ascending, with null where there is no value. Columns are named after the value, or `name_value` with several
 * `values` columns; null is named `null`. Types as in {@link Aggregate}; without an aggregate they stay.
 *
 * @throws {InputError} UnknownColumn, SeveralValues, UnknownValue, WrongType, DuplicateColumn, BadArgument for more
 *   than 2^27 cells
 */
export function pivot(table: Table, options: PivotOptions): Table {
  refuseUnknown(options ?? null, ["index", "columns", "values", "agg", "totals"], "pivot()");
  const { index, columns, values, agg, totals = false } = options;
  if (columns === undefined || values === undefined || listOf(values).length === 0) {
    throw new InputError(`pivot() needs ${columns === undefined ? "columns" : "values"}.`, {
      code: "BadArgument",
      hint: 'Name three parts: pivot({ index: "date", columns: "ticker", values: "close" }).',
    });
  }
  const rows = axisOf(table, listOf(index));
  const across = axisOf(table, [columns]);
  refuseTooWide(rows.size, across.size);
  const cells = cellsOf(rows, across);
  if (totals && agg === undefined) {
    throw new InputError("pivot() with totals needs an aggregate.", {
      code: "BadArgument",
      hint: 'Pass { agg: "sum" }, "mean", "count", ….',
    });
  }
  if (agg === undefined) refuseSeveral(table, cells.spans, rows.columns, across.columns);
  const all: Axis = { columns: [], places: new Int32Array(table.numRows), firsts: Int32Array.of(0), size: 1 };
  const parts = totals ? [cells, cellsOf(all, across), cellsOf(rows, all), cellsOf(all, all)] : [cells];
  const shown = totals ? withLast(rows.firsts, -1) : rows.firsts;
  const made: Column[] = rows.columns.map((at) =>
    picked(totals ? nullable(table.schema.fields[at]) : table.schema.fields[at], vectorAt(table, at), shown),
  );
  const names = listOf(values);
  for (const name of names) {
    const at = columnIndex(table, name);
    const filled = parts.map(({ spans }) =>
      aggregate(table.schema.fields[at], vectorAt(table, at), agg ?? "last", spans),
    );
    const [inner, below, beside, corner] = placesIn(filled, parts);
    const add = (head: string, picks: Int32Array, total: number | undefined): void => {
      const called = names.length === 1 ? head : `${name}_${head}`;
      made.push(spread(filled, called, total === undefined ? picks : withLast(picks, total)));
    };
    for (const [c, head] of headings(table, across).entries()) {
      add(head, inner.subarray(c * rows.size, (c + 1) * rows.size), below?.[c]);
    }
    if (totals) add("total", beside, corner[0]);
  }
  refuseRepeatedNames(made, "Rename a column, or change the values that name the columns, first.");
  return totals ? tableOf(made, rows.size + 1) : tableOf(made, rows.size, { key: listOf(index) });
}

/** The distinct values of one axis, sorted: the position of each row, and the first row of each position. */
interface Axis {
  readonly columns: readonly number[];
  readonly places: Int32Array;
  readonly firsts: Int32Array;
  readonly size: number;
}

function axisOf(table: Table, names: readonly string[]): Axis {
  const columns = names.map((name) => columnIndex(table, name));
  const codes = seriesCodes(table, columns);
  if (codes === undefined)
    throw new InputError("pivot() expects at least one index column.", {
      code: "BadArgument",
      hint: "Pass `index`, a column name or several.",
    });
  const [own] = codes.rows;
  const found = firstsOf(codes);
  const order = sortedRows(
    takeRows(table, found),
    columns.map((column) => ({ column })),
  );
  const firsts = Int32Array.from(order, (at) => found[at]);
  const placeOf = new Int32Array(codes.size);
  for (const [place, row] of firsts.entries()) placeOf[own[row]] = place;
  return { columns, places: own.map((code) => placeOf[code]), firsts, size: order.length };
}

/** More cells than this need more memory than a table should take. */
const MOST_CELLS = 2 ** 27;

function refuseTooWide(rows: number, columns: number): void {
  if (rows * columns <= MOST_CELLS) return;
  throw new InputError(`pivot() would make ${columns} columns of ${rows} rows, more than ${MOST_CELLS} cells.`, {
    code: "BadArgument",
    hint: "Filter the rows, or pass a column of fewer values as `columns`.",
  });
}

/** The rows of each cell that has any, and for each cell (column by column) its span, or -1. */
function cellsOf(rows: Axis, across: Axis): { spans: Spans; at: Int32Array } {
  const cell = across.places.map((c, row) => c * rows.size + rows.places[row]);
  const track = groupTrack(cell, rows.size * across.size);
  const from = track.starts.subarray(0, track.starts.length - 1);
  const at = new Int32Array(rows.size * across.size).fill(-1);
  for (const [s, position] of from.entries()) at[cell[rowAt(track, position)]] = s;
  return { spans: { rows: track.rows, from, to: track.starts.subarray(1) }, at };
}

function refuseSeveral(table: Table, spans: Spans, index: readonly number[], across: readonly number[]): void {
  const { from, to } = spans;
  const several = from.findIndex((start, s) => to[s] - start > 1);
  if (several === -1) return;
  const row = rowAt(spans, from[several]);
  const cell = [...index, ...across].map((at) => cellText(vectorAt(table, at), row)).join(", ");
  throw new InputError(`${to[several] - from[several]} rows fall into the cell of ${cell}.`, {
    code: "SeveralValues",
    row,
    hint: 'Pass an aggregate: { agg: "last" }, "sum", "mean", ….',
  });
}

function headings(table: Table, across: Axis): string[] {
  const vector: Vector = vectorAt(table, across.columns[0]);
  const present = presentOf(vector);
  return Array.from(across.firsts, (row) => (present?.[row] === 0 ? "null" : cellText(vector, row))) as string[];
}

/** The places of the cells in the values of all parts, one after the other. */
function placesIn(filled: readonly Column[], parts: readonly { readonly at: Int32Array }[]): Int32Array[] {
  let from = 0;
  return parts.map(({ at }, k) => {
    const first = from;
    from += filled[k].data.length;
    return at.map((place) => (place === -1 ? -1 : first + place));
  });
}

function withLast(picks: Int32Array, last: number): Int32Array {
  const longer = new Int32Array(picks.length + 1);
  longer.set(picks);
  longer[picks.length] = last;
  return longer;
}

const nullable = (field: Field): Field => field.clone({ nullable: true });

const spread = (filled: readonly Column[], name: string, at: Int32Array): Column =>
  picked(nullable(renamed(filled[0].field, name)), new Vector(filled.map(({ data }) => data)), at);
