import type { ColumnSpec } from "../../spec/columns.js";

/** Key of the file metadata that carries the service's columns, as JSON. */
export const COLUMNS_KEY = "arrowbook.columns";

/** A column as the metadata of a file notes it. */
export interface NotedColumn extends ColumnSpec {
  /** The time zone of timestamps, where it is not UTC: Parquet stores that there is one, not which. */
  readonly zone?: string;
}
