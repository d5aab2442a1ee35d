import type { ColumnSpec } from "./columns.js";

/** The columns of a time series by their titles (spec 2.1): its dates, then numbers. */
export const seriesColumns = (titles: readonly string[]): ColumnSpec[] =>
  titles.map((name, i) => ({ name, type: i === 0 ? "Date" : "double" }));
