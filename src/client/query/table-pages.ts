import { createHash } from "node:crypto";
import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { ReadOptions } from "../../columns/arrow/read-options.js";
import type { OnProgress } from "../../columns/io/progress.js";
import { follow } from "../../display/progress/follow.js";
import { csvHeader } from "../../document/csv.js";
import type { TableMetadata } from "../../document/records.js";
import type { Rows } from "../../document/rows.js";
import type { CodeOf } from "../../errors/codes.js";
import { DataError, reworded } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Call, Filter } from "../../spec/endpoints.js";
import type { Profile } from "../../spec/profile.js";
import type { Format } from "../../spec/vocabulary.js";
import { address } from "../transport/address.js";
import { ask } from "../transport/ask.js";
import { type Session, telling } from "../transport/request.js";
import { splitFilters } from "./split-filters.js";
import { typedRows } from "./typed-rows.js";

/** A table query ready to be sent. */
export interface TableCall {
  readonly code: string;
  readonly codes: Readonly<Record<string, string>>;
  readonly filters: readonly Filter[];
  readonly select?: readonly string[];
  readonly pageSize?: number;
  readonly format: Format;
  /** The table's metadata where its names were checked. */
  readonly known?: TableMetadata;
  /** The table's metadata, from the cache; and requested again. */
  readonly metadata: () => Promise<TableMetadata>;
  readonly fresh: () => Promise<TableMetadata>;
}

/** One page of rows. */
export interface Page {
  readonly columns: readonly ColumnSpec[];
  readonly batches: readonly RecordBatch[];
  readonly rows: number;
  readonly bytes: number;
  /** Cursor of the next page; null after the last. */
  readonly next: string | null;
  /** A full page that does not say whether it is the last (spec 8: a table request may be capped). */
  readonly capped: boolean;
  /** Digest of the rows as they came. */
  readonly digest: string;
}

type PageOptions = ReadOptions & {
  readonly signal?: AbortSignal;
  /** Which page of an answer this is, counted from 1; known when pages are read one after another. */
  readonly page?: number;
};

/** Asks for one page and reads it. */
export async function pageOf(
  session: Session,
  table: TableCall,
  cursor: string | null,
  options: PageOptions,
): Promise<Page> {
  const { profile, warn } = session.settings;
  const parameters: Record<string, string> = {};
  if (table.select) parameters["qopts.columns"] = table.select.join(",");
  const most = Math.min(table.pageSize ?? Number.POSITIVE_INFINITY, profile.maxRowsPerReply.value);
  if (table.pageSize !== undefined) parameters["@pageSize"] = String(most);
  if (cursor !== null) parameters["@cursor"] = cursor;
  const { codes, filters, format } = table;
  const call: Call & { readonly format: Format } = { endpoint: "tableRows", codes, format, parameters, filters };
  const { document, header } = await ask(session, "tableRows", call, options.signal);
  if (!document.rows) throw new DataError("The reply has no rows.", { code: "UnexpectedShape" });
  const columns = document.fields.columns ?? (await csvColumns(table, document.rows));
  const batches = pageRows(table, document.rows, columns, { profile, options: { warn, ...options } });
  const rows = batches.reduce((sum, batch) => sum + batch.numRows, 0);
  const said = format === "csv" ? header(profile.cursorHeader.value) : document.fields.next_cursor_id;
  // An empty header says that no page follows; none at all says nothing.
  const next = format === "csv" && said === "" ? null : checkedCursor(said ?? null, table.code);
  const silent = format === "csv" ? said === null : said === undefined;
  const { bytes, digest } = digestOf(document.rows);
  return { columns, batches, rows, bytes, next, capped: silent && rows >= most, digest };
}

/** The rows of a page; an error in a later page names the page too. */
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
  throw new DataError(`The service gave ${JSON.stringify(cursor)} as the cursor of the next page of ${code}.`, {
    code: "BadCursor",
    hint: "Ask for an export instead (.export()).",
  });
}

/** A CSV reply has names only: the types come from the metadata, matched by name (spec 2.6, 2.7). */
async function csvColumns(table: TableCall, rows: Rows): Promise<ColumnSpec[]> {
  const known = new Map((await table.metadata()).columns.map((column) => [column.name, column]));
  const names = rows.kind === "csv" ? csvHeader(rows.bytes) : [];
  const wanted = table.select ?? [...known.keys()];
  const wrong = names.find((name) => !known.has(name)) ?? wanted.find((name) => !names.includes(name));
  if (wrong !== undefined) {
    const extra = names.includes(wrong);
    throw new DataError(
      `The CSV reply of ${table.code} ${extra ? "has a column" : "lacks the column"} ${JSON.stringify(wrong)}${extra ? " that the metadata does not list" : ""}.`,
      {
        code: "ColumnsChanged",
        column: wrong,
        hint: 'Ask again, or with .format("json"), which carries the column types.',
      },
    );
  }
  return wanted.map((name) => known.get(name) as ColumnSpec);
}

function digestOf(rows: Rows): { bytes: number; digest: string } {
  const bytes = rows.kind === "csv" ? rows.bytes : rows.bytes.subarray(rows.start, rows.end);
  return { bytes: bytes.length, digest: createHash("sha1").update(bytes).digest("hex") };
}

