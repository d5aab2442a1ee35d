import { archiveOf, json } from "../faults/bulk-fixtures.js";
import { type FaultServer, faultServer } from "../faults/fault-server.js";

/** Cells of a row: ticker, date, close, changed. */
export type Row = readonly [ticker: string | null, date: string, close: string, changed: string];

const COLUMNS = [
  { name: "ticker", type: "String" },
  { name: "date", type: "Date" },
  { name: "close", type: "BigDecimal(15,4)" },
  { name: "changed", type: "Date" },
];

/** A service with the table V/T, whose rows a test replaces. */
export interface ChangingTable {
  readonly server: FaultServer;
  /** Replaces the rows and the refresh time. */
  set(rows: readonly Row[], refreshed: string | null): void;
  /** Requests for rows or exports, so far. */
  rowRequests(): number;
}

/** Serves metadata, pages filtered by `changed.gte`, and exports. */
export async function changingTable(): Promise<ChangingTable> {
  const server = await faultServer();
  let rows: readonly Row[] = [];
  let refreshed: string | null = null;
  let exports = 0;
  server.on("/api/v3/datatables/V/T/metadata", () => ({
    headers: json,
    body: JSON.stringify({
      datatable: {
        vendor_code: "V",
        datatable_code: "T",
        name: "Prices",
        description: null,
        columns: COLUMNS,
        filters: ["ticker", "changed"],
        primary_key: ["ticker", "date"],
        premium: false,
        status: { refreshed_at: refreshed, status: "ON TIME", expected_at: null, update_frequency: "DAILY" },
      },
    }),
  }));
  server.on("/api/v3/datatables/V/T.json", ({ query }) => {
    if (query.get("qopts.export") === "true") {
      const link = `${server.url}/files/${++exports}.zip`;
      const times = { data_snapshot_time: `2024-05-01 00:00:${String(exports % 60).padStart(2, "0")} UTC` };
      const body = {
        datatable_bulk_download: {
          file: { link, status: "fresh", ...times },
          datatable: { last_refreshed_time: "2024-04-30 00:00:00 UTC" },
        },
      };
      return { headers: json, body: JSON.stringify(body) };
    }
    const from = query.get("changed.gte");
    const data = rows
      .filter(([, , , changed]) => from === null || changed >= from)
      .map(([ticker, date, close, changed]) => [ticker, date, Number(close), changed]);
    const body = { datatable: { data, columns: COLUMNS }, meta: { next_cursor_id: null } };
    return { headers: json, body: JSON.stringify(body) };
  });
  server.on("/files/", () => {
    const lines = rows.map(([ticker, ...cells]) => `${[ticker ?? "", ...cells].join(",")}\n`);
    return { body: archiveOf(`ticker,date,close,changed\n${lines.join("")}`) };
  });
  return {
    server,
    set(next, at) {
      rows = next;
      refreshed = at;
    },
    rowRequests: () => server.count("/api/v3/datatables/V/T.json") + server.count("/files/"),
  };
}
