import type { Table } from "../columns/arrow/arrow.js";
import type { Engine, ScanSource } from "./contract/engine.js";
import { pageDatabase } from "./duckdb/page-database.js";

/**
 * Opens the engine that is part of this package: in memory, or on a database file. It is loaded on first use.
 *
 * @throws {FileError} DatabaseNotOpened
 */
export async function embeddedEngine(path?: string): Promise<Engine> {
  const { duckdbEngine } = await import("./duckdb/duckdb.js");
  return duckdbEngine(path);
}

/**
 * The result of a SQL statement over tables by name, which are read where they are, only the columns that it uses. The
 * engine is opened by the first call, and kept. An abort of the signal interrupts the statement; the call rejects with
 * its reason. After `useDuckDB` the rows are copied into its database.
 *
 * @throws {InputError} BadStatement, DuplicateColumn, UnsupportedType
 */
export async function queryTables(
  sql: string,
  params: readonly unknown[] | undefined,
  tables: Readonly<Record<string, ScanSource>>,
  signal?: AbortSignal,
): Promise<Table> {
  const db = pageDatabase();
  if (db === undefined) {
    const { querySources } = await import("./duckdb/sql.js");
    return querySources(sql, params, tables, { signal });
  }
  const { queryCopies } = await import("./duckdb/page-sql.js");
  return queryCopies(db, sql, params, tables, { signal });
}
