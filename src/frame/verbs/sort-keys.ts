import type { Table } from "../../columns/arrow/arrow.js";
import { columnIndex, namesOf } from "../../columns/arrow/column-names.js";
import type { SortKey } from "../../columns/table/sort.js";
import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { shown } from "../../errors/shown.js";
import { needList } from "../cells/given.js";

/**
 * Resolves the keys of `sort()` to columns and directions: each argument is a key, or the only one is an array of keys.
 * An array of two whose second item is a direction is one key.
 *
 * @throws {InputError} UnknownColumn, UnknownValue, AmbiguousSort, BadArgument
 */
export function sortKeys(table: Table, keys: readonly unknown[]): SortKey[] {
  const [only] = keys;
  if (keys.length === 2 && typeof only === "string" && isDirection(keys[1]) && !namesOf(table).includes(keys[1])) {
    throw new InputError(
      `sort(${shown(only)}, ${shown(keys[1])}) names two columns, and ${shown(keys[1])} is not one.`,
      {
        code: "UnknownColumn",
        column: keys[1],
        hint: `A column and its direction are one list: sort([${shown(only)}, ${shown(keys[1])}]).`,
      },
    );
  }
  if (keys.length > 1) refuseParallelLists(table, keys);
  if (keys.length !== 1 || typeof only === "string") return keys.map((key) => sortKey(table, key));
  needList(only, "sort()", HINT);
  const list: readonly unknown[] = Array.from(only);
  return isPair(table, list) ? [sortKey(table, list)] : list.map((key) => sortKey(table, key));
}

/** @throws {InputError} BadArgument for columns in one list, and directions or options beside it, as in pandas */
function refuseParallelLists(table: Table, keys: readonly unknown[]): void {
  const [only, beside] = keys;
  const names = namesOf(table);
  const isNames = Array.isArray(only) && only.length > 0 && only.every((name) => names.includes(name as string));
  const last = keys[keys.length - 1];
  const isBare = typeof last === "string" && isDirection(last) && !names.includes(last);
  if (!isBare && !(isNames && typeof beside === "object" && beside !== null && !isKey(names, beside))) return;
  const columns = isNames ? (only as string[]) : keys.slice(0, -1).flatMap((key) => key as string | string[]);
  const example = columns.map((name) => `[${shown(name)}, "desc"]`).join(", ");
  throw new InputError("sort() expects each direction beside its column.", {
    code: "BadArgument",
    hint: `Pass pairs: sort(${example}).`,
  });
}

const isKey = (names: readonly string[], key: object): boolean =>
  Array.isArray(key) && names.includes(key[0] as string) && (key.length < 2 || isDirection(key[1]));

function sortKey(table: Table, key: unknown): SortKey {
  if (typeof key === "string") return { column: columnIndex(table, key), descending: false };
  needList(key, "A key of sort()", HINT);
  const [name, direction] = Array.from(key);
  const column = columnIndex(table, name as string);
  if (isDirection(direction)) return { column, descending: direction === "desc" };
  throw new InputError(`sort() expects "asc" or "desc" as the direction of ${shown(name)}; got ${shown(direction)}.`, {
    code: "UnknownValue",
    hint: 'Use "asc" or "desc": frame.sort(["date", "desc"]).',
  });
}

/** Whether an array is a name with its direction. Throws if it could be two columns as well, and if it is neither. */
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
  throw new InputError(
    `sort([${shown(name)}, ${shown(second)}]) is ambiguous: two columns, or one and its direction.`,
    {
      code: "AmbiguousSort",
      column: second,
      hint: `Write sort(${shown(name)}, ${shown(second)}) for two columns, sort([[${shown(name)}, ${shown(second)}]]) for one and its direction.`,
    },
  );
}

const isDirection = (value: unknown): value is "asc" | "desc" => value === "asc" || value === "desc";

const HINT = 'Pass names, or names with a direction: sort("ticker", ["date", "desc"]).';
