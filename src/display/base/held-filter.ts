import { DataType, type Table, type Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import type { Filter } from "../../spec/endpoints.js";

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
