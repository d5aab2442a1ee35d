import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { duckdb } from "../../src/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import type { Aggregate } from "../../src/series/track/aggregate.js";
import { decimals, frameOf, texts } from "../compute/model.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll, forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/* Aggregates of groups are those of DuckDB, or of BigInt where DuckDB has no such decimals, whatever the batches. */

const columns = columnSpecs({ k: "String", d: "Date", n: "Integer", p: "BigDecimal(15,4)", x: "double", s: "String" });
const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 4 });
const row = fc.record({
  k: nullable(fc.constantFrom("A", "B", "")),
  d: nullable(fc.constantFrom("1969-12-31", "2024-02-29", "9999-12-31")),
  n: nullable(fc.integer({ min: -1000, max: 1000 })),
  p: nullable(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((value) => (value / 1e4).toFixed(4))),
  x: nullable(fc.oneof(fc.integer({ min: -8, max: 8 }), fc.constant(Number.NaN))),
  s: nullable(fc.constantFrom("a", "B", "\u{1F600}", "\uFFFD")),
});

let engine: Awaited<ReturnType<typeof duckdb>>;
beforeAll(async () => {
  engine = await duckdb();
});
afterAll(() => engine.close());

const cutAt = (rows: readonly object[], cut: number): Frame => {
  const parts = [rows.slice(0, cut), rows.slice(cut)].filter((part) => part.length > 0);
  return Frame.concat(parts.map((part) => Frame.fromRows(part, columns))) as Frame;
};

const SQL: Readonly<Record<string, string>> = {
  sum: "sum(#)",
  min: "min(#)",
  max: "max(#)",
  count: "count(#)",
  mean: "avg(#)",
  std: "stddev_samp(#::double)",
  median: "median(#::double)",
  nunique: "count(distinct #)",
  first: "first(# order by place) filter (# is not null)",
  last: "last(# order by place) filter (# is not null)",
};
const NUMBERS = Object.keys(SQL);
const OTHERS = ["min", "max", "count", "nunique", "first", "last"];
const ASKED = { n: NUMBERS, p: NUMBERS, x: NUMBERS, s: OTHERS, d: OTHERS } as Readonly<Record<string, string[]>>;

