import fc from "fast-check";
import { expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { describe as summarized } from "../../src/series/describe.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { BOUND, cancelling, exactly, series, table, unitsOf } from "./exact-windows.js";
import { cellsIn } from "./tables.js";

// As many rows as are read in passes of WebAssembly.
const ROWS = 20_000;

/** Whole numbers below 2^32, the same in every run. */
function random(): () => number {
  let state = 5;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 0;
  };
}

const next = random();
const doubles = (of: (i: number) => number): (number | null)[] =>
  Array.from({ length: ROWS }, (_, i) => (i % 13 === 5 ? null : of(i)));
const decimals = (of: (i: number) => string): (string | null)[] =>
  Array.from({ length: ROWS }, (_, i) => (i % 13 === 5 ? null : of(i)));

const COLUMNS: Readonly<Record<string, readonly [type: string, cells: readonly (number | string | null)[]]>> = {
  uniform: ["double", doubles(() => next() / 2 ** 32)],
  skewed: ["double", doubles((i) => (i % 100 === 0 ? next() * 1e6 : next() / 2 ** 40))],
  equal: ["double", doubles(() => 7.25)],
  zeros: ["double", doubles((i) => (i % 3 === 0 ? -0 : i % 3 === 1 ? 0 : 1e-300))],
  huge: ["double", doubles((i) => (i % 2 === 0 ? 1.7e308 : -1.7e308))],
  few: ["double", Array.from({ length: ROWS }, (_, i) => (i % 2_000 === 0 ? i / 3 : null))],
  none: ["double", Array.from({ length: ROWS }, () => null)],
  price: ["BigDecimal(15,4)", decimals((i) => `${i % 2 === 0 ? "-" : ""}${next() % 90_000}.${1_000 + (i % 9_000)}`)],
  wide: ["BigDecimal(38,5)", decimals((i) => `${i % 500 === 0 ? "12345678901234567890" : ""}${next()}.12345`)],
  wider: ["BigDecimal(60,2)", decimals(() => `${next()}.25`)],
};

/** The statistics of all columns. */
function statistics(): unknown {
  const names = Object.keys(COLUMNS);
  const rows = Array.from({ length: ROWS }, (_, i) =>
    Object.fromEntries(names.map((name) => [name, COLUMNS[name][1][i]])),
  );
  const frame = Frame.fromRows(
    rows,
    names.map((name) => ({ name, type: COLUMNS[name][0] })),
  );
  const parts = Frame.concat([frame.slice(0, 10_001), frame.slice(10_001)]);
  const all = parts.describe();
  return names.map((name) => [name, ...all.column(name as never).toArray(), parts.quantile(name as never, 0.1)]);
}

it("are those of the sorted values", () => {
  const found = statistics() as [string, ...(number | null)[]][];
  for (const [name, count, nulls, mean, std, min, q25, q50, q75, max] of found) {
    const held = COLUMNS[name][1].filter((cell) => cell !== null).map(Number);
    expect([name, count, nulls]).toEqual([name, held.length, ROWS - held.length]);
    if (held.length === 0 || name === "huge") continue;
    const sorted = Float64Array.from(held).sort();
    const at = (q: number): number => {
      const place = q * (held.length - 1);
      const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
      return low + (high - low) * (place % 1);
    };
    expect([name, min === sorted[0], max === sorted[held.length - 1]]).toEqual([name, true, true]);
    for (const [value, q] of [
      [q25, 0.25],
      [q50, 0.5],
      [q75, 0.75],
    ] as const) {
      expect(Math.abs((value as number) - at(q))).toBeLessThanOrEqual(Math.abs(at(q)) * 1e-14);
    }
    const average = held.reduce((sum, value) => sum + value / held.length, 0);
    expect(Math.abs((mean as number) - average)).toBeLessThanOrEqual(Math.abs(average) * 1e-9);
    // In units of the largest size, so that no square underflows.
    const unit = Math.max(...held.map(Math.abs));
    const variance = held.reduce((sum, value) => sum + ((value - average) / unit) ** 2 / (held.length - 1), 0);
    const deviation = Math.sqrt(variance) * unit;
    const tolerance = deviation * 1e-6 + Math.abs(average) * 1e-9;
    expect(Math.abs((std as number) - deviation)).toBeLessThanOrEqual(tolerance);
  }
});

it("are those of exact arithmetic, also where large values cancel", () => {
  const whole = fc.tuple(fc.oneof(cancelling, series), fc.integer({ min: 0, max: 9 }));
  forAll(runs(15), whole, ([part, rest]) => {
    const values = Array.from({ length: ROWS + rest }, (_, i) => part[i % part.length]);
    const units = values.filter((value) => value !== null).map(unitsOf);
    const [count, , mean, std] = cellsIn(summarized(table(values), "x"), "x") as (number | null)[];
    expect(count).toBe(units.length);
    const isNear = (found: number | null, of: "mean" | "std", least: number): boolean => {
      if (units.length < least) return found === null;
      const wanted = exactly[of](units);
      return found !== null && Math.abs(found - wanted) <= BOUND[of] * Math.abs(wanted);
    };
    if (!isNear(mean, "mean", 1)) throw new Error(`the mean is ${mean}, not ${exactly.mean(units)}`);
    if (!isNear(std, "std", 2)) throw new Error(`the deviation is ${std}, not ${exactly.std(units)}`);
  });
});
