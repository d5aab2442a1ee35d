import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { ExportStatus } from "../../document/records.js";
import type { Call, EndpointName } from "../../spec/endpoints.js";
import { filterSql, rowOrder } from "../data/filter-sql.js";
import { answerDatabaseBulk, answerDatabaseMetadata } from "./answer-database.js";
import { answerDatasetMetadata, answerSeries } from "./answer-dataset.js";
import { fileLink } from "./answer-file.js";
import { answerDatabaseList, answerDatasetList, answerTableList } from "./answer-list.js";
import { answerPastRows } from "./answer-past-rows.js";
import { answerTableMetadata, answerTableRows, chosenColumns, columnSpecs, tableOf } from "./answer-table.js";
import type { FileOrder } from "./exports.js";
import { needSubscription } from "./keys.js";
import { type Answer, answerReply } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";

type Handler = (call: Call, asker: Asker, state: ServiceState) => Promise<Answer>;

const handlers: Readonly<Record<EndpointName, Handler>> = {
  datasetList: answerDatasetList,
  databaseList: answerDatabaseList,
  tableList: answerTableList,
  datasetData: answerSeries,
  datasetMetadata: answerDatasetMetadata,
  dataset: answerSeries,
  databaseBulk: answerDatabaseBulk,
  databaseMetadata: answerDatabaseMetadata,
  tableMetadata: answerTableMetadata,
  tableExport: answerExport,
  tableRows: answerTableRows,
  pastRows: answerPastRows,
  pastRowsThrough: answerPastRows,
  pastRowsUntil: answerPastRows,
};

/**
 * Handles a call (spec 4), independent of any socket.
 *
 * @throws {Refused} for a call that the service rejects (spec 7)
 */
export async function answer(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  if (state.store.engine.dialect.isShared) await followOthers(call, state);
  return handlers[call.endpoint](call, asker, state);
}

/** Opens what another service on the same engine has loaded since, before rows of the call's code are read. */
async function followOthers({ codes }: Call, { store }: ServiceState): Promise<void> {
  const { vendor_code: vendor, datatable_code: table, database_code: database } = codes;
  const [known, code] = vendor === undefined ? [store.databases, database] : [store.tables, `${vendor}/${table}`];
  if (code === undefined) return;
  if (known.has(code)) return store.follow(code);
  // A profile may find codes in any letter case.
  for (const each of known.keys()) if (each.toLowerCase() === code.toLowerCase()) await store.follow(each);
}

/** Spec 4.9: subscribers only. */
async function answerExport(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const table = tableOf(call, state);
  const { profile } = state;
  needSubscription(asker.subscriber, table.code, `export ${table.code}`, profile);
  const { status, file } = await state.files.order(exportOrder(call, state), asker.subscriber.id);
  const link = file && fileLink(file, `${table.code.replace("/", "_")}.zip`, asker, state);
  const fields: ExportStatus = {
    file: { link: link ?? null, status, data_snapshot_time: file?.snapshotTime ?? null },
    datatable: { last_refreshed_time: table.refreshedAt },
  };
  return answerReply(call, { resource: "tableExport", make: async () => ({ fields }) }, asker, state);
}

function exportOrder(call: Call, state: ServiceState): FileOrder {
  const { engine } = state.store;
  const { dialect } = engine;
  const table = tableOf(call, state);
  const chosen = chosenColumns(call, table, state);
  const where = filterSql(table.entry, call.filters, state.profile, dialect);
  async function* batches(): AsyncGenerator<RecordBatch> {
    const ready = await table.ready();
    const sql = `SELECT ${chosen.map(ready.column).join(", ")} FROM ${ready.table} WHERE ${where.sql}${rowOrder(where, dialect)}`;
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
