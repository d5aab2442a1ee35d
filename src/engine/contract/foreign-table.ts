import type { ColumnSpec } from "../../spec/columns.js";

/** A table that was in the engine before the service, and is read only. */
export interface ForeignSource {
  /** `database.table`, or `table` in the engine's own database; as a list of two if a name has a dot. */
  readonly from: string | readonly [database: string, table: string];
  /** The columns to serve, in this order. Default: all that are stored. */
  readonly columns?: readonly string[];
  /**
   * The columns that together identify a row, in the order in which the table is sorted. Default: the columns of its
   * sorting key.
   */
  readonly key?: readonly string[];
  /**
   * A column whose value is larger in each row that is added later. A query then reads the rows up to the largest value
   * at its first page, so that its pages hold while rows are added.
   */
  readonly version?: string;
}

/** A column of a {@link ForeignTable}. */
export interface ForeignColumn extends ColumnSpec {
  /** SQL that reads the column as the Arrow type of its service type. */
  readonly read: string;
  /** The SQL and the service type by which `Dialect.compare` compares it; undefined if it cannot be a filter. */
  readonly compared?: { readonly sql: string; readonly type: string };
}

/** A column by which rows are found again: exactly, whatever its value. */
export interface SeekColumn {
  readonly name: string;
  /** SQL of the column as the table sorts it. */
  readonly sql: string;
  /** SQL that reads a value of the column as text. */
  readonly text: string;
  /** SQL that makes a value of the column of that text, which `?` stands for. */
  readonly value: string;
}

/** How a table that the service did not load is read. */
export interface ForeignTable {
  /** The table in SQL, after FROM. */
  readonly from: string;
  readonly columns: readonly ForeignColumn[];
  /** The key, by which pages follow each other. */
  readonly key: readonly SeekColumn[];
  /** The column of `ForeignSource.version`. */
  readonly version: SeekColumn | undefined;
  /** Finds two rows of one key; undefined if the engine has none. */
  readonly repeated: string | undefined;
  /** The present state; undefined if there is no such table any more. */
  state(): Promise<ForeignState | undefined>;
}

/** What distinguishes one state of a table from another. */
export interface ForeignState {
  /** Changes when the table is replaced by another one, or its columns or options change. */
  readonly identity: string;
  /** Changes when the rows change; of a table with a version column, the text of its largest value. */
  readonly version: string;
  /** The most rows that it has. */
  readonly rows: number;
  /** When the rows changed last, in seconds since 1970, if that is known. */
  readonly changedAt: number | undefined;
}
