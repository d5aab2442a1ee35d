import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { duckdb } from "../../src/duckdb.js";
import type { Column } from "../../src/frame/cells/column.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/*
 * Columns compute what DuckDB computes of the same rows: random tables with nulls, equal values and empty texts, cut
 * anyhow. NaN is left out here (DuckDB orders it, JavaScript does not): see values.test.ts.
 */

const columns = columnSpecs({
  p: "BigDecimal(12,4)",
  q: "BigDecimal(9,2)",
  n: "Integer",
  x: "double",
  y: "double",
  s: "String",
  r: "String",
  d: "Date",
  e: "Date",
  t: "DateTime",
  b: "Boolean",
  c: "Boolean",
});

let engine: Awaited<ReturnType<typeof duckdb>>;
beforeAll(async () => {
  engine = await duckdb();
});
afterAll(() => engine.close());

const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 4 });
const decimal = (digits: number, scale: number) =>
  fc.oneof(
    fc.constantFrom("0", "1", "-1", "50.25", "0.01"),
    fc.integer({ min: -(10 ** digits) + 1, max: 10 ** digits - 1 }).map((n) => (n / 10 ** scale).toFixed(scale)),
  );
const double = fc
  .oneof(fc.constantFrom(0, 1, -1, 0.5, 2.5), fc.double({ noNaN: true, min: -1e9, max: 1e9 }))
  .map((x) => x + 0);
const text = fc.constantFrom("", "A", "AB", "B", "Ä", "\u{1F600}", "\uFFFD", "a%b");
const day = fc.integer({ min: -3000, max: 30_000 }).map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
const time = fc.integer({ min: -1e11, max: 2e12 }).map((n) => new Date(n).toISOString());
const row = fc.record({
  p: nullable(decimal(12, 4)),
  q: nullable(decimal(9, 2)),
  n: nullable(fc.integer({ min: -1000, max: 1000 })),
  x: nullable(double),
  y: nullable(double),
  s: nullable(text),
  r: nullable(text),
  d: nullable(day),
  e: nullable(day),
  t: nullable(time),
  b: nullable(fc.boolean()),
  c: nullable(fc.boolean()),
});

type Columns = Readonly<Record<string, Column>>;

