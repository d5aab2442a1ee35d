import { scrub } from "../../errors/secrets.js";
import type { Filter } from "../../spec/endpoints.js";
import type { FrameSource } from "../../spec/frame-source.js";

const SIGNS: Readonly<Record<string, string>> = { eq: "=", gt: ">", gte: "≥", lt: "<", lte: "≤" };

/** One filter as people write it: `date ≥ 2020-01-01`, `ticker = AAPL, MSFT`. */
export function filterText(filter: Filter): string {
  const sign = Object.hasOwn(SIGNS, filter.operator) ? SIGNS[filter.operator] : filter.operator;
  return `${filter.column} ${sign} ${filter.values.join(", ")}`;
}

/**
 * The parts of the line that names a table's source, keys removed: code, request parameters, filters, refresh time,
 * completeness.
 */
export function sourceParts(source: FrameSource | undefined): string[] {
  if (source === undefined) return [];
  const parts: string[] = [source.code];
  if (source.collapse !== undefined && source.collapse !== "none") parts.push(source.collapse);
  if (source.transform !== undefined && source.transform !== "none") parts.push(source.transform);
  if (source.start_date !== undefined) parts.push(`from ${source.start_date}`);
  if (source.end_date !== undefined) parts.push(`to ${source.end_date}`);
  for (const filter of source.filters ?? []) parts.push(filterText(filter));
  if (source.limit !== undefined) parts.push(`limit ${source.limit}`);
  if (source.refreshed_at !== undefined) parts.push(`refreshed ${source.refreshed_at}`);
  if (source.complete === true) parts.push("complete");
  if (source.complete === false) parts.push("truncated: the service has more rows");
  return parts.map(scrub);
}
