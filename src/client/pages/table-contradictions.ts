import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { shownText } from "../../errors/shown.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import type { Contradiction } from "./contradiction.js";
import type { CellReading } from "./may-meet.js";
import { unmetFilter } from "./unmet-filter.js";

/** What a table query asks of one page. */
export interface TableQuestion {
  readonly select?: readonly string[];
  readonly filters: readonly Filter[];
  /** Rows of a page at most. */
  readonly pageSize?: number;
}

/** The rows of one page, or a part of a file. */
export interface TableReply {
  readonly columns: readonly ColumnSpec[];
  readonly batches: readonly RecordBatch[];
  /** Of a part of a file: the number of rows before it. */
  readonly before?: number;
}

/** Whether the columns that a reply names contradict a selection (spec 4.7: the listed columns, in their order). */
export function* selectionContradictions(
  select: readonly string[] | undefined,
  names: readonly string[],
): Generator<Contradiction> {
  if (select === undefined || (select.length === names.length && select.every((name, i) => name === names[i]))) return;
  yield { check: "columns", query: `the columns ${listed(select)}`, reply: `the columns ${listed(names)}` };
}

const MAX_NAMES = 10;

function listed(names: readonly string[]): string {
  const some = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name));
  return names.length > MAX_NAMES ? `${some.join(", ")}, … (${names.length} in all)` : some.join(", ");
}

/** How rows contradict a table query. Filters on columns that are not returned pass. */
export function* tableContradictions(
  { filters, pageSize }: TableQuestion,
  { columns, batches, before }: TableReply,
  reading: CellReading,
): Generator<Contradiction> {
  const rows = batches.reduce((sum, batch) => sum + batch.numRows, 0);
  if (pageSize !== undefined && rows > pageSize) {
    yield { check: "rows", query: `pages of ${pageSize} rows`, reply: `a page of ${rows} rows` };
  }
  for (const filter of filters) {
    const index = columns.findIndex(({ name }) => name === filter.column);
    const unmet = index === -1 ? undefined : unmetFilter(filter, columns[index], batches, index, reading);
    if (unmet === undefined) continue;
    const text = unmet.text === null ? "null" : shownText(unmet.text);
    const place = before === undefined ? `row ${unmet.row} of the page` : `row ${before + unmet.row} of the file`;
    yield {
      check: "filters",
      query: filterText(filter),
      reply: `${filter.column} ${text} in ${place}`,
    };
  }
}

const MAX_VALUES = 5;

function filterText({ column, operator, values }: Filter): string {
  const some = values.slice(0, MAX_VALUES).map(shownText);
  const more = values.length > MAX_VALUES ? `, … (${values.length} in all)` : "";
  return `${column}${operator === "eq" ? "" : `.${operator}`} ${some.join(", ")}${more}`;
}
