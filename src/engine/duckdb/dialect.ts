import { cellText } from "../../columns/arrow/vector-values.js";
import type { Collapse } from "../../spec/vocabulary.js";
import type { Dialect, StatementRunner } from "../contract/dialect.js";
import { quoteName } from "../contract/statements.js";
import { loadParquet } from "./parquet.js";
import { comparedType } from "./types.js";

/** From here on a list of values is joined: its rows have to be sorted, which is more work than a few comparisons. */
const MANY_VALUES = 100;

export const duckdbDialect: Dialect = {
  quoteName,
  // Pages and exports rely on the row order of a table.
  isShared: false,
  prepare: ["SET preserve_insertion_order = true"],
  sortedBy: () => ({}),
  // Sorting by `rowid` would read the whole table for each page.
  rowNumber: { column: "rowid", isLoaded: false, order: "" },
  compare: (column, comparison, type, value) => ({
    sql: `${column} ${comparison} CAST(? AS ${comparedType(type)})`,
    value,
  }),
  oneOf(column, type, values) {
    if (values.length < MANY_VALUES) return undefined;
    // As JSON, one parameter instead of thousands, each of which the engine plans for itself.
    const list = "(SELECT unnest(CAST(CAST(? AS JSON) AS VARCHAR[])) AS v)";
    return {
      sql: `${column} IN (SELECT CAST(v AS ${comparedType(type)}) FROM ${list})`,
      value: JSON.stringify(values),
      isUnordered: true,
    };
  },
  valueLists: { create: createEnums, drop: dropEnums, read: enumColumn },
  loadParquet,
  collapsed,
};

/** The calendar end of the period that contains a day. */
const PERIOD_ENDS: Readonly<Record<Exclude<Collapse, "none">, (weekEnd: number) => string>> = {
  daily: () => "d",
  // The calendar of a Date cell ends on a Friday.
  weekly: (weekEnd) => `least(d + CAST((${weekEnd} - dayofweek(d) + 7) % 7 AS INTEGER), DATE '9999-12-31')`,
  monthly: () => "last_day(d)",
  quarterly: () => "last_day(CAST(date_trunc('quarter', d) + INTERVAL 2 MONTH AS DATE))",
  annual: () => "make_date(year(d), 12, 31)",
};

/**
 * One row per period, labelled with its calendar end: the last non-null value of each column. A series of one column
 * omits periods without values.
 */
function collapsed(
  rows: string,
  values: readonly string[],
  collapse: Exclude<Collapse, "none">,
  weekEnd: number,
): string {
  const last = values.map((v) => `, arg_max(${v}, d) AS ${v}`).join("");
  const having = values.length === 1 ? " HAVING v0 IS NOT NULL" : "";
  const label = PERIOD_ENDS[collapse](weekEnd);
  const grouped = `SELECT ${label} AS e${last} FROM (${rows}) GROUP BY e${having}`;
  return `SELECT e AS d${values.map((v) => `, ${v}`).join("")} FROM (${grouped})`;
}

/** A text column has few distinct values if there are at most this many, and at most a tenth of its rows. */
const MAX_ENUM_VALUES = 2_000;

const typeName = (table: string, column: string): string => quoteName(`values of ${table} ${column}`);

/**
 * Creates an enum type for each text column with few distinct values; returns these columns. The rows stay text, so
 * that filters work unchanged; reading such a column through its enum transfers one list of values and a number per row
 * instead of a string per row.
 */
async function createEnums(engine: StatementRunner, table: string, columns: readonly string[]): Promise<string[]> {
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

async function dropEnums(engine: StatementRunner, table: string, columns: readonly string[]): Promise<void> {
  for (const column of columns) await engine.query(`DROP TYPE IF EXISTS ${typeName(table, column)}`);
}

function enumColumn(table: string, column: string): string {
  return `CAST(${column} AS ${typeName(table, column)}) AS ${column}`;
}
