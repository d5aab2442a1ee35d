import type { Table } from "../columns/arrow/arrow.js";
import { columnIndex } from "../columns/arrow/column-names.js";
import { pickColumns } from "../columns/table/pick.js";
import { takeRows } from "../columns/table/take.js";
import { InputError } from "../errors/errors.js";
import { oneOf, refuseUnknown } from "../errors/options.js";
import { type Collapse, ORDERS, type Order, type Transform } from "../spec/vocabulary.js";
import { NO_DATE, parseDate } from "../value/date.js";
import { type CollapseOptions, collapse } from "./collapse.js";
import { ALONG, requireTime, seriesOf, vectorAt, wholeNumber } from "./core/choose.js";
import { daysOf } from "./core/days.js";
import { seriesTrack } from "./track/series-track.js";
import { rowAt } from "./track/track.js";
import { type TransformOptions, transform } from "./transform.js";

/**
 * A filtered series (spec 4.2), with the names of the dataset query and the options of {@link collapse} and {@link
 * transform}.
 */
export interface SeriesQuery<Name extends string = string>
  extends CollapseOptions<Name>,
    Pick<TransformOptions, "digits"> {
  /**
   * One column beside the dates and `by`, by name or position; in a frame of a dataset, its number there, with 0 for
   * the dates alone.
   */
  readonly column?: Name | number;
  /** First and last day, both inclusive, `YYYY-MM-DD`. */
  readonly from?: string;
  /** The last day, inclusive. */
  readonly to?: string;
  /** The frequency to reduce to. */
  readonly collapse?: Collapse;
  /** The calculation, after collapsing. */
  readonly transform?: Transform;
  /** Newest first or oldest first; by default the order of the rows. */
  readonly order?: Order;
  /** The most rows of each series, at least 1: the first ones of the result in its order. */
  readonly limit?: number;
}

/**
 * Computes a filtered series (spec 4.2) in the service's order: trim to the requested days, collapse, transform, order,
 * limit. Each step works as {@link collapse} and {@link transform} do.
 *
 * @throws {InputError} BadArgument, UnknownColumn, and the errors of the steps
 */
export function querySeries(table: Table, query: SeriesQuery): Table {
  refuseUnknown(query ?? null, QUERY, "query()");
  const on = requireTime(table, query.on, "query()");
  const { name } = table.schema.fields[on];
  const { by, label, week, value, digits } = query;
  let result = picked(trimmed(table, on, query), on, query);
  if (query.collapse !== undefined) result = collapse(result, query.collapse, { on: name, by, label, week, value });
  if (query.transform !== undefined) result = transform(result, query.transform, { on: name, by, digits });
  return query.order === undefined && query.limit === undefined ? result : ordered(result, name, query);
}

const QUERY = [
  ...ALONG,
  ...["label", "week", "value", "digits"],
  ...["column", "from", "to", "collapse", "transform", "order", "limit"],
] as const;

/** The date column, the `by` columns and the selected one, in table order. */
function picked(table: Table, on: number, query: SeriesQuery): Table {
  if (query.column === undefined) return table;
  const { by } = seriesOf(table, query);
  const chosen = new Set([on, columnIndex(table, query.column), ...by]);
  return pickColumns(
    table,
    [...chosen].sort((a, b) => a - b),
  );
}

/** The rows from day `from` to day `to`. */
function trimmed(table: Table, on: number, { from, to }: SeriesQuery): Table {
  if (from === undefined && to === undefined) return table;
  const first = from === undefined ? Number.NEGATIVE_INFINITY : parseDay(from, "from");
  const last = to === undefined ? Number.POSITIVE_INFINITY : parseDay(to, "to");
  const days = daysOf(vectorAt(table, on), table.schema.fields[on].name);
  const kept: number[] = [];
  for (let row = 0; row < days.length; row++) if (days[row] >= first && days[row] <= last) kept.push(row);
  return kept.length === days.length ? table : takeRows(table, Int32Array.from(kept));
}

/**
 * Parses a day `YYYY-MM-DD`.
 *
 * @throws {InputError} BadArgument
 */
export function parseDay(text: string, what: string): number {
  const day = parseDate(text);
  if (day !== NO_DATE) return day;
  throw new InputError(`${what} is ${JSON.stringify(text)}.`, {
    code: "BadArgument",
    value: text,
    hint: "Pass a day as YYYY-MM-DD.",
  });
}

function ordered(table: Table, on: string, { by, order, limit }: SeriesQuery): Table {
  const most = limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber(limit, 1, "limit");
  const wanted = order === undefined ? undefined : oneOf(order, ORDERS, "order");
  const track = seriesTrack(table, seriesOf(table, { on, by }));
  const picked: number[] = [];
  for (let g = 0; g + 1 < track.starts.length; g++) {
    const count = Math.min(most, track.starts[g + 1] - track.starts[g]);
    const newestFirst = wanted === undefined ? track.newestFirst[g] === 1 : wanted === "desc";
    for (let k = 0; k < count; k++) {
      picked.push(rowAt(track, newestFirst ? track.starts[g + 1] - 1 - k : track.starts[g] + k));
    }
  }
  return takeRows(table, Int32Array.from(picked));
}
