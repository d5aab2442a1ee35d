import type { Table } from "../../columns/arrow/arrow.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { columnType } from "../../columns/arrow/types.js";
import type { LiveHost, LiveView } from "../base/live-view.js";
import { newestOnly } from "../base/newest-only.js";
import { type FindRows, MAX_COLUMNS, type PageRequest, pageReader, pageRequest } from "./explore-rows.js";
import { LIVE_TABLE_MODULE } from "./live-table-module.js";
import { viewPositions } from "./view.js";

export interface LiveTable {
  /** The `id` of the element with the static form. */
  readonly id: string;
  readonly table: Table;
  readonly size: number;
  readonly find: FindRows;
}

/** What the page suggests as a filter, by the kind of a column. */
const EXAMPLES = { number: ">0, 1..9", time: ">=2024-01-01", text: "text, =text" } as const;

/** Opens the live view of a table. Requests that arrive while one is answered replace each other. */
export function openLiveTable(host: LiveHost, { id, table, size, find }: LiveTable): LiveView {
  const { shown } = viewPositions(0, table.schema.fields.length, { maxColumns: MAX_COLUMNS }, 1);
  const specs = columnsOf(table.schema);
  const read = pageReader(table, shown, size, find);
  const requests = newestOnly<PageRequest>((request) => {
    try {
      view.send(read(request));
    } catch (error) {
      console.error(error);
    }
  });
  const view = host.open({
    module: LIVE_TABLE_MODULE,
    state: {
      target: id,
      size,
      total: table.numRows,
      columns: shown.map((at) => {
        const { scale } = columnType(table.schema.fields[at].type);
        return { ...specs[at], numeric: scale === "number", example: EXAMPLES[scale] };
      }),
    },
    onMessage(message) {
      const request = pageRequest(message, shown.length);
      if (request !== undefined) requests.push(request);
    },
    onInterrupt: () => requests.restart(),
  });
  return view;
}
