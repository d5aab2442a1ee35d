import type { Call, EndpointName } from "../../spec/endpoints.js";
import { answerDatabaseBulk, answerDatabaseMetadata } from "./answer-database.js";
import { answerDatasetMetadata, answerSeries } from "./answer-dataset.js";
import { answerExport, answerFileList } from "./answer-export.js";
import { answerDatabaseList, answerDatasetList, answerTableList } from "./answer-list.js";
import { answerPastRows } from "./answer-past-rows.js";
import { answerTableMetadata, answerTableRows } from "./answer-table.js";
import type { Answer } from "./reply.js";
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
  tableFiles: answerFileList,
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
  const [known, code] =
    vendor === undefined ? [store.databases.keys(), database] : [store.tableCodes(), `${vendor}/${table}`];
  // A profile may find codes in any letter case.
  for (const each of known) if (each.toLowerCase() === code?.toLowerCase()) await store.follow(each);
}
