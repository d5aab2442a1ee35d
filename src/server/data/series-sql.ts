import type { Comparison, Dialect } from "../../engine/contract/dialect.js";
import { parseType } from "../../spec/columns.js";
import type { Profile } from "../../spec/profile.js";
import type { Collapse, Order, Transform } from "../../spec/vocabulary.js";
import { engineColumn } from "./filter-sql.js";

/** A validated query of one time series (spec 4.2): known option values, valid dates, existing columns. */
export interface SeriesQuestion {
  /** Engine table of the database, and number of the series in it. */
  readonly table: string;
  readonly series: number;
  /** Engine columns of the data, by number, in the order of the reply; empty for the dates alone. */
  readonly columns: readonly number[];
  readonly startDate?: string;
  readonly endDate?: string;
  readonly collapse: Collapse;
  readonly transform: Transform;
  readonly order: Order;
  readonly limit?: number;
}

/**
 * The SQL of one time series: restricts dates, collapses, transforms, orders and limits, in this order. The result has
 * the columns `d` (a date) and `v0`, `v1`, … (doubles).
 */
export function seriesSql(
  question: SeriesQuestion,
  profile: Profile,
  dialect: Dialect,
): { sql: string; params: unknown[] } {
  const { params, where } = range(question, dialect);
  const { collapse, transform } = question;
  const values = question.columns.map((_, i) => `v${i}`);
  const columns = question.columns.map((column, i) => `, ${engineColumn(column)} AS v${i}`).join("");
  let rows = `SELECT c0 AS d${columns} FROM ${question.table} WHERE ${where}`;
  if (collapse !== "none") rows = dialect.collapsed(rows, values, collapse, profile.weekEnd.value);
  if (transform !== "none") rows = dialect.transformed(rows, values, transform, profile.transformDigits.value);
  const limit = question.limit === undefined ? "" : ` LIMIT ${question.limit}`;
  return { sql: `SELECT * FROM (${rows}) ORDER BY d ${DIRECTIONS[question.order]}${limit}`, params };
}

const DIRECTIONS: Readonly<Record<Order, string>> = { asc: "ASC", desc: "DESC" };
const DATE = parseType("Date");

function range({ series, startDate, endDate }: SeriesQuestion, dialect: Dialect): { params: unknown[]; where: string } {
  const params: unknown[] = [series];
  let where = "s = $1";
  const bounds: readonly (readonly [string | undefined, Comparison])[] = [
    [startDate, ">="],
    [endDate, "<="],
  ];
  for (const [date, comparison] of bounds) {
    if (date === undefined) continue;
    const { sql, value } = dialect.compare("c0", comparison, DATE, date);
    where += ` AND ${sql.replaceAll("?", () => `$${params.length + 1}`)}`;
    if (value !== undefined) params.push(value);
  }
  return { params, where };
}
