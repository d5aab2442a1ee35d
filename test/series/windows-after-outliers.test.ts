import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tableOf } from "../../src/series/core/tables.js";
import { rolling } from "../../src/series/rolling.js";
import { cellsIn, columnOf } from "./tables.js";

/** Every double of these tests is a whole multiple of this. */
const UNIT_BITS = 160;

/** A double in units of 2^-160. */
function unitsOf(value: number): bigint {
  const scaled = value * 2 ** UNIT_BITS;
  if (!Number.isInteger(scaled)) throw new Error(`${value} is not a multiple of 2^-${UNIT_BITS}`);
  return BigInt(scaled);
}

/** top / bottom · 2^shift as a double, within its last bit. */
function quotient(top: bigint, bottom: bigint, shift: number): number {
  const size = top < 0n ? -top : top;
  const bits = Math.max(0, 130 + bottom.toString(2).length - size.toString(2).length);
  const value = Number((size << BigInt(bits)) / bottom);
  // In two steps: 2^(shift - bits) alone may be too small.
  const half = Math.trunc((shift - bits) / 2);
  return (top < 0n ? -1 : 1) * value * 2 ** half * 2 ** (shift - bits - half);
}

const exactly = {
  sum: (units: readonly bigint[]) =>
    quotient(
      units.reduce((a, b) => a + b, 0n),
      1n,
      -UNIT_BITS,
    ),
  mean: (units: readonly bigint[]) =>
    quotient(
      units.reduce((a, b) => a + b, 0n),
      BigInt(units.length),
      -UNIT_BITS,
    ),
  var: (units: readonly bigint[]) => {
    const n = BigInt(units.length);
    const sum = units.reduce((a, b) => a + b, 0n);
    const squares = units.reduce((a, b) => a + b * b, 0n);
    return quotient(n * squares - sum * sum, n * (n - 1n), -2 * UNIT_BITS);
  },
  std: (units: readonly bigint[]) => Math.sqrt(exactly.var(units)),
};
type Method = keyof typeof exactly;
const METHODS = Object.keys(exactly) as Method[];

/** The bounds of docs/series.md: two units in the last place, 12 digits. */
const BOUND: Readonly<Record<Method, number>> = { sum: 2 ** -51, mean: 2 ** -51, var: 1e-12, std: 1e-12 };

const table = (values: readonly (number | null)[]) =>
  tableOf(
    [
      columnOf(
        "d",
        "Date",
        values.map((_, i) => i),
      ),
      columnOf("x", "double", values),
    ],
    values.length,
  );

/** Compares every window with exact arithmetic over its values alone. */
function check(values: readonly (number | null)[], size: number, method: Method, center: boolean): void {
  const least = method === "var" || method === "std" ? 2 : 1;
  const found = cellsIn(rolling(table(values), size, method, { minPeriods: least, center }), "x");
  const units = values.map((value) => (value === null ? null : unitsOf(value)));
  const ahead = center ? (size - 1) >> 1 : 0;
  for (let i = 0; i < values.length; i++) {
    const held = units.slice(Math.max(0, i + ahead + 1 - size), i + ahead + 1).filter((unit) => unit !== null);
    if (held.length < least) expect(found[i]).toBe(null);
    else {
      const expected = exactly[method](held);
      const isNear = Math.abs((found[i] as number) - expected) <= BOUND[method] * Math.abs(expected);
      expect(
        isNear ? expected : { at: i, found: found[i], window: values.slice(Math.max(0, i + 1 - size), i + 1) },
      ).toBe(expected);
    }
  }
}

/** Prices, returns, whole numbers, noise around zero and around a large number. */
const plain = fc.oneof(
  fc.integer({ min: 0, max: 100_000 }).map((n) => n / 4),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 1e8),
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: -50, max: 50 }).map((n) => 2 ** 50 + n),
);
/** Fill values of data formats, sentinels and spikes of every size. */
const outlier = fc.oneof(
  fc.constantFrom(9.96921e36, -9.96921e36, 1e20, -1e20, 5e15, -999999, 1e36, 2 ** 53, 1e10, -99999),
  fc
    .tuple(fc.double({ min: 1, max: 10, noNaN: true }), fc.integer({ min: -10, max: 38 }), fc.boolean())
    .map(([digits, power, isNegative]) => (isNegative ? -1 : 1) * digits * 10 ** power),
);
const series = fc
  .tuple(plain, fc.boolean())
  .chain(([constant, isConstant]) =>
    fc.array(
      fc.oneof(
        { weight: 30, arbitrary: isConstant ? fc.constant(constant) : plain },
        { weight: 2, arbitrary: outlier },
        { weight: 1, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constant(0) },
      ),
      { minLength: 1, maxLength: 120 },
    ),
  );

describe("every window of a series with outliers is as if it was alone", () => {
  it.each(METHODS)("%s", (method) => {
    fc.assert(
      fc.property(series, fc.integer({ min: 1, max: 12 }), fc.boolean(), (values, size, center) =>
        check(values, size, method, center),
      ),
      { numRuns: Number(process.env.ARROWBOOK_RUNS ?? 400), seed: 16 },
    );
  });

  it.each(METHODS)("%s of values that cancel", (method) => {
    const pairs = fc
      .array(fc.tuple(outlier, plain, fc.boolean()), { minLength: 1, maxLength: 30 })
      .map((all) => all.flatMap(([spike, value, twice]) => (twice ? [spike, value, -spike] : [spike, -spike, value])));
    fc.assert(
      fc.property(pairs, fc.integer({ min: 1, max: 9 }), (values, size) => check(values, size, method, false)),
      { numRuns: Number(process.env.ARROWBOOK_RUNS ?? 200), seed: 17 },
    );
  });
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
