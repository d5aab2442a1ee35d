import { DataError } from "../errors/errors.js";
import type { DatabaseMetadata, DatasetMetadata, TableMetadata } from "./records.js";

/*
 * Lists of codes, page by page: beyond the specification, as observed at services of this kind. JSON only.
 */

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

/** The reply with page `page` of a list, of `perPage` items; pages and items count from 1. */
export function writeListing<L extends ListName>(
  name: L,
  all: readonly ListItems[L][],
  { query, page, perPage }: { readonly query: string; readonly page: number; readonly perPage: number },
): string {
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
  return JSON.stringify({ [name]: items, meta });
}

/**
 * Reads a reply with a page of a list. Of the position only the next page is required, null after the last; some
 * services send no more.
 *
 * @throws {DataError} BadJson, UnexpectedShape
 */
export function readListing<L extends ListName>(
  name: L,
  bytes: Uint8Array,
): { readonly items: readonly ListItems[L][]; readonly next: number | null } {
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
