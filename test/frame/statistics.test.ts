import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { duckdb } from "../../src/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { codeOf, spelt } from "../compute/model.js";
import { frameOfIPC } from "../frame-of-ipc.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll, forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/*
 * What columns and groups reduce to, beside DuckDB's answers on the same random rows: nulls, repeated keys, empty
 * groups and tables, decimals of 38 and 76 digits (DuckDB has 38; wider ones are beside sums of bigints).
 */
let engine: Awaited<ReturnType<typeof duckdb>>;
beforeAll(async () => {
  engine = await duckdb();
});
afterAll(() => engine.close());

const columns = columnSpecs({
  k: "String",
  i: "Integer",
  p: "BigDecimal(9,2)",
  w: "BigDecimal(38,10)",
  v: "BigDecimal(76,20)",
  x: "double",
  d: "Date",
});
const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 4 });
const units = (digits: number) => fc.bigInt({ min: -(10n ** BigInt(digits)) + 1n, max: 10n ** BigInt(digits) - 1n });
const row = fc.record({
  k: nullable(fc.constantFrom("A", "B", "")),
  i: nullable(fc.integer({ min: -5, max: 5 })),
  p: nullable(units(9).map((n) => spelt(n, 2))),
  w: nullable(units(36).map((n) => spelt(n, 10))),
  v: nullable(units(74).map((n) => spelt(n, 20))),
  x: nullable(fc.double({ min: -1e6, max: 1e6, noNaN: true })),
  d: nullable(fc.constantFrom("2024-02-29", "1999-12-31", "2024-03-01")),
});
const tables = fc
  .tuple(fc.array(row, { maxLength: 30 }), fc.nat(30))
  .map(([rows, cut]) =>
    Frame.concat([rows.slice(0, cut), rows.slice(cut)].map((part) => Frame.fromRows(part, columns))),
  );

const exact = { decimals: "string" } as const;
const close = (a: unknown, b: unknown): void => {
  if (a === null || b === null) expect(a).toBe(b);
  else expect(a).toBeCloseTo(Number(b), 6 - Math.floor(Math.log10(Math.max(1, Math.abs(Number(b))))));
};

describe("columns", () => {
  it("have the mean, min, max, sum, std and nunique that DuckDB has", async () => {
    await forAllAsync(runs(40), tables, async (frame) => {
      const wanted = ["i", "p", "w", "x"].flatMap((n) => [
        `min(${n})::varchar as ${n}_min, max(${n})::varchar as ${n}_max, avg(${n}) as ${n}_mean`,
        `stddev_samp(${n}::double) as ${n}_std, count(distinct ${n}) as ${n}_n`,
        `sum(${n})::varchar as ${n}_sum`,
      ]);
      const text = `select ${wanted.join(", ")}, min(k) as k, max(d)::varchar as d from this`;
      const [truth] = (await frame.sql(text)).toArray();
      for (const name of ["i", "p", "w", "x"]) {
        const column = frame.column(name);
        if (name !== "x") {
          expect(textOf(column.min(exact))).toBe(truth[`${name}_min`]);
          expect(textOf(column.max(exact))).toBe(truth[`${name}_max`]);
          expect(textOf(column.sum(exact))).toBe(truth[`${name}_sum`]);
        } else close(column.sum(), truth[`${name}_sum`]);
        close(column.mean(), truth[`${name}_mean`]);
        close(column.std(), truth[`${name}_std`]);
        expect(column.nunique()).toBe(truth[`${name}_n`]);
      }
      expect(frame.column("k").min()).toBe(truth["k"]);
      expect(frame.column("d").max()).toBe(truth["d"]);
    });
  });

  it("compute decimals of 76 digits exactly, and distinct values with null in order", () => {
    forAll(runs(100), tables, (frame) => {
      const column = frame.column("v");
      const values = column.toBigInts().filter((value) => value !== null) as bigint[];
      const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const bigint = { decimals: "bigint" } as const;
      expect(column.min(bigint)).toBe(sorted[0] ?? null);
      expect(column.max(bigint)).toBe(sorted[sorted.length - 1] ?? null);
      expect(column.sum(bigint)).toBe(values.length === 0 ? null : values.reduce((a, b) => a + b));
      expect(column.nunique()).toBe(new Set(values).size);
      for (const { name } of frame.columns) {
        const texts = frame.column(name).toStrings();
        const unique = frame.column(name).unique();
        // The two zeros are one value, spelled as the first of them.
        const isFirst = (text: string | null, at: number): boolean =>
          texts.findIndex((other) => (other === "-0.0" ? "0.0" : other) === (text === "-0.0" ? "0.0" : text)) === at;
        expect(unique.toStrings()).toEqual(texts.filter(isFirst));
        expect(unique.type).toBe(frame.column(name).type);
      }
    });
  });

  it("skip NaN as null, and refuse what has no order or sum", () => {
    const frame = Frame.fromColumns({ x: [Number.NaN, 2, 4], t: ["a", "b", "c"], b: [true, false, true] });
    const x = frame.column("x");
    expect([x.mean(), x.sum(), x.min(), x.max(), x.std()]).toEqual([3, 6, 2, 4, Math.SQRT2]);
    expect(
      Frame.fromColumns({ x: [5] })
        .column("x")
        .std(),
    ).toBeNull();
    expect(codeOf(() => (frame.column("t") as never as typeof x).sum())).toBe("WrongType");
    expect([frame.column("b").min(), frame.column("b").sum()]).toEqual([false, 2]);
    expect(codeOf(() => x.sum({ decimal: "string" } as never))).toBe("UnknownOption");
  });
});

