import fc from "fast-check";
import { tableOf } from "../../src/series/core/tables.js";
import { rolling } from "../../src/series/rolling.js";
import { cellsIn, columnOf } from "./tables.js";

/** Every double of these tests is a whole multiple of this. */
export const UNIT_BITS = 160;

/** A double in units of 2^-160. */
export function unitsOf(value: number): bigint {
  const scaled = value * 2 ** UNIT_BITS;
  if (!Number.isInteger(scaled)) throw new Error(`${value} is not a multiple of 2^-${UNIT_BITS}`);
  return BigInt(scaled);
}

/** top / bottom · 2^shift as a double, within its last bit. */
export function quotient(top: bigint, bottom: bigint, shift: number): number {
  const size = top < 0n ? -top : top;
  const bits = Math.max(0, 130 + bottom.toString(2).length - size.toString(2).length);
  const value = Number((size << BigInt(bits)) / bottom);
  // In two steps: 2^(shift - bits) alone may be too small.
  const half = Math.trunc((shift - bits) / 2);
  return (top < 0n ? -1 : 1) * value * 2 ** half * 2 ** (shift - bits - half);
}

/** Results of exact arithmetic over values in units of 2^-160. */
export const exactly = {
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
export type Method = keyof typeof exactly;
export const METHODS = Object.keys(exactly) as Method[];

/** The bounds of docs/series.md: two units in the last place, 12 digits. */
export const BOUND: Readonly<Record<Method, number>> = { sum: 2 ** -51, mean: 2 ** -51, var: 1e-12, std: 1e-12 };

/** A table of dates and one column of doubles, `x`. */
export const table = (values: readonly (number | null)[]) =>
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

/** Throws unless every window has the result of exact arithmetic over its values alone. */
export function check(values: readonly (number | null)[], size: number, method: Method, center: boolean): void {
  const least = method === "var" || method === "std" ? 2 : 1;
  const found = cellsIn(rolling(table(values), size, method, { minPeriods: least, center }), "x");
  const units = values.map((value) => (value === null ? null : unitsOf(value)));
  const ahead = center ? (size - 1) >> 1 : 0;
  for (let i = 0; i < values.length; i++) {
    const [from, to] = [Math.max(0, i + ahead + 1 - size), i + ahead + 1];
    const held = units.slice(from, to).filter((unit) => unit !== null);
    const cell = found[i];
    const expected = held.length < least ? null : exactly[method](held);
    const isNear =
      expected === null
        ? cell === null
        : typeof cell === "number" && Math.abs(cell - expected) <= BOUND[method] * Math.abs(expected);
    if (!isNear) throw new Error(`row ${i}: ${method} of ${values.slice(from, to)} is ${cell}, not ${expected}`);
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
/** Series of values of one kind, with outliers, nulls and zeros among them. */
export const series = fc
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

/** Outliers that cancel, with plain values between them. */
export const cancelling = fc
  .array(fc.tuple(outlier, plain, fc.boolean()), { minLength: 1, maxLength: 30 })
  .map((all) => all.flatMap(([spike, value, twice]) => (twice ? [spike, value, -spike] : [spike, -spike, value])));
