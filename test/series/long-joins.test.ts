import { describe, expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";

// More rows than a batch has, so that values are looked up by the code of each row.
const ROWS = 70_000;

/** `ROWS` rows in batches of several lengths; the key has `distinct` values and nulls, in no order. */
function left(distinct: number, lengths: readonly number[]): Frame {
  const parts: Frame[] = [];
  let from = 0;
  for (const length of lengths) {
    const at = (i: number): number => ((from + i) * 7919) % (distinct + 1);
    const key = Array.from({ length }, (_, i) => (at(i) === distinct ? null : `k${at(i)}`));
    parts.push(Frame.fromColumns({ key, n: Array.from({ length }, (_, i) => from + i) }, { n: "Integer" }) as Frame);
    from += length;
  }
  return Frame.concat(parts);
}

/** One row for every second key, and a null key, with columns of all widths. */
function right(distinct: number): Frame {
  const ids = Array.from({ length: Math.ceil(distinct / 2) }, (_, i) => i * 2);
  const rows = [...ids, null].map((id) => ({
    key: id === null ? null : `k${id}`,
    price: id === null || id % 3 === 0 ? null : `${id}.25`,
    wide: id === null ? null : `${id}00000000000000000000000000000000000000.5`,
    day: id === null ? null : "2024-02-29",
    count: id,
    flag: id === null ? null : id % 4 === 0,
    name: id === null ? null : `name ${id % 10}`,
    double: id === null ? null : id / 7,
  }));
  return Frame.fromRows(
    rows,
    columnSpecs({
      key: "String",
      price: "BigDecimal(12,2)",
      wide: "BigDecimal(60,1)",
      day: "Date",
      count: "Integer",
      flag: "Boolean",
      name: "String",
      double: "double",
    }),
  ) as Frame;
}

const NAMES = ["price", "wide", "day", "count", "flag", "name", "double"];
type Cells = readonly (string | null)[];

const cells = (frame: Frame, name: string): Cells => frame.column(name).toStrings();

/** The partner of each left row by a map; −1 for none. */
function partners(a: Cells, b: Cells, areNullsEqual: boolean): number[] {
  const rows = new Map(b.map((key, row) => [key, row]));
  return a.map((key) => (key === null && !areNullsEqual ? -1 : (rows.get(key) ?? -1)));
}

const LENGTHS = [
  [65_536, ROWS - 65_536],
  [5_000, 60_000, 0, 5_000],
];

/** The first row in which two columns differ, −1 for none: an array of so many rows is compared slowly. */
const differs = (a: Cells, b: Cells): number =>
  a.length === b.length ? a.findIndex((cell, row) => cell !== b[row]) : Math.min(a.length, b.length);

describe.each([6, 60_000])("a join of many rows with %i keys", (distinct) => {
  it.each(LENGTHS)("finds the partner of each row, in batches of %i, …", (...lengths) => {
    const [a, b] = [left(distinct, lengths), right(distinct)];
    for (const [how, areNullsEqual] of [
      ["join", false],
      ["align", true],
    ] as const) {
      const found = partners(cells(a, "key"), cells(b, "key"), areNullsEqual);
      const kept = found.flatMap((row, i) => (row === -1 ? [] : [i]));
      const run = (kind: "left" | "inner"): Frame =>
        how === "join"
          ? (a.join(b, { on: "key", how: kind }) as Frame)
          : (Frame.align([a, b], { on: "key", how: kind }) as unknown as Frame);
      const [all, inner] = [run("left"), run("inner")];
      expect([all.numRows, inner.numRows]).toEqual([ROWS, kept.length]);
      const numbers = cells(a, "n");
      expect(
        differs(
          cells(inner, "n"),
          kept.map((i) => numbers[i]),
        ),
      ).toBe(-1);
      for (const name of NAMES) {
        const from = cells(b, name);
        const expected = found.map((row) => (row === -1 ? null : from[row]));
        expect(differs(cells(all, name), expected)).toBe(-1);
        expect(all.column(name).nullCount).toBe(expected.filter((cell) => cell === null).length);
        expect(
          differs(
            cells(inner, name),
            kept.map((i) => expected[i]),
          ),
        ).toBe(-1);
      }
    }
  });
});
