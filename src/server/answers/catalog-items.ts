import type { CatalogItem } from "../../spec/endpoints.js";
import type { Store } from "../data/store.js";
import { type Coding, rendered } from "./rendered.js";
import type { Answer } from "./reply.js";

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
