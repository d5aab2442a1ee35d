import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Aggregate } from "../../src/index.js";
import { Frame } from "../../src/index.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const frameOf = (columns: Record<string, readonly (number | null)[]>): Frame =>
  Frame.fromColumns({
    g: Object.values(columns)[0].map(() => 1),
    d: Object.values(columns)[0].map((_, i) => new Date(i * 86_400_000)),
    ...Object.fromEntries(
      Object.entries(columns).map(([name, values]) => [
        name,
        Float64Array.from(values, (value) => value ?? Number.NaN),
      ]),
    ),
  }) as never;

const aggregated = (values: readonly (number | null)[], how: Aggregate) =>
  (frameOf({ x: values }).groupBy("g").agg({ x: how }).toArray() as unknown as { x: unknown }[])[0].x;
const described = (values: readonly (number | null)[], statistic: string) =>
  (frameOf({ x: values }).describe("x").toArray() as unknown as { statistic: string; x: unknown }[]).find(
    (row) => row.statistic === statistic,
  )?.x;

const some = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 }),
  fc.integer({ min: -1000, max: 1000 }),
);
const infinity = fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);

describe("a deviation with an infinite value is null", () => {
  it("std, var, describe", () => {
    forAll(
      { numRuns: runs(100), seed: 1 },
      fc.array(some, { maxLength: 8 }),
      fc.array(infinity, { minLength: 1, maxLength: 4 }),
      (a, b) => {
        for (const values of [
          [...a, ...b],
          [...b, ...a],
        ]) {
          for (const how of ["std", "var"] as const) expect(aggregated(values, how)).toBe(null);
          expect(frameOf({ x: values }).column("x").std()).toBe(null);
          expect(described(values, "std")).toBe(null);
        }
      },
    );
    expect(aggregated([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], "std")).toBe(null);
    expect(aggregated([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], "mean")).toBe(null);
    expect(aggregated([Number.POSITIVE_INFINITY, 1], "mean")).toBe(Number.POSITIVE_INFINITY);
  });

  it("also in long columns", () => {
    const values = Array.from({ length: 40_000 }, (_, i) => i % 10);
    values[777] = Number.POSITIVE_INFINITY;
    expect(described(values, "std")).toBe(null);
    values[778] = Number.NEGATIVE_INFINITY;
    expect(described(values, "std")).toBe(null);
    expect(described(values, "mean")).toBe(null);
  });
});

describe("a constant column", () => {
  it("deviates by exactly 0 and correlates with nothing", () => {
    forAll(
      { numRuns: runs(200), seed: 2 },
      some,
      fc.array(fc.option(some, { freq: 5 }), { minLength: 2, maxLength: 60 }),
      (constant, others) => {
        const same = others.map(() => constant);
        const frame = frameOf({ x: same, y: others });
        expect(aggregated(same, "std")).toBe(0);
        expect(aggregated(same, "var")).toBe(0);
        for (const method of ["pearson", "spearman"] as const) {
          expect(frame.corr("x", "y", method)).toBe(null);
          expect(frame.corr("y", "x", method)).toBe(null);
          expect(frame.corr("x", "x", method)).toBe(null);
          const matrix = frame.corr(["x", "y"], method).toArray() as unknown as { x: unknown; y: unknown }[];
          expect(matrix.map(({ x }) => x)).toEqual([null, null]);
          expect(matrix[0].y).toBe(null);
        }
      },
    );
  });

  it("is one over the rows where both columns have values", () => {
    expect(frameOf({ x: [0.1, 0.1, 0.1, 9], y: [1, 2, 4, null] }).corr("x", "y")).toBe(null);
  });
});

it("numbers correlate as their multiples by the smallest and by large doubles do", () => {
  const pairs = fc.array(fc.tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -99, max: 99 })), {
    minLength: 2,
    maxLength: 8,
  });
  forAll(100, pairs, fc.constantFrom(Number.MIN_VALUE, 2 ** -540, 2 ** 1000), (rows, factor) => {
    const [x, y] = [0, 1].map((side) => rows.map((row) => row[side]));
    const expected = frameOf({ x, y }).corr("x", "y");
    const found = frameOf({ x, y: y.map((value) => value * factor) }).corr("x", "y");
    if (expected === null) expect(found).toBe(null);
    else expect(found).toBeCloseTo(expected, 12);
  });
});

