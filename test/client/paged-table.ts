import { json } from "../faults/bulk-fixtures.js";
import { type FaultServer, faultServer, type Step } from "../faults/fault-server.js";

const COLUMNS = [
  { name: "ticker", type: "String" },
  { name: "id", type: "Integer" },
  { name: "price", type: "BigDecimal(15,4)" },
  { name: "day", type: "Date" },
] as const;

export type Row = readonly [ticker: string | null, id: number, price: number | null, day: string];

/** A service with the table V/T in pages, by cursors that a test can let expire. */
export interface PagedTable {
  readonly server: FaultServer;
  /** Rows per page. */
  pageRows: number;
  rows: readonly Row[];
  refreshed: string | null;
  /** No cursor is accepted any more. */
  expired: boolean;
  /** Called with the number of each request for rows, from 1. */
  onRows: (request: number) => void;
  /** Another reply to a request for metadata, if any. */
  onMetadata: () => Step | undefined;
  /** Requests for rows so far. */
  requests(): number;
}

export const rowsOf = (count: number, version = 1): Row[] =>
  Array.from({ length: count }, (_, i) => [
    i % 7 === 3 ? null : `T${i % 5}`,
    i,
    i % 11 === 5 ? null : i * version + 0.25,
    `2024-01-${String((i % 28) + 1).padStart(2, "0")}`,
  ]);

const ROWS = "/api/v3/datatables/V/T.json";

export async function pagedTable(): Promise<PagedTable> {
  const server = await faultServer();
  const table: PagedTable = {
    server,
    pageRows: 10,
    rows: rowsOf(35),
    refreshed: "2024-03-01T00:00:00.000Z",
    expired: false,
    onRows: () => undefined,
    onMetadata: () => undefined,
    requests: () => server.count(ROWS),
  };
  const metadata = (): Step => ({
    headers: json,
    body: JSON.stringify({
      datatable: {
        vendor_code: "V",
        datatable_code: "T",
        name: "Rows",
        description: null,
        columns: COLUMNS,
        filters: ["ticker", "id"],
        primary_key: ["id"],
        premium: false,
        status: { refreshed_at: table.refreshed, status: "ON TIME", expected_at: null, update_frequency: "DAILY" },
      },
    }),
  });
  server.on("/api/v3/datatables/V/T/metadata", () => table.onMetadata() ?? metadata());
  server.on(ROWS, ({ query }) => {
    table.onRows(table.requests());
    const cursor = query.get("qopts.cursor_id");
    if (cursor !== null && table.expired) {
      return { status: 400, headers: json, body: JSON.stringify({ quandl_error: { code: "QESx06", message: "old" } }) };
    }
    const from = cursor === null ? 0 : Number(cursor.slice(1));
    const end = from + table.pageRows;
    const next_cursor_id = end < table.rows.length ? `c${end}` : null;
    const data = table.rows.slice(from, end);
    return {
      headers: json,
      body: JSON.stringify({ datatable: { data, columns: COLUMNS }, meta: { next_cursor_id } }),
    };
  });
  return table;
}
