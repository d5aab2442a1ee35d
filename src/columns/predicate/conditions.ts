import { InputError } from "../../errors/errors.js";
import { oneOf } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { FilterValue } from "../../spec/conditions.js";
import { OPERATORS, type Operator } from "../../spec/vocabulary.js";
import { dayOfDate } from "../../value/date.js";

/** A value as it is compared: a `Date` is its day, or its time where it has one. */
export type ComparedValue = Exclude<FilterValue, Date>;

/** One comparison of a column with a value; with any of several where the operator is `eq`. */
export interface Comparison {
  readonly column: string;
  readonly operator: Operator;
  readonly values: readonly ComparedValue[];
}

/**
 * Conditions as comparisons, all of which must hold.
 *
 * @throws {InputError} BadArgument, UnknownValue for what is not a condition
 */
export function comparisonsOf(conditions: unknown): Comparison[] {
  if (conditions === undefined) return [];
  if (!isRecord(conditions)) throw bad(`where expects conditions by column; got ${shown(conditions)}`);
  return Object.entries(conditions).flatMap(([column, condition]): Comparison[] => {
    if (!isRecord(condition)) return [{ column, operator: "eq", values: valuesOf(column, condition, true) }];
    return Object.entries(condition).map(([name, value]) => {
      const operator = oneOf(name as Operator, OPERATORS, "filter operator");
      return { column, operator, values: valuesOf(column, value, operator === "eq") };
    });
  });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function valuesOf(column: string, given: unknown, several: boolean): ComparedValue[] {
  const values: readonly unknown[] = Array.isArray(given) ? given : [given];
  const name = JSON.stringify(column);
  if (Array.isArray(given) && !several) throw bad(`A bound on ${name} is one value; got a list`);
  if (values.length === 0) throw bad(`The list of values for ${name} is empty`);
  return values.map((value) => {
    if (typeof value === "number" && !Number.isFinite(value)) throw bad(`${name} is compared with ${value}`);
    if (["string", "number", "bigint", "boolean"].includes(typeof value)) return value as ComparedValue;
    if (value instanceof Date) return isMidnight(value) ? dayOfDate(value, name) : value.toISOString();
    throw bad(`${name} is compared with ${shown(value)}`);
  });
}

/** An invalid date counts: {@link dayOfDate} refuses it. */
const isMidnight = (date: Date): boolean => !(date.getTime() % 86_400_000);

const bad = (what: string): InputError =>
  new InputError(`${what}.`, {
    code: "BadArgument",
    hint: 'Pass values, lists of values or bounds by column: { ticker: ["AAPL", "MSFT"], date: { gte: "2020-01-01" } }.',
  });
