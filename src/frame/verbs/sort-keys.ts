import type { Table } from "../../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../../columns/arrow/column-names.js";
import type { SortKey } from "../../columns/table/sort.js";
import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { shown } from "../../errors/shown.js";
import { needList } from "../cells/given.js";

/**
 * The keys of `sort()` as columns of a table and their directions: each argument is a key, or the only one is a list of
 * keys. A list of two whose second is a direction is one key.
 *
 * @throws {InputError} UnknownColumn, UnknownValue, AmbiguousSort, BadArgument
 */
export function sortKeys(table: Table, keys: readonly unknown[]): SortKey[] {
  const [only] = keys;
  if (keys.length !== 1 || typeof only === "string") return keys.map((key) => sortKey(table, key));
  needList(only, "sort()", HINT);
  const list: readonly unknown[] = Array.from(only);
  return isPair(table, list) ? [sortKey(table, list)] : list.map((key) => sortKey(table, key));
}

function sortKey(table: Table, key: unknown): SortKey {
  if (typeof key === "string") return { column: columnIndex(table, key), descending: false };
  needList(key, "A key of sort()", HINT);
  const [name, direction] = Array.from(key);
  const column = columnIndex(table, name as string);
  if (isDirection(direction)) return { column, descending: direction === "desc" };
  throw new InputError(`The direction of ${shown(name)} is ${shown(direction)}.`, {
    code: "UnknownValue",
    hint: 'Use "asc" or "desc": frame.sort(["date", "desc"]).',
  });
}

/**
 * Whether a list is one name with its direction. Throws where it could be two columns as well, and where it is neither.
 */
function isPair(table: Table, list: readonly unknown[]): boolean {
  const [name, second] = list;
  if (list.length !== 2 || typeof name !== "string" || typeof second !== "string") return false;
  const names = namesOf(table);
  if (!isDirection(second)) {
    if (names.includes(second)) return false;
    throw new InputError(`sort() expects a column or a direction after ${shown(name)}; got ${shown(second)}.`, {
      code: "UnknownColumn",
      column: second,
      hint: `${suggestion(second, names, "columns")} A direction is "asc" or "desc".`,
    });
  }
  if (!names.includes(second)) return true;
  throw new InputError(`sort([${shown(name)}, ${shown(second)}]) names two columns, or one and its direction.`, {
    code: "AmbiguousSort",
    column: second,
    hint: `Write sort(${shown(name)}, ${shown(second)}) for two columns, sort([[${shown(name)}, ${shown(second)}]]) for one and its direction.`,
  });
}

const isDirection = (word: unknown): word is "asc" | "desc" => word === "asc" || word === "desc";

const HINT = 'Pass names, or names with a direction: sort("ticker", ["date", "desc"]).';
