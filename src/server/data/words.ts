import { cellText } from "../../columns/arrow/vector-values.js";
import type { Engine } from "../../engine/contract/engine.js";
import { quoteName } from "../../engine/contract/quote.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import { engineColumn } from "./filter-sql.js";

/** A text column has few distinct values if there are at most this many, and at most a tenth of its rows. */
const MAX_ENUM_VALUES = 2_000;

const typeName = (table: string, index: number): string => quoteName(`values of ${table} ${index}`);

/**
 * Creates an enum type for each text column with few distinct values; returns the numbers of these columns. The rows
 * stay text, so that filters work unchanged; reading such a column through its enum transfers one list of values and a
 * number per row instead of a string per row.
 */
export async function createEnums(engine: Engine, table: string, columns: readonly ColumnSpec[]): Promise<number[]> {
  const few: number[] = [];
  const from = quoteName(table);
  for (const [index, { type }] of columns.entries()) {
    if (parseType(type).kind !== "text") continue;
    const column = engineColumn(index);
    await engine.query(`DROP TYPE IF EXISTS ${typeName(table, index)}`);
    // The engine returns enum values as C strings, which end at a NUL.
    const found = await engine.query(
      `SELECT count(DISTINCT ${column}) BETWEEN 1 AND least(${MAX_ENUM_VALUES}, count(*) / 10)
        AND NOT bool_or(contains(${column}, chr(0))) FROM ${from}`,
    );
    const answer = found.getChildAt(0);
    if (answer === null || cellText(answer, 0) !== "true") continue;
    const words = `SELECT DISTINCT ${column} FROM ${from} WHERE ${column} IS NOT NULL ORDER BY ${column}`;
    await engine.query(`CREATE TYPE ${typeName(table, index)} AS ENUM (${words})`);
    few.push(index);
  }
  return few;
}

/** SQL that reads a text column through its enum type. */
export function enumColumn(table: string, index: number): string {
  const column = engineColumn(index);
  return `CAST(${column} AS ${typeName(table, index)}) AS ${column}`;
}
