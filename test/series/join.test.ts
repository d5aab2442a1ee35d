import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { duckdb } from "../../src/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { JOINS } from "../../src/series/join.js";
import { codeOf } from "../compute/model.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll, forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const columns = (id: string) => [
  { name: "k", type: "String" },
  { name: "d", type: "Date" },
  { name: "p", type: "BigDecimal(9,2)" },
  { name: id, type: "Integer" },
  { name: "v", type: "double" },
];
const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 5 });
const row = fc.record({
  k: nullable(fc.constantFrom("A", "B", "C", "")),
  d: nullable(fc.constantFrom("2024-01-01", "2024-02-29")),
  p: nullable(fc.constantFrom("1.00", "-2.50")),
  v: nullable(fc.double({ noNaN: true, noDefaultInfinity: true })),
});
const rows = fc.array(row, { minLength: 1, maxLength: 12 });

let engine: Awaited<ReturnType<typeof duckdb>>;
beforeAll(async () => {
  engine = await duckdb();
});
afterAll(() => engine.close());

const framed = (list: readonly object[], id: string, cut: number): Frame => {
  const all = list.map((one, i) => ({ ...one, [id]: BigInt(i) }));
  const parts = [all.slice(0, cut), all.slice(cut)].filter((part) => part.length > 0);
  return Frame.concat(parts.map((part) => Frame.fromRows(part, columns(id)))) as Frame;
};

const ORDER = {
  inner: "l.i, r.j",
  left: "l.i, r.j",
  right: "r.j, l.i",
  outer: "l.i nulls last, r.j",
  semi: "l.i",
  anti: "l.i",
  cross: "l.i, r.j",
} as const;
const WORDS = {
  outer: "full outer",
  left: "left",
  right: "right",
  inner: "inner",
  semi: "semi",
  anti: "anti",
  cross: "cross",
};

