import type { Table } from "../../columns/arrow/arrow.js";
import type { ColumnSpec, ServiceType } from "../../spec/columns.js";
import type { Collapse } from "../../spec/vocabulary.js";
import type { ForeignSource, ForeignTable } from "./foreign-table.js";

export interface Condition {
  /** `?` is the placeholder of the value. */
  readonly sql: string;
  /** Undefined if the condition has none. */
  readonly value?: unknown;
  /** Whether the engine may return the rows in another order than it stores them. */
  readonly isUnordered?: boolean;
}

export interface StatementRunner {
  /** Runs a statement and returns its complete result. */
  query(sql: string, params?: readonly unknown[]): Promise<Table>;
}

export type Comparison = "=" | "<" | "<=" | ">" | ">=";

/**
 * The SQL that differs between engines, for the embedded service. Statements use columns named `c0`, `c1`, ….
 */
export interface Dialect {
  /** Quotes any name. */
  quoteName(name: string): string;
  /** Whether other processes may read and load the same tables at the same time. */
  readonly isShared: boolean;
  /** Statements to run once before others. */
  readonly prepare: readonly string[];
  /** Options of `load` for a table whose rows are stored in the order of these columns, which have no nulls. */
  sortedBy(columns: readonly string[]): { readonly orderBy?: readonly string[] };
  /** How the rows of a table are numbered from 0 in the order in which they were loaded. */
  readonly rowNumber: {
    /** The column of the numbers. */
    readonly column: string;
    /** Whether the numbers have to be loaded with the rows, as 64-bit integers. */
    readonly isLoaded: boolean;
    /** The end of a SELECT whose rows are to come in that order; empty if they do without it. */
    readonly order: string;
  };
  /**
   * Compares a column of a service type with a valid value, as the service writes it: decimals and integers with all
   * digits of their scale, timestamps as `2025-01-02T06:00:00.000`. Exact for all values, also those that the engine
   * cannot store.
   */
  compare(column: string, comparison: Comparison, type: ServiceType, value: string): Condition;
  /**
   * Finds the rows in which a column has one of several different values, spelled as for `compare`; undefined where a
   * comparison for each is better.
   */
  oneOf(column: string, type: ServiceType, values: readonly string[]): Condition | undefined;
  /** Text columns with few distinct values that are read faster by a list of these values, if the engine has that. */
  readonly valueLists?: {
    /** Makes lists for those of the columns that have few values; returns these columns. */
    create(engine: StatementRunner, table: string, columns: readonly string[]): Promise<string[]>;
    /** Removes the lists of these columns, if they exist. */
    drop(engine: StatementRunner, table: string, columns: readonly string[]): Promise<void>;
    /** The expression that reads such a column, under its own name. */
    read(table: string, column: string): string;
  };
  /**
   * Loads a Parquet file without passing its rows through this process, if the engine can; columns are renamed to `c0`,
   * `c1`, ….
   *
   * @throws {DataError} WrongColumn if the file lacks a column or has it in a type that would lose information
   */
  readonly loadParquet?: (
    engine: StatementRunner,
    name: string,
    path: string,
    columns: readonly ColumnSpec[],
  ) => Promise<void>;
  /**
   * Describes a table that others load, if the engine can distinguish its states and find its rows by their key.
   *
   * @throws {InputError} NotServable, UnknownColumn, UnsupportedType
   */
  readonly foreignTable?: (engine: StatementRunner, source: ForeignSource) => Promise<ForeignTable>;
  /**
   * Reduces a series, a SELECT with the columns `d` (a date without nulls, which does not repeat) and `v0`, `v1`, …
   * (doubles), to one row per period, labelled with its calendar end: the last non-null value of each column. A series
   * of one column omits periods without values.
   *
   * @param weekEnd the last day of a week, 0 for Sunday
   */
  collapsed(series: string, values: readonly string[], collapse: Exclude<Collapse, "none">, weekEnd: number): string;
}
