import type { Call, EndpointName } from "../../spec/endpoints.js";
import { answerDatabaseBulk, answerDatabaseMetadata } from "./answer-database.js";
import { answerDatasetMetadata, answerSeries } from "./answer-dataset.js";
import { answerExport } from "./answer-export.js";
import { answerDatabaseList, answerDatasetList, answerTableList } from "./answer-list.js";
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
  tableRows: answerTableRows,
};

/**
 * Handles a call (spec 4), independent of any socket.
 *
 * @throws {Refused} for a call that the service rejects (spec 7)
 */
export function answer(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  return handlers[call.endpoint](call, asker, state);
}