describe("join", () => {
  it.each(JOINS)("%s pairs the rows that DuckDB pairs, in order, whatever the keys and cuts", async (how) => {
    await forAllAsync(
      runs(25),
      rows,
      rows,
      fc.nat(12),
      fc.constantFrom<string[]>(["k"], ["d"], ["p"], ["k", "d"], ["d", "p", "k"]),
      async (a, b, cut, on) => {
        const [left, right] = [framed(a, "i", cut), framed(b, "j", 12 - cut)];
        const mine = left.join(
          right,
          (how === "cross" ? { how } : { how, on }) as { how: "inner"; on: ["k"] },
        ) as Frame;
        await engine.load("l", left);
        await engine.load("r", right);
        const using = how === "cross" ? "" : `using (${on.join(", ")})`;
        const isHalf = how === "semi" || how === "anti";
        const others = ["k", "d", "p", "v"].filter((name) => how === "cross" || !on.includes(name));
        const keys = how === "cross" ? [] : on;
        const list = [
          ...keys,
          ...others.map((name) => `l.${name}`),
          "l.i",
          ...(isHalf ? [] : [...others.map((name) => `r.${name} as ${name}_right`), "r.j"]),
        ];
        const theirs = await engine.query(
          `select ${list.join(", ")} from l ${WORDS[how]} join r ${using} order by ${ORDER[how]}`,
        );
        await engine.query("drop table l; drop table r");
        const names = [...keys, ...others, "i", ...(isHalf ? [] : [...others.map((name) => `${name}_right`), "j"])];
        expect(new Set(mine.columns.map(({ name }) => name))).toEqual(new Set(names));
        for (const [at, name] of names.entries()) {
          expect([name, ...mine.column(name).toStrings()]).toEqual([name, ...theirs.column(at).toStrings()]);
        }
      },
    );
  });

  it("has as many rows as the sizes of the groups say", () => {
    forAll(runs(100), rows, rows, (a, b) => {
      const [left, right] = [framed(a, "i", 3), framed(b, "j", 5)];
      const count = (how: (typeof JOINS)[number]) => left.join(right, { on: "k", how }).numRows;
      const pairs = a.reduce((sum, { k }) => sum + (k === null ? 0 : b.filter((other) => other.k === k).length), 0);
      expect(count("inner")).toBe(pairs);
      expect(count("semi") + count("anti")).toBe(a.length);
      expect(count("left")).toBe(pairs + count("anti"));
      expect(count("outer")).toBe(count("left") + right.join(left, { on: "k", how: "anti" }).numRows);
      expect(count("right")).toBe(right.join(left, { on: "k", how: "left" }).numRows);
      expect(left.join(right, { how: "cross" }).numRows).toBe(a.length * b.length);
    });
  });

  const prices = Frame.fromRows<{ ticker: string; date: string; close: number }>(
    [
      { ticker: "AAA", date: "2024-01-01", close: 1 },
      { ticker: "BBB", date: "2024-01-01", close: 2 },
      { ticker: "AAA", date: "2024-01-02", close: 3 },
    ],
    columnSpecs({ ticker: "String", date: "Date", close: "double" }),
  );
  const companies = Frame.fromRows<{ symbol: string; name: string; close: number }>(
    [
      { symbol: "AAA", name: "Alpha", close: 9 },
      { symbol: "CCC", name: "Gamma", close: 8 },
    ],
    columnSpecs({ symbol: "String", name: "String", close: "double" }),
  );

  it("takes keys of different names and keeps the left ones; suffixes where names meet", () => {
    const both = prices.join(companies, { leftOn: "ticker", rightOn: "symbol", how: "outer" });
    expect(both.toJSON()).toEqual([
      { ticker: "AAA", date: "2024-01-01", close: 1, name: "Alpha", close_right: 9 },
      { ticker: "BBB", date: "2024-01-01", close: 2, name: null, close_right: null },
      { ticker: "AAA", date: "2024-01-02", close: 3, name: "Alpha", close_right: 9 },
      { ticker: "CCC", date: null, close: null, name: "Gamma", close_right: 8 },
    ]);
    const named = prices.join(companies, { leftOn: "ticker", rightOn: "symbol", suffixes: ["_price", "_company"] });
    expect(named.columns.map(({ name }) => name)).toEqual(["ticker", "date", "close_price", "name", "close_company"]);
    const shared = prices.join(companies, { leftOn: "ticker", rightOn: "symbol", how: "left" });
    expect(shared.table.getChild("close")?.data[0].values).toBe(prices.table.getChild("close")?.data[0].values);
    expectTypeOf(both.column("close_right").get).returns.toEqualTypeOf<number | null>();
    expectTypeOf(shared.column("close").get).returns.toEqualTypeOf<number>();
    expectTypeOf(prices.join(companies, { leftOn: "ticker", rightOn: "symbol", how: "semi" })).toEqualTypeOf(prices);
  });

  it("keeps the key while rows stay one each", async () => {
    const csv = new TextEncoder().encode("ticker,date,close\nAAA,2024-01-01,1\nBBB,2024-01-01,2\n");
    const keyed = await Frame.fromCSV(csv, { columns: prices.columns, key: ["ticker", "date"] });
    const on = { leftOn: "ticker", rightOn: "symbol" } as const;
    expect(keyed.join(companies as Frame, { ...on, how: "left" }).key).toEqual(["ticker", "date"]);
    expect(keyed.join(companies as Frame, { ...on, how: "semi" }).key).toEqual(["ticker", "date"]);
    expect(keyed.join(companies as Frame, { ...on, how: "outer" }).key).toEqual([]);
    expect(keyed.join(Frame.concat([companies, companies]) as Frame, { ...on, how: "left" }).key).toEqual([]);
  });

  it.each([
    ["BadArgument", () => prices.join(companies, {})],
    ["BadArgument", () => prices.join(companies, { leftOn: "ticker" })],
    ["BadArgument", () => prices.join(companies, { on: "close", leftOn: "ticker", rightOn: "symbol" })],
    ["BadArgument", () => prices.join(companies, { on: "close", how: "cross" })],
    ["BadArgument", () => prices.join(companies, { on: "close", suffixes: ["a"] as never })],
    ["UnknownColumn", () => prices.join(companies, { on: "tickr" as never })],
    ["UnknownValue", () => prices.join(companies, { on: "close", how: "innr" as never })],
    ["UnknownOption", () => prices.join(companies, { om: "close" } as never)],
    ["DifferentTypes", () => prices.join(companies, { leftOn: "close", rightOn: "symbol" })],
    ["DuplicateColumn", () => prices.join(companies, { leftOn: "ticker", rightOn: "symbol", suffixes: ["", ""] })],
  ])("%s: %s", (code, run) => {
    expect(codeOf(run)).toBe(code);
  });
});
