import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { Table } from "./arrow.js";

/** Column names in order. Names may repeat. */
export function namesOf(table: Table): string[] {
  return table.schema.fields.map((field) => field.name);
}

/**
 * The position of a column, which is named exactly or by its position.
 *
 * @throws {InputError} UnknownColumn with the nearest names; AmbiguousColumn where several columns have the name
 */
export function columnIndex(table: Table, column: string | number): number {
  const names = namesOf(table);
  if (typeof column !== "number" && typeof column !== "string") {
    throw new InputError(
      `Expected the name or position of one column; got ${Array.isArray(column) ? "a list" : String(column)}.`,
      {
        code: "BadArgument",
        hint: "Pass a column name or a position.",
      },
    );
  }
  if (typeof column === "number") {
    if (Number.isInteger(column) && column >= 0 && column < names.length) return column;
    throw new InputError(`There is no column at position ${column}: the table has ${names.length}.`, {
      code: "UnknownColumn",
      column: String(column),
      hint: `Positions go from 0 to ${names.length - 1}.`,
    });
  }
  const first = names.indexOf(column);
  if (first === -1) {
    throw new InputError(`There is no column ${JSON.stringify(column)}.`, {
      code: "UnknownColumn",
      column,
      hint: suggestion(column, names, "columns"),
    });
  }
  if (names.indexOf(column, first + 1) !== -1) {
    const places = names.flatMap((name, i) => (name === column ? [i] : []));
    throw new InputError(`${places.length} columns are called ${JSON.stringify(column)}.`, {
      code: "AmbiguousColumn",
      column,
      hint: `Use its position (${places.join(", ")}), or rename all columns: frame.rename([…]).`,
    });
  }
  return first;
}

/** Makes names unique: a repeated name gets `_2`, `_3`, … so that no column is lost. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let key = name;
    for (let n = 2; seen.has(key) || (key !== name && taken.has(key)); n++) key = `${name}_${n}`;
    seen.add(key);
    return key;
  });
}
