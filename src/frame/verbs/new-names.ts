import type { Table } from "../../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../../columns/arrow/column-names.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { needObject } from "../cells/given.js";

/**
 * The names of a table after `rename()`: by old name, or a list with a name for each.
 *
 * @throws {InputError} UnknownColumn, DifferentLength
 */
export function newNames(table: Table, names: unknown): string[] {
  const fresh = namesOf(table);
  if (Array.isArray(names)) {
    if (names.length === fresh.length) return names.map(nameGiven);
    throw new InputError(`${names.length} names for ${fresh.length} columns.`, {
      code: "DifferentLength",
      hint: 'Give a name for each column, or new names by old ones: rename({ close: "price" }).',
    });
  }
  needObject(names, "rename()", 'Give new names by old ones: rename({ close: "price" }).');
  for (const [from, to] of Object.entries(names)) fresh[columnIndex(table, from)] = nameGiven(to);
  return fresh;
}

function nameGiven(name: unknown): string {
  if (typeof name === "string") return name;
  throw new InputError(`A column is to be called ${shown(name)}.`, { code: "BadArgument", hint: "Names are texts." });
}