describe("groups", () => {
  it("aggregate as DuckDB does, whatever the keys and cuts", async () => {
    await forAllAsync(
      runs(40),
      fc.array(row, { minLength: 1, maxLength: 40 }),
      fc.nat(40),
      fc.constantFrom<string[]>(["k"], ["k", "n"], ["d"], ["d", "k"], ["p"], ["x"]),
      async (rows, cut, by) => {
        const frame = cutAt(rows, cut);
        const asked = Object.fromEntries(Object.entries(ASKED).filter(([name]) => !by.includes(name)));
        const mine = (frame as Frame).groupBy(by).agg(asked as Readonly<Record<string, Aggregate[]>>);
        // NaN counts as null here, not in DuckDB.
        const theirRows = rows.map((one) => ({ ...one, x: Number.isNaN(one.x) ? null : one.x }));
        await engine.load("t", cutAt(theirRows, cut).with({ place: rows.map((_, i) => BigInt(i)) }));
        const list = Object.entries(asked).flatMap(([name, hows]) =>
          hows.map((how) => `${SQL[how].replaceAll("#", name)} as ${name}_${how}`),
        );
        const theirs = await engine.query(
          `select ${[...by, ...list].join(", ")} from t group by ${by.join(", ")} order by min(place)`,
        );
        await engine.query("drop table t");
        expect(mine.numRows).toBe(theirs.numRows);
        for (const { name } of mine.columns) {
          const [ours, other] = [mine.column(name), theirs.column(name)];
          if (/_(mean|std|median)$/.test(name)) {
            const values = other.toNumbers();
            for (const [i, value] of ours.toNumbers().entries()) {
              if (Number.isNaN(value)) expect([name, i, values[i]]).toEqual([name, i, Number.NaN]);
              else expect(value).toBeCloseTo(values[i], 6);
            }
          } else {
            const spelt = (cells: (string | null)[]) =>
              cells.map((cell) => (cell === "NaN" ? null : (cell?.replace(/\.0+$/, "") ?? null)));
            expect([name, ...spelt(ours.toStrings())]).toEqual([name, ...spelt(other.toStrings())]);
          }
        }
      },
    );
  });

  it("aggregate decimals of any width exactly", () => {
    const keys = fc.array(fc.constantFrom("A", "B", "C"), { minLength: 12, maxLength: 12 });
    forAll(
      runs(200),
      decimals(12, 70),
      keys,
      fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 2 }),
      (a, ks, cuts) => {
        const frame = frameOf({ a }, cuts).with({ k: ks });
        const groups = [...new Set(ks)].map((k) =>
          a.units.filter((value, i): value is bigint => ks[i] === k && value !== null),
        );
        const sum = groups.map((units) => (units.length === 0 ? null : units.reduce((x, y) => x + y)));
        const least = groups.map((units) => units.reduce<bigint | null>((x, y) => (x === null || y < x ? y : x), null));
        const most = groups.map((units) => units.reduce<bigint | null>((x, y) => (x === null || y > x ? y : x), null));
        const spelt = (units: readonly (bigint | null)[]) => texts({ units, scale: a.scale });
        const limit = 10n ** (a.precision <= 38 ? 38n : 76n);
        fc.pre(sum.every((value) => value === null || (value < limit && value > -limit)));
        const made = frame.groupBy("k").agg({ a: ["sum", "min", "max", "count", "first", "last", "mean"] });
        expect(made.column("a_sum").toStrings()).toEqual(spelt(sum));
        expect(made.column("a_min").toStrings()).toEqual(spelt(least));
        expect(made.column("a_max").toStrings()).toEqual(spelt(most));
        expect(made.column("a_count").toArray()).toEqual(groups.map((units) => units.length));
        expect(made.column("a_first").toStrings()).toEqual(spelt(groups.map((units) => units[0] ?? null)));
        expect(made.column("a_last").toStrings()).toEqual(spelt(groups.map((units) => units.at(-1) ?? null)));
        for (const [g, mean] of made.column("a_mean").toNumbers().entries()) {
          if (groups[g].length === 0) expect(mean).toBeNaN();
          else {
            const exact = Number(`${sum[g]}e${-a.scale}`) / groups[g].length;
            expect(Math.abs(mean - exact)).toBeLessThanOrEqual(Math.abs(exact) * 1e-15);
          }
        }
      },
    );
  });
});

describe("quantiles", () => {
  it("are those of the sorted values, however long and skewed", () => {
    const size = fc.constantFrom(1, 7, 4096, 4097, 9000);
    const shape = fc.constantFrom<(i: number) => number>(
      (i) => Math.sin(i) * 1000,
      (i) => (i % 100 === 0 ? 1e300 : i / 7),
      () => 5,
      (i) => (i % 3 === 0 ? Number.NaN : i),
      (i) => (i === 3 ? Number.POSITIVE_INFINITY : -i),
      (i) => Math.exp(i % 700),
      (i) => (i % 2 === 0 ? -1.7e308 : 1.7e308),
    );
    forAll(runs(120), size, shape, fc.double({ min: 0, max: 1, noNaN: true }), (count, value, q) => {
      const values = Float64Array.from({ length: count }, (_, i) => value(i));
      const frame = Frame.fromRows([{ x: 1 }])
        .take(new Int32Array(count))
        .with({ x: values });
      const sorted = values.filter((x) => !Number.isNaN(x)).sort();
      const place = q * (sorted.length - 1);
      const below = sorted[Math.floor(place)];
      const above = sorted[Math.min(Math.floor(place) + 1, sorted.length - 1)];
      const found = frame.quantile("x", q);
      if (sorted.length === 0) expect(found).toBeNull();
      else if (found === null) expect(Number.isFinite(above - below)).toBe(false);
      else {
        expect(found).toBeGreaterThanOrEqual(below);
        expect(found).toBeLessThanOrEqual(above);
        if (Number.isInteger(place)) expect(found).toBe(below);
      }
      const shown = frame.describe("x").column("x").toNumbers();
      if (sorted.length > 0) expect([shown[4], shown[8]]).toEqual([sorted[0], sorted[sorted.length - 1]]);
    });
  });
});
