import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { shown } from "../../errors/shown.js";
import type { Profile } from "../../spec/profile.js";
import { civil, formatDate, parseDate } from "../../value/date.js";
import type { Contradiction } from "../pages/contradiction.js";

/** The parameters of spec 4.2 that a query sends. */
export interface DatasetQuestion {
  /** Title or number of the one data column. */
  readonly column?: string | number;
  readonly column_index?: number;
  readonly start_date?: string;
  readonly end_date?: string;
  readonly collapse?: string;
  readonly transform?: string;
  readonly order?: string;
  readonly limit?: number;
}

/** What a reply repeats of its query, and its rows. */
export interface DatasetReply {
  /** The parameters that the reply repeats (spec 2.1): null where they are not set, undefined where it lacks them. */
  readonly echo: Partial<Record<"collapse" | "transform" | "order", string | null>> &
    Partial<Record<"column_index" | "limit", number | null>>;
  readonly names: readonly string[];
  /** The first column holds the dates, as days since 1970-01-01. */
  readonly batches: readonly RecordBatch[];
}

/** How a reply contradicts the query of a time series. */
export function* datasetContradictions(
  question: DatasetQuestion,
  reply: DatasetReply,
  profile: Profile,
): Generator<Contradiction> {
  const rows = reply.batches.reduce((sum, batch) => sum + batch.numRows, 0);
  yield* methodContradictions(question, reply, profile);
  yield* columnContradictions(question, reply);
  yield* limitContradictions(question, reply, rows);
  const days = daysOf(reply.batches);
  if (days !== undefined && days.length > 0) {
    yield* rangeContradictions(question, days);
    yield* orderContradictions(question, days);
    yield* periodContradictions(question, days);
  }
}

function* methodContradictions(
  question: DatasetQuestion,
  { echo }: DatasetReply,
  profile: Profile,
): Generator<Contradiction> {
  for (const name of ["collapse", "transform"] as const) {
    const echoed = echo[name];
    if (echoed === undefined) continue;
    const [wanted, applied] = [question[name], echoed].map((value) => {
      const lower = value?.trim().toLowerCase() ?? "";
      return lower === "" || lower === "none" ? undefined : lower;
    });
    const listed: readonly string[] = profile[name === "collapse" ? "collapses" : "transforms"].value;
    // A service may spell a value in a way that the profile does not list.
    const isOther =
      wanted !== undefined && applied !== undefined && listed.includes(wanted) && listed.includes(applied);
    if (wanted === applied || (wanted !== undefined && applied !== undefined && !isOther)) continue;
    yield echoContradiction(name, question[name], echoed);
  }
  const { order, limit } = question;
  const orders = profile.orders.value;
  // Without a limit the dates of the rows decide.
  const byDefault = limit === undefined ? undefined : orders[0];
  const echoed = echo.order === undefined ? undefined : (echo.order?.trim().toLowerCase() ?? byDefault);
  if (order === undefined || echoed === undefined || !orders.includes(order) || !orders.includes(echoed)) return;
  if (echoed !== order) yield echoContradiction("order", order, echo.order ?? null);
}

function echoContradiction(name: string, wanted: string | number | undefined, echoed: string | number | null) {
  return {
    check: "echo",
    query: wanted === undefined ? `no ${name}` : `${name} ${shown(wanted)}`,
    reply: `${name} ${shown(echoed)}`,
  } as const;
}

function* columnContradictions(question: DatasetQuestion, { echo, names }: DatasetReply): Generator<Contradiction> {
  const { column, column_index: index } = question;
  const received = `the columns ${names.map((name) => JSON.stringify(name)).join(", ")}`;
  if (index !== undefined && names.length !== (index === 0 ? 1 : 2)) {
    yield { check: "columns", query: `column ${shown(column ?? index)}`, reply: received };
  } else if (typeof column === "string" && index !== 0 && names[1] !== column) {
    yield { check: "columns", query: `column ${shown(column)}`, reply: received };
  }
  const echoed = echo.column_index;
  // A series with one data column is the same with and without its number.
  const isSame = echoed === undefined || echoed === (index ?? null) || (echoed === null && (index ?? 2) < 2);
  if (!isSame) yield echoContradiction("column_index", index, echoed);
}

