import { DataType, type Table, type Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { scrub } from "../../errors/secrets.js";
import type { Filter } from "../../spec/endpoints.js";
import type { FrameSource } from "../../spec/frame-source.js";

const SIGNS: Readonly<Record<string, string>> = { eq: "=", gt: ">", gte: "≥", lt: "<", lte: "≤" };

/** One filter in readable form: `date ≥ 2020-01-01`, `ticker = AAPL, MSFT`. */
export function filterText(filter: Filter): string {
  const sign = Object.hasOwn(SIGNS, filter.operator) ? SIGNS[filter.operator] : filter.operator;
  return `${filter.column} ${sign} ${filter.values.join(", ")}`;
}

/** Whether rows were selected since they were fetched: whether they are complete is known of fetched rows only. */
export const isSelected = (source: FrameSource): boolean => source.complete === undefined;

/** The inferred types that `table` still has; undefined if it has none of them. */
function stillInferred({ inferred }: FrameSource, table: Table | undefined): string | undefined {
  if (inferred === undefined || table === undefined) return inferred;
  const types = new Set(columnsOf(table.schema).map(({ name, type }) => `${name} ${type}`));
  const noted = inferred.split(", ");
  const still = noted.filter((column) => types.has(column));
  if (noted.at(-1) === "…") still.push("…");
  return still.some((column) => column !== "…") ? still.join(", ") : undefined;
}

/**
 * The parts of a source line, with keys removed: code, request parameters, filters (of the values that `table` still
 * holds), refresh time, completeness.
 */
export function sourceParts(source: FrameSource | undefined, table?: Table): string[] {
  if (source === undefined) return [];
  const parts: string[] = [source.computed ? `computed from ${source.code}` : source.code];
  if (source.collapse !== undefined && source.collapse !== "none") parts.push(source.collapse);
  if (source.transform !== undefined && source.transform !== "none") parts.push(source.transform);
  if (source.start_date !== undefined) parts.push(`from ${source.start_date}`);
  if (source.end_date !== undefined) parts.push(`to ${source.end_date}`);
  for (const filter of source.filters ?? [])
    parts.push(filterText(heldFilter(filter, isSelected(source) ? table : undefined)));
  if (source.limit !== undefined) parts.push(`limit ${source.limit}`);
  if (source.refreshed_at !== undefined) parts.push(`refreshed ${source.refreshed_at}`);
  if (source.complete === true) parts.push("complete");
  if (source.complete === false) parts.push("truncated: the service has more rows");
  if (source.cached) parts.push("from the cache");
  const inferred = stillInferred(source, table);
  if (inferred !== undefined) parts.push(`inferred types: ${inferred}`);
  return parts.map(scrub);
}

/**
 * A filter of a request as it applies to rows that were selected since: of several values only those that the column
 * still holds. Reads the column until it has found them all.
 */
export function heldFilter(filter: Filter, table: Table | undefined): Filter {
  if (filter.operator !== "eq" || filter.values.length < 2 || table === undefined) return filter;
  const at = table.schema.fields.findIndex(({ name }) => name === filter.column);
  if (at === -1 || table.numRows === 0) return filter;
  const held = heldValues(table.getChildAt(at) as Vector, new Set(filter.values));
  const values = filter.values.filter((value) => held.has(value));
  return values.length === 0 ? filter : { ...filter, values };
}

function heldValues(vector: Vector, wanted: ReadonlySet<string>): Set<string> {
  const held = new Set<string>();
  for (const data of vector.data) {
    const { valid, text } = chunkReader(data);
    const codes = DataType.isDictionary(data.type) ? (data.values as ArrayLike<number>) : undefined;
    const seen = new Set<number>();
    for (let i = 0; i < data.length && held.size < wanted.size; i++) {
      if (codes !== undefined) {
        if (seen.has(codes[i])) continue;
        seen.add(codes[i]);
      }
      if (valid(i) && wanted.has(text(i))) held.add(text(i));
    }
  }
  return held;
}
