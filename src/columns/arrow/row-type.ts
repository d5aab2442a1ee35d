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
