import { comparisonsOf } from "../../columns/parquet/read/conditions.js";
import { quoteName } from "../../engine/contract/quote.js";
import type { Conditions } from "../../spec/conditions.js";
import type { Operator } from "../../spec/vocabulary.js";

/** A statement and its parameters `$1`, `$2`, … */
export interface Statement {
  readonly text: string;
  readonly params: readonly unknown[];
}

const SIGNS: Readonly<Record<Exclude<Operator, "eq">, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=" };

/**
 * The statement that selects columns (default all) and the rows that meet all conditions.
 *
 * @throws {InputError} BadArgument, UnknownValue for what is not a condition
 */
export function selection(
  table: string,
  columns: readonly string[] | undefined,
  where: Conditions<Readonly<Record<string, unknown>>> | undefined,
): Statement {
  const params: unknown[] = [];
  const placed = (value: unknown): string => `$${params.push(value)}`;
  const conditions = comparisonsOf(where).map(({ column, operator, values }) =>
    operator === "eq"
      ? `${quoteName(column)} in (${values.map(placed).join(", ")})`
      : `${quoteName(column)} ${SIGNS[operator]} ${placed(values[0])}`,
  );
  const names = columns?.map(quoteName).join(", ") ?? "*";
  const filter = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  return { text: `select ${names} from ${quoteName(table)}${filter}`, params };
}
