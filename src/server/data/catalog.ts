import type { ColumnSpec } from "../../spec/columns.js";

/** One time series in a catalogue (spec 2.2). */
export interface DatasetEntry {
  readonly id: number;
  readonly dataset_code: string;
  readonly name: string;
  readonly description: string | null;
  readonly frequency: string;
  readonly type: string;
  /** ISO 8601 UTC; left out in a catalogue file, it is the data file's own time. */
  readonly refreshed_at?: string;
  /** Titles, the date column first; the other columns hold doubles. */
  readonly columns: readonly string[];
  /** CSV or Parquet file beside the catalogue. */
  readonly file?: string;
}

/** One database and its time series (spec 2.4). */
export interface DatabaseEntry {
  readonly id: number;
  readonly database_code: string;
  readonly name: string;
  readonly description: string | null;
  readonly premium: boolean;
  /** Downloads so far, to which the service adds its own. */
  readonly downloads: number;
  /** Address of a logo; where there is none, the service draws one. */
  readonly image: string | null;
  readonly datasets: readonly DatasetEntry[];
}

/** The `status` object of a table's metadata (spec 2.7). */
export interface TableStatus {
  readonly refreshed_at?: string;
  readonly status: string | null;
  readonly expected_at: string | null;
  readonly update_frequency: string | null;
}

/** One table (spec 2.7). */
export interface TableEntry {
  readonly vendor_code: string;
  readonly datatable_code: string;
  readonly name: string;
  readonly description: string | null;
  readonly columns: readonly ColumnSpec[];
  /** Names of the columns usable as row filters. */
  readonly filters: readonly string[];
  /** Names of the columns that identify a row; none where rows have no key. */
  readonly primary_key: readonly string[];
  readonly premium: boolean;
  readonly status: TableStatus;
  readonly file?: string;
}

/** What a service holds (docs/server.md, The catalogue). */
export interface Catalog {
  readonly databases: readonly DatabaseEntry[];
  readonly tables: readonly TableEntry[];
}
