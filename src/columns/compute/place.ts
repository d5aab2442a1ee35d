import { DataError, InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import type { DataType } from "../arrow/arrow.js";
import { typeName } from "../arrow/schema.js";

/** The computation, for messages. */
export interface Place {
  /** Name of the column that the method is called on. */
  readonly column: string;
  /** With parentheses: `add()`. */
  readonly method: string;
  /** What the column does not do with a constant of another kind; default `does not accept`. */
  readonly refusal?: string;
}

/** @returns the error for a column that the method does not support */
export function wrongType({ column, method }: Place, type: DataType, needs: string): InputError {
  return new InputError(`${method} needs ${needs}; column ${JSON.stringify(column)} is ${typeName(type)}.`, {
    code: "WrongType",
    column,
    hint: "Use another column, or convert this one with cast().",
  });
}

/** @returns the error for two columns of types that do not go together */
export function unlike({ column, method }: Place, left: DataType, right: DataType): InputError {
  const [first, second] = [typeName(left), typeName(right)];
  return new InputError(`${method} of column ${JSON.stringify(column)}: ${first} and ${second} do not go together.`, {
    code: "WrongType",
    column,
    hint: "Convert one of them with cast().",
  });
}

/** @returns the error for a constant that the column cannot be compared or computed with */
export function wrongConstant(
  { column, method, refusal = "does not accept" }: Place,
  type: DataType,
  value: unknown,
): InputError {
  const name = typeName(type);
  return new InputError(`${method} of column ${JSON.stringify(column)} (${name}) ${refusal} ${shown(value)}.`, {
    code: "BadArgument",
    column,
    hint: "Pass a column of this type, or a value such as its cells: a number, a decimal, text or an ISO date as a string.",
  });
}

/** @returns the error for a result that does not fit its type */
export function tooLarge(
  { column, method }: Place,
  row: number,
  value: string,
  type: string,
  hint = 'Convert the column first: cast("double"), or a decimal of fewer digits after the point.',
): DataError {
  return new DataError(`${method} of column ${JSON.stringify(column)}, row ${row}: ${value} does not fit ${type}.`, {
    code: "Overflow",
    column,
    row,
    value,
    hint,
  });
}
