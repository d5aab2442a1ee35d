import { DataError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { ColumnSpec } from "../../spec/columns.js";

/**
 * For each name of a CSV header the number of the declared column it stands for, in whatever order. Names are compared exactly; a
 * name that stands several times means the declared columns of that name in their order.
 *
 * @param loose letter case is ignored where that is unambiguous, unknown names are -1, and missing columns are let pass
 * @throws DataError for unknown and missing columns, naming the nearest
 */
export function matchHeader(names: readonly string[], columns: readonly ColumnSpec[], loose: boolean): number[] {
  const free = new Map<string, number[]>();
  columns.forEach(({ name }, i) => {
    free.set(name, [...(free.get(name) ?? []), i]);
  });
  const order = names.map((name) => free.get(name)?.shift() ?? -1);
  if (loose) ignoreCase(names, columns, order);
  const declared = columns.map((column) => column.name);
  const extra = names.filter((_, i) => order[i] < 0);
  const missing = declared.filter((_, i) => !order.includes(i));
  if (loose || (extra.length === 0 && missing.length === 0)) return order;
  const [first] = extra.length > 0 ? extra : missing;
  const what =
    extra.length > 0
      ? `has the column ${JSON.stringify(first)}, which is not declared${declared.includes(first) ? " so often" : ""}`
      : `lacks the column ${JSON.stringify(first)}`;
  const near = extra.length > 0 ? suggestion(first, missing.length > 0 ? missing : declared, "declared columns") : "";
  throw new DataError(`The header line ${what}.${near === "" ? "" : ` ${near}`}`, {
    code: extra.length > 0 ? "UnknownColumn" : "MissingColumn",
    column: first,
    offset: 0,
    hint: "Correct the declared columns, or pass lenient: { header: true }; without a header line, header: false.",
  });
}

function ignoreCase(names: readonly string[], columns: readonly ColumnSpec[], order: number[]): void {
  names.forEach((name, k) => {
    if (order[k] >= 0) return;
    const same = columns
      .map((column, i) => [column.name.toLowerCase(), i] as const)
      .filter(([lower, i]) => lower === name.toLowerCase() && !order.includes(i));
    if (same.length === 1) order[k] = same[0][1];
  });
}
