import fc from "fast-check";
import { expect, it } from "vitest";
import { Frame } from "../../src/index.js";
import { formatDate } from "../../src/value/date.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const frameOf = (rows: readonly { readonly k: string; readonly day: number; readonly x: number | null }[]) =>
  Frame.fromColumns(
    { k: rows.map(({ k }) => k), d: rows.map(({ day }) => formatDate(day)), x: rows.map(({ x }) => x) },
    { d: "Date", x: "double" },
  );

it("has a row for each fall below the highest value so far, as drawdown() has them", () => {
  const rows = fc.uniqueArray(
    fc.record({
      k: fc.constantFrom("a", "b"),
      day: fc.integer({ min: 0, max: 99 }),
      x: fc.option(fc.integer({ min: -1, max: 12 }), { freq: 6 }),
    }),
    { minLength: 1, maxLength: 60, selector: ({ k, day }) => `${k}${day}` },
  );
  forAll({ numRuns: runs(300), seed: 51 }, rows, (all) => {
    const frame = frameOf(all);
    const below = frame.drawdown({ by: "k", columns: "x" }).column("x").toArray() as (number | null)[];
    const expected: object[] = [];
    for (const k of new Set(all.map((row) => row.k))) {
      const series = all
        .map((row, i) => ({ ...row, below: below[i] }))
        .filter((row) => row.k === k && row.below !== null)
        .sort((a, b) => a.day - b.day);
      for (let i = 1; i < series.length; i++) {
        if (series[i].below === 0 || series[i - 1].below !== 0) continue;
        const next = series.findIndex((row, at) => at > i && row.below === 0);
        const during = series.slice(i, next === -1 ? undefined : next);
        const depth = Math.min(...during.map((row) => row.below as number));
        expected.push({
          k,
          start: formatDate(series[i - 1].day),
          trough: formatDate(during.find((row) => row.below === depth)?.day as number),
          recovery: next === -1 ? null : formatDate(series[next].day),
          depth,
        });
      }
    }
    const found = frame.drawdowns("x", { by: "k" });
    expect(found.toArray()).toEqual(expected);
    expect(found.key).toEqual(["k", "start"]);
  });
});

it("is of one series without a key, of any order, and has no row for values that only rise", () => {
  const frame = Frame.fromColumns(
    { d: ["2024-01-04", "2024-01-03", "2024-01-02"], x: ["8.00", "10.00", "9.00"] },
    { d: "Date", x: "BigDecimal(9,2)" },
  );
  expect(frame.drawdowns("x").toArray()).toEqual([
    { start: "2024-01-03", trough: "2024-01-04", recovery: null, depth: expect.closeTo(-0.2, 15) },
  ]);
  expect(frame.tail(2).drawdowns("x").numRows).toBe(0);
  expect(() => frame.drawdowns("d" as never)).toThrow(expect.objectContaining({ code: "WrongType" }));
  expect(() => Frame.fromColumns({ x: [1] }).drawdowns("x")).toThrow(expect.objectContaining({ code: "NoDateColumn" }));
});

it("lists as many falls as there are", () => {
  const days = 300_000;
  const frame = Frame.fromColumns(
    {
      d: Array.from({ length: days }, (_, i) => new Date(86_400_000 * i)),
      x: Array.from({ length: days }, (_, i) => 100 + i - 3 * (i % 2)),
    },
    { d: "Date", x: "double" },
  );
  expect(frame.drawdowns("x").numRows).toBe(days / 2);
});
