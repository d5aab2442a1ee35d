import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Float64,
  makeData,
  Table,
  Timestamp,
  TimeUnit,
  Vector,
  vectorFromArray,
} from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/index.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const NANOS_PER_DAY = 86_400_000_000_000n;
const UNITS = [
  [TimeUnit.SECOND, 1_000_000_000n],
  [TimeUnit.MILLISECOND, 1_000_000n],
  [TimeUnit.MICROSECOND, 1_000n],
  [TimeUnit.NANOSECOND, 1n],
] as const;

function frameOf(times: readonly bigint[], unit: TimeUnit, values: readonly (number | null)[]): Frame {
  const data = BigInt64Array.from(times);
  const type = new Timestamp(unit, "UTC");
  return Frame.from(
    new Table({
      at: new Vector([makeData({ type, data, length: data.length })]),
      x: vectorFromArray(values as (number | null)[], new Float64()),
    }),
  ) as never;
}

const rolled = (frame: Frame, size: number, method: "sum" | "count" | "max", center = false): unknown[] =>
  frame
    .rolling(size, method, { unit: "days", columns: "x" as never, center, minPeriods: 0 })
    .column("x" as never)
    .toArray();

describe("a window of days over timestamps", () => {
  it("has no later row of the same day", () => {
    const frame = Frame.fromRows(
      [
        { at: "2024-03-01T09:00:00Z", x: 1 },
        { at: "2024-03-01T17:00:00Z", x: 10 },
        { at: "2024-03-02T08:00:00Z", x: 100 },
        { at: "2024-03-02T09:00:00Z", x: 1_000 },
      ],
      columnSpecs({ at: "DateTime", x: "double" }),
    );
    // pandas: s.rolling("1D").sum()
    expect(frame.rolling(1, "sum", { unit: "days" }).column("x").toNumbers()).toEqual(
      Float64Array.of(1, 11, 111, 1_110),
    );
  });

  it("is the last size times 24 hours, in every unit, cut and order", () => {
    forAll(
      { numRuns: runs(300), seed: 24 },
      fc.constantFrom(...UNITS),
      fc.uniqueArray(fc.bigInt({ min: -200n, max: 200n }), { minLength: 1, maxLength: 40 }),
      fc.constantFrom(1n, 3_600n, 21_600n, 43_200n, 86_399n),
      fc.bigInt({ min: -1n, max: 1n }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom<"sum" | "count" | "max">("sum", "count", "max"),
      ([unit, nanosPer], steps, seconds, jitter, size, center, isShuffled, method) => {
        // Near the bounds of windows by one unit; some before 1970.
        const perSecond = 1_000_000_000n / nanosPer;
        const times = [...new Set(steps.map((step) => step * seconds * perSecond + (step % 2n) * jitter))];
        if (!isShuffled) times.sort((a, b) => (a < b ? -1 : 1));
        const values = times.map((_, i) => (i % 7 === 3 ? null : i));
        const nanos = times.map((time) => time * nanosPer);
        const span = BigInt(size) * NANOS_PER_DAY;
        const ahead = center ? span / 2n : 0n;
        const expected = nanos.map((time) => {
          const held = values.filter(
            (value, j) => value !== null && nanos[j] <= time + ahead && nanos[j] > time + ahead - span,
          ) as number[];
          if (method === "count") return held.length;
          if (method === "sum") return held.reduce((a, b) => a + b, 0);
          return held.length === 0 ? null : Math.max(...held);
        });
        expect(rolled(frameOf(times, unit, values), size, method, center)).toEqual(expected);
      },
    );
  });

  it("of each series by itself", () => {
    const frame = Frame.fromRows(
      [
        { g: "b", at: "2024-03-02T10:00:00Z", x: 4 },
        { g: "a", at: "2024-03-01T12:00:00Z", x: 1 },
        { g: "b", at: "2024-03-01T10:00:01Z", x: 8 },
        { g: "a", at: "2024-03-02T11:59:59Z", x: 2 },
      ],
      columnSpecs({ g: "String", at: "DateTime", x: "Integer" }),
    );
    expect(frame.rolling(1, "sum", { unit: "days", by: "g" }).column("x").toArray()).toEqual([12, 1, 8, 3]);
  });
});

describe("a window of hours and smaller units over timestamps", () => {
  const NANOS = {
    hours: 3_600_000_000_000n,
    minutes: 60_000_000_000n,
    seconds: 1_000_000_000n,
    milliseconds: 1_000_000n,
  };

  it("is later than its length before the row, in every unit of the column", () => {
    forAll(
      { numRuns: runs(200), seed: 25 },
      fc.constantFrom(...UNITS),
      fc.uniqueArray(fc.bigInt({ min: -200n, max: 200n }), { minLength: 1, maxLength: 40 }),
      fc.constantFrom(...(Object.keys(NANOS) as (keyof typeof NANOS)[])),
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      ([unit, nanosPer], steps, name, size, center) => {
        // Times a whole number of units of the window apart, as far as the column can hold them.
        const step = NANOS[name] < nanosPer ? 1n : NANOS[name] / nanosPer;
        const times = [...new Set(steps.map((count) => count * step))].sort((a, b) => (a < b ? -1 : 1));
        const nanos = times.map((time) => time * nanosPer);
        const span = BigInt(size) * NANOS[name];
        const expected = nanos.map(
          (time) =>
            nanos.filter((other) =>
              center
                ? 2n * (other - time) <= span && 2n * (other - time) > -span
                : other <= time && other > time - span,
            ).length,
        );
        const options = { unit: name, columns: "x" as never, center, minPeriods: 0 };
        const frame = frameOf(times, unit, times.map(Number));
        expect(
          frame
            .rolling(size, "count", options)
            .column("x" as never)
            .toArray(),
        ).toEqual(expected);
      },
    );
  });
});
