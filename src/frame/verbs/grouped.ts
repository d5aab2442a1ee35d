import type { Table } from "../../columns/arrow/arrow.js";
import { type Aggregates, aggregateBy, countBy, firstOfGroups } from "../../series/group-by.js";
import { needCount, needObject } from "../cells/given.js";

/** The tables that the methods of groups give. */
export interface GroupedTables {
  agg(aggregates: Aggregates): Table;
  count(): Table;
  head(count: number): Table;
}

/** The groups of a table by equal values. */
export function grouped(table: Table, by: readonly string[]): GroupedTables {
  return {
    agg: (aggregates) => {
      needObject(aggregates, "agg()", 'Pass aggregates by column: agg({ close: "mean" }).');
      return aggregateBy(table, by, aggregates);
    },
    count: () => countBy(table, by),
    head: (count) => {
      needCount(count, "head()");
      return firstOfGroups(table, by, count);
    },
  };
}
