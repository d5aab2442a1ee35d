import { execFileSync } from "node:child_process";
import {
  Bool,
  DateDay,
  Decimal,
  Dictionary,
  Float64,
  Int32,
  Int64,
  makeData,
  Null,
  Table,
  TimestampMillisecond,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import { Selection } from "../../src/frame/verbs/selection.js";
import { Frame } from "../../src/index.js";
import { packageRoot } from "../../src/package/package-root.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { decimals } from "./tables.js";

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
const text = fc.oneof(
  fc.constantFrom("", "twelve bytes", "thirteen bytes", "é", "\u{1f600}".repeat(4), 'a "quoted", one\n'),
  fc.string({ maxLength: 40 }),
);
const size = (digits: number) => 10n ** BigInt(digits) - 1n;
const units = (digits: number) => nullable(fc.bigInt({ min: -size(digits), max: size(digits) }));
const row = fc.record({
  text: nullable(text),
  word: nullable(fc.constantFrom("A", "a text of many bytes", "")),
  date: nullable(fc.integer({ min: -700_000, max: 2_900_000 }).map((day) => day * 86_400_000)),
  real: nullable(fc.oneof(fc.double(), fc.constantFrom(Number.NaN, -0, Number.POSITIVE_INFINITY))),
  whole: nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  flag: nullable(fc.boolean()),
  moment: nullable(fc.integer({ min: -(2 ** 45), max: 2 ** 45 })),
  tiny: units(4),
  small: units(9),
  money: units(18),
  large: units(38),
  wide: units(76),
});
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

function tableOf(rows: readonly Row[]): Table {
  const all = <K extends keyof Row>(name: K): Row[K][] => rows.map((each) => each[name]);
  return new Table({
    text: vectorFromArray(all("text"), new Utf8()),
    word: vectorFromArray(all("word"), new Dictionary(new Utf8(), new Int32())),
    date: vectorFromArray(all("date"), new DateDay()),
    real: vectorFromArray(all("real"), new Float64()),
    whole: vectorFromArray(all("whole"), new Int64()),
    flag: vectorFromArray(all("flag"), new Bool()),
    moment: vectorFromArray(all("moment"), new TimestampMillisecond("UTC")),
    tiny: decimals(4, 2, all("tiny")),
    small: decimals(9, 4, all("small")),
    money: decimals(18, 0, all("money")),
    large: decimals(38, 18, all("large")),
    wide: decimals(76, 10, all("wide"), 256),
  });
}

const cellsOf = (table: Table) => table.batches.flatMap((batch) => [...cellTexts(batch)]);

describe("sql() over columns where they are", () => {
  it("reads every cell of every type, in the order of the rows, from batches, slices and selections", async () => {
    await forAllAsync(
      { seed: 3, numRuns: runs(60) },
      fc.array(fc.array(row, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      fc.nat(5),
      fc.boolean(),
      async (parts, from, picked) => {
        const whole = Frame.concat(parts.map((rows) => Frame.from(tableOf(rows))));
        const sliced = whole.slice(from, whole.numRows);
        const odd = (_: unknown, i: number): boolean => i % 2 === 1;
        const frame = picked ? sliced.filter(Array.from({ length: sliced.numRows }, odd)) : sliced;
        const { table } = await frame.sql("select * from this");
        expect(cellsOf(table)).toEqual(cellsOf(frame.table));
      },
    );
  });

  it("reads more rows than a chunk of the engine holds, with nulls, from several batches", async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => ({
      i,
      text: i % 7 === 0 ? null : `text ${i}`.padEnd(i % 20, "-"),
      x: i % 11 === 0 ? null : `${i}.25`,
    }));
    const columns = columnSpecs({ i: "Integer", text: "String", x: "BigDecimal(9,2)" });
    const frame = Frame.concat([
      Frame.fromRows(rows.slice(0, 2_999), columns),
      Frame.fromRows(rows.slice(2_999), columns),
    ]);
    expect(cellsOf((await frame.sql("select * from this")).table)).toEqual(cellsOf(frame.table));
    const [sum] = (await frame.sql("select sum(x) as x, count(text) as n, count(*) as m from this")).rows();
    const exact = rows.reduce((total, { x }) => total + Math.round(Number(x ?? 0) * 100), 0);
    expect(sum).toEqual({ x: exact / 100, n: 5_000 - Math.ceil(5_000 / 7), m: 5_000 });
  });

  it("requests only the columns and tables that the statement uses", async () => {
    const column = vi.spyOn(Selection.prototype, "column");
    const rows = Array.from({ length: 10 }, (_, i) => ({ a: i, b: i * 2, c: `c${i}` }));
    const frame = Frame.fromRows(rows).filter(({ a }) => Number(a) > 4);
    const other = Frame.fromRows([{ x: 1, y: 2 }]);
    column.mockClear();
    const result = await frame.sql("select sum(b) as b from this where c <> 'c5'", { tables: { other } });
    expect([...result.rows()]).toEqual([{ b: 12 + 14 + 16 + 18 }]);
    expect(new Set(column.mock.calls.map(([at]) => at))).toEqual(new Set([1, 2]));
    column.mockRestore();
  });

  it("joins tables by name, in any case, and reads one of them twice", async () => {
    const left = Frame.fromRows([
      { k: "a", v: 1 },
      { k: "b", v: 2 },
    ]);
    const right = Frame.fromRows([
      { k: "b", w: 3 },
      { k: "c", w: 4 },
    ]);
    const text = `select x.k, x.v, y.v as again, w from this x join this y using (k) left join "Other" using (k) order by k`;
    expect([...(await left.sql(text, { tables: { other: right } })).rows()]).toEqual([
      { k: "a", v: 1, again: 1, w: null },
      { k: "b", v: 2, again: 2, w: 3 },
    ]);
  });

  it("keeps calls side by side apart, and what they create", async () => {
    const frames = Array.from({ length: 8 }, (_, i) => Frame.fromRows([{ i }]));
    const found = await Promise.all(
      frames.map(async (frame) => {
        await frame.sql("create table t as select i from this");
        return [...(await frame.sql("select i, $1::int as p from this", { params: [7] })).rows()];
      }),
    );
    expect(found).toEqual(frames.map((_, i) => [{ i, p: 7 }]));
    await expect(frames[0].sql("select * from t")).rejects.toMatchObject({ code: "BadStatement" });
  });

  it("is an error with the engine's reason; the next call works", async () => {
    const frame = Frame.fromRows([{ a: "x" }]);
    await expect(frame.sql("select nope from this")).rejects.toMatchObject({ code: "BadStatement" });
    await expect(frame.sql("selec a from this")).rejects.toMatchObject({ code: "BadStatement" });
    await expect(frame.sql("select a::int from this")).rejects.toMatchObject({ code: "EngineData" });
    await expect(frame.sql("begin; select nope from this")).rejects.toMatchObject({ code: "BadStatement" });
    expect([...(await frame.sql("select * from this")).rows()]).toEqual([{ a: "x" }]);
  });

  it("refuses a column that the engine cannot store where the statement uses it", async () => {
    const nested = vectorFromArray([{ x: 1 }, { x: 2 }]);
    const frame = Frame.from(new Table({ a: vectorFromArray([1, 2], new Float64()), nested }));
    expect([...(await frame.sql("select sum(a) as a from this")).rows()]).toEqual([{ a: 3 }]);
    await expect(frame.sql("select * from this")).rejects.toMatchObject({ code: "UnsupportedType", column: "nested" });
  });

  it("scans decimals of hundreds, and refuses those of more places than digits", async () => {
    const frameOf = (type: Decimal): Frame => {
      const data = makeData({ type, length: 1, data: Uint32Array.of(7, 0, 0, 0) });
      return Frame.from(new Table({ odd: new Vector([data]) }));
    };
    const hundreds = await frameOf(new Decimal(-2, 5, 128)).sql("select * from this");
    expect(hundreds.column("odd").toStrings()).toEqual(["700"]);
    const refused = frameOf(new Decimal(4, 2, 128)).sql("select * from this");
    await expect(refused).rejects.toMatchObject({ code: "UnsupportedType", column: "odd" });
  });

  it("refuses a table without columns, and columns of one name", async () => {
    const frame = Frame.fromRows([{ a: 1, b: 2 }]);
    await expect(frame.select().sql("select 1 as one")).rejects.toMatchObject({ code: "NoColumns" });
    const twice = frame.rename(["a", "a"]).sql("select 1 as one");
    await expect(twice).rejects.toMatchObject({ code: "DuplicateColumn", message: 'Two columns are called "a".' });
  });

  it("reads a column of nothing but nulls that is longer than a chunk", async () => {
    const nul = vectorFromArray(new Array<null>(9_001).fill(null), new Null());
    const frame = Frame.from(new Table({ nul }));
    expect([...(await frame.sql("select count(nul) as n, count(*) as m from this")).rows()]).toEqual([
      { n: 0, m: 9_001 },
    ]);
  });

  it("keeps the type of decimals that the engine stores as text", async () => {
    const frame = Frame.fromRows([{ w: "1.50" }], [{ name: "w", type: "BigDecimal(60,2)" }]);
    const result = await frame.sql("select w, w || '' as t from this");
    expect(result.columns).toEqual([
      { name: "w", type: "BigDecimal(60,2)" },
      { name: "t", type: "String" },
    ]);
  });

  it("does not keep the process alive", () => {
    const script = `import("arrowbook").then(async ({ Frame }) => {
      const result = await Frame.fromRows([{ a: 1 }]).sql("select a + 1 as b from this");
      process.stdout.write(JSON.stringify([...result.rows()]));
    })`;
    const printed = execFileSync(process.execPath, ["-e", script], { cwd: packageRoot(), timeout: 120_000 });
    expect(printed.toString()).toBe('[{"b":2}]');
  });
});
