import { connect, type Service } from "../../src/client/service.js";
import type { ConnectOptions } from "../../src/client/transport/settings.js";
import { columnSpecs } from "../support/column-specs.js";
import { zipBytes } from "../zip/archive.js";
import type { Answer, FaultServer } from "./fault-server.js";

export const json = { "content-type": "application/json" };

export const columns = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(15,4)" });

/** A page of the table with one row. */
export const page = JSON.stringify({
  datatable: { data: [["AAA", "2024-02-29", 1.25]], columns },
  meta: { next_cursor_id: null },
});

/** A table as CSV; another `seed` gives other values of the same length. */
export function csvOf(rows: number, seed = 0): string {
  const lines = ["ticker,date,close\n"];
  for (let i = 0; i < rows; i++) {
    const cents = (Math.imul(i + 1, 2654435761 + seed) >>> 0) % 1_000_000;
    lines.push(
      `T${100 + (i % 400)},20${10 + (i % 10)}-02-1${i % 10},${100 + (cents % 900)}.${1000 + (cents % 9000)}\n`,
    );
  }
  return lines.join("");
}

export const archiveOf = (csv: string): Buffer => zipBytes([{ name: "T.csv", data: csv }]);

/** The metadata of the table, which these columns filter. */
export const metadataFilteredBy = (...filters: readonly string[]): Answer => ({
  headers: json,
  body: JSON.stringify({
    datatable: {
      vendor_code: "V",
      datatable_code: "T",
      name: "t",
      description: null,
      columns,
      filters,
      primary_key: ["ticker", "date"],
      premium: false,
      status: { refreshed_at: null, status: null, expected_at: null, update_frequency: null },
    },
  }),
});

export const metadata: Answer = metadataFilteredBy("ticker", "date");

export const SECRET = "link-secret-0123456789abcdef";

/** The answer of an export call (spec 2.8). */
export function exportAnswer(
  server: FaultServer,
  status = "fresh",
  options: { path?: string | null; snapshot?: string | null; refreshed?: string } = {},
): Answer {
  const {
    path = "/files/T.zip",
    snapshot = "2024-03-01 00:00:00 UTC",
    refreshed = "2024-02-29 00:00:00 UTC",
  } = options;
  const link = path === null ? null : `${server.url}${path}?api_key=${SECRET}`;
  return {
    headers: json,
    body: JSON.stringify({
      datatable_bulk_download: {
        file: { link, status, data_snapshot_time: snapshot },
        datatable: { last_refreshed_time: refreshed },
      },
    }),
  };
}

export const EXPORT = "/api/v3/datatables/V/T.json/";
export const METADATA = "/api/v3/datatables/V/T/metadata";
export const FILE = "/files/T.zip";

let keys = 0;

/** A connection that retries fast and shares its limits with no other; only a test of time limits sets short ones. */
export function serviceOf(server: FaultServer, options: ConnectOptions = {}): Service {
  return connect({
    url: server.url,
    apiKey: `canary-key-0123456789abcdef-${process.pid}-${keys++}`,
    retry: { attempts: 4, pause: 1, maxPause: 2, budget: 2_000 },
    warn: () => undefined,
    ...options,
  });
}
