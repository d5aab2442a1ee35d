import { cellBatch, tableTexts } from "../../columns/arrow/cell-batch.js";
import type { CellBatch } from "../../document/cells/cell-batch.js";
import type { TableMetadata } from "../../document/records.js";
import type { Allocate } from "../../engine/contract/engine.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Call } from "../../spec/endpoints.js";
import type { Profile } from "../../spec/profile.js";
import { filterSql, unknownColumn, type Where } from "../data/filter-sql.js";
import type { StoredTable } from "../data/open-table.js";
import { type Refused, refused } from "../data/refused.js";
import { byCode } from "./by-code.js";
import { needSubscription } from "./keys.js";
import { type PageRows, pageQuery } from "./page-query.js";
import { type Answer, answerFields, answerReply } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";

export function tableOf(call: Call, { store, profile }: ServiceState): StoredTable {
  const code = `${call.codes["vendor_code"]}/${call.codes["datatable_code"]}`;
  return byCode(store.tables, code, { kinds: "tables", subject: "The following datatable" }, profile);
}

/** Spec 4.8. */
export function answerTableMetadata(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const { entry, refreshedAt } = tableOf(call, state);
  const fields: TableMetadata = { ...entry, status: { ...entry.status, refreshed_at: refreshedAt } };
  return answerFields("tableMetadata", fields, call, asker, state);
}

/** The columns selected by `qopts.columns`, in that order; all without it (spec 4.7). */
export function chosenColumns(call: Call, table: StoredTable, { profile }: ServiceState): number[] {
  const { columns } = table.entry;
  const list = call.parameters["qopts.columns"];
  if (list === undefined) return columns.map((_, i) => i);
  const chosen = list.split(",").map((name) => {
    const index = columns.findIndex((column) => column.name === name);
    if (index < 0) throw unknownColumn(profile, name, columns);
    return index;
  });
  const twice = chosen.find((index, i) => chosen.indexOf(index) !== i);
  if (twice !== undefined) throw refused(profile, "QESx04", `qopts.columns names ${columns[twice].name} twice.`);
  return chosen;
}

/** Spec 4.7: at most 10,000 rows, and a cursor if there are more. */
export function answerTableRows(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const table = tableOf(call, state);
  const { profile } = state;
  if (table.entry.premium) needSubscription(asker.subscriber, table.code, "view this datatable", profile);
  const chosen = chosenColumns(call, table, state);
  const where = filterSql(table.entry, call.filters, profile, state.store.engine.dialect, table.compared);
  const size = pageSize(call, state);
  const question = JSON.stringify([table.code, table.seek?.identity ?? table.version, call.filters, chosen]);
  const last = lastPosition(call, question, state);
  const columns = columnSpecs(table, chosen);
  const make = async (signal: AbortSignal, allocate: Allocate) => {
    if (last === undefined) await refuseTooMany(table, where, state);
    const page = { where, chosen, last, size, signal, allocate };
    const { batches, next } = await untilChanged(table, last, () => pageOf(table, page, state), state);
    const cursor = next === undefined ? null : state.cursors.seal(next, question);
    // Empty after the last page, so that a full CSV page is not mistaken for a truncated one.
    const headers = { [profile.cursorHeader.value.toLowerCase()]: cursor ?? "" };
    return { fields: { columns, next_cursor_id: cursor }, rows: { columns, batches }, headers };
  };
  const release = table.hold();
  const tag = state.cursors.seal(last ?? table.version, question);
  return answerReply(call, { resource: "tableRows", tag, make }, asker, state).finally(release);
}

function pageSize(call: Call, { profile }: ServiceState): number {
  const most = profile.maxRowsPerReply.value;
  const given = call.parameters["@pageSize"];
  if (given === undefined) return most;
  const size = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (size >= 1 && size <= most) return size;
  const name = profile.pageSizeParameter.value;
  const what = `${name} ${JSON.stringify(given.slice(0, 80))}`;
  throw refused(profile, "QESx04", `${what} is not a whole number from 1 to ${most}.`);
}

/** The position of the row before the page; undefined for the first page. */
function lastPosition(call: Call, question: string, { cursors, profile }: ServiceState): string | undefined {
  const cursor = call.parameters["@cursor"];
  if (cursor === undefined) return undefined;
  const position = cursors.open(cursor, question);
  if (position !== undefined) return position;
  throw cursorRefused(profile, "it belongs to other filters or columns, or the table has been refreshed");
}

const cursorRefused = (profile: Profile, why: string): Refused =>
  refused(profile, "QESx06", `The cursor is not valid for this query: ${why}.`);

/** A page after the first that `read` reads from a table that others change must be of the state of the first. */
async function untilChanged<T>(
  { seek }: StoredTable,
  last: string | undefined,
  read: () => Promise<T>,
  { profile }: ServiceState,
): Promise<T> {
  if (seek === undefined || last === undefined) return read();
  const page = await read().catch((error: unknown) => ({ error }));
  if (!(await seek.isCurrent())) throw cursorRefused(profile, "the table has changed");
  if (typeof page === "object" && page !== null && "error" in page) throw page.error;
  return page as T;
}

/** Spec 7: a query with too many results. Counted only if the table is large enough for that. */
async function refuseTooMany(
  table: StoredTable,
  where: Where,
  { store, profile, maxResultRows }: ServiceState,
): Promise<void> {
  const ready = await table.ready();
  if (ready.rows <= maxResultRows) return;
  const count = await store.engine.query(
    `SELECT count(*) AS n FROM ${ready.table} WHERE ${rowCondition(ready, where)}`,
    where.params,
  );
  if (Number(tableTexts(count)[0][0]) <= maxResultRows) return;
  const next = "Apply some filters and try again, or append qopts.export=true.";
  throw refused(profile, "QELx06", `This query would return more than ${maxResultRows} rows. ${next}`);
}

/** The condition of the rows that a query reads. */
export const rowCondition = ({ within }: { readonly within?: string }, where: Where): string =>
  within === undefined ? where.sql : `${where.sql} AND ${within}`;

interface Page extends PageRows {
  readonly signal: AbortSignal;
  readonly allocate: Allocate;
}

async function pageOf(
  stored: StoredTable,
  { signal, allocate, ...page }: Page,
  { store }: ServiceState,
): Promise<{ batches: CellBatch[]; next: string | undefined }> {
  const { chosen, size } = page;
  const { sql, params, check, position } = await pageQuery(stored, page, store.engine.dialect);
  const batches: CellBatch[] = [];
  let left = size;
  let end: string | undefined;
  const result = store.engine.batches(sql, params, { mostRows: size + 1, allocate });
  for await (const { data, numRows } of result) {
    signal.throwIfAborted();
    const further = data.children.slice(chosen.length);
    check?.(further, numRows);
    if (left === 0) return { batches, next: end };
    const rows = Math.min(left, numRows);
    batches.push(cellBatch(data.children.slice(0, chosen.length), rows));
    end = position(further, rows - 1, size - left);
    if (rows < numRows) return { batches, next: end };
    left -= rows;
  }
  return { batches, next: undefined };
}

export function columnSpecs(table: StoredTable, chosen: readonly number[]): ColumnSpec[] {
  return chosen.map((i) => table.entry.columns[i]);
}
