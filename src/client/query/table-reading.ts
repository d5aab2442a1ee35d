import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { isArrowbookError, ServiceError, TransportError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { BulkFile } from "../bulk/bulk-file.js";
import { shaped } from "../pages/result-shape.js";
import { rowBudget } from "../pages/row-budget.js";
import { type Page, type PageOptions, pageOf, rowsQuestion, type TableCall } from "../pages/table-page.js";
import { exportFilters, pagesOf } from "../pages/table-pages.js";
import { keepRun } from "../transport/earlier-runs.js";
import type { Session } from "../transport/session.js";
import { withColumns } from "./filters.js";
import type { TableReadCall } from "./table-read-options.js";

/** Rows of a result, in the order of the reply. */
export interface ResultRows {
  readonly batches: readonly RecordBatch[];
  readonly columns: readonly ColumnSpec[];
  /** Whether these rows are the last of the query, and none was left out. */
  readonly isComplete: boolean;
}

export async function* pagedRows(
  session: Session,
  call: TableCall,
  { maxRows, truncate, ...options }: TableReadCall,
): AsyncGenerator<ResultRows> {
  const budget = rowBudget(call.code, { limit: call.limit, maxRows, truncate });
  const enough = call.shape.here.length === 0 ? (call.limit ?? (truncate ? maxRows : undefined)) : undefined;
  let capped = false;
  const sent = { rows: 0, bytes: 0 };
  for await (const page of pagesOf(session, call, { ...options, enough, isFull: () => budget.isFull })) {
    capped ||= page.capped;
    sent.rows += page.rows;
    sent.bytes += page.bytes;
    const isWhole = page.isLast && !capped;
    if (isWhole) await keepRun(session, rowsQuestion(call), { ...sent });
    const batches = budget.take(shaped(call.shape, page.batches, page.columns));
    const isComplete = isWhole && !budget.isCut;
    yield { batches, columns: shownColumns(call, page.columns), isComplete };
  }
}

export async function onePage(
  session: Session,
  call: TableCall,
  cursor: string | null,
  options: PageOptions,
): Promise<Page> {
  const page = await pageOf(session, call, cursor, options);
  return { ...page, batches: shaped(call.shape, page.batches, page.columns) };
}

/** The rows of a query by an export; `exportOf` requests one of other filters and columns. */
export async function* exportedRows(
  session: Session,
  call: TableCall,
  { maxRows, truncate, fallback: _, checkpoint: __, onResume: ___, ...options }: TableReadCall,
  exportOf: (change: Pick<TableCall, "filters" | "select">) => BulkFile<object>,
): AsyncGenerator<ResultRows> {
  const budget = rowBudget(call.code, { limit: call.limit, maxRows, truncate });
  const filters = exportFilters(session, call);
  const here = [...call.shape.here, ...call.filters.filter((filter) => !filters.includes(filter))];
  const select = withColumns(call.select, here);
  const shape = { here, show: call.shape.show ?? (select === call.select ? undefined : call.select) };
  const { columns: all } = await call.metadata();
  const columns = select === undefined ? all : select.flatMap((name) => all.find((each) => each.name === name) ?? []);
  const shownOnly = shownColumns({ shape }, columns);
  let last: ResultRows = { batches: [], columns: shownOnly, isComplete: true };
  for await (const batch of exportOf({ filters, select }).batches(options)) {
    if (last.batches.length > 0) yield { ...last, isComplete: false };
    const batches = budget.take(shaped(shape, [batch], columns));
    last = { batches, columns: shownOnly, isComplete: !budget.isCut };
    if (budget.isCut) break;
  }
  yield last;
}

function shownColumns({ shape }: Pick<TableCall, "shape">, columns: readonly ColumnSpec[]): readonly ColumnSpec[] {
  return shape.show?.flatMap((name) => columns.find((column) => column.name === name) ?? []) ?? columns;
}

/** Whether an export may answer a query that failed so (spec 7). */
export function callsForExport(error: unknown): boolean {
  if (!isArrowbookError(error)) return false;
  if (error instanceof TransportError) return ["Timeout", "TooLarge", "ConnectionLost"].includes(error.code);
  if (!(error instanceof ServiceError)) return error.code === "TooManyPages" || error.code === "TableRefreshed";
  const { status = 0 } = error;
  return /^QELx0[678]$/.test(error.code) || status === 413 || status === 414 || status >= 500;
}
