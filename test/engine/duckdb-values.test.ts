import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { duckdb } from "../../src/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";

const engine = await duckdb();
afterAll(() => engine.close());
const one = Frame.fromColumns({ i: [1] });

/** The first cells of a statement on the engine and through `sql()`. */
async function both(sql: string, params: readonly unknown[] = []): Promise<unknown[]> {
  const results = [await engine.query(sql, params), await one.sql(sql, { params })];
  const cells = results.map((frame) => Array.from({ length: frame.numRows }, (_, i) => frame.column(0).get(i)));
  expect(cells[1]).toEqual(cells[0]);
  return cells[0];
}

describe("results of types without an Arrow column", () => {
  it.each([
    ["map {'a': 1, 'b': NULL}", "{'a': 1, 'b': NULL}"],
    ["map {}", "{}"],
    ["map {'a': map {'b': [1, 2]}}", "{'a': {'b': [1, 2]}}"],
    ["NULL::MAP(VARCHAR, INTEGER)", null],
    ["union_value(n := 1)", "1"],
    ["union_value(s := 'x')::UNION(n INTEGER, s VARCHAR)", "x"],
    ["union_value(m := map {1: 2})", "{1: 2}"],
    ["NULL::UNION(n INTEGER, s VARCHAR)", null],
    ["[map {'a': 1}, NULL]", "[{'a': 1}, NULL]"],
    ["{'m': map {1: 2}, 'u': union_value(n := 3)}", "{'m': {1: 2}, 'u': 3}"],
    ["[[1.5], NULL]", "[[1.5], NULL]"],
    ["['a'::ENUM ('a', 'b')]", "['a']"],
    ["TIME '01:02:03'", "01:02:03"],
    ["INTERVAL 1 DAY", "1 day"],
    ["bit '101'", "101"],
  ])("%s is the text %s, also beside nulls and over many chunks", async (sql, text) => {
    expect(await both(`SELECT ${sql} AS v`)).toEqual([text]);
    expect(await both(`SELECT v FROM (SELECT ${sql} AS v, range(3) AS r) WHERE len(r) = 9`)).toEqual([]);
    const cells = await both(
      `SELECT CASE WHEN i % 3 = 0 THEN NULL ELSE ${sql} END AS v FROM range(5000) t(i) ORDER BY i`,
    );
    expect(cells).toEqual(Array.from({ length: 5000 }, (_, i) => (i % 3 === 0 ? null : text)));
  });
});

describe("dates and timestamps that are infinite", () => {
  const TYPES = ["DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"];

  it.each(TYPES.flatMap((type) => ["infinity", "-infinity"].map((value) => [type, value] as const)))(
    "%s: %s is an error that names the column, not a date",
    async (type, value) => {
      const sql = `SELECT CASE WHEN i = 4321 THEN '${value}'::${type} ELSE '2024-02-29'::${type} END AS v FROM range(5000) t(i)`;
      const error = { name: "DataError", code: "BadCell", column: "v", message: expect.stringContaining(value) };
      await expect(engine.query(sql)).rejects.toMatchObject(error);
      await expect(one.sql(sql)).rejects.toMatchObject(error);
      expect(await both(`SELECT CASE WHEN isfinite(v) THEN v END FROM (${sql}) WHERE NOT isfinite(v)`)).toEqual([null]);
      expect(await both(`SELECT v::VARCHAR FROM (${sql}) WHERE NOT isfinite(v)`)).toEqual([value]);
    },
  );

  it("are text as the engine casts them in lists, structures, maps and unions, beside finite ones", async () => {
    const time = fc.record({
      type: fc.constantFrom(...TYPES),
      text: fc.constantFrom("infinity", "-infinity", "2024-02-29", "0001-01-01"),
    });
    const leaf = time
      .filter(({ type, text }) => type !== "TIMESTAMP_NS" || text !== "0001-01-01")
      .map(({ type, text }) => `'${text}'::${type}`);
    const nested = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        leaf,
        tie("value").map((value) => `[${value}, NULL]`),
        tie("value").map((value) => `{'a': ${value}, 'b': 1}`),
        tie("value").map((value) => `map {1: ${value}}`),
        tie("value").map((value) => `union_value(n := ${value})`),
        tie("value").map((value) => `array_value(${value})`),
      ),
    })).value as fc.Arbitrary<string>;
    await forAllAsync({ numRuns: runs(60), seed: 28 }, nested, async (sql) => {
      const list = `[${sql}]`;
      const [found] = await both(`SELECT ${list} AS v FROM range(3)`);
      const [cast] = await both(`SELECT (${list})::VARCHAR AS v`);
      // The engine's own text has other quotes, and its times no zero seconds.
      const plain = (text: unknown): string =>
        String(text)
          .replace(/[='": ]/g, "")
          .replace(/(\d)000000(?!\d)/g, "$1");
      expect(plain(found)).toBe(plain(cast));
    });
  });

  it("finite ones are never refused", async () => {
    const years = Array.from({ length: 9999 }, (_, i) => `'${String(i + 1).padStart(4, "0")}-07-04'`);
    for (const type of TYPES.slice(0, 5)) {
      expect(await both(`SELECT count(v) FROM (SELECT unnest([${years}])::${type} AS v)`)).toHaveLength(1);
      await engine.query(`SELECT unnest([${years}])::${type} AS v`);
    }
  });
});

