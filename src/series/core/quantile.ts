import type { Table } from "../../columns/arrow/arrow.js";
import { columnIndex } from "../../columns/arrow/column-names.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { vectorAt } from "./choose.js";
import { numbersOf } from "./numbers.js";
import { type Distribution, distributionOf } from "./select.js";

/**
 * The `q` quantile (0 to 1) of the first `count` sorted values, interpolated linearly as in pandas, NumPy and DuckDB's
 * `quantile_cont`; NaN for no values.
 *
 * @throws {InputError} BadArgument for `q` outside 0 to 1
 */
export function quantileOfSorted(sorted: Float64Array, count: number, q: number): number {
  checkQuantile(q);
  const { below, above, part } = placeOf(count, q);
  return count === 0 ? Number.NaN : interpolated(sorted[below], sorted[above], part);
}

/** As {@link quantileOfSorted}, several at once, for values in any order. */
export function quantilesOf({ count, valuesAt }: Distribution, quantiles: readonly number[]): number[] {
  quantiles.forEach(checkQuantile);
  if (count === 0) return quantiles.map(() => Number.NaN);
  const places = quantiles.map((q) => placeOf(count, q));
  const needed = [...new Set(places.flatMap(({ below, above }) => [below, above]))].sort((a, b) => a - b);
  const at = valuesAt(needed);
  return places.map(({ below, above, part }) => interpolated(at.get(below) as number, at.get(above) as number, part));
}

function checkQuantile(q: number): void {
  if (typeof q === "number" && q >= 0 && q <= 1) return;
  throw new InputError(`A quantile must be a number from 0 to 1; got ${shown(q)}.`, {
    code: "BadArgument",
    hint: "The median is 0.5.",
  });
}

/** The two places between which a quantile is, and how far from the first. */
function placeOf(count: number, q: number): { readonly below: number; readonly above: number; readonly part: number } {
  const place = q * (count - 1);
  const below = Math.floor(place);
  return { below, above: Math.min(below + 1, count - 1), part: place - below };
}

function interpolated(low: number, high: number, part: number): number {
  if (part === 0 || low === high) return low;
  // A difference beyond the largest double.
  if (Number.isFinite(low) && Number.isFinite(high) && !Number.isFinite(high - low))
    return low * (1 - part) + high * part;
  // From the nearer neighbour, so that the result never leaves the interval.
  return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}

/**
 * A quantile of a number column, ignoring nulls, interpolated linearly; null for an empty column.
 *
 * @example
 * ```ts no-run
 * quantile(table, "close", 0.5); // the median
 * ```
 */
export function quantile(table: Table, column: string, q: number): number | null {
  const [value] = quantilesOf(distributionOf(numbersOf(vectorAt(table, columnIndex(table, column)))), [q]);
  return Number.isNaN(value) ? null : value;
}
