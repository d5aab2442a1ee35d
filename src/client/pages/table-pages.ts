import { follow } from "../../display/progress/follow.js";
import type { CodeOf } from "../../errors/codes.js";
import { DataError, hasCode, ServiceError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import { address } from "../transport/address.js";
import { reportingTo, type Session } from "../transport/session.js";
import type { Settings } from "../transport/settings.js";
import type { Checkpoint, KeptPages } from "./checkpoint.js";
import { type FirstPage, firstPage, refreshedAt } from "./refreshed-at.js";
import { callOf, type Page, type PageOptions, pageOf, type Resumed, type TableCall } from "./table-page.js";

/**
 * All pages of a query in order; each is requested while the previous one is in use. A query whose list of values is
 * too long for one address is sent in parts. With a checkpoint, pages that an earlier run kept are not requested.
 *
 * @throws {DataError} CursorLoop if a cursor or a page repeats, ColumnsChanged if the columns differ between pages,
 *   TooManyPages, TableRefreshed if the table was refreshed in the meantime; warns if the last page may be capped
 * @throws {FileError} BadCheckpoint, CheckpointInUse
 */
export async function* pagesOf(session: Session, table: TableCall, options: PageOptions): AsyncGenerator<PlacedPage> {
  const parts = partsOf(session, table);
  // Few reads keep their pages: what writes and reads Arrow files is loaded for them alone.
  const { tableCheckpoint } = options.checkpoint === undefined ? {} : await import("./checkpoint.js");
  const checkpoint = await tableCheckpoint?.(session, table, parts, String(options.checkpoint), options);
  try {
    try {
      yield* pagesOfParts(session, table, parts, options, checkpoint);
    } catch (error) {
      if (!(error instanceof CursorExpired)) throw error;
      // No row has been passed on.
      session.settings.warn(`${table.code} is read from the start: the service no longer accepts the kept cursor.`);
      await checkpoint?.restart();
      yield* pagesOfParts(session, table, parts, options, checkpoint);
    }
  } catch (error) {
    // These pages do not belong together: the next run must not resume from them.
    if (DISCARDED.some((code) => hasCode(error, code))) await checkpoint?.restart();
    throw error;
  } finally {
    await checkpoint?.close();
  }
}

const DISCARDED = ["TableRefreshed", "CursorLoop", "ColumnsChanged"] as const;

type PlacedPage = Page & { readonly isLast: boolean };

async function* pagesOfParts(
  session: Session,
  table: TableCall,
  parts: readonly (readonly Filter[])[],
  options: PageOptions,
  checkpoint: Checkpoint | undefined,
): AsyncGenerator<PlacedPage> {
  const isFull = (): boolean => options.isFull?.() === true;
  let refreshed = checkpoint?.refreshed_at;
  const { enough = Number.POSITIVE_INFINITY } = options;
  const first = async (get: () => Promise<Page>): Promise<FirstPage> => {
    if (refreshed !== undefined) return { page: await get() };
    const most = Math.min(table.pageSize ?? enough, session.settings.profile.maxRowsPerReply.value);
    const isAlone = ({ next, rows }: Page): boolean => (next === null && parts.length === 1) || rows >= enough;
    const found = await firstPage(session, table, get, isAlone, enough <= most);
    refreshed = found.refreshed;
    return found;
  };
  const { tell, end } = follow(session.settings.onProgress);
  let { schema } = options;
  let rows = 0;
  let bytes = 0;
  let pages = 0;
  const resumed = keptOf(parts, checkpoint);
  try {
    for (const [i, filters] of parts.entries()) {
      const place = { page: pages + 1, firstRow: (options.firstRow ?? 0) + rows };
      const part = { ...table, filters };
      const memory = checkpoint && {
        kept: checkpoint.kept(i),
        keep: (page: Page) => checkpoint.keep(i, page),
        isFirst: pages === 0,
      };
      const told = { ...options, schema, ...place };
      for await (const page of partPages(reportingTo(session, tell), part, told, i === 0 ? first : undefined, memory)) {
        schema ??= page.batches[0]?.schema;
        if (pages++ === 0 && resumed.pages > 0) options.onResume?.(resumed);
        rows += page.rows;
        bytes += page.bytes;
        const isLast = page.next === null && i === parts.length - 1;
        tell({ phase: "rows", code: table.code, rows, bytes, done: isLast });
        yield { ...page, isLast };
        if (isFull()) break;
      }
      if (isFull()) break;
    }
    if (refreshed && (pages > 1 || checkpoint) && refreshed !== (await refreshedAt(table))) {
      throw tableRefreshed(`${table.code} was refreshed while its pages were read.`);
    }
  } finally {
    end();
  }
}

function keptOf(parts: readonly unknown[], checkpoint: Checkpoint | undefined): Resumed {
  let [pages, rows] = [0, 0];
  for (const kept of parts.map((_, i) => checkpoint?.kept(i))) {
    pages += kept?.pages ?? 0;
    rows += kept?.rows ?? 0;
  }
  return { pages, rows };
}

function tableRefreshed(message: string, cause?: unknown): DataError {
  return new DataError(message, {
    code: "TableRefreshed",
    cause,
    hint: "Discard the rows read so far and start again. An export (.export()) contains one version.",
  });
}

/** Room in an address for the key, a cursor and a page size. */
const RESERVED = 300;

/** The filters of each part in which a query is sent. */
export function partsOf({ settings }: Session, table: TableCall): (readonly Filter[])[] {
  return splitFilters(table.filters, (filters) => isTooLong(settings, table, filters));
}

/**
 * Splits a query that is too long for an address (spec 7) into several: the longest list of values is halved until each
 * part fits. The parts have no row in common, since each has other values of the same column. A query that cannot be
 * shortened enough is returned unchanged, for the service to reject.
 */
function splitFilters(
  filters: readonly Filter[],
  tooLong: (filters: readonly Filter[]) => boolean,
): (readonly Filter[])[] {
  if (!tooLong(filters)) return [filters];
  const at = filters.reduce((best, { operator, values }, i) => {
    return operator === "eq" && values.length > 1 && values.length > (filters[best]?.values.length ?? 0) ? i : best;
  }, -1);
  if (at === -1) return [filters];
  const { values } = filters[at];
  const half = Math.ceil(values.length / 2);
  const part = (some: readonly string[]): Filter[] =>
    filters.map((filter, i) => (i === at ? { ...filter, values: some } : filter));
  return [values.slice(0, half), values.slice(half)].flatMap((some) => splitFilters(part(some), tooLong));
}

/**
 * The filters of an export of a query: without the longest ones where the address would be too long for the service
 * (spec 7: "filter locally").
 */
export function exportFilters({ settings }: Session, table: TableCall): readonly Filter[] {
  let filters = table.filters;
  while (filters.length > 0 && isTooLong(settings, table, filters)) {
    const longest = filters.reduce((best, each) => (lengthOf(each) > lengthOf(best) ? each : best));
    filters = filters.filter((each) => each !== longest);
  }
  return filters;
}

const lengthOf = ({ values }: Filter): number => values.join(",").length;

function isTooLong({ profile, url }: Settings, table: TableCall, filters: readonly Filter[]): boolean {
  return (
    (address(callOf(table, "tableRows", filters), url, profile).split("?")[1]?.length ?? 0) >
    profile.maxQueryLength.value - RESERVED
  );
}

/** The pages of a part that an earlier run kept, and where new ones are kept. */
interface PartMemory {
  readonly kept: KeptPages;
  keep(page: Page): Promise<void>;
  /** Whether no page of the query has been passed on. */
  readonly isFirst: boolean;
}

/** The service no longer accepts the cursor of an earlier run, and no page of the query has been passed on. */
class CursorExpired extends Error {}

/** The pages of one part, from cursor to cursor; `first` requests the first one. */
async function* partPages(
  session: Session,
  table: TableCall,
  options: PageOptions,
  first: (get: () => Promise<Page>) => Promise<FirstPage> = async (get) => ({ page: await get() }),
  memory?: PartMemory,
): AsyncGenerator<Page> {
  const { settings } = session;
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  let schema = options.schema;
  let rows = options.firstRow ?? 0;
  let number = options.page ?? 1;
  const get = (cursor: string | null): Promise<Page> =>
    pageOf(session, table, cursor, { ...options, schema, signal, page: number++, firstRow: rows });
  const check = pageCheck(table, settings.limits.pages);
  const isEnough = (): boolean => options.enough !== undefined && rows >= options.enough;
  let isAhead = true;
  /**
   * Requests a page ahead, unless the rows are enough, or a request more than there are pages has been sent; the result
   * waits for it.
   */
  const ahead = (next: string | null): (() => Promise<Page>) | undefined => {
    if (next === null) return undefined;
    const page = isEnough() || !isAhead ? undefined : get(next);
    page?.catch(() => undefined);
    return () => (page ?? get(next)).catch((error: unknown) => Promise.reject(cursorError(error, table, number - 1)));
  };
  try {
    let following: (() => Promise<Page>) | undefined = async () => {
      const { page, isAgain = false } = await first(() => {
        number = options.page ?? 1;
        return get(null);
      });
      isAhead = !isAgain;
      return page;
    };
    if (memory !== undefined && memory.kept.pages > 0) {
      const { kept } = memory;
      number += kept.pages;
      rows += kept.rows;
      schema ??= await kept.schema();
      following = ahead(kept.next);
      if (memory.isFirst && !isEnough()) await following?.().catch(refuseExpired);
      yield* checkedPages(kept, check);
    }
    while (following !== undefined) {
      const page = await following();
      check(page);
      schema ??= page.batches[0]?.schema;
      rows += page.rows;
      if (page.capped) settings.warn(cappedWarning(table.code, page.rows));
      following = ahead(page.next);
      await memory?.keep(page);
      yield page;
    }
  } finally {
    stop.abort();
  }
}

async function* checkedPages(kept: KeptPages, check: (page: Page) => void): AsyncGenerator<Page> {
  for await (const page of kept.read()) {
    check(page);
    yield page;
  }
}

/** The error of a page; the service sent its cursor itself, and may no longer accept it. */
function cursorError(error: unknown, table: TableCall, page: number): unknown {
  if (!(error instanceof ServiceError) || error.code !== "QESx06") return error;
  return tableRefreshed(`The cursor of page ${page} of ${table.code} is no longer valid.`, error);
}

const cappedWarning = (code: string, rows: number): string =>
  `${code}: the reply has exactly ${rows} rows, the most that one reply can have, and no cursor: rows may be missing. An export (.export()) is complete.`;

function refuseExpired(error: unknown): never {
  throw hasCode(error, "TableRefreshed") ? new CursorExpired("cursor", { cause: error }) : error;
}

/**
 * Checks the pages of one query, passed in order.
 *
 * @throws {DataError} CursorLoop if a cursor or a page repeats, ColumnsChanged if the columns differ between pages,
 *   TooManyPages
 */
function pageCheck(table: TableCall, maxPages: number): (page: Page) => void {
  const cursors = new Set<string>();
  let previous: Page | undefined;
  let pages = 0;
  return (page) => {
    const fail = (code: CodeOf<"DataError">, what: string): never => {
      throw new DataError(`The pages of ${table.code} ${what} (page ${pages + 1}).`, {
        code,
        hint: "Discard the rows read so far. Start again, or use an export (.export()).",
      });
    };
    if (previous && !sameColumns(previous.columns, page.columns)) fail("ColumnsChanged", "changed their columns");
    if (page.next !== null && cursors.has(page.next)) fail("CursorLoop", "repeat: a cursor was returned twice");
    if (previous?.rows === 0 && page.rows === 0 && page.next !== null) fail("CursorLoop", "are empty but do not end");
    // A selection without the key may legitimately repeat rows; complete rows may not.
    const same = previous !== undefined && page.rows > 0 && previous.digest !== "" && previous.digest === page.digest;
    if (same && !table.select) fail("CursorLoop", "repeat themselves");
    if (++pages >= maxPages && page.next !== null) fail("TooManyPages", `exceed the limit of ${maxPages}`);
    if (page.next !== null) cursors.add(page.next);
    previous = page;
  };
}

function sameColumns(a: readonly ColumnSpec[], b: readonly ColumnSpec[]): boolean {
  return a.length === b.length && a.every(({ name, type }, i) => b[i].name === name && b[i].type === type);
}
