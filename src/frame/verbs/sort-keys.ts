import type { Table } from "../../columns/arrow/arrow.js";
import { columnIndex } from "../../columns/arrow/column-names.js";
import type { SortKey } from "../../columns/table/sort.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { needList } from "../cells/given.js";

/** The keys of `sort()` as columns of a table and their directions. @throws InputError `UnknownColumn`, `UnknownWord`, `BadOption` */
export function sortKeys(table: Table, keys: readonly unknown[]): SortKey[] {
  return keys.map((key) => {
    if (typeof key === "string") return { column: columnIndex(table, key), descending: false };
    needList(key, "sort()", 'Give names, or names with a direction: ["date", "desc"].');
    const [name, direction] = Array.from(key);
    const column = columnIndex(table, name as string);
    if (direction === "asc" || direction === "desc") return { column, descending: direction === "desc" };
    throw new InputError(`The direction of ${shown(name)} is ${shown(direction)}.`, {
      code: "UnknownWord",
      hint: 'Use "asc" or "desc": frame.sort(["date", "desc"]).',
    });
  });
}
