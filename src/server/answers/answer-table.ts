import { cellBatch, cellColumn, tableTexts } from "../../columns/arrow/cell-batch.js";
import type { CellBatch } from "../../document/cells/cell-batch.js";
import type { TableMetadata } from "../../document/records.js";
import type { Allocate } from "../../engine/contract/engine.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Call } from "../../spec/endpoints.js";
import { ALL_ROWS, filterSql, rowOrder, unknownColumn, type Where } from "../data/filter-sql.js";
import type { StoredTable } from "../data/open-table.js";
import { refused } from "../data/refused.js";
import { byCode } from "./by-code.js";
import { needSubscription } from "./keys.js";
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
  const where = filterSql(table.entry, call.filters, profile, state.store.engine.dialect);
  const size = pageSize(call, state);
  const question = JSON.stringify([table.code, table.version, call.filters, chosen]);
  const last = cursorRow(call, question, state);
  const columns = columnSpecs(table, chosen);
  const make = async (signal: AbortSignal, allocate: Allocate) => {
    if (last < 0) await refuseTooMany(table, where, state);
    const { batches, next } = await pageOf(table, { where, chosen, last, size, signal, allocate }, state);
    const cursor = next === undefined ? null : state.cursors.seal(next, question);
    // Empty after the last page, so that a full CSV page is not mistaken for a truncated one.
    const headers = { [profile.cursorHeader.value.toLowerCase()]: cursor ?? "" };
    return { fields: { columns, next_cursor_id: cursor }, rows: { columns, batches }, headers };
  };
  const release = table.hold();
  const reply = { resource: "tableRows", tag: state.cursors.seal(last + 1, question), make } as const;
  return answerReply(call, reply, asker, state).finally(release);
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

/** The row before the page; -1 for the first page. */
function cursorRow(call: Call, question: string, { cursors, profile }: ServiceState): number {
  const cursor = call.parameters["@cursor"];
  if (cursor === undefined) return -1;
  const row = cursors.open(cursor, question);
  if (row !== undefined) return row;
  const why = "it belongs to other filters or columns, or the table has been refreshed";
  throw refused(profile, "QESx06", `The cursor is not valid for this query: ${why}.`);
}

/** Spec 7: a query with too many results. Counted only if the table is large enough for that. */
async function refuseTooMany(
  table: StoredTable,
  where: Where,
  { store, profile, maxResultRows }: ServiceState,
): Promise<void> {
  const ready = await table.ready();
  if (ready.rows <= maxResultRows) return;
  const count = await store.engine.query(`SELECT count(*) AS n FROM ${ready.table} WHERE ${where.sql}`, where.params);
  if (Number(tableTexts(count)[0][0]) <= maxResultRows) return;
  const next = "Apply some filters and try again, or append qopts.export=true.";
  throw refused(profile, "QELx06", `This query would return more than ${maxResultRows} rows. ${next}`);
}

interface Page {
  readonly where: Where;
  readonly chosen: readonly number[];
  /** Number of the row before the page; -1 for the first page. */
  readonly last: number;
  readonly size: number;
  readonly signal: AbortSignal;
  readonly allocate: Allocate;
}

/**
 * One row more than the page is asked for, to know whether another page follows. Without a filter that is a range of
 * row numbers, and the engine reads little else. Otherwise it reads the rows in their order, and stops soon after the
 * limit.
 */
async function pageOf(
  stored: StoredTable,
  { where, chosen, last, size, signal, allocate }: Page,
  { store }: ServiceState,
): Promise<{ batches: CellBatch[]; next: number | undefined }> {
  const { table, column, isNumbered } = await stored.ready();
  const isRange = isNumbered && where.sql === ALL_ROWS;
  const cells = chosen.map(column);
  const { column: number } = store.engine.dialect.rowNumber;
  const order = rowOrder(where, store.engine.dialect);
  const after = last < 0 ? "" : ` AND ${number} > ${last}`;
  const bound = isRange ? ` AND ${number} <= ${last + size + 1}${order}` : `${order} LIMIT ${size + 1}`;
  const list = isRange ? cells : [...cells, number];
  const sql = `SELECT ${list.join(", ")} FROM ${table} WHERE ${where.sql}${after}${bound}`;
  const batches: CellBatch[] = [];
  let left = size;
  let end = last;
  const result = store.engine.batches(sql, where.params, { mostRows: size + 1, allocate });
  for await (const { data, numRows } of result) {
    signal.throwIfAborted();
    if (left === 0) return { batches, next: end };
    const rows = Math.min(left, numRows);
    batches.push(cellBatch(data.children.slice(0, cells.length), rows));
    end = isRange ? end + rows : Number(cellColumn(data.children[cells.length]).text(rows - 1));
    if (rows < numRows) return { batches, next: end };
    left -= rows;
  }
  return { batches, next: undefined };
}

export function columnSpecs(table: StoredTable, chosen: readonly number[]): ColumnSpec[] {
  return chosen.map((i) => table.entry.columns[i]);
}
