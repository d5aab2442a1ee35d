import { follow } from "../../display/progress/follow.js";
import { DataError, ServiceError } from "../../errors/errors.js";
import type { Call, Filter } from "../../spec/endpoints.js";
import { address } from "../transport/address.js";
import type { Settings } from "../transport/options.js";
import { reportingTo, type Session } from "../transport/request.js";
import { pageCheck } from "./page-check.js";
import { splitFilters } from "./split-filters.js";
import { type Page, type PageOptions, pageOf, type TableCall } from "./table-page.js";

/**
 * All pages of a query in order; each is requested while the previous one is in use. A query whose list of values is
 * too long for one address is sent in parts.
 *
 * @throws {DataError} CursorLoop if a cursor or a page repeats, ColumnsChanged if the columns differ between pages,
 *   TooManyPages, TableRefreshed if the table was refreshed in the meantime; warns if the last page may be capped
 */
export async function* pagesOf(
  session: Session,
  table: TableCall,
  options: PageOptions,
): AsyncGenerator<Page & { readonly isLast: boolean }> {
  const parts = partsOf(session, table);
  let refreshed: Promise<string | null> | undefined;
  const { tell, end } = follow(session.settings.onProgress);
  let { schema } = options;
  let rows = 0;
  let bytes = 0;
  let pages = 0;
  try {
    for (const [i, filters] of parts.entries()) {
      const place = { page: pages + 1, firstRow: (options.firstRow ?? 0) + rows };
      const part = { ...table, filters };
      for await (const page of partPages(reportingTo(session, tell), part, { ...options, schema, ...place })) {
        schema ??= page.batches[0]?.schema;
        pages++;
        rows += page.rows;
        bytes += page.bytes;
        const isLast = page.next === null && i === parts.length - 1;
        if (!isLast) refreshed ??= refreshedAt(table);
        tell({ phase: "rows", code: table.code, rows, bytes, done: isLast });
        yield { ...page, isLast };
      }
    }
    const before = await refreshed;
    if (before && before !== (await refreshedAt(table))) {
      throw tableRefreshed(`${table.code} was refreshed while its pages were read.`);
    }
  } finally {
    end();
  }
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
  const { maxQueryLength } = settings.profile;
  const lengthOf = (filters: readonly Filter[]): number => queryLength(settings, table, filters);
  return splitFilters(table.filters, lengthOf, maxQueryLength.value - RESERVED);
}

/**
 * The filters of an export of a query: without the longest ones where the address would be too long for the service
 * (spec 7: "filter locally").
 */
export function exportFilters({ settings }: Session, table: TableCall): readonly Filter[] {
  let filters = table.filters;
  while (
    filters.length > 0 &&
    queryLength(settings, table, filters) > settings.profile.maxQueryLength.value - RESERVED
  ) {
    const longest = filters.reduce((best, each) => (lengthOf(each) > lengthOf(best) ? each : best));
    filters = filters.filter((each) => each !== longest);
  }
  return filters;
}

const lengthOf = ({ values }: Filter): number => values.join(",").length;

function queryLength({ profile, url }: Settings, table: TableCall, filters: readonly Filter[]): number {
  const parameters: Record<string, string> = table.select ? { "qopts.columns": table.select.join(",") } : {};
  const call: Call = { endpoint: "tableRows", codes: table.codes, format: table.format, parameters, filters };
  return address(call, url, profile).split("?")[1]?.length ?? 0;
}

/** The pages of one part, from cursor to cursor. */
async function* partPages(session: Session, table: TableCall, options: PageOptions): AsyncGenerator<Page> {
  const { settings } = session;
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  let schema = options.schema;
  let rows = options.firstRow ?? 0;
  let number = options.page ?? 1;
  const get = (cursor: string | null): Promise<Page> =>
    pageOf(session, table, cursor, { ...options, schema, signal, page: number++, firstRow: rows });
  const check = pageCheck(table, settings.limits.pages);
  try {
    for (let page = await get(null); ; ) {
      check(page);
      schema ??= page.batches[0]?.schema;
      rows += page.rows;
      if (page.capped) warnCapped(session, table.code, page.rows);
      const { next } = page;
      const isEnough = options.enough !== undefined && rows >= options.enough;
      const following = next === null || isEnough ? undefined : get(next);
      following?.catch(() => undefined);
      yield page;
      if (next === null) break;
      page = await (following ?? get(next)).catch((error: unknown) => {
        // The service sent this cursor itself, and no longer accepts it.
        if (!(error instanceof ServiceError) || error.code !== "QESx06") throw error;
        throw tableRefreshed(`The cursor of page ${number - 1} of ${table.code} is no longer valid.`, error);
      });
    }
  } finally {
    stop.abort();
  }
}

function warnCapped(session: Session, code: string, rows: number): void {
  session.settings.warn(
    `${code}: the reply has exactly ${rows} rows, the most that one reply can have, and no cursor: rows may be missing. An export (.export()) is complete.`,
  );
}

/** When the table was last refreshed; null if it is unknown or cannot be requested. */
async function refreshedAt(table: TableCall): Promise<string | null> {
  try {
    return (await table.fresh()).status?.refreshed_at ?? null;
  } catch {
    return null;
  }
}
