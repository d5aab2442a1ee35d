import type { TableCall } from "./table-page.js";

/** When the table was last refreshed; null if it is unknown or cannot be requested. */
export async function refreshedAt(table: TableCall): Promise<string | null> {
  try {
    return (await table.fresh()).status?.refreshed_at ?? null;
  } catch {
    return null;
  }
}
