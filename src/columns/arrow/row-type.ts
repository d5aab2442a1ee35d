import { type ColumnSpec, parseType } from "../../spec/columns.js";
import { columnTypeOf } from "./types.js";

/** The TypeScript type of a cell of a column, as `rows()` returns it by default (docs/types.md). Any may be null. */
export function cellType(type: string): string {
  return `${columnTypeOf(parseType(type)).cell} | null`;
}

/** A column name as a member of a TypeScript type. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** The type of the rows of these columns as a TypeScript type literal on one line. */
export function rowType(columns: readonly ColumnSpec[]): string {
  const members = columns.map(({ name, type }) => `${memberName(name)}: ${cellType(type)};`);
  return members.length === 0 ? "{}" : `{ ${members.join(" ")} }`;
}

/** The key of the method by which a kernel reads the type arguments of a value. */
const TYPE_ARGUMENTS = Symbol.for("arrowbook.typeArguments");

/**
 * Lets a notebook's compiler use the data: gives a prototype a method that returns the TypeScript types of the class's
 * type parameters for one value, or undefined while they are unknown. The method is not enumerable.
 */
export function showTypeArguments<T extends object>(
  prototype: T,
  typesOf: (value: T) => readonly string[] | undefined,
): void {
  Object.defineProperty(prototype, TYPE_ARGUMENTS, {
    configurable: true,
    value(this: T): readonly string[] | undefined {
      return typesOf(this);
    },
  });
}
