import { scrub } from "../errors/secrets.js";
import type { Filter } from "../spec/endpoints.js";

/** Where the rows of a frame come from: kept beside the table, never inside its Arrow bytes. */
export interface FrameSource {
  /** `DATABASE/DATASET` or `VENDOR/TABLE`, or the name of a file. */
  readonly code: string;
  /** The service's title and description of the data. */
  readonly name?: string;
  readonly description?: string;
  /** When the service last refreshed the data, ISO 8601. */
  readonly refreshed_at?: string;
  readonly filters?: readonly Filter[];
  /** Words the rows were asked for with (spec 4.2). */
  readonly collapse?: string;
  readonly transform?: string;
  readonly order?: string;
  readonly limit?: number;
  readonly frequency?: string;
  /** First and last day asked for, both inclusive. */
  readonly start_date?: string;
  readonly end_date?: string;
  /** Whether these are all the rows there are: false when a limit or a page cut them. */
  readonly complete?: boolean;
  /** Address of the request, without the key. */
  readonly url?: string;
}

const SIGNS: Readonly<Record<string, string>> = { eq: "=", gt: ">", gte: "≥", lt: "<", lte: "≤" };

/** One filter as people write it: `date ≥ 2020-01-01`, `ticker = AAPL, MSFT`. */
export function filterText(filter: Filter): string {
  const sign = Object.hasOwn(SIGNS, filter.operator) ? SIGNS[filter.operator] : filter.operator;
  return `${filter.column} ${sign} ${filter.values.join(", ")}`;
}

/** The parts of the line that says where a table comes from, keys removed: code, words asked for, filters, refresh, whole or cut. */
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
  if (source.complete === true) parts.push("whole");
  if (source.complete === false) parts.push("cut: there are more rows at the service");
  return parts.map(scrub);
}
