import type { TableMetadata } from "../../document/records.js";
import { isArrowbookError, TransportError } from "../../errors/errors.js";
import { sleep } from "../../transport/timer.js";
import type { Session } from "../transport/session.js";
import type { Page, TableCall } from "./table-page.js";

/**
 * When the table was last refreshed; null if the service does not say.
 *
 * @throws {ServiceError}, {TransportError} for a temporary failure; the signal's reason on abort
 */
export function refreshedAt(table: TableCall): Promise<string | null> {
  return timeOf(table.fresh());
}

async function timeOf(metadata: Promise<TableMetadata>): Promise<string | null> {
  try {
    return (await metadata).status?.refreshed_at ?? null;
  } catch (error) {
    const isLasting = isArrowbookError(error) && !(error instanceof TransportError) && !error.retry?.retryable;
    if (isLasting) return null;
    throw error;
  }
}

/**
 * Waits until the second of a refresh is over: another refresh within it has the same time, so that what is kept by it
 * would be taken for rows of both.
 */
export async function afterRefresh(time: string | null, signal: AbortSignal | undefined): Promise<void> {
  const rest = time === null ? 0 : Date.parse(time) + 1_000 - Date.now();
  if (rest > 0) await sleep(Math.min(rest, 1_000), signal);
}

/** How long the first page waits for the metadata. */
const WAIT_MS = 1_000;

export interface FirstPage {
  readonly page: Page;
  /** When the table had last been refreshed before it was requested; null if unknown, undefined for a lone page. */
  readonly refreshed?: string | null;
  /** Whether it was requested once more, because that time became known only later. */
  readonly isAgain?: boolean;
}

/**
 * Requests the first page of a result, such that the time of the last refresh is known from before.
 *
 * @param mayBeAlone whether one page is expected to be enough
 */
export async function firstPage(
  { settings }: Session,
  table: TableCall,
  get: () => Promise<Page>,
  isAlone: (page: Page) => boolean,
  mayBeAlone: boolean,
): Promise<FirstPage> {
  // A `fetch` of the caller may reply in an order of its own, as recordings do: it gets the page first.
  const asked = table.refreshed_at !== undefined || mayBeAlone || settings.ownFetch ? undefined : await soon(table);
  const page = await get();
  if (isAlone(page)) return { page };
  // The cache on disk may have metadata from before a refresh.
  const refreshed =
    settings.cache === undefined && asked !== undefined
      ? asked
      : await refreshedAt(table).catch((error: unknown) => {
          if (!isArrowbookError(error)) throw error;
          settings.warn(`${table.code}: a refresh between its pages will not be noticed. ${error.message}`);
          return null;
        });
  const isAgain = refreshed !== null && refreshed !== (asked ?? table.refreshed_at);
  return { page: isAgain ? await get() : page, refreshed, isAgain };
}

/** As {@link refreshedAt}; undefined if it fails or takes long: the first page then reports what is wrong. */
async function soon(table: TableCall): Promise<string | null | undefined> {
  const late = new AbortController();
  const tooLate = sleep(WAIT_MS, late.signal).then(
    () => undefined,
    () => undefined,
  );
  const time = await Promise.race([timeOf(table.metadata()).catch(() => undefined), tooLate]);
  late.abort();
  return time;
}
