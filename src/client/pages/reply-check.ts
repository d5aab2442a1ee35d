import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { DataError } from "../../errors/errors.js";
import { shown, shownText } from "../../errors/shown.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import type { Profile, ReplyCheck } from "../../spec/profile.js";
import { civil, formatDate, parseDate } from "../../value/date.js";
import { type CellReading, unmetFilter } from "./filter-predicate.js";

/** One point in which a reply contradicts its query: `collapse "annual"` and `collapse null`. */
type Contradiction = readonly [check: ReplyCheck, query: string, reply: string];

/** Contradictions, names and values that a message has of each. */
const MAX_SHOWN = 5;
const MAX_NAMES = 10;

/**
 * Refuses a reply that contradicts its query, unless the profile leaves the check out.
 *
 * @param code of the dataset or table
 * @throws {DataError} ReplyContradicts with the query's and the reply's part of each contradiction
 */
export function refuseContradictions(code: string, found: Iterable<Contradiction>, { replyChecks }: Profile): void {
  const counted = [...found].filter(([check]) => replyChecks.value.includes(check));
  if (counted.length === 0) return;
  const some = counted.slice(0, MAX_SHOWN);
  const more = counted.length > some.length ? `, … (${counted.length - some.length} more)` : "";
  const names = [...new Set(some.map(([check]) => JSON.stringify(check)))].join(", ");
  const list = (part: 1 | 2): string => [...new Set(some.map((each) => each[part]))].join(", ");
  const both = `requested ${list(1)}${more}; received ${list(2)}${more}`;
  throw new DataError(`The reply contradicts the query of ${code}: ${both}.`, {
    code: "ReplyContradicts",
    hint: `A cache or proxy may drop the query string of the address: bypass it, or request an export. If the service replies so on purpose, leave ${names} out of the profile's replyChecks: connect({ profile: defineProfile(specification, { replyChecks: […] }) }).`,
  });
}

const rowsOf = (batches: readonly RecordBatch[]): number => batches.reduce((sum, { numRows }) => sum + numRows, 0);

/**
 * Whether the columns of a table's reply contradict a selection (spec 4.7: the listed columns, in their order).
 *
 * @param order cells that are matched by name may come in any
 */
export function* selectionContradictions(
  select: readonly string[] | undefined,
  names: readonly string[],
  order: "listed" | "any",
): Generator<Contradiction> {
  if (select === undefined) return;
  const isSame = select.every((name, i) => (order === "any" ? names.includes(name) : name === names[i]));
  if (isSame && select.length === names.length) return;
  yield ["columns", `the columns ${listed(select)}`, `the columns ${listed(names)}`];
}

function listed(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name));
  return names.length > MAX_NAMES ? `${some.join(", ")}, … (${names.length} in all)` : some.join(", ");
}

interface TableQuestion {
  readonly filters: readonly Filter[];
  readonly pageSize?: number;
}

interface TableReply {
  readonly columns: readonly ColumnSpec[];
  readonly batches: readonly RecordBatch[];
  /** Of a part of a file: the number of rows before it. */
  readonly before?: number;
}

/** How rows contradict a table query. Filters on columns that are not returned pass. */
export function* tableContradictions(
  { filters, pageSize }: TableQuestion,
  { columns, batches, before }: TableReply,
  reading: CellReading,
): Generator<Contradiction> {
  const rows = rowsOf(batches);
  if (pageSize !== undefined && rows > pageSize) {
    yield ["rows", `pages of ${pageSize} rows`, `a page of ${rows} rows`];
  }
  for (const filter of filters) {
    const index = columns.findIndex(({ name }) => name === filter.column);
    const unmet = index === -1 ? undefined : unmetFilter(filter, columns[index], batches, index, reading);
    if (unmet === undefined) continue;
    const { column, operator, values } = filter;
    const more = values.length > MAX_SHOWN ? `, … (${values.length} in all)` : "";
    const name = operator === "eq" ? column : `${column}.${operator}`;
    const query = `${name} ${values.slice(0, MAX_SHOWN).map(shownText).join(", ")}${more}`;
    const text = unmet.text === null ? "null" : shownText(unmet.text);
    const place = before === undefined ? `row ${unmet.row} of the page` : `row ${before + unmet.row} of the file`;
    yield ["filters", query, `${column} ${text} in ${place}`];
  }
}

/** The parameters of spec 4.2 that a query of a time series sends. */
type DatasetQuestion = {
  /** Title or number of the one data column. */
  readonly column?: string | number;
} & Partial<Readonly<Record<"start_date" | "end_date" | "collapse" | "transform" | "order", string>>> &
  Partial<Readonly<Record<"column_index" | "limit", number>>>;

/** What a reply repeats of its query, and its rows. */
export interface DatasetReply {
  /** The parameters that the reply repeats (spec 2.1): null where they are not set, undefined where it lacks them. */
  readonly echo: Partial<Record<"collapse" | "transform" | "order", string | null>> &
    Partial<Record<"column_index" | "limit", number | null>>;
  readonly names: readonly string[];
  /** The first column holds the dates, as days since 1970-01-01. */
  readonly batches: readonly RecordBatch[];
}

export function* datasetContradictions(
  question: DatasetQuestion,
  { echo, names, batches }: DatasetReply,
  profile: Profile,
): Generator<Contradiction> {
  const { column, column_index: index, limit } = question;
  const rows = rowsOf(batches);
  yield* echoContradictions(question, echo, rows, profile);
  const isCounted = index === undefined || names.length === (index === 0 ? 1 : 2);
  if (!isCounted || (typeof column === "string" && index !== 0 && names[1] !== column)) {
    const received = names.map((name) => JSON.stringify(name)).join(", ");
    yield ["columns", `column ${shown(column ?? index)}`, `the columns ${received}`];
  }
  if (limit !== undefined && rows > limit) {
    yield ["rows", `at most ${rowCount(limit)}`, rowCount(rows)];
  }
  const days = daysOf(batches);
  if (days !== undefined && days.length > 0) yield* dateContradictions(question, days);
}

