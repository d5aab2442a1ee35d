import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Table } from "../../src/columns/arrow/arrow.js";
import { tableOf } from "../../src/series/core/tables.js";
import { type RollingOptions, rolling, type WindowMethod } from "../../src/series/rolling.js";
import { formatDate } from "../../src/value/date.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { cellsIn, columnOf, inBatches, tableFrom, textsOf } from "./tables.js";

/** Values are whole multiples of 2^-20, so that sums and squares are exact in whole numbers. */
const UNIT = 2 ** 20;

/** Days after the given steps. */
function daysAfter(steps: readonly number[]): number[] {
  const days: number[] = [];
  for (const step of steps) days.push((days.at(-1) ?? 0) + step);
  return days;
}

const dated = (units: readonly (number | null)[], days: readonly number[]): Table => {
  const values = units.map((n) => (n === null ? null : n / UNIT));
  return tableOf([columnOf("d", "Date", days), columnOf("x", "double", values)], units.length);
};

/** top / bottom as the nearest double, but for the last bit. */
const quotient = (top: bigint, bottom: bigint): number => Number((top << 120n) / bottom) / 2 ** 120;

const byValue = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Exact results over the units in a window. */
const exactly: Record<"sum" | "mean" | "var" | "min" | "max", (units: readonly bigint[]) => number> = {
  sum: (units) =>
    quotient(
      units.reduce((a, b) => a + b, 0n),
      BigInt(UNIT),
    ),
  mean: (units) =>
    quotient(
      units.reduce((a, b) => a + b, 0n),
      BigInt(units.length * UNIT),
    ),
  var: (units) => {
    const n = BigInt(units.length);
    const sum = units.reduce((a, b) => a + b, 0n);
    const squares = units.reduce((a, b) => a + b * b, 0n);
    return quotient(n * squares - sum * sum, n * (n - 1n) * BigInt(UNIT) ** 2n);
  },
  min: (units) => Number([...units].sort(byValue)[0]) / UNIT,
  max: (units) => Number([...units].sort(byValue)[units.length - 1]) / UNIT,
};

const units = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) },
  { weight: 2, arbitrary: fc.maxSafeInteger() },
  { weight: 1, arbitrary: fc.constant(null) },
);

/**
 * Shapes that break naive sums: far from zero with little noise, one spike, long equal stretches, growth over many
 * orders.
 */
const shapes = fc.oneof(
  fc.array(units, { minLength: 1, maxLength: 80 }),
  fc.array(
    fc.integer({ min: -50, max: 50 }).map((n) => 2 ** 50 + n),
    { minLength: 1, maxLength: 80 },
  ),
  fc.array(fc.constantFrom(3, 3, 3, 3, 2 ** 52, null), { minLength: 1, maxLength: 80 }),
  fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 80 }).map((a) => a.map((n, i) => n + 2 ** Math.min(52, i))),
);

const near = (found: unknown, expected: number, relative: number): boolean =>
  typeof found === "number" && Math.abs(found - expected) <= relative * Math.abs(expected);

const TOLERANCE = { sum: 2 ** -52, mean: 2 ** -51, var: 1e-12, min: 0, max: 0 };

describe("windows against exact arithmetic", () => {
  it.each(Object.keys(TOLERANCE) as (keyof typeof TOLERANCE)[])("%s", (word) => {
    forAll(
      { numRuns: runs(300), seed: 11 },
      shapes,
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      fc.boolean(),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
      (values, size, center, byDays, stream) => {
        const days = daysAfter(values.map(() => stream.next().value as number));
        const least = word === "var" ? 2 : 1;
        const unit = byDays ? "days" : "rows";
        const found = cellsIn(rolling(dated(values, days), size, word, { minPeriods: least, center, unit }), "x");
        for (let i = 0; i < values.length; i++) {
          const ahead = byDays ? size / 2 : (size - 1) >> 1;
          const inWindow = (j: number): boolean =>
            byDays
              ? days[j] <= days[i] + (center ? ahead : 0) && days[j] > days[i] + (center ? ahead : 0) - size
              : j <= i + (center ? ahead : 0) && j > i + (center ? ahead : 0) - size;
          const window = values.filter((v, j) => v !== null && inWindow(j)).map((v) => BigInt(v as number));
          if (window.length < least) expect(found[i]).toBe(null);
          else {
            const expected = exactly[word](window);
            expect(near(found[i], expected, TOLERANCE[word]) ? expected : found[i]).toBe(expected);
          }
        }
      },
    );
  });
});

it("equal values have that mean, no deviation and themselves as quantiles, whatever came before", () => {
  const values = [1e300, -7, 1e-300, ...new Array<number>(50).fill(0.1)];
  const days = values.map((_, i) => formatDate(i));
  const table = tableFrom({ d: ["Date", days], x: ["double", values] });
  const last = (word: WindowMethod, options?: RollingOptions) => cellsIn(rolling(table, 7, word, options), "x").at(-1);
  expect(last("mean")).toBe(0.1);
  expect(last("std")).toBe(0);
  expect(last("median")).toBe(0.1);
  expect(last("quantile", { quantile: 0.3 })).toBe(0.1);
});

