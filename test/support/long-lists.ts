import { expect } from "vitest";

const ADDED = Symbol.for("arrowbook.tests.long-lists");

type List = ArrayLike<unknown>;

/** `toEqual` makes a string for each index of a list; long lists of equal primitive values are compared without. */
export function compareLongListsQuickly(): void {
  // Files that share a process share the comparisons.
  if (ADDED in globalThis) return;
  Object.assign(globalThis, { [ADDED]: true });
  expect.addEqualityTesters([(a, b) => (areLong(a, b) && haveEqualCells(a, b) ? true : undefined)]);
}

function areLong(a: unknown, b: unknown): a is List {
  if (!Array.isArray(a) && !ArrayBuffer.isView(a)) return false;
  const [one, other] = [a, b as typeof a];
  return (one as unknown as List).length > 100 && Object.getPrototypeOf(one) === Object.getPrototypeOf(other);
}

function haveEqualCells(a: List, b: unknown): boolean {
  const other = b as List;
  if (a.length !== other.length) return false;
  for (let i = 0; i < a.length; i++) {
    const cell = a[i];
    const isPrimitive = cell !== undefined && (typeof cell !== "object" || cell === null) && typeof cell !== "function";
    if (!isPrimitive || !Object.is(cell, other[i])) return false;
  }
  return true;
}
