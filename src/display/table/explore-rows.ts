import type { Table } from "../../columns/arrow/arrow.js";
import { takeRows } from "../../columns/table/take.js";
import { viewOf } from "./view.js";

/** Which rows of a table are shown, and in which order. Columns are positions in the table. */
export interface RowQuery {
  readonly filters: ReadonlyMap<number, string>;
  readonly sort?: { readonly column: number; readonly descending: boolean };
}

export interface FoundRows {
  /** Row numbers in order; undefined for all rows in order. */
  readonly rows: Int32Array | undefined;
  readonly numRows: number;
  /** Messages for the filters that could not be applied, by column. */
  readonly faults: ReadonlyMap<number, string>;
  /** The statement that gives these rows of a frame named `frame`; undefined for all rows, and for equal names. */
  readonly code: string | undefined;
}

export type FindRows = (query: RowQuery) => FoundRows;

export interface RowPage {
  readonly kind: "rows";
  readonly seq: number;
  readonly first: number;
  readonly matching: number;
  readonly numbers: readonly number[];
  /** Texts by column; null for null. */
  readonly cells: readonly (readonly (string | null)[])[];
  /** Messages by the position of the shown column. */
  readonly faults: Readonly<Record<string, string>>;
  readonly code: string | null;
}

/** A page of rows as the browser requests it. */
export interface PageRequest {
  readonly seq: number;
  /** The first row of the page among the matching ones. */
  readonly first: number;
  /** One filter for each shown column. */
  readonly filters: readonly string[];
  /** The position of a shown column. */
  readonly sort?: { readonly column: number; readonly descending: boolean };
}

/**
 * Reads pages of a table. The rows of the last query are kept, so that a further page costs no search.
 *
 * @param shown the positions of the columns that are shown
 */
export function pageReader(table: Table, shown: readonly number[], size: number, find: FindRows) {
  let last: { readonly key: string; readonly found: FoundRows } | undefined;
  return ({ seq, first, filters, sort }: PageRequest): RowPage => {
    const key = JSON.stringify([filters, sort]);
    if (last?.key !== key) last = { key, found: find(queryOf(shown, filters, sort)) };
    const { rows, numRows, faults, code = null } = last.found;
    const from = Math.max(0, Math.min(first, Math.floor(Math.max(0, numRows - 1) / size) * size));
    const count = Math.max(0, Math.min(size, numRows - from));
    const numbers = rows?.slice(from, from + count) ?? Int32Array.from({ length: count }, (_, i) => from + i);
    const view = viewOf(takeRows(table, numbers), { maxRows: size, maxColumns: MAX_COLUMNS, digits: "full" }, 1);
    return {
      kind: "rows",
      seq,
      first: from,
      matching: numRows,
      numbers: [...numbers],
      cells: view.columns.map(({ cells }) => cells.map(({ text }) => shortCell(text))),
      faults: Object.fromEntries([...faults].map(([at, message]) => [shown.indexOf(at), message])),
      code,
    };
  };
}

function queryOf(shown: readonly number[], filters: readonly string[], sort: PageRequest["sort"]): RowQuery {
  const used = filters.map((text, i): [number, string] => [shown[i], text]).filter(([, text]) => text.trim() !== "");
  return {
    filters: new Map(used),
    ...(sort !== undefined && { sort: { column: shown[sort.column], descending: sort.descending } }),
  };
}

/** The request in a message of the page; undefined if it is malformed. */
export function pageRequest(message: unknown, columns: number): PageRequest | undefined {
  const { kind, seq, first, filters, sort } = (message ?? {}) as Readonly<Record<string, unknown>>;
  if (kind !== "page" || !isCount(seq) || !isCount(first)) return undefined;
  if (!Array.isArray(filters) || filters.length !== columns) return undefined;
  if (!filters.every((text) => typeof text === "string")) return undefined;
  const { column, descending } = (sort ?? {}) as Readonly<Record<string, unknown>>;
  const isSorted = isCount(column) && column < columns;
  return { seq, first, filters, ...(isSorted && { sort: { column, descending: descending === true } }) };
}

/** The positions of the shown columns whose summaries a message of the page requests; undefined if it is malformed. */
export function summaryRequest(message: unknown, columns: number): readonly number[] | undefined {
  const { kind, columns: wanted } = (message ?? {}) as Readonly<Record<string, unknown>>;
  if (kind !== "summary" || !Array.isArray(wanted)) return undefined;
  return wanted.every((at) => isCount(at) && at < columns) ? wanted : undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export const MAX_COLUMNS = 50;

const LONGEST_CELL = 500;

export const shortCell = (text: string | null): string | null => text?.slice(0, LONGEST_CELL) ?? null;
