import { cellText } from "../../columns/arrow/vector-values.js";
import type { StatementRunner } from "../contract/dialect.js";
import { quoteName } from "../contract/quote.js";

/** A text column has few distinct values if there are at most this many, and at most a tenth of its rows. */
const MAX_ENUM_VALUES = 2_000;

const typeName = (table: string, column: string): string => quoteName(`values of ${table} ${column}`);

/**
 * Creates an enum type for each text column with few distinct values; returns these columns. The rows stay text, so
 * that filters work unchanged; reading such a column through its enum transfers one list of values and a number per row
 * instead of a string per row.
 */
export async function createEnums(
  engine: StatementRunner,
  table: string,
  columns: readonly string[],
): Promise<string[]> {
  const few: string[] = [];
  const from = quoteName(table);
  for (const column of columns) {
    await engine.query(`DROP TYPE IF EXISTS ${typeName(table, column)}`);
    // The engine returns enum values as C strings, which end at a NUL.
    const found = await engine.query(
      `SELECT count(DISTINCT ${column}) BETWEEN 1 AND least(${MAX_ENUM_VALUES}, count(*) / 10)
        AND NOT bool_or(contains(${column}, chr(0))) FROM ${from}`,
    );
    const answer = found.getChildAt(0);
    if (answer === null || cellText(answer, 0) !== "true") continue;
    const values = `SELECT DISTINCT ${column} FROM ${from} WHERE ${column} IS NOT NULL ORDER BY ${column}`;
    await engine.query(`CREATE TYPE ${typeName(table, column)} AS ENUM (${values})`);
    few.push(column);
  }
  return few;
}

/** Removes the enum types of these columns, if they exist. */
export async function dropEnums(engine: StatementRunner, table: string, columns: readonly string[]): Promise<void> {
  for (const column of columns) await engine.query(`DROP TYPE IF EXISTS ${typeName(table, column)}`);
}

/** SQL that reads a text column through its enum type. */
export function enumColumn(table: string, column: string): string {
  return `CAST(${column} AS ${typeName(table, column)}) AS ${column}`;
}
