import type { Profile } from "../../spec/profile.js";
import { engineColumn } from "./filter-sql.js";

/** A validated query of one time series (spec 4.2): known option values, valid dates, existing columns. */
export interface SeriesQuestion {
  /** Engine table of the database, and number of the series in it. */
  readonly table: string;
  readonly series: number;
  /** Engine columns of the data, by number, in the order of the answer; none for the dates alone. */
  readonly columns: readonly number[];
  readonly startDate?: string;
  readonly endDate?: string;
  readonly collapse: string;
  readonly transform: string;
  readonly order: string;
  readonly limit?: number;
}

/**
 * The SQL of one time series: dates cut to the range, collapsed, transformed, ordered, cut to `limit`, in this order.
 * The answer's columns are `d` (a date) and `v0`, `v1`, … (doubles).
 */
export function seriesSql(question: SeriesQuestion, profile: Profile): { sql: string; params: unknown[] } {
  const { params, where } = range(question);
  const values = question.columns.map((_, i) => `v${i}`);
  const columns = question.columns.map((column, i) => `, ${engineColumn(column)} AS v${i}`).join("");
  const trimmed = `SELECT c0 AS d${columns} FROM ${question.table} WHERE ${where}`;
  const collapsed = collapseSql(trimmed, values, question.collapse, profile.weekEnd.value);
  const transformed = transformSql(collapsed, values, question.transform, profile.transformDigits.value);
  const limit = question.limit === undefined ? "" : ` LIMIT ${question.limit}`;
  const direction = question.order === "asc" ? "ASC" : "DESC";
  return { sql: `SELECT * FROM (${transformed}) ORDER BY d ${direction}${limit}`, params };
}

function range({ series, startDate, endDate }: SeriesQuestion): { params: unknown[]; where: string } {
  const params: unknown[] = [series];
  let where = "s = $1";
  for (const [date, compare] of [
    [startDate, ">="],
    [endDate, "<="],
  ]) {
    if (date === undefined) continue;
    params.push(date);
    where += ` AND c0 ${compare} CAST($${params.length} AS DATE)`;
  }
  return { params, where };
}

/** The calendar end of the period that contains a day. */
function periodEnd(collapse: string, weekEnd: number): string {
  switch (collapse) {
    case "weekly":
      // The calendar of a Date cell ends on a Friday.
      return `least(d + CAST((${weekEnd} - dayofweek(d) + 7) % 7 AS INTEGER), DATE '9999-12-31')`;
    case "monthly":
      return "last_day(d)";
    case "quarterly":
      return "last_day(CAST(date_trunc('quarter', d) + INTERVAL 2 MONTH AS DATE))";
    case "annual":
      return "make_date(year(d), 12, 31)";
    default:
      return "d";
  }
}

/**
 * One row a period, labelled with its calendar end: each column's last value in the period that is not null. A series
 * of one column leaves out periods without any.
 */
function collapseSql(rows: string, values: readonly string[], collapse: string, weekEnd: number): string {
  if (collapse === "none") return rows;
  const last = values.map((v) => `, arg_max(${v}, d) AS ${v}`).join("");
  const having = values.length === 1 ? " HAVING v0 IS NOT NULL" : "";
  const label = periodEnd(collapse, weekEnd);
  const grouped = `SELECT ${label} AS e${last} FROM (${rows}) GROUP BY e${having}`;
  return `SELECT e AS d${values.map((v) => `, ${v}`).join("")} FROM (${grouped})`;
}

function transformSql(rows: string, values: readonly string[], transform: string, digits: number): string {
  if (transform === "none") return rows;
  // An aggregate over an open window adds row by row in the order of its input, as the service adds.
  const ordered = `SELECT * FROM (${rows}) ORDER BY d`;
  const dropFirst = transform === "diff" || transform === "rdiff";
  const inner = values.flatMap((v) => windowSql(v, transform)).join("");
  const windows = `SELECT d, row_number() OVER () AS r${inner} FROM (${ordered})`;
  const outer = values.map((v) => `, ${rounded(formula(v, transform), digits)} AS ${v}`).join("");
  return `SELECT d${outer} FROM (${windows})${dropFirst ? " WHERE r > 1" : ""}`;
}

/** Each value, and what its formula needs of the other rows. */
function windowSql(v: string, transform: string): string {
  switch (transform) {
    case "diff":
    case "rdiff":
      return `, ${v}, lag(${v}) OVER () AS ${v}p`;
    case "rdiff_from":
      return `, ${v}, arg_max(${v}, d) OVER () AS ${v}p, max(d) FILTER (WHERE ${v} IS NOT NULL) OVER () AS ${v}d`;
    case "normalize":
      return `, ${v}, arg_min(${v}, d) FILTER (WHERE ${v} <> 0) OVER () AS ${v}p`;
    default:
      return `, ${v}, sum(${v}) OVER (ROWS UNBOUNDED PRECEDING) AS ${v}p`;
  }
}

function formula(v: string, transform: string): string {
  const p = `${v}p`;
  switch (transform) {
    case "diff":
      return `${v} - ${p}`;
    case "rdiff":
      return `CASE WHEN ${p} <> 0 THEN (${v} - ${p}) / ${p} END`;
    case "rdiff_from":
      return `CASE WHEN d = ${v}d THEN 0 WHEN ${v} <> 0 THEN (${p} - ${v}) / ${v} END`;
    case "normalize":
      return `CASE WHEN ${v} = 0 THEN 0 ELSE ${v} / ${p} * 100 END`;
    default:
      return p;
  }
}

/** Significant digits as `printf` rounds them; a result that is not finite is null. */
function rounded(value: string, digits: number): string {
  return `CASE WHEN isfinite(${value}) THEN CAST(printf('%.${digits}g', ${value}) AS DOUBLE) END`;
}
