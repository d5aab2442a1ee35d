import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DateDay, Dictionary, Float64, Int32, makeData, Table, Utf8, Vector, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import { querySources } from "../../src/engine/duckdb/sql.js";
import { Selection } from "../../src/frame/verbs/selection.js";
import { Frame } from "../../src/index.js";
import { forAllAsync } from "../support/for-all.js";
import { isWhole, runs } from "../support/whole.js";
import { decimals } from "./tables.js";

const sourceOf = (table: Table) => ({
  schema: table.schema,
  numRows: table.numRows,
  column: (at: number) => table.getChildAt(at) as Vector,
  whole: (at: number) => table.getChildAt(at) as Vector,
});

type Sources = Readonly<Record<string, Table>>;

/** The result with text of few values read as enums, or as strings. */
async function cells(sql: string, tables: Sources, asEnums: boolean, params: unknown[] = []): Promise<unknown> {
  const sources = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, sourceOf(table)]));
  const found = await querySources(sql, params, sources, { enumRows: asEnums ? 0 : Number.POSITIVE_INFINITY });
  return { fields: found.schema.fields.map(String), rows: found.batches.flatMap((batch) => [...cellTexts(batch)]) };
}

async function expectSame(sql: string, tables: Sources, params?: unknown[]): Promise<void> {
  expect(await cells(sql, tables, true, params)).toEqual(await cells(sql, tables, false, params));
}

/** A text column by its dictionary's strings, which may repeat, and the index of each row; -1 is null. */
function dictionaryColumn(strings: readonly (string | null)[], indices: readonly number[]): Vector {
  const dictionary = vectorFromArray(strings, new Utf8());
  const bits = new Uint8Array((indices.length + 7) >> 3);
  for (const [i, index] of indices.entries()) if (index >= 0) bits[i >> 3] |= 1 << (i & 7);
  const data = makeData({
    type: new Dictionary(new Utf8(), new Int32()),
    length: indices.length,
    nullCount: indices.filter((index) => index < 0).length,
    nullBitmap: bits,
    data: Int32Array.from(indices),
    dictionary,
  });
  return new Vector([data]);
}

const ROWS = isWhole ? 20_000 : 5_000;
const every = <T>(make: (i: number) => T): T[] => Array.from({ length: ROWS }, (_, i) => make(i));
const size = (digits: number) => 10n ** BigInt(digits) - 1n;
const units = (digits: number) =>
  every((i) =>
    i % 13 === 0 ? null : i % 7 === 0 ? -size(digits) : i % 5 === 0 ? size(digits) : BigInt(i - 10_000) % size(digits),
  );

const all = new Table({
  few: dictionaryColumn(
    ["b", "a text of many bytes", "", "é"],
    every((i) => (i % 11 === 0 ? -1 : i % 4)),
  ),
  many: dictionaryColumn(
    Array.from({ length: 3_000 }, (_, i) => `text ${i}`.padEnd(6 + (i % 20), "-")),
    every((i) => (i * 7) % 3_000),
  ),
  twice: dictionaryColumn(
    ["x", "y", "x"],
    every((i) => i % 3),
  ),
  nulls: dictionaryColumn(
    ["x", null, "y"],
    every((i) => i % 3),
  ),
  cutOff: dictionaryColumn(
    ["x\0y", "x"],
    every((i) => i % 2),
  ),
  text: vectorFromArray(
    every((i) => (i % 9 === 0 ? null : `${i}`.padEnd(i % 30, "é"))),
    new Utf8(),
  ),
  date: vectorFromArray(
    every((i) => (i % 17 === 0 ? null : i * 86_400_000)),
    new DateDay(),
  ),
  real: vectorFromArray(
    every((i) => [null, Number.NaN, -0, Number.POSITIVE_INFINITY, i / 3][i % 5] as number),
    new Float64(),
  ),
  tiny: decimals(4, 2, units(4)),
  small: decimals(9, 4, units(9)),
  money: decimals(18, 0, units(18)),
  large: decimals(38, 18, units(38)),
  wide: decimals(76, 10, units(76), 256),
});

const letters = new Table({
  few: vectorFromArray(["b", "", "none"], new Utf8()),
  w: vectorFromArray([1, 2, 3], new Float64()),
});

