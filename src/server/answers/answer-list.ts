import { type ListItems, type ListName, writeListing } from "../../document/listing.js";
import { shownText } from "../../errors/shown.js";
import type { Call, CatalogItem } from "../../spec/endpoints.js";
import { refused } from "../data/refused.js";
import type { Store } from "../data/store.js";
import { databaseFields, databaseOf } from "./answer-database.js";
import { datasetFields } from "./answer-dataset.js";
import { type Coding, rendered } from "./rendered.js";
import type { Answer } from "./reply.js";
import type { Asker, ServiceState } from "./service-state.js";

/** The most items of a page, and the default. */
const LONGEST_PAGE = 100;

/** Databases whose code, name or description contains all terms of `query`; a page of them. */
export async function answerDatabaseList(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const items = [...state.store.databases.values()].map((database) => databaseFields(database, asker, state));
  return page("databases", { items, codeOf: (item) => item.database_code }, call, asker, state);
}

/** Datasets of all databases or of `database_code`, searched in the same way. */
export async function answerDatasetList(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const code = call.parameters["database_code"];
  const databases =
    code === undefined || code === ""
      ? [...state.store.databases.values()]
      : [databaseOf({ ...call, codes: { database_code: code } }, state)];
  const items = databases.flatMap((database) =>
    [...database.datasets.values()].map((dataset) => datasetFields({ database, dataset })),
  );
  return page(
    "datasets",
    { items, codeOf: (item) => `${item.database_code}/${item.dataset_code}` },
    call,
    asker,
    state,
  );
}

/** Tables, searched in the same way. */
export async function answerTableList(call: Call, asker: Asker, state: ServiceState): Promise<Answer> {
  const items = [...state.store.tables.values()].map(({ entry, refreshedAt }) => ({
    vendor_code: entry.vendor_code,
    datatable_code: entry.datatable_code,
    name: entry.name,
    description: entry.description,
    premium: entry.premium,
    status: { ...entry.status, refreshed_at: refreshedAt },
  }));
  return page(
    "datatables",
    { items, codeOf: (item) => `${item.vendor_code}/${item.datatable_code}` },
    call,
    asker,
    state,
  );
}

async function page<L extends ListName>(
  name: L,
  { items, codeOf }: { readonly items: readonly ListItems[L][]; readonly codeOf: (item: ListItems[L]) => string },
  { parameters }: Call,
  { coding }: Asker,
  state: ServiceState,
): Promise<Answer> {
  const query = parameters["query"] ?? "";
  const terms = query
    .toLowerCase()
    .split(/[\s+]+/)
    .filter((term) => term !== "");
  const found = items.filter((item) => {
    const text = [codeOf(item), item.name, item.description].join("\n").toLowerCase();
    return terms.every((term) => text.includes(term));
  });
  const number = (parameter: string, usual: number, most: number): number => {
    const given = parameters[parameter];
    if (given === undefined || given === "") return usual;
    if (/^\d{1,9}$/.test(given) && Number(given) >= 1) return Math.min(Number(given), most);
    throw refused(state.profile, "QESx04", `${parameter} ${shownText(given)} is not a whole number from 1 on.`);
  };
  const position = {
    query,
    page: number("page", 1, Number.MAX_SAFE_INTEGER),
    perPage: number("per_page", LONGEST_PAGE, LONGEST_PAGE),
  };
  const bytes = Buffer.from(writeListing<L>(name, found, position));
  const body = await rendered(bytes, coding, { "content-type": "application/json; charset=utf-8" });
  return { status: 200, headers: { ...body.headers, "cache-control": "no-store" }, body };
}

/** All codes: databases, each followed by its series, then tables. */
export function catalogItems({ databases, tables }: Store): CatalogItem[] {
  const items: CatalogItem[] = [];
  for (const { entry, datasets } of databases.values()) {
    const { premium } = entry;
    items.push({ kind: "database", code: entry.database_code, ...about(entry), premium });
    for (const { code, entry: dataset } of datasets.values())
      items.push({ kind: "dataset", code, ...about(dataset), premium });
  }
  for (const { code, entry } of tables.values())
    items.push({ kind: "table", code, ...about(entry), premium: entry.premium });
  return items;
}

function about({ name, description }: { readonly name: string; readonly description: string | null }): {
  readonly name: string;
  readonly description?: string;
} {
  return description === null ? { name } : { name, description };
}

/** A JSON document beyond the replies of the specification. */
export async function answerJson(value: unknown, coding: Coding): Promise<Answer> {
  const bytes = Buffer.from(JSON.stringify(value));
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
  return { status: 200, headers, body: await rendered(bytes, coding, headers) };
}