/**
 * All pages in order, the next one under way while one is used; a query whose list of values is too long for one
 * address is asked in parts.
 *
 * @throws {DataError} CursorLoop when a cursor or a page comes again, ColumnsChanged when the columns differ between
 *   pages, TooManyPages; warns when the last page may have been capped or the table was refreshed meanwhile
 */
export async function* pagesOf(session: Session, table: TableCall, options: PageOptions): AsyncGenerator<Page> {
  const { tell, end } = follow(session.settings.onProgress);
  try {
    yield* toldPages(telling(session, tell), table, options, tell);
  } finally {
    end();
  }
}

async function* toldPages(
  session: Session,
  table: TableCall,
  options: PageOptions,
  tell: OnProgress,
): AsyncGenerator<Page> {
  const parts = partsOf(session, table);
  let schema = options.schema;
  let rows = 0;
  let bytes = 0;
  let pages = 0;
  for (const [i, filters] of parts.entries()) {
    for await (const page of chainOf(
      session,
      { ...table, filters },
      { ...options, schema, page: pages + 1, firstRow: (options.firstRow ?? 0) + rows },
    )) {
      schema ??= page.batches[0]?.schema;
      pages++;
      rows += page.rows;
      bytes += page.bytes;
      const done = page.next === null && i === parts.length - 1;
      tell({ phase: "rows", code: table.code, rows, bytes, done });
      yield page;
    }
  }
}

/** Room in an address for the key, a cursor and a page size. */
const RESERVED = 300;

function partsOf({ settings }: Session, table: TableCall): (readonly Filter[])[] {
  const { profile, url } = settings;
  const parameters: Record<string, string> = table.select ? { "qopts.columns": table.select.join(",") } : {};
  const lengthOf = (filters: readonly Filter[]): number => {
    const call: Call = { endpoint: "tableRows", codes: table.codes, format: table.format, parameters, filters };
    return address(call, url, profile).split("?")[1]?.length ?? 0;
  };
  return splitFilters(table.filters, lengthOf, profile.maxQueryLength.value - RESERVED);
}

/** The pages of one address. */
async function* chainOf(session: Session, table: TableCall, options: PageOptions): AsyncGenerator<Page> {
  const { settings } = session;
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  let schema = options.schema;
  let rows = options.firstRow ?? 0;
  let number = options.page ?? 1;
  const get = (cursor: string | null): Promise<Page> =>
    pageOf(session, table, cursor, { ...options, schema, signal, page: number++, firstRow: rows });
  const check = pageCheck(table, settings.limits.pages);
  let refreshed: Promise<string | null> | undefined;
  try {
    for (let page = await get(null); ; ) {
      check(page);
      schema ??= page.batches[0]?.schema;
      rows += page.rows;
      if (page.capped) warnCapped(session, table.code, page.rows);
      const following = page.next === null ? undefined : get(page.next);
      following?.catch(() => undefined);
      if (following && !refreshed) refreshed = refreshedAt(table);
      yield page;
      if (!following) break;
      page = await following;
    }
    const before = await refreshed;
    if (before && before !== (await refreshedAt(table))) {
      settings.warn(
        `${table.code} was refreshed while its pages were read; rows of both states may be mixed. An export is of one state.`,
      );
    }
  } finally {
    stop.abort();
  }
}

function pageCheck(table: TableCall, maxPages: number): (page: Page) => void {
  const cursors = new Set<string>();
  let previous: Page | undefined;
  let pages = 0;
  return (page) => {
    const fail = (code: CodeOf<"DataError">, what: string): never => {
      throw new DataError(`The pages of ${table.code} ${what} (page ${pages + 1}).`, {
        code,
        hint: "Nothing read so far is complete. Start again, or ask for an export (.export()).",
      });
    };
    if (previous && !sameColumns(previous.columns, page.columns))
      fail("ColumnsChanged", "changed their columns on the way");
    if (page.next !== null && cursors.has(page.next)) fail("CursorLoop", "run in a circle: a cursor came again");
    if (previous?.rows === 0 && page.rows === 0 && page.next !== null) fail("CursorLoop", "are empty but do not end");
    // A selection without the key may honestly repeat rows; whole rows do not.
    const same = previous !== undefined && page.rows > 0 && previous.digest !== "" && previous.digest === page.digest;
    if (same && !table.select) fail("CursorLoop", "repeat themselves");
    if (++pages >= maxPages && page.next !== null) fail("TooManyPages", `are more than ${maxPages}`);
    if (page.next !== null) cursors.add(page.next);
    previous = page;
  };
}

function sameColumns(a: readonly ColumnSpec[], b: readonly ColumnSpec[]): boolean {
  return a.length === b.length && a.every(({ name, type }, i) => b[i].name === name && b[i].type === type);
}

function warnCapped(session: Session, code: string, rows: number): void {
  session.settings.warn(
    `${code}: the reply has exactly ${rows} rows, which is the most one reply can have (spec 8), and no cursor: rows may be missing. An export (.export()) has them all.`,
  );
}

/** When the table was last refreshed; null where that is not known or cannot be asked. */
async function refreshedAt(table: TableCall): Promise<string | null> {
  try {
    return (await table.fresh()).status?.refreshed_at ?? null;
  } catch {
    return null;
  }
}
