import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Table } from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { spelt } from "../compute/model.js";
import { textsOf } from "../series/tables.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll, forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/*
 * Verbs beside the same question in DuckDB, in this process, cell by cell: random tables with nulls, NaN, repeated
 * keys, empty groups and tables, decimals of 9 and 38 digits, cut into batches anywhere. Decimals of 76 digits, which
 * DuckDB does not have, are beside what the verbs do with the same values as text.
 */
const columns = columnSpecs({
  n: "Integer",
  k: "String",
  d: "Date",
  p: "BigDecimal(9,2)",
  w: "BigDecimal(38,10)",
  x: "double",
});
const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 4 });
const decimal = (digits: number, scale: number) =>
  fc.oneof(
    fc.constantFrom(0n, 1n, -1n).map((units) => spelt(units, scale)),
    fc.bigInt({ min: -(10n ** BigInt(digits)) + 1n, max: 10n ** BigInt(digits) - 1n }).map((u) => spelt(u, scale)),
  );
const row = fc.record({
  k: nullable(fc.constantFrom("A", "B", "", "é")),
  d: nullable(fc.constantFrom("2024-02-29", "2024-03-01", "1999-12-31")),
  p: nullable(decimal(9, 2)),
  w: nullable(decimal(36, 10)),
  x: nullable(fc.constantFrom("0", "1.5", "-2.25", "NaN", "1e300")),
});
type Row = { [Name in "n" | "k" | "d" | "p" | "w" | "x"]: string | null };
/** Rows with their number, in two batches. */
const tables = fc.tuple(fc.array(row, { maxLength: 25 }), fc.nat(25)).map(([rows, cut]): Frame<Row> => {
  const numbered = rows.map((cells, i) => ({ n: String(i), ...cells }));
  const parts = [numbered.slice(0, cut), numbered.slice(cut)];
  return Frame.concat(parts.map((part) => Frame.fromRows<Row>(part, columns)));
});
const few = { numRuns: runs(40) };

/** All cells of a frame as text. */
const cells = ({ table }: { readonly table: Table }): (string | null)[][] => textsOf(table);
const asked = async (frame: Frame<Row>, sql: string, others = {}): Promise<(string | null)[][]> =>
  cells(await frame.sql(sql, { tables: others }));

describe("verbs give what DuckDB gives", () => {
  it("filter, dropNulls, sort, unique and valueCounts", async () => {
    await forAllAsync(few, tables, async (frame) => {
      const p = frame.column("p");
      const kept = frame.filter(p.gt("0.01").or(frame.column("k").isNull()));
      expect(cells(kept)).toEqual(await asked(frame, "select * from this where p > 0.01 or k is null order by n"));
      const whole = "k is not null and d is not null";
      expect(cells(frame.dropNulls("k", "d"))).toEqual(
        await asked(frame, `select * from this where ${whole} order by n`),
      );
      for (const key of ["w", "x", "k"] as const) {
        // NaN sorts as null, which DuckDB sorts behind it.
        const value = key === "x" ? "nullif(x, 'nan'::double)" : key;
        const order = `order by ${value} asc nulls last, p desc nulls last, n`;
        expect(cells(frame.sort(key, ["p", "desc"], "n"))).toEqual(await asked(frame, `select * from this ${order}`));
      }
      const firsts = "select n from this qualify row_number() over (partition by k, d order by n) = 1 order by n";
      expect(cells(frame.unique("k", "d").select("n"))).toEqual(await asked(frame, firsts));
      const counts = "select k, count(*) as count from this group by k order by count desc, min(n)";
      expect(cells(frame.valueCounts("k"))).toEqual(await asked(frame, counts));
    });
  });

  it("groupBy with every exact aggregate", async () => {
    await forAllAsync(few, tables, async (frame) => {
      const wanted = ["count", "nunique", "min", "max", "sum", "first", "last"] as const;
      const found = frame.groupBy("k", "d").agg({ p: wanted, w: wanted });
      const of = (name: string): string =>
        [
          `count(${name})`,
          `count(distinct ${name})`,
          `min(${name})`,
          `max(${name})`,
          `sum(${name})`,
          `arg_min(${name}, n) filter (${name} is not null)`,
          `arg_max(${name}, n) filter (${name} is not null)`,
        ].join(", ");
      const sql = `select k, d, ${of("p")}, ${of("w")} from this group by k, d order by min(n)`;
      expect(cells(found)).toEqual(await asked(frame, sql));
    });
  });

  it("join of every kind, on repeated and missing keys", async () => {
    await forAllAsync(runs(25), tables, tables, async (a, other) => {
      const b = other.select("n", "k", "w").rename({ n: "m", w: "v" });
      const sides = { inner: "", left: "left", right: "right", outer: "full" } as const;
      for (const how of ["inner", "left", "right", "outer"] as const) {
        const made = a.join(b, { on: "k", how }).select("n", "k", "p", "m", "v").sort("n", "m");
        const sql = `select n, k, p, m, v from this ${sides[how]} join b using (k) order by n nulls last, m nulls last`;
        expect(cells(made)).toEqual(await asked(a, sql, { b }));
      }
      for (const how of ["semi", "anti"] as const) {
        const sql = `select * from this ${how} join b using (k) order by n`;
        expect(cells(a.join(b, { on: "k", how }))).toEqual(await asked(a, sql, { b }));
      }
    });
  });

  it("pivot and unpivot", async () => {
    await forAllAsync(few, tables, async (frame) => {
      const some = frame.filter(frame.column("k").isNull().not());
      if (some.numRows === 0) return;
      const wide = some.pivot({ index: "d", columns: "k", values: "w", agg: "max" });
      const names = [...new Set(some.column("k").toStrings() as string[])].sort();
      const of = names.map((name) => `max(w) filter (k = '${name}')`).join(", ");
      const sql = `select d, ${of} from b group by d order by d nulls last`;
      expect(cells(wide)).toEqual(await asked(frame, sql, { b: some }));
      const sums = some.pivot({ index: "d", columns: "k", values: ["p", "w"], agg: "max", totals: true });
      const filters = [...names.map((name) => `filter (k = '${name}')`), ""];
      const cube = ["p", "w"].flatMap((value) => filters.map((filter) => `max(${value}) ${filter}`)).join(", ");
      const rolled = `select d, ${cube} from b group by rollup (d) order by grouping(d), d nulls last`;
      expect(cells(sums)).toEqual(await asked(frame, rolled, { b: some }));
      expect(sums.column(names.length + 1).name).toBe("p_total");
      const long = frame.select("n", "p", "w").unpivot({ index: "n" });
      const parts = ["p", "w"].map(
        (name, i) => `select n, '${name}', ${name}::decimal(38, 10), ${i} as part from this`,
      );
      expect(cells(long)).toEqual(
        (await asked(frame, `${parts.join(" union all ")} order by part, n`)).map((line) => line.slice(0, 3)),
      );
    });
  });
});

