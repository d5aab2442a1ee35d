import type { Filter } from "../../spec/endpoints.js";

/**
 * Splits a query that is too long for an address (spec 7) into several: the longest list of values is halved until each
 * part fits. The parts have no row in common, since each has other values of the same column. A query that cannot be
 * shortened enough is returned unchanged, for the service to reject.
 */
export function splitFilters(
  filters: readonly Filter[],
  lengthOf: (filters: readonly Filter[]) => number,
  longest: number,
): (readonly Filter[])[] {
  if (lengthOf(filters) <= longest) return [filters];
  const at = filters.reduce((best, { operator, values }, i) => {
    return operator === "eq" && values.length > 1 && values.length > (filters[best]?.values.length ?? 0) ? i : best;
  }, -1);
  if (at === -1) return [filters];
  const { values } = filters[at];
  const half = Math.ceil(values.length / 2);
  const part = (some: readonly string[]): Filter[] =>
    filters.map((filter, i) => (i === at ? { ...filter, values: some } : filter));
  return [values.slice(0, half), values.slice(half)].flatMap((some) => splitFilters(part(some), lengthOf, longest));
}
