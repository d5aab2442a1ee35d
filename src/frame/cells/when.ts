import type { Vector } from "../../columns/arrow/arrow.js";
import { serviceTypeOfArrow } from "../../columns/arrow/types.js";
import { choose } from "../../columns/compute/choose.js";
import type { Constant } from "../../columns/compute/constant.js";
import type { Operand } from "../../columns/compute/operands.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { Column } from "./column.js";

/** A column, or one value for all rows. */
type Choice = Column<unknown> | Constant;

/** The cells of a choice: strings stay literal, so that a column of names has them in its type. */
type CellsOf<Given> = Given extends Column<infer Value> ? Value : Given extends Date ? string : Given;

/** Conditions and their values so far. */
export interface Chosen<Value> {
  /** A further condition, for rows of which none before is true. */
  when(condition: Column<boolean | null>): WhenCondition<Value>;
  /** The column, with this value in rows of which no condition is true. */
  otherwise<const Given extends Choice>(value: Given): Column<Value | CellsOf<Given>>;
}

/** A condition whose value is to follow. */
export interface WhenCondition<Value> {
  /** The value where the condition is true and none before it. */
  then<const Given extends Choice>(value: Given): Chosen<Value | CellsOf<Given>>;
}

/**
 * A column whose values depend on conditions, as `case when` of SQL: each row has the value of the first condition that
 * is true (null is not). Values are columns and constants; numbers take the type that holds them all, exactly.
 *
 * @throws {InputError} WrongType, DifferentLength, BadArgument, in `otherwise()`
 * @example
 * ```ts
 * import { Frame, when } from "arrowbook";
 * const frame = Frame.fromColumns({ change: [0.5, -1, 0, null] });
 * const change = frame.column("change");
 * const trend = when(change.gt(0)).then("up").when(change.lt(0)).then("down").otherwise("flat");
 * frame.with({ trend }).column("trend").toArray(); // up, down, flat, flat
 * ```
 */
export function when(condition: Column<boolean | null>): WhenCondition<never> {
  return chain(condition, [], []);
}

function chain<Value>(
  condition: Column<boolean | null>,
  conditions: readonly Vector[],
  values: readonly Operand[],
): WhenCondition<Value> {
  if (!(condition instanceof Column)) throw notColumn("when()", condition, "a column of booleans");
  const all = [...conditions, condition.vector];
  return {
    // biome-ignore lint/suspicious/noThenProperty: SQL, polars and pandas call it so; it takes no callbacks.
    then(value) {
      // Who awaits this passes a callback.
      if (typeof value === "function") throw notColumn("then()", value, "a column or one value");
      const before = [...values, operand(value)];
      return {
        when: (next) => chain(next, all, before),
        otherwise(last) {
          const place = { column: condition.name, method: "when()" };
          const vector = choose(all, [...before, operand(last)], place);
          return new Column("when", serviceTypeOfArrow(vector.type), vector);
        },
      };
    },
  };
}

const operand = (value: Choice): Operand => (value instanceof Column ? value.vector : value);

/**
 * The first value of each row that is not null (or NaN), as in SQL: of the first column, else of the next, or a
 * constant.
 *
 * @throws {InputError} WrongType, DifferentLength, BadArgument
 * @example
 * ```ts
 * import { coalesce, Frame } from "arrowbook";
 * const frame = Frame.fromColumns({ a: [1, null, null], b: [5, 6, null] });
 * coalesce(frame.column("a"), frame.column("b"), 0).toArray(); // [1, 6, 0]
 * ```
 */
export function coalesce<Value, const Others extends readonly Choice[]>(
  first: Column<Value>,
  ...others: Others
): Column<Exclude<Value | CellsOf<Others[number]>, null> | LastNull<Others>> {
  if (!(first instanceof Column)) throw notColumn("coalesce()", first, "a column, followed by columns or values");
  const fill = (column: Column<never>, other: Choice): Column<never> =>
    (column as unknown as { fill(other: Choice): Column<never> }).fill(other);
  return others.reduce<Column<never>>(fill, first as Column<never>);
}

/** Null, unless one of the others has none. */
type LastNull<Others extends readonly Choice[]> = true extends {
  [K in keyof Others]: null extends CellsOf<Others[K]> ? false : true;
}[number]
  ? never
  : null;

const notColumn = (method: string, value: unknown, needs: string): InputError =>
  new InputError(`${method} expects ${needs}; got ${shown(value)}.`, {
    code: "BadArgument",
    hint: 'Such as when(frame.column("close").gt(10)).then("high").otherwise("low").',
  });