const textOf = (cell: unknown): string | null => (cell === null ? null : String(cell));

describe("groups", () => {
  it("head gives the first rows of each group, nunique and list what DuckDB gives", async () => {
    await forAllAsync(runs(40), tables, fc.integer({ min: 0, max: 3 }), async (frame, count) => {
      const numbered = frame.with(
        { n: Array.from({ length: frame.numRows }, (_, at) => BigInt(at)) },
        { n: "Integer" },
      );
      const sorted = numbered.sort("d", ["i", "desc"]);
      const heads = sorted.groupBy("k").head(count);
      const order = "partition by k order by d nulls last, i desc nulls last, n";
      const truth = await numbered.sql(
        `select n from (select *, row_number() over (${order}) as place from this) where place <= ${count}`,
      );
      expect(new Set(heads.column("n").toBigInts())).toEqual(new Set(truth.column("n").toBigInts()));
      expect(heads.column("n").toBigInts()).toEqual(
        sorted
          .filter((r) =>
            heads
              .column("n")
              .toBigInts()
              .includes(BigInt(Number(r.n))),
          )
          .column("n")
          .toBigInts(),
      );
      const found = numbered.groupBy("k").agg({ i: ["nunique", "list"], n: "list" });
      const grouped = await numbered.sql(
        "select count(distinct i) as i_nunique, to_json(list(i order by n))::varchar as i_list, min(n) as first from this group by k order by first",
      );
      expect(found.column("i_nunique").toArray()).toEqual(grouped.column("i_nunique").toArray());
      const plain = (texts: readonly (string | null)[]) =>
        texts.map((text) => (JSON.parse(text ?? "null") as unknown[]).map(textOf));
      expect(plain(found.column("i_list").toStrings())).toEqual(plain(grouped.column("i_list").toStrings()));
      const lists = plain(found.column("n").toStrings()) as string[][];
      expect(lists.flat().sort()).toEqual(numbered.column("n").toStrings().sort());
    });
  });

  it("lists of text survive Arrow, and head refuses a count that is not one", () => {
    const frame = Frame.fromColumns({ k: ["a", "b", "a"], t: ["x", null, "y"] });
    const listed = frame.groupBy("k").agg({ t: "list" });
    expect(listed.toArray()).toEqual([
      { k: "a", t: '["x","y"]' },
      { k: "b", t: "[null]" },
    ]);
    expect(frameOfIPC(listed.toIPC()).toArray()).toEqual(listed.toArray());
    expect(codeOf(() => frame.groupBy("k").head(-1))).toBe("BadArgument");
    expect(frame.groupBy("k").head().numRows).toBe(3);
  });
});
