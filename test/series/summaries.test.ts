import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { vectorToNumbers } from "../../src/columns/arrow/vector-values.js";
import { distributionOf } from "../../src/series/core/select.js";
import { decimals } from "../engine/tables.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

describe("decimals as doubles", () => {
  it("are the nearest ones, null as NaN, of every size and scale", () => {
    const units = fc.tuple(
      fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
      fc.integer({ min: 0, max: 38 }),
    );
    const near = fc.bigInt({ min: -3n, max: 3n });
    const value = fc.option(
      fc.oneof(
        units.map(([whole, digits]) => whole / 10n ** BigInt(digits)),
        fc.tuple(near, fc.constantFrom(0n, 2n ** 53n, -(2n ** 53n), 2n ** 64n, -(2n ** 32n))).map(([a, b]) => a + b),
      ),
      { nil: null },
    );
    forAll(
      { seed: 8, numRuns: runs(300) },
      fc.array(value, { maxLength: 40 }),
      fc.integer({ min: 0, max: 30 }),
      (values, scale) => {
        const expected = values.map((each) => (each === null ? Number.NaN : Number(`${each}e-${scale}`)));
        expect([...vectorToNumbers(decimals(38, scale, values))]).toEqual(expected);
      },
    );
  });
});

describe("values at places among the sorted", () => {
  it("are those of sorting, of many values, also equal ones and zeros of both signs", () => {
    const many = fc.array(fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1, Number.NaN)), {
      minLength: 1,
      maxLength: 60,
    });
    const place = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 });
    forAll({ seed: 9, numRuns: runs(60), examples: [[[0, -0], [0.5]]] }, many, place, (some, parts) => {
      const values = Float64Array.from({ length: 5_000 }, (_, i) => some[i % some.length]);
      const sorted = values.filter((each) => !Number.isNaN(each)).sort();
      const { length } = sorted;
      if (length === 0) return;
      const places = [...new Set([0, ...parts.map((part) => Math.floor(part * (length - 1))), length - 1])];
      places.sort((a, b) => a - b);
      const found = distributionOf(values).valuesAt(places);
      expect(places.map((at) => found.get(at))).toEqual(places.map((at) => sorted[at]));
    });
  });
});
