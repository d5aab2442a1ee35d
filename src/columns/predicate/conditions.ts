import { InputError } from "../../errors/errors.js";
import { oneOf } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { OPERATORS, type Operator } from "../../spec/vocabulary.js";
import { dayOfDate } from "../../value/date.js";
import type { DataType } from "../arrow/arrow.js";
import { type Predicate, predicateOf, type Value } from "./predicate.js";

/** One comparison of a column with a value; with any of several where the operator is `eq`. */
export interface ColumnCondition<Name extends string = Operator, Read = Exclude<Value, Date>> {
  readonly column: string;
  readonly operator: Name;
  readonly values: readonly Read[];
}

/** How the parts of conditions are read. */
interface Reader<Name extends string, Read> {
  /** The code of errors. */
  readonly code: "BadArgument" | "BadFilter";
  readonly operator: (name: string) => Name;
  /** @param isListed whether the value may be one of several */
  readonly value: (column: string, value: unknown, isListed: boolean) => Read;
}

/**
 * The conditions of `where` as comparisons, all of which must hold.
 *
 * @throws {InputError} BadArgument for what is not an object; `code` for a missing value, a list of none, or a list as
 *   a bound; also as the reader says
 */
export function readConditions<Name extends string, Read>(
  conditions: unknown,
  reader: Reader<Name, Read>,
): ColumnCondition<Name | "eq", Read>[] {
  if (!isRecord(conditions)) {
    throw new InputError(`where() expects conditions by column; got ${shown(conditions)}.`, {
      code: "BadArgument",
      hint: 'Pass conditions by column: where({ ticker: "AAPL", date: { gte: "2020-01-01" } }).',
    });
  }
  return Object.entries(conditions).flatMap(([column, condition]): ColumnCondition<Name | "eq", Read>[] => {
    if (!isRecord(condition)) return [{ column, operator: "eq", values: valuesOf(column, condition, "eq", reader) }];
    const bounds = Object.entries(condition);
    if (bounds.length === 0) throw missing(column, "Every bound", reader);
    return bounds.map(([name, value]) => {
      const operator = reader.operator(name);
      return { column, operator, values: valuesOf(column, value, operator, reader) };
    });
  });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function valuesOf<Read>(
  column: string,
  given: unknown,
  operator: string,
  { code, value }: Reader<string, Read>,
): Read[] {
  const isListed = operator === "eq";
  if (given === undefined) throw missing(column, isListed ? "The value" : `The bound ${shown(operator)}`, { code });
  if (!Array.isArray(given)) return [value(column, given, isListed)];
  if (isListed && given.length > 0) return [...new Set(given.map((one) => value(column, one, isListed)))];
  const name = JSON.stringify(column);
  throw new InputError(isListed ? `The list of values for ${name} is empty.` : `A bound on ${name} takes one value.`, {
    code,
    column,
    hint: "Pass one value, or for equality a list of at least one.",
  });
}

/** A condition that would let every row through, such as one of a variable that was never set. */
function missing(column: string, what: string, { code }: Pick<Reader<string, unknown>, "code">): InputError {
  const name = JSON.stringify(column);
  return new InputError(`${what} for ${name} is undefined: the condition would not restrict the rows.`, {
    code,
    column,
    hint: `Leave ${name} out of where() for rows with any value.`,
  });
}

/**
 * The conditions on a file or a copy; a `Date` is its day, or its time where it has one.
 *
 * @throws {InputError} BadArgument, UnknownValue for what is not a condition
 */
export const conditionsOf = (conditions: unknown): ColumnCondition[] =>
  conditions === undefined ? [] : readConditions(conditions, VALUES);

const VALUES: Reader<Operator, Exclude<Value, Date>> = {
  code: "BadArgument",
  operator: (name) => oneOf(name, OPERATORS, "filter operator"),
  value(column, value) {
    const name = JSON.stringify(column);
    // An invalid date counts as midnight: dayOfDate() refuses it.
    if (value instanceof Date) return value.getTime() % 86_400_000 ? value.toISOString() : dayOfDate(value, name);
    if (typeof value === "string" || typeof value === "bigint" || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw new InputError(`${name} cannot be compared with ${shown(value)}.`, {
      code: "BadArgument",
      column,
      hint: "Pass a string, a finite number, a bigint, a boolean or a Date.",
    });
  },
};

/**
 * The predicate of a condition on a column of this type.
 *
 * @throws {InputError} BadArgument for a value of another kind
 */
export function conditionPredicate(type: DataType, { column, operator, values }: ColumnCondition): Predicate {
  return predicateOf(type, operator, values, { column, method: "where()", refusal: "cannot be compared with" });
}
