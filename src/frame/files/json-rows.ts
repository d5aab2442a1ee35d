import type { AnyRow } from "../cells/row-types.js";

/** Rows for `JSON.stringify`: bigints become strings. */
export function jsonRows<Row extends object>(rows: Iterable<Row>): Row[] {
  const all = Array.from(rows as Iterable<AnyRow>);
  for (const row of all) {
    for (const name of Object.keys(row)) if (typeof row[name] === "bigint") row[name] = String(row[name]);
  }
  return all as object[] as Row[];
}