it("decimals of 76 digits go through verbs as the same values as text do", () => {
  const wide = fc.array(nullable(decimal(76, 20)), { maxLength: 20 });
  forAll(100, wide, wide, (values, others) => {
    const both = (texts: readonly (string | null)[]): Frame =>
      Frame.fromColumns(
        { v: texts, t: texts, n: texts.map((_, i) => BigInt(i)) },
        { v: "BigDecimal(76,20)", t: "String", n: "Integer" },
      ) as Frame<never> as Frame;
    const [a, b] = [both(values), both(others).rename({ n: "m" })] as unknown as [Frame, Frame];
    const same = (frame: Frame): void => expect(frame.column("v").toStrings()).toEqual(frame.column("t").toStrings());
    const size = (text: string | null) => (text === null ? null : BigInt(text.replace(".", "")));
    const sorted = a.sort("v").column("t").toStrings().map(size);
    const held = sorted.filter((units) => units !== null) as bigint[];
    expect(held).toEqual([...held].sort((x, y) => (x < y ? -1 : x > y ? 1 : 0)));
    for (const frame of [a.sort("v"), a.unique("v"), a.dropNulls("v"), a.filter(a.column("v").gt("0"))]) same(frame);
    const joined = (on: "v" | "t"): unknown => a.join(b, { on }).select("n", "m").toArray();
    expect(joined("v")).toEqual(joined("t"));
    expect(a.groupBy("v").count().column("count").toArray()).toEqual(a.groupBy("t").count().column("count").toArray());
  });
});

it("groupBy().with() gives what windows of DuckDB give", async () => {
  await forAllAsync(few, tables, async (frame) => {
    const found = frame.groupBy("k").with({
      low: ["w", { rank: "min" }],
      dense: ["d", { rank: "dense", descending: true }],
      total: ["p", "sum"],
      upTo: ["p", "cumsum"],
      before: ["d", "shift"],
      most: ["w", "max"],
    });
    const group = "partition by k";
    const sql = `select *,
        if(w is null, null, rank() over (${group} order by w nulls last)),
        if(d is null, null, dense_rank() over (${group} order by d desc nulls last)),
        sum(p) over (${group}), if(p is null, null, sum(p) over (${group} order by n)),
        lag(d) over (${group} order by n), max(w) over (${group})
        from this order by n`;
    expect(cells(found)).toEqual(await asked(frame, sql));
  });
});

it("pivot() with totals of many rows, and of none", () => {
  const many = Frame.fromColumns({ id: Float64Array.from({ length: 200_000 }, (_, i) => i), k: "a", v: 2 });
  const wide = many.pivot({ index: "id", columns: "k", values: "v", agg: "sum", totals: true });
  expect(wide.tail(1).toArray()).toEqual([{ id: null, a: 400_000, total: 400_000 }]);
  const none = many.head(0).pivot({ index: "id", columns: "k", values: "v", agg: "count", totals: true });
  expect(none.numRows).toBe(1);
  expect(() => many.pivot({ index: "id", columns: "k", values: "v", totals: true })).toThrow("needs an aggregate");
});
