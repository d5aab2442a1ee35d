import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { checkReadOptions, type ReadOptions } from "../../columns/arrow/read-options.js";
import { InputError, isArrowbookError, ServiceError, TransportError } from "../../errors/errors.js";
import { checkWords } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { BulkFile } from "../bulk/bulk-file.js";
import { shaped } from "../pages/result-shape.js";
import { type RowBounds, rowBudget } from "../pages/row-budget.js";
import { cellReading, type OnResume, type TableCall } from "../pages/table-page.js";
import { exportFilters, pagesOf } from "../pages/table-pages.js";
import type { Session } from "../transport/request.js";

/** Options of reading the rows of a table. */
export type TableReadCall = ReadOptions &
  Omit<RowBounds, "limit"> & {
    readonly signal?: AbortSignal;
    /**
     * What to do if the service cannot reply in pages: too many results, too long an address, a timeout, a failure of
     * the service. `"export"` requests the same rows as an export (spec 7). Default: the error.
     */
    readonly fallback?: "export";
    /**
     * Path of a file in which each page is kept once it has arrived. A later call with the same query and options takes
     * the pages in it from there and requests the rest, if the table has not been refreshed since; otherwise it starts
     * again, with a warning. The file stays when the call ends.
     */
    readonly checkpoint?: string;
    /** Called once with the pages and rows that are taken from the checkpoint, if any, before the first one is. */
    readonly onResume?: OnResume;
  };

/** @throws {InputError} UnknownOption, UnknownValue, BadArgument */
export function checkTableRead(options: TableReadCall, where: string): void {
  checkReadOptions(options, where, ["fallback", "maxRows", "truncate", "checkpoint", "onResume"]);
  checkWords(options, { fallback: ["export"] });
  const { maxRows, checkpoint } = options;
  if (checkpoint !== undefined && (typeof checkpoint !== "string" || checkpoint === "")) {
    throw new InputError(`checkpoint of ${where} is ${shown(checkpoint)}.`, {
      code: "BadArgument",
      hint: 'Pass the path of a file: checkpoint: "prices.checkpoint".',
    });
  }
  if (options.onResume !== undefined && typeof options.onResume !== "function") {
    throw new InputError(`onResume of ${where} is ${shown(options.onResume)}.`, {
      code: "BadArgument",
      hint: "Pass a function: onResume: ({ pages, rows }) => console.error(pages, rows).",
    });
  }
  if (maxRows !== undefined && !(Number.isSafeInteger(maxRows) && maxRows >= 1)) {
    throw new InputError(`maxRows of ${where} is ${shown(maxRows)}.`, {
      code: "BadArgument",
      hint: "Pass a whole number of at least 1.",
    });
  }
}

/** Rows of a result, in the order of the reply. */
export interface ResultRows {
  readonly batches: readonly RecordBatch[];
  readonly columns: readonly ColumnSpec[];
  /** Whether these rows are the last of the query, and none was left out. */
  readonly isComplete: boolean;
}

/** The rows of a query by pages. */
export async function* pagedRows(
  session: Session,
  call: TableCall,
  { maxRows, truncate, ...options }: TableReadCall,
): AsyncGenerator<ResultRows> {
  const budget = rowBudget(call.code, { limit: call.limit, maxRows, truncate });
  const reading = cellReading(call, session.settings.profile, options);
  const enough = call.shape.here.length === 0 ? (call.limit ?? (truncate ? maxRows : undefined)) : undefined;
  let capped = false;
  for await (const page of pagesOf(session, call, { ...options, enough })) {
    capped ||= page.capped;
    const batches = budget.take(shaped(call.shape, page.batches, page.columns, reading));
    const isComplete = page.isLast && !capped && !budget.isCut;
    yield { batches, columns: shownColumns(call, page.columns), isComplete };
    if (budget.isFull) return;
  }
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
    const batches = budget.take(shaped(shape, [batch], columns, { ...options, emptyIsNull: false }));
    last = { batches, columns: shownOnly, isComplete: !budget.isCut };
    if (budget.isCut) break;
  }
  yield last;
}

/** A selection, with the columns that filters need besides. */
export function withColumns(
  select: readonly string[] | undefined,
  filters: readonly { readonly column: string }[],
): readonly string[] | undefined {
  const missing = filters.map(({ column }) => column).filter((name) => select?.includes(name) === false);
  return select === undefined || missing.length === 0 ? select : [...select, ...new Set(missing)];
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
