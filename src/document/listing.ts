import { DataError } from "../errors/errors.js";
import type { DatabaseMetadata, DatasetMetadata, TableMetadata } from "./records.js";

/** A page of a list of codes: beyond the specification, as observed at services of this kind. JSON only. */
export interface Listing<L extends ListName = ListName> {
  readonly items: readonly ListItems[L][];
  readonly meta: ListingMeta;
}

/** An item of each list: metadata, for tables without their columns. */
export interface ListItems {
  readonly databases: DatabaseMetadata;
  readonly datasets: DatasetMetadata;
  readonly datatables: Pick<
    TableMetadata,
    "vendor_code" | "datatable_code" | "name" | "description" | "premium" | "status"
  >;
}

/** The names of the lists, which are their paths and the members of their replies. */
export type ListName = keyof ListItems;

/** The position of a page in its list; pages and items count from 1. */
interface ListingMeta {
  readonly query: string;
  readonly per_page: number;
  readonly current_page: number;
  readonly prev_page: number | null;
  readonly total_pages: number;
  readonly total_count: number;
  readonly next_page: number | null;
  readonly current_first_item: number | null;
  readonly current_last_item: number | null;
}

/** The part of `all` that is page `page` of `perPage` items. */
export function listingPage<L extends ListName>(
  all: readonly ListItems[L][],
  { query, page, perPage }: { readonly query: string; readonly page: number; readonly perPage: number },
): Listing<L> {
  const from = (page - 1) * perPage;
  const items = all.slice(from, from + perPage);
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  const meta = {
    query,
    per_page: perPage,
    current_page: page,
    prev_page: page > 1 ? page - 1 : null,
    total_pages: pages,
    total_count: all.length,
    next_page: page < pages ? page + 1 : null,
    current_first_item: items.length > 0 ? from + 1 : null,
    current_last_item: items.length > 0 ? from + items.length : null,
  };
  return { items, meta };
}

/** The reply with a page of a list. */
export function writeListing<L extends ListName>(name: L, { items, meta }: Listing<L>): string {
  return JSON.stringify({ [name]: items, meta });
}

/**
 * Reads a reply with a page of a list. Of the position only the next page is required; some services send no more.
 *
 * @throws {DataError} BadJson, UnexpectedShape
 */
export function readListing<L extends ListName>(name: L, bytes: Uint8Array): Pick<Listing<L>, "items"> & NextPage {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new DataError(`The list of ${name} is not valid JSON.`, { code: "BadJson", cause });
  }
  const items = memberOf(body, name);
  if (!Array.isArray(items) || !items.every((item) => typeof item === "object" && item !== null)) {
    throw unexpected(`${name} is not an array of objects`);
  }
  const next = memberOf(memberOf(body, "meta"), "next_page") ?? null;
  if (next !== null && !(Number.isSafeInteger(next) && Number(next) > 0)) {
    throw unexpected(`meta.next_page is ${JSON.stringify(next)}, not a page number or null`);
  }
  return { items, next: next === null ? null : Number(next) };
}

interface NextPage {
  /** The number of the next page; null after the last. */
  readonly next: number | null;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function unexpected(what: string): DataError {
  return new DataError(`The list of codes has an unexpected shape: ${what}.`, {
    code: "UnexpectedShape",
    hint: "Check the address, and whether the profile's service lists its codes.",
  });
}
