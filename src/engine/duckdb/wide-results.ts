import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Schema } from "../../columns/arrow/arrow.js";
import { quoteName } from "../contract/statements.js";
import { storedType, wideColumns } from "./types.js";

/** Wide decimals of a table, which the engine stores as text: their service types by column name. */
export type WideColumns = ReadonlyMap<string, string>;

/** SQL of a query with the columns of a table, whose wide columns are those of {@link markerOf}. */
export type Marked = readonly [table: string, query: string];

/** Of each column of a result, the service type of the wide column whose values it passes through. */
export type WideResult = readonly (string | undefined)[];

/** A column without values, whose type is an enum with the service type as its member: not text to the binder. */
const markerOf = (type: string): string => `CAST(NULL AS ENUM('${MARK}${type.replaceAll("'", "''")}'))`;

const MARK = "arrowbook:";

/** The service type in the marker of a column, if the type of the engine is one. */
export const markOf = (type: string): string | undefined =>
  type.startsWith(`ENUM('${MARK}`) ? type.slice(`ENUM('${MARK}`.length, -2).replaceAll("''", "'") : undefined;

export function markedTable(database: string, table: string, wide: WideColumns): Marked {
  const columns = [...wide].map(([name, type]) => `${markerOf(type)} AS ${quoteName(name)}`);
  return [table, `SELECT * REPLACE (${columns.join(", ")}) FROM ${database}.${quoteName(table)}`];
}

export function markedColumns(schema: Schema): string {
  const wide = wideColumns(schema);
  const columns = schema.fields.map(({ name, type }) => {
    const service = wide.get(name);
    const value = service === undefined ? `CAST(NULL AS ${storedType(type) ?? "VARCHAR"})` : markerOf(service);
    return `${value} AS ${quoteName(name)}`;
  });
  return `SELECT ${columns.join(", ")}`;
}

/**
 * Finds which columns of a statement's result are wide columns of its tables. The statement is prepared, not executed,
 * over views with a marker type for each wide column, which a computed column or a text of the same name does not have.
 * Statements that cannot be prepared so have no wide columns.
 */
export async function wideResult(
  instance: DuckDBInstance,
  sql: string,
  tables: readonly Marked[],
): Promise<WideResult> {
  // What is not text is refused by the engine.
  const text = String(sql).toLowerCase();
  const used = tables.filter(([table]) => text.includes(table.toLowerCase().replaceAll('"', '""')));
  if (used.length === 0) return [];
  const own = await instance.connect();
  try {
    for (const [table, query] of used) await own.run(`CREATE TEMP VIEW ${quoteName(table)} AS ${query}`);
    return await marked(own, sql);
  } catch {
    return [];
  } finally {
    own.closeSync();
  }
}

async function marked(own: DuckDBConnection, sql: string): Promise<WideResult> {
  const statement = await own.prepare(sql);
  try {
    return Array.from({ length: statement.columnCount }, (_, i) => {
      const { values } = statement.columnType(i) as unknown as { readonly values?: readonly string[] };
      return values?.length === 1 && values[0].startsWith(MARK) ? values[0].slice(MARK.length) : undefined;
    });
  } finally {
    statement.destroySync();
  }
}
