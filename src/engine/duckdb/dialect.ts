import type { Dialect } from "../contract/dialect.js";
import { quoteName } from "../contract/quote.js";
import { loadParquet } from "./parquet.js";
import { collapsed, transformed } from "./series-sql.js";
import { comparedType } from "./types.js";
import { createEnums, dropEnums, enumColumn } from "./value-lists.js";

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
  valueLists: { create: createEnums, drop: dropEnums, read: enumColumn },
  loadParquet,
  collapsed,
  transformed,
};