it("infinite values are missing, and leave nothing behind", () => {
  const values = [1, Number.POSITIVE_INFINITY, 3, Number.NEGATIVE_INFINITY, 5, 6];
  const table = tableFrom({ d: ["Date", values.map((_, i) => formatDate(i))], x: ["double", values] });
  expect(cellsIn(rolling(table, 2, "sum", { minPeriods: 1 }), "x")).toEqual([1, 1, 3, 3, 5, 11]);
  expect(cellsIn(rolling(table, 2, "max"), "x")).toEqual([null, null, null, null, null, 6]);
});

describe("exact types", () => {
  const LONG = {
    ticker: ["String", ["A", "A", "A", "A"]],
    date: ["Date", ["2024-01-04", "2024-01-03", "2024-01-02", "2024-01-01"]],
    wide: ["BigDecimal(50,28)", ["1.0000000000000000000000000001", null, "9999999999999999999999.5", "-3.25"]],
    n: ["Integer", [9007199254740993n, 9007199254740992n, null, -1]],
  } as const;
  const cases: [WindowMethod, RollingOptions, (string | null)[][]][] = [
    [
      "sum",
      { minPeriods: 1 },
      [
        ["1.0000000000000000000000000001", "18014398509481985"],
        ["9999999999999999999999.5000000000000000000000000000", "9007199254740992"],
        ["9999999999999999999996.2500000000000000000000000000", "-1"],
        ["-3.2500000000000000000000000000", "-1"],
      ],
    ],
    [
      "max",
      {},
      [
        [null, "9007199254740993"],
        [null, null],
        ["9999999999999999999999.5000000000000000000000000000", null],
        [null, null],
      ],
    ],
    [
      "min",
      { minPeriods: 1, suffix: "_min" },
      [
        ["1.0000000000000000000000000001", "9007199254740992"],
        ["9999999999999999999999.5000000000000000000000000000", "9007199254740992"],
        ["-3.2500000000000000000000000000", "-1"],
        ["-3.2500000000000000000000000000", "-1"],
      ],
    ],
  ];
  it.each(cases)("%s of decimals of 50 digits and of integers beyond 2^53, newest first", (word, options, expected) => {
    for (const size of [4, 3, 1]) {
      const table = inBatches(tableFrom(LONG), size);
      const result = rolling(table, 2, word, { by: "ticker", ...options });
      expect(textsOf(result).map((row) => row.slice(-2))).toEqual(expected);
      expect(result.numCols).toBe(options.suffix === undefined ? 4 : 6);
    }
  });
});

it.each([
  ["a window of no rows", (t: Table) => rolling(t, 0, "mean"), "BadArgument"],
  ["a window of half a row", (t: Table) => rolling(t, 1.5, "mean"), "BadArgument"],
  ["an unknown value", (t: Table) => rolling(t, 2, "avg" as "mean"), "UnknownValue"],
  ["a quantile without its part", (t: Table) => rolling(t, 2, "quantile"), "BadArgument"],
  ["text", (t: Table) => rolling(t, 2, "mean", { columns: "s" }), "WrongType"],
  ["an unknown unit", (t: Table) => rolling(t, 2, "mean", { unit: "day" as "days" }), "UnknownValue"],
])("refuses %s", (_, act, code) => {
  const table = tableFrom({ d: ["Date", ["2024-01-01"]], x: ["double", [1]], s: ["String", ["a"]] });
  expect(() => act(table)).toThrow(expect.objectContaining({ code }));
});

describe("values near the largest double", () => {
  const days = Array.from({ length: 9 }, (_, i) => i);
  const of = (values: readonly number[]): Table =>
    tableOf([columnOf("d", "Date", days), columnOf("x", "double", values)], values.length);

  it("change no later window", () => {
    const values = [1e308, 1, 1e308, 1e308, 3, 5, 1e200, 2, 4];
    expect(cellsIn(rolling(of(values), 2, "sum"), "x")).toEqual([
      null,
      1e308,
      1e308,
      Number.POSITIVE_INFINITY,
      1e308,
      8,
      1e200,
      1e200,
      6,
    ]);
    expect(cellsIn(rolling(of(values), 3, "sum"), "x").slice(5, 9)).toEqual([1e308, 1e200, 1e200, 1e200]);
    expect(cellsIn(rolling(of(values), 2, "mean"), "x").slice(4)).toEqual([5e307, 4, 5e199, 5e199, 3]);
    expect(cellsIn(rolling(of(values), 2, "var"), "x").slice(5)).toEqual([
      2,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      2,
    ]);
    const spike = [1e200, 1, 2, 3, 1e300, -1e308, 1e308, 7, 9];
    expect(cellsIn(rolling(of(spike), 2, "std"), "x").slice(2)).toEqual([
      Math.SQRT1_2,
      Math.SQRT1_2,
      1e300 * Math.SQRT1_2,
      (1e300 + 1e308) * Math.SQRT1_2,
      1e308 * Math.SQRT2,
      1e308 * Math.SQRT1_2,
      Math.SQRT2,
    ]);
  });

  it("are interpolated without an overflow", () => {
    const values = [-(2 ** 1023), 2 ** 1023, -(2 ** 1023), 0, 0, 0, 0, 0, 0];
    expect(cellsIn(rolling(of(values), 2, "median"), "x").slice(1, 3)).toEqual([0, 0]);
    expect(cellsIn(rolling(of(values), 2, "quantile", { quantile: 0.25 }), "x")[1]).toBe(-(2 ** 1022));
  });
});
