import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tableOf } from "../../src/series/core/tables.js";
import { rolling } from "../../src/series/rolling.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { cancelling, check, METHODS, type Method, series, table } from "./exact-windows.js";
import { cellsIn, columnOf } from "./tables.js";

describe("every window of a series with outliers is as if it was alone", () => {
  it.each(METHODS)("%s", (method) => {
    forAll(
      { numRuns: runs(400), seed: 16 },
      series,
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      (values, size, center) => check(values, size, method, center),
    );
  });

  it.each(METHODS)("%s of values that cancel", (method) => {
    forAll({ numRuns: runs(200), seed: 17 }, cancelling, fc.integer({ min: 1, max: 9 }), (values, size) =>
      check(values, size, method, false),
    );
  });
});

it("the variance after outliers that leave nothing but their error as the sum is that of the window", () => {
  const values = [
    3, -2.5e-10, 1.0000000000000027e37, -1.0000000000000027e37, -0.01, -9.96921e36, 9.96921e36, 24999.25, 0,
  ];
  check([2.5e-10, ...values], 2, "var", false);
});

it("sums after fill values are those of the window", () => {
  const values = [9.96921e36, 1e20, 285.25, 284.5, 283];
  const x = (method: Method) => cellsIn(rolling(table(values), 2, method), "x");
  expect(x("sum").slice(3)).toEqual([569.75, 567.5]);
  expect(x("mean").slice(3)).toEqual([284.875, 283.75]);
  expect(x("var").slice(3)).toEqual([0.28125, 1.125]);
});

it("a mean of sums beyond the largest double is the mean", () => {
  const values = [1.5e308, 1.5e308, 1, 3, 1e308, -1e308, 1.5e308, 1.5e308];
  expect(cellsIn(rolling(table(values), 2, "mean"), "x")).toEqual([
    null,
    1.5e308,
    7.5e307,
    2,
    5e307,
    0,
    2.5e307,
    1.5e308,
  ]);
});

it("a window without values has no mean, with a minimum of none", () => {
  expect(cellsIn(rolling(table([5, null, null]), 2, "mean", { minPeriods: 0 }), "x")).toEqual([5, 5, null]);
});

it("long series with outliers everywhere take no longer than their length", () => {
  const values = Float64Array.from({ length: 200_000 }, (_, i) =>
    i % 7 === 0 ? (i % 2 === 0 ? 1e36 : -1e36) : i % 11,
  );
  const days = Array.from(values.keys());
  const long = tableOf([columnOf("d", "Date", days), columnOf("x", "double", Array.from(values))], values.length);
  const from = performance.now();
  for (const method of ["sum", "mean"] as const) rolling(long, 5_000, method);
  expect(performance.now() - from).toBeLessThan(4_000);
});