/** A limit that is lower than the query's, or unrequested, matters where the reply reaches it. */
function* limitContradictions(
  { limit }: DatasetQuestion,
  { echo }: DatasetReply,
  rows: number,
): Generator<Contradiction> {
  if (limit !== undefined && rows > limit) {
    yield { check: "rows", query: `at most ${rowCount(limit)}`, reply: rowCount(rows) };
  }
  const echoed = echo.limit;
  if (echoed !== undefined && echoed !== null && echoed < (limit ?? Number.POSITIVE_INFINITY) && rows >= echoed)
    yield echoContradiction("limit", limit, echoed);
}

const rowCount = (rows: number): string => (rows === 1 ? "1 row" : `${rows} rows`);

/** The dates in the order of the rows; undefined where some are null. */
function daysOf(batches: readonly RecordBatch[]): Int32Array | undefined {
  const columns = batches.map((batch) => batch.data.children[0]);
  if (columns.some((data) => data.nullCount > 0 || !(data.values instanceof Int32Array))) return undefined;
  if (columns.length === 1) return (columns[0].values as Int32Array).subarray(0, columns[0].length);
  const days = new Int32Array(columns.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const { values, length } of columns) {
    days.set((values as Int32Array).subarray(0, length), at);
    at += length;
  }
  return days;
}

/** Number of days before and after one that may be in its week, wherever weeks begin. */
const WEEK_REST = 6;

/**
 * Rows are in the range; those of a collapsed series in calendar periods with a day in it, whichever of its days labels
 * a period. Periods of collapses that are not listed are unknown.
 */
function* rangeContradictions(
  { start_date, end_date, collapse = "none" }: DatasetQuestion,
  days: Int32Array,
): Generator<Contradiction> {
  const period = RANGE_PERIODS.get(collapse);
  if (period === undefined || (start_date === undefined && end_date === undefined)) return;
  const rest = collapse === "weekly" ? WEEK_REST : 0;
  let [least, most] = [days[0], days[0]];
  for (const day of days) {
    if (day < least) least = day;
    if (day > most) most = day;
  }
  if (start_date !== undefined && period(least) < period(parseDate(start_date) - rest))
    yield { check: "dates", query: `dates from ${start_date}`, reply: `the date ${formatDate(least)}` };
  if (end_date !== undefined && period(most) > period(parseDate(end_date) + rest))
    yield { check: "dates", query: `dates to ${end_date}`, reply: `the date ${formatDate(most)}` };
}

function* orderContradictions({ order }: DatasetQuestion, days: Int32Array): Generator<Contradiction> {
  if (order !== "asc" && order !== "desc") return;
  const sign = order === "asc" ? 1 : -1;
  for (let i = 1; i < days.length; i++) {
    if ((days[i] - days[i - 1]) * sign >= 0) continue;
    const pair = `${formatDate(days[i - 1])} before ${formatDate(days[i])}`;
    yield { check: "rows", query: `order ${shown(order)}`, reply: pair };
    return;
  }
}

/** The number of the calendar period that holds a day, or of the period that ends on it. */
const PERIODS: ReadonlyMap<string, (day: number) => number> = new Map([
  ["monthly", (day) => monthOf(day)],
  ["quarterly", (day) => Math.floor(monthOf(day) / 3)],
  ["annual", (day) => civil(day).year],
]);

/** The same, and days where a period is one or has no calendar. */
const RANGE_PERIODS: typeof PERIODS = new Map([
  ...["none", "daily", "weekly"].map((collapse) => [collapse, (day: number) => day] as const),
  ...PERIODS,
]);

function monthOf(day: number): number {
  const { year, month } = civil(day);
  return year * 12 + month - 1;
}

/** A collapsed series has one row for each period. Where a week ends is left to the service. */
function* periodContradictions({ collapse = "none" }: DatasetQuestion, days: Int32Array): Generator<Contradiction> {
  const query = `collapse ${shown(collapse)}`;
  const weeks = Math.floor(Math.abs(days[days.length - 1] - days[0]) / 7) + 2;
  if (collapse === "weekly" && days.length > weeks) {
    yield { check: "dates", query, reply: `${days.length} rows in ${weeks - 1} weeks` };
  }
  const period = PERIODS.get(collapse);
  if (period === undefined) return;
  for (let i = 1; i < days.length; i++) {
    if (period(days[i]) !== period(days[i - 1])) continue;
    const pair = `rows of ${formatDate(days[i - 1])} and ${formatDate(days[i])}`;
    yield { check: "dates", query, reply: pair };
    return;
  }
}
