import type { Table } from "../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../columns/arrow/column-names.js";
import { takeRows } from "../columns/table/take.js";
import { listOf, vectorAt } from "./core/choose.js";
import { firstsOf } from "./core/codes.js";
import { type Column, countColumn, picked, renamed } from "./core/numbers.js";
import { refuseRepeatedNames } from "./core/result-shape.js";
import { tableOf } from "./core/tables.js";
import { AGGREGATES, type Aggregate, type AggregateOption } from "./track/aggregate.js";
import { aggregateGroups } from "./track/aggregate-groups.js";
import { type Groups, groupsOf } from "./track/groups.js";
import { seriesCodes } from "./track/track.js";

/** By column, one aggregate or several; or by a new name a column and its aggregate. */
export type Aggregates<Name extends string = string> = {
  readonly [column in Name]?: AggregateOption["name"] | readonly AggregateOption["name"][] | NamedAggregate<Name>;
};

/** A column and how it is reduced: `{ mean_close: ["close", "mean"] }`. */
export type NamedAggregate<Name extends string = string> = readonly [column: Name, how: AggregateOption["name"]];

/**
 * One row per group of equal values in `by`, in order of first appearance, with the requested aggregates: a single one
 * under the column's own name, several as `name_method` (`name_q0.9` for a quantile), `{ top: ["close", "max"] }` under
 * that name. `first` and `last` follow the row order. Null is a group of its own. Types and exactness as in {@link
 * Aggregate}.
 *
 * @throws {InputError} UnknownColumn, UnknownValue, WrongType, DuplicateColumn
 * @throws {DataError} Overflow
 */
export function aggregateBy(table: Table, by: string | readonly string[], aggregates: Aggregates): Table {
  const groups = groupsOf(table, by);
  const made: Column[] = keysOf(table, groups);
  for (const [name, how] of Object.entries(aggregates)) {
    if (isNamed(table, name, how)) {
      const at = columnIndex(table, how[0]);
      const column = aggregateGroups(table.schema.fields[at], vectorAt(table, at), how[1], groups);
      made.push({ field: renamed(column.field, name), data: column.data });
      continue;
    }
    const at = columnIndex(table, name);
    const vector = vectorAt(table, at);
    for (const one of (Array.isArray(how) ? how : [how]) as Aggregate[]) {
      const column = aggregateGroups(table.schema.fields[at], vector, one, groups);
      const shown = Array.isArray(how) ? `${name}_${nameOfAggregate(one)}` : name;
      made.push({ field: renamed(column.field, shown), data: column.data });
    }
  }
  refuseRepeatedNames(made, "Leave the grouping columns out of the aggregates, or pass their aggregates as an array.");
  return tableOf(made, groups.count, { key: listOf(by) });
}

/** The number of rows of each group, under the name `count`. */
export function countBy(table: Table, by: string | readonly string[]): Table {
  const groups = groupsOf(table, by);
  const columns = [...keysOf(table, groups), countColumn("count", groups.sizes)];
  return tableOf(columns, groups.count, { key: listOf(by) });
}

/** The first `count` rows of each group, in the order of the table. */
export function firstOfGroups(table: Table, by: string | readonly string[], count: number): Table {
  const { of, count: groups } = groupsOf(table, by);
  const taken = new Int32Array(groups);
  const rows: number[] = [];
  for (let row = 0; row < of.length; row++) if (taken[of[row]]++ < count) rows.push(row);
  return rows.length === table.numRows ? table : takeRows(table, Int32Array.from(rows));
}

/** Whether an aggregate has a name of its own: of a column the first item is an aggregate too. */
function isNamed(table: Table, name: string, how: unknown): how is NamedAggregate {
  if (!Array.isArray(how) || how.length !== 2 || typeof how[0] !== "string") return false;
  return !(AGGREGATES as readonly string[]).includes(how[0]) || !namesOf(table).includes(name);
}

const nameOfAggregate = (how: Aggregate): string => (typeof how === "string" ? how : `q${how.quantile}`);

function keysOf(table: Table, { columns, first }: Groups): Column[] {
  return columns.map((at) => picked(table.schema.fields[at], vectorAt(table, at), first));
}

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
  const firsts = firstsOf(codes);
  return firsts.length === table.numRows ? table : takeRows(table, firsts);
}
