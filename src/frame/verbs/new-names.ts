import type { Table } from "../../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../../columns/arrow/column-names.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { needObject } from "../cells/given.js";

/**
 * The names of a table after `rename()`: by old name, or an array with all names.
 *
 * @throws {InputError} UnknownColumn, DifferentLength
 */
export function newNames(table: Table, names: unknown): string[] {
  const fresh = namesOf(table);
  if (Array.isArray(names)) {
    if (names.length === fresh.length) return names.map(checkedName);
    throw new InputError(`rename() expects ${fresh.length} names, one per column; got ${names.length}.`, {
      code: "DifferentLength",
      hint: 'Pass a name per column, or new names by old ones: rename({ close: "price" }).',
    });
  }
  needObject(names, "rename()", 'Pass new names by old ones: rename({ close: "price" }).');
  for (const [from, to] of Object.entries(names)) fresh[columnIndex(table, from)] = checkedName(to);
  return fresh;
}

function checkedName(name: unknown): string {
  if (typeof name === "string") return name;
  throw new InputError(`Column names must be strings; got ${shown(name)}.`, {
    code: "BadArgument",
    hint: "Pass a string.",
  });
}
