import { describe, expect, it } from "vitest";
import { Frame } from "../../src/index.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { check, tables, verbs } from "./missing-values.js";

describe("a null in place of NaN changes no result", () => {
  const numRuns = runs(60);
  it.each(Object.keys(verbs))("%s", (name) => {
    forAll({ numRuns, seed: 18 }, tables, (input) => check(name, input));
  });
});

it("says so in figures", () => {
  const frame = Frame.fromColumns({
    g: ["a", "a", "b"],
    date: ["2024-01-01", "2024-01-02", "2024-01-03"],
    x: Float64Array.of(1, Number.NaN, Number.NaN),
  });
  expect(
    frame
      .groupBy("g")
      .agg({ x: ["count", "last", "nunique"] })
      .toArray(),
  ).toEqual([
    { g: "a", x_count: 1, x_last: 1, x_nunique: 1 },
    { g: "b", x_count: 0, x_last: null, x_nunique: 0 },
  ]);
  expect(frame.dropNulls().numRows).toBe(1);
  expect(frame.column("x").isNull().toArray()).toEqual([false, true, true]);
  expect(frame.column("x").fill(0).toArray()).toEqual([1, 0, 0]);
  expect(frame.column("x").nullCount).toBe(2);
  expect(frame.column("x").ne(1).toArray()).toEqual([false, null, null]);
  expect(frame.unique("x").numRows).toBe(2);
});