const rowCount = (rows: number): string => (rows === 1 ? "1 row" : `${rows} rows`);

function* echoContradictions(
  { collapse, transform, order, limit, column_index: index }: DatasetQuestion,
  echo: DatasetReply["echo"],
  rows: number,
  { collapses, transforms, orders }: Profile,
): Generator<Contradiction> {
  const plain = (value: string | null | undefined): string => value?.trim().toLowerCase() || "none";
  const methods = [
    ["collapse", collapse, echo.collapse, collapses.value],
    ["transform", transform, echo.transform, transforms.value],
  ] as const;
  for (const [name, wanted, found, known] of methods) {
    const both: readonly string[] = [plain(wanted), plain(found)];
    // A service may spell a value in a way that the profile does not list.
    const isKnown = both.includes("none") || both.every((value) => (known as readonly string[]).includes(value));
    if (found !== undefined && both[0] !== both[1] && isKnown) yield echoed(name, wanted, found);
  }
  // Without a limit the dates of the rows decide about an order that is not set.
  const applied = plain(echo.order ?? (limit === undefined ? undefined : orders.value[0]));
  const areOrders =
    order !== undefined && [order, applied].every((value) => (orders.value as readonly string[]).includes(value));
  if (echo.order !== undefined && areOrders && applied !== order) yield echoed("order", order, echo.order);
  // A series with one data column is the same with and without its number.
  const number = echo.column_index;
  const isSame = number === undefined || number === (index ?? null) || (number === null && (index ?? 2) < 2);
  if (!isSame) yield echoed("column_index", index, number);
  // A limit that is lower than the query's, or not requested, matters where the reply reaches it.
  const most = echo.limit ?? undefined;
  if (most !== undefined && most < (limit ?? Number.POSITIVE_INFINITY) && rows >= most) {
    yield echoed("limit", limit, most);
  }
}

type Parameter = string | number | null | undefined;

const echoed = (name: string, wanted: Parameter, found: Parameter): Contradiction => [
  "echo",
  wanted === undefined ? `no ${name}` : `${name} ${shown(wanted)}`,
  `${name} ${shown(found)}`,
];

/** The dates in the order of the rows; undefined where some are null. */
function daysOf(batches: readonly RecordBatch[]): Int32Array | undefined {
  const columns = batches.map((batch) => batch.data.children[0]);
  if (columns.some((data) => data.nullCount > 0 || !(data.values instanceof Int32Array))) return undefined;
  const days = new Int32Array(rowsOf(batches));
  let at = 0;
  for (const { values, length } of columns) {
    days.set((values as Int32Array).subarray(0, length), at);
    at += length;
  }
  return days;
}

const monthOf = (day: number): number => civil(day).year * 12 + civil(day).month - 1;
const itself = (day: number): number => day;

/** The number of the calendar period that holds a day; the day where a period is one or has no calendar. */
const PERIODS: ReadonlyMap<string, (day: number) => number> = new Map([
  ["none", itself],
  ["daily", itself],
  ["weekly", itself],
  ["monthly", monthOf],
  ["quarterly", (day) => Math.floor(monthOf(day) / 3)],
  ["annual", (day) => civil(day).year],
]);

/** Number of days before and after one that may be in its week, wherever weeks begin. */
const WEEK_REST = 6;

/**
 * Rows are in the range and in order; those of a collapsed series, one for each calendar period with a day in the
 * range, whichever of its days labels it. Periods of collapses that are not listed are unknown.
 */
function* dateContradictions(
  { start_date, end_date, order, collapse = "none" }: DatasetQuestion,
  days: Int32Array,
): Generator<Contradiction> {
  const period = PERIODS.get(collapse);
  const rest = collapse === "weekly" ? WEEK_REST : 0;
  const [least, most] = [days.reduce((a, b) => Math.min(a, b)), days.reduce((a, b) => Math.max(a, b))];
  if (period !== undefined && start_date !== undefined && period(least) < period(parseDate(start_date) - rest)) {
    yield ["dates", `dates from ${start_date}`, `the date ${formatDate(least)}`];
  }
  if (period !== undefined && end_date !== undefined && period(most) > period(parseDate(end_date) + rest)) {
    yield ["dates", `dates to ${end_date}`, `the date ${formatDate(most)}`];
  }
  const sign = order === "asc" ? 1 : order === "desc" ? -1 : 0;
  const at = days.findIndex((day, i) => i > 0 && (day - days[i - 1]) * sign < 0);
  if (at !== -1) {
    const pair = `${formatDate(days[at - 1])} before ${formatDate(days[at])}`;
    yield ["rows", `order ${shown(order)}`, pair];
  }
  const query = `collapse ${shown(collapse)}`;
  const weeks = Math.floor((most - least) / 7) + 2;
  if (collapse === "weekly" && days.length > weeks) {
    yield ["dates", query, `${days.length} rows in ${weeks - 1} weeks`];
  }
  if (period === undefined || period === itself) return;
  const twice = days.findIndex((day, i) => i > 0 && period(day) === period(days[i - 1]));
  if (twice === -1) return;
  const pair = `rows of ${formatDate(days[twice - 1])} and ${formatDate(days[twice])}`;
  yield ["dates", query, pair];
}
