import type { ColumnSpec } from "../../spec/columns.js";

/** One time series in a catalogue (spec 2.2). */
export interface DatasetEntry {
  /** The number that the service reports. */
  readonly id: number;
  /** The code, the second part of `DATABASE/DATASET`. */
  readonly dataset_code: string;
  /** The title. */
  readonly name: string;
  /** What the data are. */
  readonly description: string | null;
  /** The frequency, as the service names it. */
  readonly frequency: string;
  /** The kind of series, as the service names it. */
  readonly type: string;
  /** ISO 8601 UTC; if omitted in a catalogue file, the modification time of the data file. */
  readonly refreshed_at?: string;
  /** Titles, the date column first; the other columns are doubles. */
  readonly columns: readonly string[];
  /** CSV or Parquet file beside the catalogue. */
  readonly file?: string;
}

/** One database and its time series (spec 2.4). */
export interface DatabaseEntry {
  /** The number that the service reports. */
  readonly id: number;
  /** The code, the first part of `DATABASE/DATASET`. */
  readonly database_code: string;
  /** The title. */
  readonly name: string;
  /** What the data are. */
  readonly description: string | null;
  /** Whether a subscriber's key is needed. */
  readonly premium: boolean;
  /** Downloads so far, to which the service adds its own. */
  readonly downloads: number;
  /** Address of a logo; if omitted, the service draws one. */
  readonly image: string | null;
  /** The time series. */
  readonly datasets: readonly DatasetEntry[];
}

/** The `status` object of a table's metadata (spec 2.7). */
export interface TableStatus {
  /** When the table was last refreshed, ISO 8601. */
  readonly refreshed_at?: string;
  /** The state, as the service names it. */
  readonly status: string | null;
  /** When the next refresh is expected, as the service writes it. */
  readonly expected_at: string | null;
  /** How often the table is refreshed, as the service names it. */
  readonly update_frequency: string | null;
}

/** One table (spec 2.7). */
export interface TableEntry {
  /** The first part of `VENDOR/TABLE`. */
  readonly vendor_code: string;
  /** The second part of `VENDOR/TABLE`. */
  readonly datatable_code: string;
  /** The title. */
  readonly name: string;
  /** What the data are. */
  readonly description: string | null;
  /** The columns and their types. */
  readonly columns: readonly ColumnSpec[];
  /** Names of the columns usable as row filters. */
  readonly filters: readonly string[];
  /** Names of the columns that identify a row; empty if rows have no key. */
  readonly primary_key: readonly string[];
  /** Whether a subscriber's key is needed. */
  readonly premium: boolean;
  /** When the table is refreshed. */
  readonly status: TableStatus;
  /** The file with the rows, relative to the catalogue. */
  readonly file?: string;
}

/** The contents of a service (docs/server.md, The catalogue). */
export interface Catalog {
  /** The databases of time series. */
  readonly databases: readonly DatabaseEntry[];
  /** The tables. */
  readonly tables: readonly TableEntry[];
}
