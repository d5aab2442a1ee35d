import type { Table } from "../columns/arrow/arrow.js";
import { columnIndex } from "../columns/arrow/column-names.js";
import { takeVector } from "../columns/table/take.js";
import { InputError } from "../errors/errors.js";
import { listOf, vectorAt } from "./core/choose.js";
import { type Column, countColumn, renamed } from "./core/numbers.js";
import { tableOf } from "./core/tables.js";
import { type Aggregate, aggregate, type Spans } from "./track/aggregate.js";
import { groupTrack, rowsAt, seriesCodes } from "./track/track.js";

/** By column, one aggregate or several. */
export type Aggregates<Name extends string = string> = {
  readonly [column in Name]?: Aggregate | readonly Aggregate[];
};

/**
 * One row for each group of equal values in `by`, in order of first appearance, with the aggregates asked for: under
 * the column's own name where there is one, as `name_word` (`name_q0.9` for a quantile) where there are several.
 * `first` and `last` go by the order of the rows. Null is a group of its own. Types and exactness as {@link Aggregate}
 * says.
 *
 * @throws {InputError} UnknownColumn, UnknownValue, WrongType, DuplicateColumn
 * @throws {DataError} Overflow
 */
export function aggregateBy(table: Table, by: string | readonly string[], aggregates: Aggregates): Table {
  const { spans, keys } = groupsOf(table, by);
  const made: Column[] = [...keys];
  for (const [name, how] of Object.entries(aggregates)) {
    const at = columnIndex(table, name);
    for (const one of Array.isArray(how) ? how : [how]) {
      const column = aggregate(table.schema.fields[at], vectorAt(table, at), one, spans);
      const shown = Array.isArray(how) ? `${name}_${wordOf(one)}` : name;
      made.push({ field: renamed(column.field, shown), data: column.data });
    }
  }
  const repeated = made.find(({ field }, i) => made.findIndex((other) => other.field.name === field.name) !== i);
  if (repeated !== undefined) {
    throw new InputError(`Two columns of the result would be called ${JSON.stringify(repeated.field.name)}.`, {
      code: "DuplicateColumn",
      column: repeated.field.name,
      hint: "Leave the grouping columns out of the aggregates, or pass their aggregates as an array.",
    });
  }
  return tableOf(made, spans.from.length, { key: listOf(by) });
}

/** Rows of each group, under the name `count`. */
export function countBy(table: Table, by: string | readonly string[]): Table {
  const { spans, keys } = groupsOf(table, by);
  const counts = spans.to.map((end, g) => end - spans.from[g]);
  return tableOf([...keys, countColumn("count", counts)], counts.length, { key: listOf(by) });
}

const wordOf = (how: Aggregate): string => (typeof how === "string" ? how : `q${how.quantile}`);

function groupsOf(table: Table, by: string | readonly string[]): { spans: Spans; keys: Column[] } {
  const columns = listOf(by).map((name) => columnIndex(table, name));
  const codes = seriesCodes(table, columns);
  if (codes === undefined) {
    throw new InputError("groupBy() needs a column.", { code: "BadArgument", hint: "Name one or more columns." });
  }
  const { rows, starts } = groupTrack(codes.rows[0], codes.size);
  const spans: Spans = { rows, from: starts.subarray(0, starts.length - 1), to: starts.subarray(1) };
  const firsts = rowsAt(spans, spans.from);
  const keys = columns.map((at) => ({
    field: table.schema.fields[at],
    data: takeVector(vectorAt(table, at), firsts).data[0],
  }));
  return { spans, keys };
}