it("an infinite value correlates with nothing", () => {
  expect(frameOf({ x: [1, 2, Number.POSITIVE_INFINITY], y: [1, 2, 3] }).corr("x", "y")).toBe(null);
  expect(frameOf({ x: [1, 2, Number.POSITIVE_INFINITY], y: [1, 2, 3] }).corr("x", "y", "spearman")).toBe(1);
});

it("correlation and deviation do not depend on the unit, from the smallest doubles to the largest", () => {
  const values = [1, 2, 4, 8, 9];
  const std = aggregated(values, "std") as number;
  for (const power of [-1000, -600, -1, 0, 1, 600, 1000]) {
    const scaled = values.map((value) => value * 2 ** power);
    const corr = frameOf({ x: scaled, y: [1, 3, 2, 5, 4] }).corr("x", "y");
    expect(corr).toBeCloseTo(frameOf({ x: values, y: [1, 3, 2, 5, 4] }).corr("x", "y") as number, 14);
    expect((aggregated(scaled, "std") as number) / 2 ** power).toBeCloseTo(std, 12);
    if (power < -500) continue; // the squares of windows are below the smallest double
    const rolled = frameOf({ x: scaled }).rolling(5, "std", { columns: "x" }).column("x").get(4) as number;
    expect(rolled / 2 ** power).toBeCloseTo(std, 12);
  }
});

describe("ewm", () => {
  it("std and var of one value are null, however many nulls follow", () => {
    forAll(
      { numRuns: runs(300), seed: 3 },
      some,
      fc.integer({ min: 0, max: 50 }),
      fc.integer({ min: 0, max: 3 }),
      fc.double({ min: 0.001, max: 1, noNaN: true }),
      fc.boolean(),
      fc.boolean(),
      (value, nulls, before, alpha, adjust, ignoreNulls) => {
        const x = [...new Array<null>(before).fill(null), value, ...new Array<null>(nulls).fill(null)];
        for (const how of ["std", "var"] as const) {
          const found = frameOf({ x }).ewm({ alpha, adjust, ignoreNulls, columns: "x" }, how).column("x");
          expect(found.toArray()).toEqual(x.map(() => null));
        }
      },
    );
  });

  it("a null repeats the result, for as long as there is no other value", () => {
    const x = [1, 4, ...new Array<null>(3_000).fill(null)];
    const found = frameOf({ x }).ewm({ alpha: 0.5, columns: "x" }, "std").column("x").toArray();
    expect(new Set(found.slice(1)).size).toBe(1);
  });
});

describe("sums and means of groups", () => {
  const spikes = fc.constantFrom(9.96921e36, -9.96921e36, 1e20, -1e20, 5e15, -5e15, 1e308, -1e308);
  const pairs = fc.array(fc.tuple(spikes, fc.integer({ min: -999, max: 999 })), { minLength: 1, maxLength: 20 });

  it("of values that cancel are exact", () => {
    forAll({ numRuns: runs(200), seed: 4 }, pairs, fc.boolean(), (all, isNested) => {
      const ahead = all.map(([spike]) => spike);
      const back = (isNested ? [...ahead].reverse() : ahead).map((spike) => -spike);
      const rest = all.map(([, value]) => value / 4);
      const values = [...ahead, ...rest, ...back];
      const expected = rest.reduce((sum, value) => sum + value, 0);
      expect(aggregated(values, "sum")).toBe(expected);
      expect(aggregated(values, "mean")).toBe(expected / values.length);
      expect(frameOf({ x: values }).column("x").sum()).toBe(expected);
      // A running sum that overflows stays infinite.
      if (ahead.some((spike) => Math.abs(spike) > 1e300)) return;
      expect(
        frameOf({ x: values })
          .cumsum({ columns: "x" })
          .column("x")
          .get(values.length - 1),
      ).toBe(expected);
    });
  });
});