/** What columns compute, and the SQL of the same. */
const CASES: readonly (readonly [name: string, ours: (of: Columns) => Column<unknown>, sql: string])[] = [
  ["p + q", ({ p, q }) => p.add(q), "p::DECIMAL(38,4) + q::DECIMAL(38,2)"],
  ["p - 0.125", ({ p }) => p.sub(0.125), "p::DECIMAL(38,4) - 0.125"],
  ["p * q", ({ p, q }) => p.mul(q), "p::DECIMAL(24,4) * q::DECIMAL(14,2)"],
  ["p * n", ({ p, n }) => p.mul(n), "p::DECIMAL(24,4) * n::DECIMAL(14,0)"],
  ["n + n", ({ n }) => n.add(n), "n + n"],
  ["n * 3", ({ n }) => n.mul(3), "n * 3"],
  ["-p", ({ p }) => p.neg(), "-p"],
  ["abs q", ({ q }) => q.abs(), "abs(q)"],
  ["floor p", ({ p }) => p.floor(), "floor(p)"],
  ["x + y", ({ x, y }) => x.add(y), "x + y"],
  ["x * p", ({ x, p }) => x.mul(p), "x * p::DOUBLE"],
  ["x / 4", ({ x }) => x.div(4), "x / 4"],
  ["floor x", ({ x }) => x.floor(), "floor(x)"],
  ["p = q", ({ p, q }) => p.eq(q), "p::DECIMAL(38,4) = q::DECIMAL(38,4)"],
  ["p <> q", ({ p, q }) => p.ne(q), "p::DECIMAL(38,4) <> q::DECIMAL(38,4)"],
  ["p < n", ({ p, n }) => p.lt(n), "p::DECIMAL(38,4) < n::DECIMAL(38,4)"],
  ["p >= 50.25", ({ p }) => p.ge("50.25"), "p >= 50.25"],
  ["x <= y", ({ x, y }) => x.le(y), "x <= y"],
  ["x > 0.5", ({ x }) => x.gt(0.5), "x > 0.5"],
  ["x < p", ({ x, p }) => x.lt(p), "x < p::DOUBLE"],
  ["s = A", ({ s }) => s.eq("A"), "s = 'A'"],
  ["s < AB", ({ s }) => s.lt("AB"), "s < 'AB'"],
  ["s >= r", ({ s, r }) => s.ge(r), "s >= r"],
  ["s <> r", ({ s, r }) => s.ne(r), "s <> r"],
  ["d > 2000", ({ d }) => d.gt("2000-01-01"), "d > DATE '2000-01-01'"],
  ["d <= e", ({ d, e }) => d.le(e), "d <= e"],
  ["d <> e", ({ d, e }) => d.ne(e), "d <> e"],
  ["t < 1999", ({ t }) => t.lt("1999-05-05T12:00:00Z"), "t < TIMESTAMP '1999-05-05 12:00:00'"],
  ["b = c", ({ b, c }) => b.eq(c), "b = c"],
  ["b < c", ({ b, c }) => b.lt(c), "b < c"],
  ["b and c", ({ b, c }) => b.and(c as Column<boolean | null>), "b AND c"],
  ["b or c", ({ b, c }) => b.or(c as Column<boolean | null>), "b OR c"],
  ["b and true", ({ b }) => b.and(true), "b AND true"],
  ["b or null", ({ b }) => b.or(null), "b OR NULL"],
  ["b and null", ({ b }) => b.and(null), "b AND NULL"],
  ["not b", ({ b }) => b.not(), "NOT b"],
  ["p is null", ({ p }) => p.isNull(), "p IS NULL"],
  ["s in", ({ s }) => s.isIn(["A", "Ä", "none"]), "s IN ('A', 'Ä', 'none')"],
  ["s in, null", ({ s }) => s.isIn(["A", null]), "s IN ('A', NULL)"],
  ["q in", ({ q }) => q.isIn([1, "50.25", "0.001"]), "q::DECIMAL(38,4) IN (1, 50.25, 0.001)"],
  ["n in", ({ n }) => n.isIn([1, 2n, 0.5]), "n IN (1, 2)"],
  ["x in", ({ x }) => x.isIn([1, 0.5]), "x IN (1, 0.5)"],
  ["d in", ({ d }) => d.isIn(["2000-01-01"]), "d IN (DATE '2000-01-01')"],
  ["q between", ({ q }) => q.between(-1, "50.25"), "q BETWEEN -1 AND 50.25"],
  ["p between", ({ p, q, n }) => p.between(q, n), "p::DECIMAL(38,4) BETWEEN q::DECIMAL(38,4) AND n::DECIMAL(38,4)"],
  ["contains", ({ s }) => s.contains("B"), "contains(s, 'B')"],
  ["contains %", ({ s }) => s.contains("%"), "contains(s, '%')"],
  ["starts with", ({ s }) => s.startsWith("A"), "starts_with(s, 'A')"],
  ["year", ({ d }) => d.year(), "year(d)"],
  ["month", ({ d }) => d.month(), "month(d)"],
  ["weekday", ({ d }) => d.weekday(), "isodow(d)"],
  ["p or q", ({ p, q }) => p.fill(q), "coalesce(p::DECIMAL(38,4), q::DECIMAL(38,4))"],
  ["s or x", ({ s }) => s.fill("x"), "coalesce(s, 'x')"],
  ["s or r", ({ s, r }) => s.fill(r), "coalesce(s, r)"],
  ["d or day", ({ d }) => d.fill("1970-01-01"), "coalesce(d, DATE '1970-01-01')"],
  ["b or true", ({ b }) => b.fill(true), "coalesce(b, true)"],
  ["n or 0", ({ n }) => n.fill(0), "coalesce(n, 0)"],
  ["x or y", ({ x, y }) => x.fill(y), "coalesce(x, y)"],
  ["p as double", ({ p }) => p.cast("double"), "p::DOUBLE"],
  ["n as decimal", ({ n }) => n.cast("BigDecimal(10,3)"), "n::DECIMAL(10,3)"],
  ["d as text", ({ d }) => d.cast("String"), "d::VARCHAR"],
  ["q as text", ({ q }) => q.cast("String"), "q::VARCHAR"],
];

it("columns compute what DuckDB computes", async () => {
  await forAllAsync(
    runs(15),
    fc.array(row, { minLength: 1, maxLength: 40 }),
    fc.integer({ min: 1, max: 39 }),
    async (rows, cut) => {
      const parts = [rows.slice(0, cut), rows.slice(cut)].filter((part) => part.length > 0);
      const frame = Frame.concat(parts.map((part) => Frame.fromRows(part, columns))) as Frame;
      await engine.load("t", frame.with({ place: rows.map((_, i) => BigInt(i)) }));
      const list = CASES.map(([, , sql], i) => `${sql} AS c${i}`).join(", ");
      const theirs = await engine.query(`SELECT ${list} FROM t ORDER BY place`);
      await engine.query("DROP TABLE t");
      const of: Columns = Object.fromEntries(columns.map(({ name }) => [name, frame.column(name)]));
      for (const [i, [name, ours]] of CASES.entries()) {
        const mine = ours(of);
        const other = theirs.column(`c${i}`);
        expect([name, ...cells(mine)]).toEqual([name, ...cells(other)]);
        // A selection has the same results, from columns of its own.
        const some = frame.filter((one) => Number(one.n ?? 0) % 2 === 0);
        const kept = frame.with({ computed: mine as Column }).filter((one) => Number(one.n ?? 0) % 2 === 0);
        const again = ours(Object.fromEntries(columns.map((column) => [column.name, some.column(column.name)])));
        expect(cells(again)).toEqual(cells(kept.column("computed")));
      }
    },
  );
});

/** Exact texts; a decimal without the zeros at its end, whose number depends on the engine. */
const cells = (column: Column<unknown>): (string | null)[] =>
  column
    .toStrings()
    .map((cell) =>
      column.type.startsWith("Big") ? (cell?.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") ?? null) : cell,
    )
    .map((cell) => (cell === "-0" ? "0" : cell));
