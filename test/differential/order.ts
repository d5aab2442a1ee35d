import type { Cell, Model } from "./random-table.js";

/** Whether a cell counts as null. */
export const isNull = (cell: Cell): boolean => cell === null || Number.isNaN(cell);

/** Texts by their code points, as in UTF-8; other cells by value. Neither is null. */
export function compareCells(a: Cell, b: Cell): number {
  if (typeof a !== "string") return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
  const [first, second] = [[...a], [...(b as string)]];
  for (let i = 0; i < first.length && i < second.length; i++) {
    const difference = (first[i].codePointAt(0) as number) - (second[i].codePointAt(0) as number);
    if (difference !== 0) return difference;
  }
  return first.length - second.length;
}

/** The rows in the order of some columns; nulls last in both directions, equal rows as they were. */
export function sortedRows(rows: number, keys: readonly (readonly [Model, "asc" | "desc"])[]): number[] {
  return Array.from({ length: rows }, (_, row) => row).sort((a, b) => {
    for (const [{ cells }, direction] of keys) {
      const [one, other] = [isNull(cells[a]), isNull(cells[b])];
      if (one !== other) return one ? 1 : -1;
      const order = one ? 0 : compareCells(cells[a], cells[b]);
      if (order !== 0) return direction === "asc" ? order : -order;
    }
    return a - b;
  });
}

/** What rows have in common when their cells are equal: nulls are equal, and so are 0 and -0. */
export function keyOf(models: readonly Model[], row: number): string {
  return models
    .map(({ cells }) => (isNull(cells[row]) ? "null" : `${typeof cells[row]} ${cells[row] === 0 ? 0 : cells[row]}`))
    .join("\u0001");
}

/** The rows of each key, in the order of their first row. */
export function rowsByKey(models: readonly Model[], rows: number): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (let row = 0; row < rows; row++) {
    const key = keyOf(models, row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}
