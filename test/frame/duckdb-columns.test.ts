import fc from "fast-check";
import { expect, it } from "vitest";
import { type Column, coalesce, Frame, when } from "../../src/index.js";
import { spelt } from "../compute/model.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";

/*
 * Functions of columns beside those of DuckDB, in this process, cell by cell: random columns with nulls, decimals of 38
 * digits, text beyond the basic plane, leap days, in a dictionary and without one, cut into batches anywhere.
 */
const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 4 });
const decimal = fc
  .oneof(fc.constantFrom(0n, 1n, -1n, 25n, -75n), fc.bigInt({ min: -(10n ** 36n) + 1n, max: 10n ** 36n - 1n }))
  .map((units) => spelt(units, 10));
const text = fc.oneof(
  fc.constantFrom("", "A-1", "b-22-x", " é ", "𝒳-𝒴", "Ünder_9", "a-b-c-d", "ß"),
  fc.string({ unit: fc.constantFrom("a", "B", "-", "1", "é", "𝒳", " "), maxLength: 6 }),
);
const day = fc
  .integer({ min: -30_000, max: 30_000 })
  .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
const row = fc.record({
  s: nullable(text),
  t: nullable(text),
  d: nullable(day),
  e: nullable(day),
  w: nullable(decimal),
  v: nullable(decimal),
  m: nullable(fc.integer({ min: -40, max: 40 })),
});
const columns = columnSpecs({
  s: "String",
  t: "String",
  d: "Date",
  e: "Date",
  w: "BigDecimal(36,10)",
  v: "BigDecimal(36,10)",
  m: "Integer",
});
type Row = {
  s: string | null;
  t: string | null;
  d: string | null;
  e: string | null;
  w: number | null;
  v: number | null;
  m: number | null;
};
const frames = fc.tuple(fc.array(row, { maxLength: 25 }), fc.nat(25)).map(([rows, cut]) => {
  const parts = [rows.slice(0, cut), rows.slice(cut)];
  const made = Frame.concat(parts.map((part) => Frame.fromRows<Row>(part, columns)));
  return made.with({ s: made.column("s").toStrings() }, { s: "String" }) as unknown as Frame<Row>;
});

/** What each function gives beside the expression in SQL. */
const FUNCTIONS: Readonly<Record<string, readonly [(frame: Frame<Row>) => Column<unknown>, sql: string]>> = {
  lower: [(f) => f.column("s").lower(), "lower(s)"],
  // ß becomes SS here and in Python.
  upper: [(f) => f.column("s").replace("ß", "").upper(), "upper(replace(s, 'ß', ''))"],
  trim: [(f) => f.column("s").trim(), "trim(s)"],
  replace: [(f) => f.column("s").replace("-", "+1"), "replace(s, '-', '+1')"],
  "replace a pattern": [(f) => f.column("s").replace(/([a-z])-/, "$1_"), "regexp_replace(s, '([a-z])-', '\\1_', 'g')"],
  extract: [
    (f) => coalesce(f.column("s").extract(/([0-9]+)/), f.column("s").replace(/.*/su, "")),
    "regexp_extract(s, '([0-9]+)', 1)",
  ],
  split: [(f) => f.column("s").split("-", 1), "string_split(s, '-')[2]"],
  "the last of a split": [(f) => f.column("s").split("-", -1), "string_split(s, '-')[-1]"],
  slice: [(f) => f.column("s").slice(1, 3), "substring(s, 2, 2)"],
  textLength: [(f) => f.column("s").textLength(), "length(s)"],
  padStart: [(f) => f.column("s").padStart(7, "é"), "if(length(s) < 7, lpad(s, 7, 'é'), s)"],
  endsWith: [(f) => f.column("s").endsWith("𝒴"), "suffix(s, '𝒴')"],
  contains: [(f) => f.column("s").contains(/[a-z]-\d/), "regexp_matches(s, '[a-z]-[0-9]')"],
  sign: [(f) => f.column("w").sign(), "sign(w)"],
  mod: [(f) => f.column("w").mod(f.column("v")), "w % v"],
  clip: [(f) => f.column("w").clip(f.column("v"), 3), "case when w < v then v when w > 3 then 3 else w end"],
  quarter: [(f) => f.column("d").quarter(), "quarter(d)"],
  day: [(f) => f.column("d").day(), "day(d)"],
  dayOfYear: [(f) => f.column("d").dayOfYear(), "dayofyear(d)"],
  week: [(f) => f.column("d").week(), "week(d)"],
  addDays: [(f) => f.column("d").addDays(f.column("m")), "d + m::integer"],
  addMonths: [(f) => f.column("d").addMonths(f.column("m")), "(d + to_months(m::integer))::date"],
  daysSince: [(f) => f.column("d").daysSince(f.column("e")), "date_diff('day', e, d)"],
  format: [(f) => f.column("d").format("%a %-d. %B %y, %j"), "strftime(d, '%a %-d. %B %y, %j')"],
  formatOfCombinations: [(f) => f.column("d").format("%F %%F %%%T"), "strftime(d, '%Y-%m-%d %%F %%%H:%M:%S')"],
  when: [
    (f) => when(f.column("w").gt(0)).then(f.column("w")).when(f.column("w").eq(0)).then(7).otherwise(f.column("v")),
    "case when w > 0 then w when w = 0 then 7 else v end",
  ],
  "when of text": [
    (f) => when(f.column("s").eq("")).then("none").otherwise(f.column("t")),
    "case when s = '' then 'none' else t end",
  ],
  coalesce: [(f) => coalesce(f.column("s"), f.column("t"), "?"), "coalesce(s, t, '?')"],
};

it.each(Object.entries(FUNCTIONS))("%s gives what DuckDB gives", async (_, [method, sql]) => {
  await forAllAsync(runs(50), frames, async (frame) => {
    const expected = await frame.sql(`select ${sql} as x from this`);
    expect(plain(method(frame))).toEqual(plain(expected.column("x")));
  });
});

/** Cells as text; decimals without the zeros at their end. */
const plain = (column: Column<unknown>): (string | null)[] =>
  column.type.startsWith("BigDecimal") && !column.type.endsWith(",0)")
    ? column.toStrings().map((cell) => cell?.replace(/\.?0+$/, "") ?? null)
    : column.toStrings();

it("texts of a stated form are what DuckDB reads", async () => {
  const form = fc.record({
    d: nullable(day),
    n: nullable(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((units) => spelt(units, 2))),
  });
  await forAllAsync(runs(40), fc.array(form, { maxLength: 20 }), async (rows) => {
    const written = rows.map(({ d, n }) => ({
      d: d?.split("-").reverse().join("/") ?? null,
      n: n?.replace(".", ",").replace(/\B(?=(\d{3})+,)/g, ".") ?? null,
    }));
    const frame = Frame.fromRows<{ d: string | null; n: string | null }>(
      written,
      columnSpecs({ d: "String", n: "String" }),
    );
    const read = frame.cast({ d: "Date", n: "BigDecimal(38,2)" }, { format: "%d/%m/%Y", decimal: ",", thousands: "." });
    const expected = await frame.sql(
      "select strptime(d, '%d/%m/%Y')::date as d, replace(replace(n, '.', ''), ',', '.')::decimal(38, 2) as n from this",
    );
    for (const name of ["d", "n"] as const) {
      expect(read.column(name).toStrings()).toEqual(expected.column(name).toStrings());
    }
  });
});
