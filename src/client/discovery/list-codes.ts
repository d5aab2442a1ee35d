import { type ListItems, type ListName, readListing } from "../../document/listing.js";
import { DataError, InputError, ServiceError } from "../../errors/errors.js";
import { CATALOG_PATH, type CatalogItem, type EndpointName } from "../../spec/endpoints.js";
import { hasExtension } from "../../spec/profile.js";
import { request, requestAt } from "../transport/ask.js";
import type { Session } from "../transport/session.js";

export interface ListOptions {
  /** Only items whose code, name or description contains all of these terms. */
  readonly query?: string;
  /** Only the series of this database. */
  readonly database?: string;
  /** The most items. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

type Kind = CatalogItem["kind"];

const LISTS = {
  database: { endpoint: "databaseList", name: "databases" },
  dataset: { endpoint: "datasetList", name: "datasets" },
  table: { endpoint: "tableList", name: "datatables" },
} as const satisfies Readonly<Record<Kind, { readonly endpoint: EndpointName; readonly name: ListName }>>;

/**
 * Lists codes of some kinds: by the calls of the profile's extension `listings`, or from the list of an embedded
 * service.
 *
 * @throws {InputError} NoCatalog if the service has neither
 */
export async function listCodes(
  session: Session,
  kinds: readonly Kind[],
  options: ListOptions,
): Promise<CatalogItem[]> {
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  if (!hasExtension(session.settings.profile, "listings")) {
    const all = await embeddedCatalog(session, options.signal);
    return all.filter((item) => kinds.includes(item.kind) && matches(item, options)).slice(0, limit);
  }
  const found: CatalogItem[] = [];
  for (const kind of kinds) {
    if (found.length >= limit) break;
    found.push(...(await listKind(session, kind, { ...options, limit: limit - found.length })));
  }
  return found;
}

/** The most items that a service of this kind puts on one page. */
const PAGE = 100;

async function listKind(
  session: Session,
  kind: Kind,
  options: ListOptions & { limit: number },
): Promise<CatalogItem[]> {
  const { endpoint, name } = LISTS[kind];
  const found: CatalogItem[] = [];
  let before = "";
  for (let page = 1; found.length < options.limit; ) {
    const parameters: Record<string, string> = { page: String(page), per_page: String(Math.min(PAGE, options.limit)) };
    if (options.query) parameters["query"] = options.query;
    if (options.database !== undefined) parameters["database_code"] = options.database;
    const call = { endpoint, codes: {}, format: "json", parameters, filters: [] } as const;
    const reply = await request(session, call, options.signal).catch((error: unknown) => {
      // A service of this kind need not list its tables.
      if (kind === "table" && error instanceof ServiceError && isAbsent(error)) return undefined;
      throw error;
    });
    if (reply === undefined) break;
    const { items, next } = readListing(name, reply.bytes);
    found.push(...items.map((item) => itemOf(kind, item)));
    if (next === null || items.length === 0) break;
    const text = JSON.stringify(items);
    const isRepeated = text === before;
    if (next <= page || isRepeated) {
      const what = isRepeated ? "repeats the one before" : `is followed by page ${next}`;
      throw new DataError(`Page ${page} of the list of ${name} ${what}.`, { code: "CursorLoop" });
    }
    page = next;
    before = text;
  }
  return found.slice(0, options.limit);
}

function itemOf(kind: Kind, item: ListItems[ListName]): CatalogItem {
  const codes = item as Partial<Record<"database_code" | "dataset_code" | "vendor_code" | "datatable_code", string>>;
  const code = {
    database: codes.database_code,
    dataset: `${codes.database_code}/${codes.dataset_code}`,
    table: `${codes.vendor_code}/${codes.datatable_code}`,
  }[kind];
  const { name, premium, description } = item;
  return { kind, code: String(code), name, premium, ...(description ? { description } : {}) };
}

async function embeddedCatalog(session: Session, signal: AbortSignal | undefined): Promise<CatalogItem[]> {
  const { url } = session.settings;
  let body: { readonly catalog?: unknown } | null;
  try {
    const { bytes } = await requestAt(session, `${url}${CATALOG_PATH}`, "catalog", "json", signal);
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    const isMissing = cause instanceof ServiceError && !/^QEA/.test(cause.code) && isAbsent(cause);
    if (isMissing || cause instanceof DataError || cause instanceof SyntaxError) throw noCatalog(url, cause);
    throw cause;
  }
  if (!Array.isArray(body?.catalog)) throw noCatalog(url);
  return body.catalog;
}

/** Whether a service refused a path that it does not have. */
const isAbsent = ({ status }: ServiceError): boolean => status === 400 || status === 404 || status === 405;

function noCatalog(url: string, cause?: unknown): InputError {
  return new InputError(`The service at ${url} does not list its codes.`, {
    code: "NoCatalog",
    cause,
    hint: "Look up codes at its provider; metadata() of a database, series or table describes one of them.",
  });
}

function matches(item: CatalogItem, { query = "", database }: ListOptions): boolean {
  if (database !== undefined && !item.code.startsWith(`${database}/`)) return false;
  const text = `${item.code}\n${item.name}\n${item.description ?? ""}`.toLowerCase();
  const terms = query.toLowerCase().split(/\s+/);
  return terms.every((term) => text.includes(term));
}

/**
 * Codes of a kind for the completion of `text`, from one request: all of an embedded service, which lists them at once;
 * the first page of the series of its database, or of the codes that contain it, where the profile has lists.
 *
 * @throws {InputError} NoCatalog if the service does not list its codes
 */
export async function codesFor(
  session: Session,
  kind: CatalogItem["kind"],
  text: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const isPaged = hasExtension(session.settings.profile, "listings");
  const [database, rest] = text.split("/");
  const chosen = kind === "dataset" && rest !== undefined ? { database, query: rest } : { query: text };
  const items = await listCodes(session, [kind], isPaged ? { ...chosen, limit: PAGE, signal } : { signal });
  return items.map(({ code }) => code);
}