describe("sql() over text that is read as enums", () => {
  it("reads every cell of every type, in the order of the rows", async () => {
    await expectSame("select * from this", { this: all });
    const frame = Frame.from(all);
    await expectSame("select * from this", { this: frame.slice(1_003, 18_001).table });
    await expectSame("select * from this", { this: Frame.concat([frame.head(5), frame.slice(77, 18_000)]).table });
    await expectSame("select * from this", { this: frame.head(0).table });
  });

  it.each([
    "select few, count(*) as n, sum(small) as s, min(many) as m from this group by few order by few nulls first",
    "select count(*) as n from this",
    "select typeof(few) as t, typeof(small) as s from this limit 3",
    "select * from this where few = 'not there' or few like 'a%' order by many desc, date limit 100",
    "select distinct few from this order by few desc",
    "select coalesce(few, 'none') as f, few || '!' as g, max(real) as m from this group by all order by f",
    "select a.many, b.w from this a join other b using (few) order by a.many, b.w, a.tiny limit 500",
    "select count(*) as n from this a join this b on a.many = b.many and a.date < b.date where b.few = 'b'",
    "with q as materialized (select * from this) select sum(x.small) as s from q x semi join other using (few)",
    "with recursive r as (select 1 as i union all select i + 1 from r where i < 5) select i, (select max(tiny) from this where few > 'a') as t from r",
    "select few, (select w from other o where o.few = t.few) as w from this t order by date, many limit 50",
    "select many from this where few in (select few from other) and exists (select 1 from other o where o.few = this.few) limit 20",
    "select first(many) as a, last(text) as b, list(tiny)[3] as c from this",
    "select row_number() over () as r, lag(many) over (order by date, many, text, wide) as l from this limit 100",
    "select * exclude (wide, text) replace (upper(few) as few) from this limit 10",
    "select columns('^s') from this limit 5",
    "select count(this) as n from this",
    "select this.few from this positional join other limit 4",
    "select * from query_table('other')",
    "describe this",
    "summarize select few, tiny, date from this",
    "create table t as select few, tiny from this",
    "create table t as select many from this; select count(distinct many) as n from t",
    "pivot (select few, tiny from this) on few using max(tiny)",
    "values (1)",
    "from this select min(wide), max(large), bool_or(real = 0)",
    "select text from this where false and money > 0",
    "select few from this where few is null or true limit 3",
    "-- a comment\nselect sum(money)::hugeint as s from this; ",
  ])("gives the same as over strings: %s", async (sql) => {
    await expectSame(sql, { this: all, other: letters });
  });

  it("binds values", async () => {
    await expectSame("select count(*) as n from this where few = $1 and small > $2", { this: all }, ["b", -5]);
  });

  it("copies to a file once", async () => {
    const path = join(tmpdir(), `arrowbook-${randomUUID()}.parquet`);
    const sql = `copy (select few, tiny from this where tiny > 0) to '${path}' (format parquet)`;
    await expectSame(sql, { this: all });
    await expectSame(`select few, count(*) as n, sum(tiny) as s from '${path}' group by few order by few`, {});
  });

  it("computes the same from any rows", async () => {
    const cell = fc.record({
      k: fc.integer({ min: -1, max: 2 }),
      v: fc.option(fc.bigInt(-(10n ** 9n - 1n), 10n ** 9n - 1n)),
    });
    await forAllAsync({ seed: 11, numRuns: runs(40) }, fc.array(cell, { maxLength: 40 }), async (rows) => {
      const k = dictionaryColumn(
        ["one", "a longer string", ""],
        rows.map((row) => row.k),
      );
      const table = new Table({
        k,
        v: decimals(
          9,
          2,
          rows.map(({ v }) => v),
        ),
      });
      await expectSame("select k, sum(v) as s, count(*) as n from this group by k order by k", { this: table });
      await expectSame("select * from this", { this: table });
    });
  });

  it.each([
    ["select nope from this", "BadStatement"],
    ["selec few from this", "BadStatement"],
    ["select few::int from this", "EngineData"],
    ["select error('stop') from this", "EngineData"],
    ["begin; select nope from this", "BadStatement"],
  ])("reports the error of %s", async (sql, code) => {
    await expect(cells(sql, { this: all }, true)).rejects.toMatchObject({ code });
  });

  it("refuses a column that the engine cannot store where the statement uses it", async () => {
    const table = new Table({
      few: letters.getChild("few") as Vector,
      nested: vectorFromArray([{ x: 1 }, { x: 2 }, { x: 3 }]),
    });
    await expectSame("select few from this", { this: table });
    await expect(cells("select nested from this", { this: table }, true)).rejects.toMatchObject({
      code: "UnsupportedType",
      column: "nested",
    });
  });

  it("is an error for an index that the dictionary lacks", async () => {
    const few = dictionaryColumn(
      ["a"],
      every((i) => (i === ROWS - 2_000 ? 1 : 0)),
    );
    await expect(cells("select few from this", { this: new Table({ few }) }, true)).rejects.toMatchObject({
      code: "BadDictionaryIndex",
      row: ROWS - 2_000,
    });
  });

  it("requests only the columns that the statement uses, of many rows too", async () => {
    const column = vi.spyOn(Selection.prototype, "column");
    const numbers = Float64Array.from({ length: 300_000 }, (_, i) => i);
    const frame = Frame.fromColumns({ a: numbers, b: numbers, c: numbers }).filter(({ a }) => Number(a) > 4);
    column.mockClear();
    const result = await frame.sql("select sum(b) as b from this where c < 10");
    expect([...result.rows()]).toEqual([{ b: 5 + 6 + 7 + 8 + 9 }]);
    expect(new Set(column.mock.calls.map(([at]) => at))).toEqual(new Set([1, 2]));
    column.mockRestore();
  });
});
