import type { RowSource } from "./source.js";

/** What the engine contains for each code, so that rows need not be loaded again. */
export type Loaded = Record<string, LoadedRows>;

interface LoadedRows {
  readonly version: string;
  readonly refreshedAt: string;
  /** The engine's name of a table's rows; that of the first load if undefined. */
  readonly table?: string;
  /** The text columns of a table that have lists of values (`Dialect.valueLists`). */
  readonly valueLists?: readonly string[];
  /** The number of a series in the table of its database. */
  readonly series?: number;
}

/** Between the version of a source and the time of a refresh, in the version of refreshed rows. */
export const REFRESHED = " refreshed ";

/** Whether the engine contains the current rows of a source. */
export function isCurrent(held: Loaded[string] | undefined, rows: RowSource): boolean {
  return held !== undefined && (held.version === rows.version || held.version.startsWith(rows.version + REFRESHED));
}