describe("bound values", () => {
  it("any number, integer and text is returned equal", async () => {
    await forAllAsync(
      runs(200),
      fc.oneof(
        fc.double(),
        fc.double().map(Math.trunc),
        fc.constantFrom(1e300, -1e300, 2 ** 63, -(2 ** 63), 2 ** 64, -0, Number.MAX_VALUE, Number.MIN_VALUE),
        fc.bigInt({ min: -(2n ** 126n), max: 2n ** 126n }).filter((n) => String(n).length < 38),
        fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
        fc.boolean(),
        fc.constant(null),
      ),
      async (value) => {
        const [row] = (await engine.query("SELECT $1 AS v, $1::VARCHAR AS t", [value])).toArray();
        const cell = row["v"];
        if (typeof value === "bigint") expect(BigInt(String(row["t"]))).toBe(value);
        else if (typeof value === "number") expect(Number(cell)).toBe(value);
        else expect(cell).toBe(value);
      },
    );
  });

  it("those that cannot be bound are named", async () => {
    for (const [value, what] of [
      [undefined, "undefined"],
      [new Date(Number.NaN), "an invalid date"],
      [2n ** 127n, "a bigint of more than 128 bits"],
    ] as const) {
      const error = { code: "BadArgument", message: expect.stringContaining(what) };
      await expect(engine.query("SELECT $1 AS v", [value])).rejects.toMatchObject(error);
      await expect(one.sql("SELECT $1 AS v", { params: [value] })).rejects.toMatchObject(error);
    }
  });
});

describe("columns", () => {
  it("of unsigned integers of 64 bits are named by a type that holds them", async () => {
    const values = [0n, 1n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];
    const frame = Frame.fromColumns({ n: new BigUint64Array(values) });
    expect(frame.columns).toEqual([{ name: "n", type: "BigDecimal(20,0)" }]);
    const path = join(temporaryFolder(), "n.parquet");
    await frame.toParquet(path);
    await engine.load("unsigned", frame);
    const arrow = join(temporaryFolder(), "n.arrow");
    await frame.toArrow(arrow);
    const copies = [
      Frame.fromCSV(Buffer.from(frame.toCSV()), { columns: frame.columns }),
      await Frame.fromArrow(arrow),
      await Frame.fromParquet(path),
      await frame.sql("SELECT * FROM this"),
      Frame.fromRows(frame.toArray(), frame.columns),
      await engine.query("SELECT * FROM unsigned"),
    ];
    for (const copy of copies) expect((await copy).toCSV()).toBe(`n\n${values.join("\n")}\n`);
  });

  it.each(["", "a\0b"])("called %j are refused by name", async (name) => {
    const frame = Frame.fromColumns({ [name]: [1, 2], b: [1, 2] });
    const error = { name: "InputError", code: "BadArgument", message: expect.stringContaining(JSON.stringify(name)) };
    await expect(frame.sql("SELECT b FROM this")).rejects.toMatchObject(error);
    await expect(engine.load("unnamed", frame)).rejects.toMatchObject(error);
    expect((await frame.select("b").sql("SELECT sum(b) AS s FROM this")).column("s").get(0)).toBe(3);
  });
});

describe("tables of a file whose names look like those of loads", () => {
  const NAMES = ["arrowbook_load_1", "arrowbook_load_", "arrowbook-load-1", "arrowbookXloadX1", "ARROWBOOK_LOAD_2"];

  it("are kept, listed and read, whatever is loaded beside them", async () => {
    const path = join(temporaryFolder(), "own.duckdb");
    for (let run = 0; run < 3; run++) {
      const file = await duckdb(path);
      if (run === 0) {
        for (const [i, name] of NAMES.entries()) {
          if (i % 2 === 0) await file.query(`CREATE TABLE "${name}" AS SELECT ${i} AS v`);
          else await file.load(name, Frame.fromColumns({ v: [i] }));
        }
      }
      await file.load("other", Frame.fromColumns({ v: [1, 2] }));
      await file.load("other", Frame.fromColumns({ v: [3] }), { mode: "append" });
      const wrong = Frame.fromColumns({ w: ["x"] });
      await expect(file.load("other", wrong, { mode: "append" })).rejects.toMatchObject({ code: "WrongTable" });
      expect([...(await file.tables())].sort()).toEqual([...NAMES, "other"].sort());
      for (const [i, name] of NAMES.entries()) {
        expect(Number((await file.query(`SELECT v FROM "${name}"`)).column("v").get(0))).toBe(i);
      }
      await file.close();
    }
    rmSync(path);
  });

  it("what a killed load left is dropped at the next open", async () => {
    const path = join(temporaryFolder(), "killed.duckdb");
    const { UNFINISHED, stagingName } = await import("../../src/engine/duckdb/load.js");
    const first = await duckdb(path);
    const name = stagingName();
    await first.query(`CREATE TABLE ${name} (v INTEGER)`);
    await first.query(`COMMENT ON TABLE ${name} IS '${UNFINISHED}'`);
    expect(await first.tables()).toEqual([]);
    await first.close();
    const next = await duckdb(path);
    const left = await next.query("SELECT count(*) AS n FROM duckdb_tables()");
    expect(Number(left.column("n").get(0))).toBe(0);
    await next.close();
  });
});
