import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { ExportStatus } from "../../document/records.js";
import type { Call } from "../../spec/endpoints.js";
import { filterSql } from "../data/filter-sql.js";
import type { StoredTable } from "../data/open-table.js";
import { fileLink } from "./answer-file.js";
import { answerJson } from "./answer-list.js";
import { chosenColumns, columnSpecs, rowCondition, tableOf } from "./answer-table.js";
import type { FileOrder } from "./exports.js";
import { needSubscription } from "./keys.js";
import { pageOrder } from "./page-query.js";
import { type Answer, answerReply } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";

/** Spec 4.9: subscribers only. */
export async function answerExport(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const table = tableOf(call, state);
  const { profile } = state;
  needSubscription(asker.subscriber, table.code, `export ${table.code}`, profile);
  const { status, file } = await state.files.order(exportOrder(call, table, state), asker.subscriber.id);
  const link = file && fileLink(file, `${table.code.replace("/", "_")}.zip`, asker, state);
  const fields: ExportStatus = {
    file: { link: link ?? null, status, data_snapshot_time: file?.snapshotTime ?? null },
    datatable: { last_refreshed_time: table.refreshedAt },
  };
  return answerReply(call, { resource: "tableExport", make: async () => ({ fields }) }, asker, state);
}

/** The most files of a list that are made at once. */
const MOST_AT_ONCE = 4;

/** The rows of a table as Parquet files of one version, and how far they are: extension `fileLists`. */
export async function answerFileList(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const table = tableOf(call, state);
  const { profile, files } = state;
  const { pending, done, rowsPerFile } = profile.fileLists.value;
  needSubscription(asker.subscriber, table.code, `export ${table.code}`, profile);
  const listed: { readonly url: string; readonly size: number }[] = [];
  // All files are of these rows, also if a refresh replaces them meanwhile.
  const release = table.hold();
  let count: number;
  try {
    const { rows, isNumbered } = await table.ready();
    const isDivided = isNumbered && call.filters.length === 0;
    count = isDivided ? Math.max(1, Math.ceil(rows / rowsPerFile)) : 1;
    for (let part = 0, making = 0; part < count && making < MOST_AT_ONCE; part++) {
      const order = exportOrder(call, table, state, isDivided ? { part, rowsPerFile } : undefined);
      // One list is one export of the hour.
      const of = { ...order, question: `${order.question} ${order.version} ${part}`, format: "parquet" } as const;
      const { file } = await files.order(of, part === 0 ? asker.subscriber.id : undefined);
      const name = `${table.code.replace("/", "_")}-${String(part + 1).padStart(4, "0")}.parquet`;
      if (file === undefined) making++;
      else listed.push({ url: fileLink(file, name, asker, state), size: file.bytes });
    }
  } finally {
    release();
  }
  const isDone = listed.length === count;
  const list = { status: isDone ? done : pending[0], files: isDone ? listed : [], errors: [] };
  return answerJson({ bulk_download: list }, asker.coding);
}

/** A part of the rows, counted from 0. */
interface Part {
  readonly part: number;
  readonly rowsPerFile: number;
}

function exportOrder(call: Call, table: StoredTable, state: ServiceState, divided?: Part): FileOrder {
  const { engine } = state.store;
  const { dialect } = engine;
  const chosen = chosenColumns(call, table, state);
  const where = filterSql(table.entry, call.filters, state.profile, dialect, table.compared);
  async function* batches(): AsyncGenerator<RecordBatch> {
    const ready = await table.ready();
    const { column: number } = dialect.rowNumber;
    const from = divided && divided.part * divided.rowsPerFile;
    const part = divided && ` AND ${number} >= ${from} AND ${number} < ${Number(from) + divided.rowsPerFile}`;
    const rows = `${ready.table} WHERE ${rowCondition(ready, where)}${part ?? ""}${pageOrder(table, where, dialect)}`;
    const sql = `SELECT ${chosen.map(ready.column).join(", ")} FROM ${rows}`;
    yield* engine.batches(sql, where.params);
  }
  return {
    question: JSON.stringify([table.code, call.filters, chosen]),
    code: table.code,
    version: table.version,
    name: `${table.code.replace("/", "_")}.csv`,
    rows: () => ({ columns: columnSpecs(table, chosen), batches: batches(), release: table.hold() }),
  };
}
