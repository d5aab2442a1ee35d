import type { Profile } from "../../src/spec/profile.js";
import { archiveOf, json } from "../faults/bulk-fixtures.js";
import { type FaultServer, faultServer } from "../faults/fault-server.js";

/** A row of the table: ticker and date are its key. */
export interface HistoryRow {
  readonly ticker: string | null;
  readonly date: string;
  readonly note: string | null;
  readonly changed: string;
}

const COLUMNS = [
  { name: "ticker", type: "String" },
  { name: "date", type: "Date" },
  { name: "note", type: "String" },
  { name: "changed", type: "Date" },
];
export type Bounds = readonly (readonly [column: string, operator: string, values: readonly string[]])[];

/** Whether a row meets all bounds. Null meets none. */
export function meets(row: HistoryRow, bounds: Bounds): boolean {
  return bounds.every(([column, operator, values]) => {
    const cell = row[column as keyof HistoryRow];
    if (cell === null) return false;
    const [bound] = values;
    return {
      eq: values.includes(cell),
      gt: cell > bound,
      gte: cell >= bound,
      lt: cell < bound,
      lte: cell <= bound,
    }[operator];
  });
}

/** A service with the table V/T, which its columns filter, and whose rows a test replaces. */
export interface HistoryTable {
  readonly server: FaultServer;
  readonly profile: Profile;
  set(rows: readonly HistoryRow[], refreshed: string | null): void;
}

/** Serves metadata, filtered pages and filtered exports, in CSV as the profile writes empty text. */
export async function historyTable(profile: Profile): Promise<HistoryTable> {
  const server = await faultServer();
  let rows: readonly HistoryRow[] = [];
  let refreshed: string | null = null;
  const exports: string[] = [];
  const empty = profile.csvQuotesEmptyText.value ? '""' : "";
  server.on("/api/v3/datatables/V/T/metadata", () => ({
    headers: json,
    body: JSON.stringify({
      datatable: {
        vendor_code: "V",
        datatable_code: "T",
        name: "History",
        description: null,
        columns: COLUMNS,
        filters: ["ticker", "note", "changed"],
        primary_key: ["ticker", "date"],
        premium: false,
        status: { refreshed_at: refreshed, status: "ON TIME", expected_at: null, update_frequency: "DAILY" },
      },
    }),
  }));
  server.on("/api/v3/datatables/V/T.json", ({ query }) => {
    const bounds = [...query]
      .filter(([name]) => /^(ticker|note|changed)/.test(name))
      .map(([name, value]) => {
        const [column, operator = "eq"] = name.split(".");
        return [column, operator, operator === "eq" ? value.split(",") : [value]] as const;
      });
    const found = rows.filter((row) => meets(row, bounds));
    if (query.get("qopts.export") === "true") {
      const lines = found.map((row) => [row.ticker, row.date, row.note, row.changed]);
      const csv = lines.map((cells) => cells.map((cell) => (cell === "" ? empty : (cell ?? ""))).join(","));
      const link = `${server.url}/files/${exports.push(`ticker,date,note,changed\n${csv.map((line) => `${line}\n`).join("")}`)}.zip`;
      const times = { data_snapshot_time: `2024-05-01 00:00:${String(exports.length % 60).padStart(2, "0")} UTC` };
      const body = {
        datatable_bulk_download: {
          file: { link, status: "fresh", ...times },
          datatable: { last_refreshed_time: "2024-04-30 00:00:00 UTC" },
        },
      };
      return { headers: json, body: JSON.stringify(body) };
    }
    const data = found.map((row) => [row.ticker, row.date, row.note, row.changed]);
    return {
      headers: json,
      body: JSON.stringify({ datatable: { data, columns: COLUMNS }, meta: { next_cursor_id: null } }),
    };
  });
  server.on("/files/", ({ path }) => {
    const number = Number(/(\d+)\.zip/.exec(path)?.[1]);
    return { body: archiveOf(exports[number - 1]) };
  });
  return {
    server,
    profile,
    set(next, at) {
      rows = next;
      refreshed = at;
    },
  };
}
