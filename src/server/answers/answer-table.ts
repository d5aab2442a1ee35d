import { cellTexts } from "../../columns/arrow/to-text-rows.js";
import type { TableMetadata } from "../../document/records.js";
import { suggestion } from "../../errors/nearest.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Call } from "../../spec/endpoints.js";
import { filterSql, unknownColumn, type Where } from "../data/filter-sql.js";
import { refused } from "../data/refused.js";
import { type StoredTable, texts } from "../data/store.js";
import { needSubscription } from "./keys.js";
import { type Answer, answerReply } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";
import { slices } from "./slices.js";

/** The table of a call; refuses an unknown code. */
export function tableOf(call: Call, { store, profile }: ServiceState): StoredTable {
  const code = `${call.codes["vendor_code"]}/${call.codes["datatable_code"]}`;
  const table = store.tables.get(code);
  if (table !== undefined) return table;
  const known = suggestion(code, [...store.tables.keys()], "tables");
  throw refused(profile, "QECx02", `The following datatable ${JSON.stringify(code)} does not exist. ${known}`);
}

/** Spec 4.8. */
export function answerTableMetadata(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const { entry, refreshedAt } = tableOf(call, state);
  const fields: TableMetadata = {
    vendor_code: entry.vendor_code,
    datatable_code: entry.datatable_code,
    name: entry.name,
    description: entry.description,
    columns: entry.columns,
    filters: entry.filters,
    primary_key: entry.primary_key,
    premium: entry.premium,
    status: { ...entry.status, refreshed_at: refreshedAt },
  };
  const reply = { resource: "tableMetadata", tag: JSON.stringify(fields), make: async () => ({ fields }) } as const;
  return answerReply(call, reply, asker.ifNoneMatch, state);
}

/** Numbers of the columns asked for by `qopts.columns`, in that order; all where it is left out (spec 4.7). */
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

/** Spec 4.7: at most 10,000 rows, and a cursor where there are more. */
export function answerTableRows(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const table = tableOf(call, state);
  const { profile } = state;
  if (table.entry.premium) needSubscription(asker.subscriber, table.code, "view this datatable", profile);
  const chosen = chosenColumns(call, table, state);
  const where = filterSql(table.entry, call.filters, profile);
  const size = pageSize(call, state);
  const question = JSON.stringify([table.code, table.version, call.filters, chosen]);
  const after = cursorRow(call, question, state);
  const columns = chosen.map((i) => table.entry.columns[i]);
  const make = async () => {
    if (after < 0) await refuseTooMany(table, where, state);
    const { rows, last } = await pageOf(table, { where, chosen, after, size }, state);
    const next = last === undefined ? null : state.cursors.seal(last, question);
    // Empty after the last page, so that a full CSV page is not taken for a cut one.
    const headers = { [profile.cursorHeader.value.toLowerCase()]: next ?? "" };
    return { fields: { columns, next_cursor_id: next }, rows: { columns, rows }, headers };
  };
  return answerReply(
    call,
    { resource: "tableRows", tag: state.cursors.seal(after + 1, question), make },
    asker.ifNoneMatch,
    state,
  );
}

function pageSize(call: Call, { profile }: ServiceState): number {
  const most = profile.maxRowsPerReply.value;
  const given = call.parameters["@pageSize"];
  if (given === undefined) return most;
  const size = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (size >= 1 && size <= most) return size;
  const name = profile.pageSizeParameter.value;
  throw refused(
    profile,
    "QESx04",
    `${name} ${JSON.stringify(given.slice(0, 80))} is not a whole number from 1 to ${most}.`,
  );
}

/** The row after which the page begins; -1 for the first page. */
function cursorRow(call: Call, question: string, { cursors, profile }: ServiceState): number {
  const cursor = call.parameters["@cursor"];
  if (cursor === undefined) return -1;
  const row = cursors.open(cursor, question);
  if (row !== undefined) return row;
  throw refused(
    profile,
    "QESx06",
    "The cursor is not valid for this query: it belongs to other filters or columns, or the table has been refreshed.",
  );
}

/** Spec 7: a query that would return too many results. Counted only where a table is large enough for that. */
async function refuseTooMany(
  table: StoredTable,
  where: Where,
  { store, profile, maxResultRows }: ServiceState,
): Promise<void> {
  if ((await table.ready()).rows <= maxResultRows) return;
  const count = await store.engine.query(`SELECT count(*) FROM ${table.table} WHERE ${where.sql}`, where.params);
  if (Number(texts(count)[0][0]) <= maxResultRows) return;
  throw refused(
    profile,
    "QELx06",
    `This query would return more than ${maxResultRows} rows. Apply some filters and try again, or append qopts.export=true.`,
  );
}

/** Rows that are read between two looks at the clock. */
const ROWS_PER_STEP = 256;

interface Page {
  readonly where: Where;
  readonly chosen: readonly number[];
  readonly after: number;
  readonly size: number;
}

/**
 * One row more than the page is asked for, to know whether another page follows. The engine keeps the order of a table
 * where nothing sorts it, and stops reading at the limit; sorting by `rowid` would read the whole table for each page.
 */
async function pageOf(
  table: StoredTable,
  { where, chosen, after, size }: Page,
  { store }: ServiceState,
): Promise<{ rows: (string | null)[][]; last: number | undefined }> {
  const { column } = await table.ready();
  const list = chosen.map((i) => `, ${column(i)}`).join("");
  const from = after < 0 ? "" : ` AND rowid > ${after}`;
  const sql = `SELECT rowid${list} FROM ${table.table} WHERE ${where.sql}${from} LIMIT ${size + 1}`;
  const rows: (string | null)[][] = [];
  const numbers: (string | null)[] = [];
  const slice = slices();
  for await (const batch of store.engine.batches(sql, where.params)) {
    for (const [number, ...cells] of cellTexts(batch)) {
      numbers.push(number);
      rows.push(cells);
      if (rows.length % ROWS_PER_STEP === 0) await slice.pause();
    }
  }
  const last = rows.length > size ? Number(numbers[size - 1]) : undefined;
  return { rows: rows.slice(0, size), last };
}

/** The columns of an answer, as the service declares them. */
export function columnSpecs(table: StoredTable, chosen: readonly number[]): ColumnSpec[] {
  return chosen.map((i) => table.entry.columns[i]);
}
