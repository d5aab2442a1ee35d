import type { Table } from "../../columns/arrow/arrow.js";
import { columnIndex } from "../../columns/arrow/column-names.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { vectorAt } from "./choose.js";
import { numbersOf } from "./numbers.js";

/**
 * The value below which the part `q` (0 to 1) of the first `count` sorted values lies, linear between neighbours as
 * pandas, NumPy and DuckDB's `quantile_cont` have it. NaN of no values.
 *
 * @throws {InputError} BadArgument for `q` outside 0 to 1
 */
export function quantileOfSorted(sorted: Float64Array, count: number, q: number): number {
  if (typeof q !== "number" || !(q >= 0 && q <= 1)) {
    throw new InputError(`The quantile is ${shown(q)}.`, { code: "BadArgument", hint: "Give a number from 0 to 1." });
  }
  if (count === 0) return Number.NaN;
  const place = q * (count - 1);
  const below = Math.floor(place);
  const low = sorted[below];
  const high = sorted[Math.min(below + 1, count - 1)];
  const part = place - below;
  if (part === 0 || low === high) return low;
  // From the nearer neighbour, so that the result never leaves the two.
  return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}

/**
 * A quantile of a number column as a `number`, nulls left out, linear between neighbours; null of an empty column.
 *
 * @example
 * ```ts no-run
 * quantile(table, "close", 0.5); // the median
 * ```
 */
export function quantile(table: Table, column: string, q: number): number | null {
  const values = numbersOf(vectorAt(table, columnIndex(table, column)));
  const sorted = values.slice().sort(); // NaN last
  let count = sorted.length;
  while (count > 0 && Number.isNaN(sorted[count - 1])) count--;
  const value = quantileOfSorted(sorted, count, q);
  return Number.isNaN(value) ? null : value;
}
