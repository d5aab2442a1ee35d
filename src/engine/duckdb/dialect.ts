import type { Dialect } from "../contract/dialect.js";
import { quoteName } from "../contract/quote.js";
import { loadParquet } from "./parquet.js";
import { collapsed, transformed } from "./series-sql.js";
import { comparedType } from "./types.js";
import { createEnums, dropEnums, enumColumn } from "./value-lists.js";

/** From here on a list of values is joined: its rows have to be sorted, which is more work than a few comparisons. */
const MANY_VALUES = 100;

/** The SQL of the embedded service on DuckDB. */
export const duckdbDialect: Dialect = {
  quoteName,
  // Pages and exports rely on the row order of a table.
  prepare: ["SET preserve_insertion_order = true"],
  sortedBy: () => ({}),
  // Sorting by `rowid` would read the whole table for each page.
  rowNumber: { column: "rowid", isLoaded: false, order: "" },
  compare: (column, comparison, type, value) => ({
    sql: `${column} ${comparison} CAST(? AS ${comparedType(type)})`,
    value,
  }),
  oneOf(column, type, values) {
    if (values.length < MANY_VALUES) return undefined;
    // As JSON, one parameter instead of thousands, each of which the engine plans for itself.
    const list = "(SELECT unnest(CAST(CAST(? AS JSON) AS VARCHAR[])) AS v)";
    return {
      sql: `${column} IN (SELECT CAST(v AS ${comparedType(type)}) FROM ${list})`,
      value: JSON.stringify(values),
      isUnordered: true,
    };
  },
  valueLists: { create: createEnums, drop: dropEnums, read: enumColumn },
  loadParquet,
  collapsed,
  transformed,
};
