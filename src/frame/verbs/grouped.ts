import type { Table } from "../../columns/arrow/arrow.js";
import { type Aggregates, aggregateBy, countBy } from "../../series/group-by.js";
import { needObject } from "../cells/given.js";

/** Groups of rows, before an aggregation. */
export interface Grouped<Result, Name extends string = string> {
  /**
   * One row for each group with the aggregates asked for, such as `{ close: "mean", volume: ["sum", "max"] }`.
   * {@link aggregateBy}
   */
  agg(aggregates: Aggregates<Name>): Result;
  /** Rows of each group, under the name `count`. */
  count(): Result;
}

/** The groups of a table by equal values; `wrap` converts the results. */
export function grouped<Result, Name extends string>(
  table: Table,
  by: readonly string[],
  wrap: (table: Table) => Result,
): Grouped<Result, Name> {
  return {
    agg: (aggregates) => {
      needObject(aggregates, "agg()", 'Give aggregates by column: agg({ close: "mean" }).');
      return wrap(aggregateBy(table, by, aggregates));
    },
    count: () => wrap(countBy(table, by)),
  };
}
