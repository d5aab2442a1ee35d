import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { Comparison, Dialect } from "../../engine/contract/dialect.js";
import type { Allocate, Engine } from "../../engine/contract/engine.js";
import { querySeries } from "../../series/query.js";
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
 * The rows of one time series: restricted to dates, collapsed, transformed, ordered and limited, in this order. The
 * engine selects and collapses; {@link querySeries} transforms. The batches have a date and doubles; rows that are not
 * computed may be in the memory of `allocate`.
 */
export async function* seriesBatches(
  question: SeriesQuestion,
  { engine, profile, allocate }: { readonly engine: Engine; readonly profile: Profile; readonly allocate: Allocate },
): AsyncGenerator<RecordBatch> {
  const { collapse, transform, order, limit } = question;
  const { params, where } = range(question, engine.dialect);
  const values = question.columns.map((_, i) => `v${i}`);
  const columns = question.columns.map((column, i) => `, ${engineColumn(column)} AS v${i}`).join("");
  let rows = `SELECT c0 AS d${columns} FROM ${question.table} WHERE ${where}`;
  if (collapse !== "none") rows = engine.dialect.collapsed(rows, values, collapse, profile.weekEnd.value);
  if (transform === "none") {
    const end = `${DIRECTIONS[order]}${limit === undefined ? "" : ` LIMIT ${limit}`}`;
    yield* engine.batches(`SELECT * FROM (${rows}) ORDER BY d ${end}`, params, { allocate });
    return;
  }
  const table = await engine.query(rows, params);
  yield* querySeries(table, { on: "d", transform, digits: profile.transformDigits.value, order, limit }).batches;
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
