import type { TableMetadata } from "../../document/records.js";
import type { Filter } from "../../spec/endpoints.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { TableCall } from "../pages/table-page.js";

/**
 * The primary key of the table (spec 2.7), requested once its first rows have arrived. If the metadata cannot be read,
 * the rows are returned without a key.
 */
export async function keyOf({ known, metadata }: TableCall): Promise<readonly string[]> {
  try {
    return (known ?? (await metadata())).primary_key ?? [];
  } catch {
    return [];
  }
}

export function sourceOf(code: string, filters: readonly Filter[], known: TableMetadata | undefined): FrameSource {
  const refreshed = known?.status?.refreshed_at;
  return {
    code,
    ...(filters.length > 0 ? { filters } : {}),
    ...(known ? { name: known.name } : {}),
    ...(known?.description ? { description: known.description } : {}),
    ...(refreshed ? { refreshed_at: refreshed } : {}),
  };
}
