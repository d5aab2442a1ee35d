import type { RecordBatch } from "../../columns/arrow/arrow.js";
import type { DatabaseMetadata } from "../../document/records.js";
import { suggestion } from "../../errors/nearest.js";
import { shownText } from "../../errors/shown.js";
import { seriesColumns } from "../../spec/columns.js";
import type { Call } from "../../spec/endpoints.js";
import { hasExtension } from "../../spec/profile.js";
import { engineColumn } from "../data/filter-sql.js";
import type { StoredDatabase } from "../data/open-database.js";
import { refused } from "../data/refused.js";
import { fileLink } from "./answer-file.js";
import { byCode } from "./by-code.js";
import type { FileOrder } from "./exports.js";
import { needSubscription } from "./keys.js";
import { LOGOS_PATH } from "./logo.js";
import { type Answer, answerFields } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";

export function databaseOf(call: Call, { store, profile }: ServiceState): StoredDatabase {
  const kind = { kinds: "databases", subject: "The database" };
  return byCode(store.databases, call.codes["database_code"], kind, profile);
}

/** Counts a download of a database (spec 2.4). */
export function countDownload(database: StoredDatabase, { downloads }: ServiceState): void {
  const code = database.entry.database_code;
  downloads.set(code, (downloads.get(code) ?? 0) + 1);
}

/** The metadata of a database (spec 2.4). */
export function databaseFields(
  { entry, datasets }: StoredDatabase,
  asker: Asker,
  { downloads }: ServiceState,
): DatabaseMetadata {
  return {
    id: entry.id,
    name: entry.name,
    database_code: entry.database_code,
    description: entry.description,
    datasets_count: datasets.size,
    downloads: entry.downloads + (downloads.get(entry.database_code) ?? 0),
    premium: entry.premium,
    // The service draws a logo where the catalogue has none (spec 2.4: `image`).
    image: entry.image ?? `${asker.origin}${LOGOS_PATH}${entry.database_code}.svg`,
  };
}

/** Spec 4.5. */
export function answerDatabaseMetadata(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const fields = databaseFields(databaseOf(call, state), asker, state);
  return answerFields("databaseMetadata", fields, call, asker, state);
}

/** Spec 4.6: premium products only, subscribers only. */
export async function answerDatabaseBulk(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const database = databaseOf(call, state);
  const { profile } = state;
  const code = database.entry.database_code;
  const type = call.parameters["download_type"] ?? "full";
  if (type !== "full" && type !== "partial") {
    const known = suggestion(type, profile.downloadTypes.value, "values");
    throw refused(profile, "QESx04", `download_type ${shownText(type)} is not known. ${known}`);
  }
  if (!database.entry.premium) {
    throw refused(profile, "QEPx02", `Bulk download is for premium databases only, and ${code} is free.`);
  }
  needSubscription(asker.subscriber, code, `download the database ${code}`, profile);
  const file = await state.files.make(bulkOrder(database, type, state)).finally(database.hold());
  countDownload(database, state);
  const name = `${code}${type === "partial" ? "-latest" : ""}.zip`;
  if (hasExtension(profile, "redirects")) {
    return { status: 302, headers: { location: fileLink(file, name, asker, state), "cache-control": "no-store" } };
  }
  const headers = { "content-type": "application/zip", "content-disposition": `attachment; filename="${name}"` };
  return { status: 200, headers, body: file };
}

/** `Code`, then the columns of the series; series by series, oldest row first (spec 2.5). */
function bulkOrder(database: StoredDatabase, type: "full" | "partial", { store }: ServiceState): FileOrder {
  const code = database.entry.database_code;
  const list = database.columns.map((_, i) => `, ${engineColumn(i)}`).join("");
  const order = type === "partial" ? "ORDER BY c0 DESC LIMIT 1" : "ORDER BY c0";
  const sql = `SELECT $1 AS code${list} FROM ${database.table} WHERE s = $2 ${order}`;
  async function* batches(): AsyncGenerator<RecordBatch> {
    for (const [dataset, { series }] of database.datasets) yield* store.engine.batches(sql, [dataset, series]);
  }
  return {
    question: `${code} ${type}`,
    code,
    version: database.version,
    name: `${code}.csv`,
    rows: () => ({
      columns: [{ name: "Code", type: "String" }, ...seriesColumns(database.columns)],
      batches: batches(),
    }),
  };
}
