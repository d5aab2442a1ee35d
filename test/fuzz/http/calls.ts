import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Service } from "../../../src/index.js";

import type { ResourceName } from "../../../src/spec/resources.js";
import type { Format } from "../../../src/spec/vocabulary.js";
import { type TextRows, writtenText } from "../../document/written.js";
import { columnSpecs } from "../../support/column-specs.js";
import { zipBytes } from "../../zip/archive.js";
import type { GoodReply } from "./server.js";

const COLUMNS = columnSpecs({ ticker: "String", date: "Date", close: "BigDecimal(15,4)" });
const tableRows = (first: number): TextRows => ({
  columns: COLUMNS,
  rows: Array.from({ length: 20 }, (_, i) => [`T${first + i}`, `2024-03-${10 + i}`, `${first + i}.2500`]),
});
const series: TextRows = {
  columns: columnSpecs({ Date: "Date", Close: "double" }),
  rows: Array.from({ length: 30 }, (_, i) => [`2024-04-${String(30 - i).padStart(2, "0")}`, `${i}.5`]),
};

const about = {
  id: 1,
  dataset_code: "S",
  database_code: "D",
  name: "A series",
  description: null,
  refreshed_at: "2024-05-01T00:00:00Z",
  newest_available_date: "2024-04-30",
  oldest_available_date: "2024-04-01",
  column_names: ["Date", "Close"],
  frequency: "daily",
  type: "Time Series",
  premium: false,
  database_id: 2,
};
const echo = {
  limit: null,
  transform: null,
  column_index: null,
  column_names: ["Date", "Close"],
  start_date: "2024-04-01",
  end_date: "2024-04-30",
  frequency: "daily",
  collapse: null,
  order: "desc",
};
const table = {
  vendor_code: "V",
  datatable_code: "T",
  name: "A table",
  description: null,
  columns: COLUMNS,
  filters: ["ticker"],
  primary_key: ["ticker", "date"],
  premium: false,
  status: { refreshed_at: "2024-05-01T00:00:00Z", status: null, expected_at: null, update_frequency: null },
};
const database = {
  id: 2,
  name: "A database",
  database_code: "D",
  description: "About.",
  datasets_count: 1,
  downloads: 3,
  premium: true,
  image: "http://x/y.png",
};

const tableCSV = Array.from({ length: 300 }, (_, i) => `T${i},2024-03-${10 + (i % 20)},${i}.2500\n`).join("");
const tableZip = zipBytes([{ name: "T.csv", data: `ticker,date,close\n${tableCSV}` }]);
const databaseCSV = Array.from({ length: 300 }, (_, i) => `S,2024-03-${10 + (i % 20)},${i}.5\n`).join("");
const databaseZip = zipBytes([{ name: "D.csv", data: `Code,Date,Close\n${databaseCSV}` }]);

const TYPES = { json: "application/json", xml: "application/xml", csv: "text/csv" } as const;

function documentReply(
  resource: ResourceName,
  format: Format,
  fields: object,
  rows?: TextRows,
  headers = {},
): GoodReply {
  const text = writtenText(resource, format, { fields, ...(rows && { rows }) });
  return { status: 200, headers: { "content-type": TYPES[format], ...headers }, body: Buffer.from(text) };
}

/** What the service answers. `host` is what the request calls it; the storage has another name for the same machine. */
export function goodReply(target: string, host: string): GoodReply {
  const { pathname: path, searchParams: query } = new URL(target, "http://x");
  const format = (/\.(json|xml|csv)\/?$/.exec(path)?.[1] ?? "json") as Format;
  const port = host.split(":")[1];
  if (path.startsWith("/files/")) {
    const body = path.includes("table") ? tableZip : databaseZip;
    return { status: 200, headers: { "content-type": "application/zip", etag: '"1"', "accept-ranges": "bytes" }, body };
  }
  if (path === "/api/v3/databases/D/data") {
    return {
      status: 302,
      headers: { location: `http://localhost:${port}/files/database.zip?sig=1` },
      body: Buffer.alloc(0),
    };
  }
  if (path.startsWith("/api/v3/databases/")) return documentReply("databaseMetadata", format, database);
  if (path.includes("/datatables/") && path.includes("/metadata")) return documentReply("tableMetadata", format, table);
  if (query.get("qopts.export") === "true") {
    const file = {
      link: `http://localhost:${port}/files/table.zip?api_key=link-canary-0123456789`,
      status: "fresh",
      data_snapshot_time: "2024-05-02T00:00:00Z",
    };
    const fields = { file, datatable: { last_refreshed_time: "2024-05-01T00:00:00Z" } };
    return documentReply("tableExport", format, fields);
  }
  if (path.includes("/datatables/")) {
    const second = query.get("qopts.cursor_id") === "two";
    const next = second ? null : "two";
    const rows = tableRows(second ? 20 : 0);
    return documentReply("tableRows", format, { columns: COLUMNS, next_cursor_id: next }, rows, {
      cursor_id: next ?? "",
    });
  }
  if (path.includes("/metadata")) return documentReply("datasetMetadata", format, about);
  if (/\/data\.\w+$/.test(path) || format === "csv") return documentReply("datasetData", format, echo, series);
  if (path.includes("/datasets/")) return documentReply("dataset", format, { ...about, ...echo }, series);
  return { status: 404, headers: {}, body: Buffer.alloc(0) };
}

/** A call, and what it gives as JSON. Files go into `folder`. */
export type FuzzCall = (service: Service, folder: string) => Promise<string>;

const rowsOf = (frame: { rows(): Iterable<object> }): string => JSON.stringify([...frame.rows()]);
const formats: readonly Format[] = ["json", "xml", "csv"];
const perFormat = (name: string, call: (service: Service, format: Format) => Promise<string>): [string, FuzzCall][] =>
  formats.map((format) => [`${name} ${format}`, (service) => call(service, format)]);

/** The calls of a script, by name. */
export const CALLS: ReadonlyMap<string, FuzzCall> = new Map<string, FuzzCall>([
  ...perFormat("table", async (service, format) => rowsOf(await service.table("V/T").format(format).frame())),
  ...perFormat("dataset", async (service, format) => rowsOf(await service.dataset("D/S").format(format).frame())),
  ...perFormat("table metadata", async (service, format) =>
    JSON.stringify(await service.table("V/T").format(format).metadata()),
  ),
  ...perFormat("database metadata", async (service, format) =>
    JSON.stringify(await service.database("D").format(format).metadata()),
  ),
  ["dataset with metadata", async (service) => rowsOf((await service.dataset("D/S").withMetadata()).frame)],
  [
    "export",
    async (service) =>
      rowsOf(
        await service
          .table("V/T")
          .export({ poll: { first: 5, longest: 20 } })
          .frame(),
      ),
  ],
  [
    "export to zip",
    async (service, folder) => {
      const path = join(folder, "T.zip");
      await service
        .table("V/T")
        .export({ poll: { first: 5, longest: 20 } })
        .saveZip(path);
      return readFileSync(path).toString("base64");
    },
  ],
  [
    "database to CSV",
    async (service, folder) => {
      const path = join(folder, "D.csv");
      await service.database("D").bulk().toCSV(path);
      return readFileSync(path, "utf8");
    },
  ],
]);
