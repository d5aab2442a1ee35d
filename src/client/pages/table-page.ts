import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { ReadOptions } from "../../columns/arrow/read-options.js";
import type { Rows } from "../../document/node.js";
import type { TableMetadata } from "../../document/records.js";
import { DataError, reworded } from "../../errors/errors.js";
import { digestOf } from "../../platform/node/process.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import type { Profile } from "../../spec/profile.js";
import type { Format } from "../../spec/vocabulary.js";
import { ask, type FormattedCall } from "../transport/ask.js";
import type { Session } from "../transport/session.js";
import { refuseContradictions, selectionContradictions, tableContradictions } from "./reply-check.js";
import type { ResultShape } from "./result-shape.js";
import { csvColumns, emptyTextOf, typedRows } from "./typed-rows.js";

export interface TableCall {
  readonly code: string;
  readonly codes: Readonly<Record<string, string>>;
  readonly filters: readonly Filter[];
  readonly select?: readonly string[];
  readonly pageSize?: number;
  readonly format: Format;
  /** What is done to the rows here. */
  readonly shape: ResultShape;
  readonly limit?: number;
  /** The table's metadata, if its names have been checked. */
  readonly known?: TableMetadata;
  /** When the table was last refreshed, as far as it is known before rows are requested. */
  readonly refreshed_at?: string | null;
  /** The table's metadata, from the cache, or requested again. */
  readonly metadata: () => Promise<TableMetadata>;
  readonly fresh: () => Promise<TableMetadata>;
}

export interface Page {
  readonly columns: readonly ColumnSpec[];
  readonly batches: readonly RecordBatch[];
  readonly rows: number;
  readonly bytes: number;
  /** Cursor of the next page; null after the last. */
  readonly next: string | null;
  /** Whether this is a full page that may or may not be the last (spec 8: a table request may be capped). */
  readonly capped: boolean;
  /** Digest of the rows as they were received. */
  readonly digest: string;
}

/** What was taken from a checkpoint. */
export interface Resumed {
  readonly pages: number;
  readonly rows: number;
}

export type OnResume = (taken: Resumed) => void;

export type PageOptions = ReadOptions & {
  readonly signal?: AbortSignal;
  /** The number of this page within the result, from 1; known if pages are read one after another. */
  readonly page?: number;
  /** As many rows as are needed: no page is requested ahead once they have arrived. */
  readonly enough?: number;
  /** Whether the rows passed on are all that are needed: no page follows. */
  readonly isFull?: () => boolean;
  /** Path of a file in which pages are kept; pages found in it are not requested. */
  readonly checkpoint?: string;
  readonly onResume?: OnResume;
};

/** A call of the rows or an export of a table, with the selected columns. */
export function callOf(
  { codes, format, select }: Pick<TableCall, "codes" | "format" | "select">,
  endpoint: "tableRows" | "tableExport",
  filters: readonly Filter[],
  more: Readonly<Record<string, string>> = {},
): FormattedCall {
  const parameters = { ...(select && { "qopts.columns": select.join(",") }), ...more };
  return { endpoint, codes, format, parameters, filters };
}

/** The call of an export (spec 4.9). */
export const exportCall = (table: Pick<TableCall, "codes" | "format" | "select" | "filters">): FormattedCall =>
  callOf(table, "tableExport", table.filters, { "qopts.export": "true" });

/** Identifies a query of rows, for what is kept of its runs. */
export function rowsQuestion(table: TableCall): string {
  const { here } = table.shape;
  return JSON.stringify(["rows", callOf(table, "tableRows", table.filters), here.length > 0 ? null : table.limit]);
}

export async function pageOf(
  session: Session,
  table: TableCall,
  cursor: string | null,
  options: PageOptions,
): Promise<Page> {
  const { profile, warn } = session.settings;
  const most = Math.min(table.pageSize ?? Number.POSITIVE_INFINITY, profile.maxRowsPerReply.value);
  const { filters, format } = table;
  const call = callOf(table, "tableRows", filters, {
    ...(table.pageSize !== undefined && { "@pageSize": String(most) }),
    ...(cursor !== null && { "@cursor": cursor }),
  });
  const { document, header } = await ask(session, "tableRows", call, options.signal);
  if (!document.rows) throw new DataError("The reply has no rows.", { code: "UnexpectedShape" });
  const columns = document.fields.columns ?? (await csvColumns(table, document.rows, profile));
  const batches = pageRows(table, document.rows, columns, { profile, options: { warn, ...options } });
  const isFiltered = profile.replyChecks.value.includes("filters");
  const pageSize = table.pageSize === undefined ? undefined : most;
  const question = { filters: isFiltered ? filters : [], pageSize };
  const reading = { ...options, emptyIsNull: format === "csv" && emptyTextOf(profile) === "null" };
  const names = columns.map(({ name }) => name);
  const contradictions = [
    ...selectionContradictions(table.select, names, "listed"),
    ...tableContradictions(question, { columns, batches }, reading),
  ];
  refuseContradictions(table.code, contradictions, profile);
  const rows = batches.reduce((sum, batch) => sum + batch.numRows, 0);
  const said = format === "csv" ? header(profile.cursorHeader.value) : document.fields.next_cursor_id;
  // An empty header means that no page follows; a missing one does not.
  const next = format === "csv" && said === "" ? null : checkedCursor(said ?? null, table.code);
  const silent = format === "csv" ? said === null : said === undefined;
  const { bytes, digest } = fingerprint(document.rows);
  return { columns, batches, rows, bytes, next, capped: silent && rows >= most, digest };
}

/** Reads the rows of a page; an error in a later page includes the page number. */
function pageRows(
  table: TableCall,
  rows: Rows,
  columns: readonly ColumnSpec[],
  { profile, options }: { readonly profile: Profile; readonly options: PageOptions },
): RecordBatch[] {
  const { page = 1, firstRow = 0 } = options;
  try {
    return typedRows(rows, columns, profile, options);
  } catch (error) {
    if (!(error instanceof DataError) || error.row === undefined || page === 1) throw error;
    const place = `row ${error.row - firstRow} of page ${page} of ${table.code}`;
    throw reworded(error, `${error.message.replace(/\.$/, "")}; ${place}.`, { cause: error });
  }
}

function checkedCursor(cursor: unknown, code: string): string | null {
  if (cursor === null) return null;
  if (typeof cursor === "string" && cursor.trim() !== "") return cursor;
  throw new DataError(`The service sent the invalid cursor ${JSON.stringify(cursor)} for the next page of ${code}.`, {
    code: "BadCursor",
    hint: "Use an export instead (.export()).",
  });
}

function fingerprint(rows: Rows): { bytes: number; digest: string } {
  const bytes = rows.kind === "csv" ? rows.bytes : rows.bytes.subarray(rows.start, rows.end);
  return { bytes: bytes.length, digest: digestOf(bytes, "sha1") };
}
