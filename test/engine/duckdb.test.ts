import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import {
  Bool,
  DateDay,
  Decimal,
  Dictionary,
  Float64,
  Int32,
  Int64,
  Table,
  TimestampMillisecond,
  tableFromArrays,
  tableToIPC,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import { afterAll, expect, it } from "vitest";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import type { Engine } from "../../src/engine/contract/engine.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { decimals } from "./tables.js";

const engine = await duckdbEngine();
afterAll(() => engine.close());

/** The value of a decimal, unscaled, whatever its width. */
const unscaled = (vector: Vector, i: number): bigint | null => {
  const cell = vector.get(i) as Uint32Array | null;
  if (cell === null) return null;
  let value = 0n;
  for (let w = cell.length - 1; w >= 0; w--) value = (value << 32n) | BigInt(cell[w]);
  return BigInt.asIntN(cell.length * 32, value);
};

const everyType = (): Table =>
  new Table({
    text: vectorFromArray(["plain", null, "", 'quoted "x", ünïcode, longer than twelve bytes', "a\u0000b"], new Utf8()),
    word: vectorFromArray(["AAPL", "MSFT", null, "AAPL", ""], new Dictionary(new Utf8(), new Int32())),
    date: vectorFromArray([0, null, 951782400000, -1, 253402214400000], new DateDay()),
    double: vectorFromArray([0.1, null, -0, 1e308, 5e-324], new Float64()),
    whole: vectorFromArray([1n, null, -(2n ** 63n), 2n ** 63n - 1n, 0n], new Int64()),
    flag: vectorFromArray([true, null, false, true, false], new Bool()),
    moment: vectorFromArray([0, null, 1461240096123, -1, 1], new TimestampMillisecond("UTC")),
    small: decimals(4, 2, [1234n, null, -9999n, 0n, 1n]),
    money: decimals(15, 4, [1234567n, null, -1n, 0n, 999999999999999n]),
    large: decimals(38, 18, [12345678901234567890123456789012345678n, null, -1n, 0n, 1n]),
  });

it("gives back every type as it went in, nulls and empty text apart", async () => {
  const table = everyType();
  expect(await engine.load("every type", table)).toEqual({ rows: 5 });
  const back = await engine.query('SELECT * FROM "every type"');
  expect(back.schema.fields.map((f) => `${f.name}: ${f.type}`)).toEqual(
    table.schema.fields.map((f) => `${f.name}: ${f.name === "word" ? "Utf8" : f.type}`),
  );
  for (const [c, field] of table.schema.fields.entries()) {
    const [before, after] = [table.getChildAt(c) as Vector, back.getChildAt(c) as Vector];
    for (let i = 0; i < table.numRows; i++) {
      if (field.type instanceof Decimal) expect(unscaled(after, i), field.name).toBe(unscaled(before, i));
      else expect(after.get(i), `${field.name} ${i}`).toEqual(before.get(i));
    }
    expect(after.nullCount, field.name).toBe(before.nullCount);
  }
});

it("reads slices and several batches", async () => {
  const long = tableFromArrays({ n: Float64Array.from({ length: 10_000 }, (_, i) => i) });
  await engine.load("slices", long.slice(3, 7000).concat(long.slice(7001, 9000)));
  const back = await engine.query("SELECT count(*) AS n, min(n) AS low, max(n) AS high FROM slices");
  expect([...back].map((row) => row?.toJSON())).toEqual([{ n: 8996n, low: 3, high: 8999 }]);
  await engine.load("every slice", everyType().slice(2, 4));
  const rows = await engine.query('SELECT text, word, flag, "double" FROM "every slice"');
  expect([...rows].map((row) => row?.toArray())).toEqual([
    ["", null, false, -0],
    ['quoted "x", ünïcode, longer than twelve bytes', "AAPL", true, 1e308],
  ]);
});

it("keeps the exact text and type of decimals wider than 38 digits", async () => {
  const wide = 12345678901234567890123456789012345678901234567890n;
  const table = new Table({ "adj. close": decimals(50, 28, [wide, null, -5n], 256) });
  await engine.load("wide", table);
  const back = await engine.query("SELECT * FROM wide");
  expect(back.schema.fields[0].metadata.get("arrowbook.type")).toBe("BigDecimal(50,28)");
  expect([...(back.getChildAt(0) as Vector)]).toEqual([
    "1234567890123456789012.3456789012345678901234567890",
    null,
    "-0.0000000000000000000000000005",
  ]);
});

it("binds parameters and quotes awkward names", async () => {
  await engine.load('a "b" $', tableFromArrays({ "Cost Total $": [1, 2, 3], 'x"y': [4, 5, 6] }));
  const back = await engine.query('SELECT "x""y" AS v FROM "a ""b"" $" WHERE "Cost Total $" >= $1', [2]);
  expect([...(back.getChildAt(0) as Vector)]).toEqual([5, 6]);
  await expect(engine.query("SELECT 1 WHERE 1 = $1", [undefined])).rejects.toMatchObject({ code: "BadArgument" });
});

it("streams an answer in batches of at most 65,536 rows", async () => {
  const sizes: number[] = [];
  for await (const batch of engine.batches("SELECT i, i::VARCHAR AS t FROM range(200000) r(i)"))
    sizes.push(batch.numRows);
  expect(sizes.reduce((a, b) => a + b)).toBe(200_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
  expect(sizes.length).toBeGreaterThan(3);
});

it("a result in memory that the caller lends equals the same without, in every type", async () => {
  const sql = `SELECT i, (i % 5)::INTEGER AS small, i::VARCHAR || repeat(' and more', (i % 3)::INTEGER) AS t,
    CASE WHEN i % 3 > 0 THEN i::DECIMAL(9,2) END AS d, i::DECIMAL(38,4) AS e, (i % 7)::DECIMAL(4,1) AS f, i / 8 AS g,
    i % 2 = 0 AS h, DATE '2024-01-01' + (i % 99)::INTEGER AS j, NULL::VARCHAR AS k, (i % 9)::VARCHAR::lent AS l,
    i::UINTEGER AS m, make_timestamp(i) AS n FROM range($1) r(i) ORDER BY i`;
  await engine.query("CREATE TYPE lent AS ENUM (SELECT i::VARCHAR FROM range(9) r(i))");
  for (const mostRows of [undefined, 5_000]) {
    const asked: Uint8Array[] = [];
    const allocate = (bytes: number) => {
      const memory = new Uint8Array(new ArrayBuffer(bytes + 24), 16, bytes).fill(0xaa);
      asked.push(memory);
      return memory;
    };
    const texts = async (options: object): Promise<string[]> => {
      const all: string[] = [];
      for await (const batch of engine.batches(sql, [5_000], { ...options, ...(mostRows && { mostRows }) })) {
        for (const cells of cellTexts(batch)) all.push(cells.join());
      }
      return all;
    };
    expect(await texts({ allocate })).toEqual(await texts({}));
    expect(asked.length).toBeGreaterThanOrEqual(9);
    expect(asked.filter((memory) => memory.some((byte) => byte !== 0xaa)).length).toBeGreaterThanOrEqual(9);
  }
});

it("a result of few rows equals the same streamed, also where there are more, left early or many at once", async () => {
  const sql = `SELECT i, i::VARCHAR || ' and some more text' AS t, CASE WHEN i % 3 > 0 THEN i::DECIMAL(9,2) END AS d,
    i::DECIMAL(38,4) AS e, (i % 7)::DECIMAL(4,1) AS f FROM range($1) r(i) ORDER BY i`;
  const table = async (rows: number, mostRows?: number): Promise<string[]> => {
    const texts: string[] = [];
    for await (const batch of engine.batches(sql, [rows], { mostRows })) {
      expect(batch.numRows).toBeLessThanOrEqual(65_536);
      for (const cells of cellTexts(batch)) texts.push(cells.join());
    }
    return texts;
  };
  for (const rows of [0, 1, 2_048, 5_000, 70_000]) {
    const streamed = await table(rows);
    expect(streamed).toHaveLength(rows);
    for (const expected of [0, 1, rows, 16_384]) expect(await table(rows, expected)).toEqual(streamed);
  }
  for await (const batch of engine.batches(sql, [100_000], { mostRows: 10 })) {
    expect(batch.numRows).toBeGreaterThan(0);
    break;
  }
  const totals = await Promise.all(Array.from({ length: 20 }, async (_, k) => (await table(100 * k, 100 * k)).length));
  expect(totals).toEqual(Array.from({ length: 20 }, (_, k) => 100 * k));
  const failing = engine.batches("SELECT error('no') FROM range(3)", [], { mostRows: 3 });
  await expect(failing.next()).rejects.toMatchObject({ message: expect.stringContaining("no") });
  expect(await table(3, 3)).toHaveLength(3);
});

it("keeps columns of an answer apart from answers that run beside it", async () => {
  const [a, b] = await Promise.all([
    engine.query("SELECT i FROM range(30000) r(i)"),
    engine.query("SELECT -i AS i FROM range(30000) r(i)"),
  ]);
  expect([a.numRows, b.numRows, a.getChildAt(0)?.get(29_999), b.getChildAt(0)?.get(29_999)]).toEqual([
    30_000,
    30_000,
    29_999n,
    -29_999n,
  ]);
});

it("an answer may be left in the middle, and many may run at once", async () => {
  const sql = "SELECT i, i::VARCHAR || ' and some more text' AS t FROM range(500000) r(i)";
  for await (const batch of engine.batches(sql)) {
    expect(batch.numRows).toBeGreaterThan(0);
    break;
  }
  const totals = await Promise.all(
    Array.from({ length: 20 }, async (_, k) => {
      let rows = 0;
      for await (const batch of engine.batches("SELECT i FROM range($1) r(i)", [1000 * k])) rows += batch.numRows;
      return rows;
    }),
  );
  expect(totals).toEqual(Array.from({ length: 20 }, (_, k) => 1000 * k));
});

it("a statement is interrupted whenever its signal aborts, also before the engine has begun it", async () => {
  const text = "select count(*) from range(200000) a(i), range(200000) b(j) where (i * j) % 7 = 3";
  for (let turns = 0; turns < 20; turns++) {
    const stop = new AbortController();
    const stopped = engine.query(text, [], { signal: stop.signal });
    stopped.catch(() => undefined);
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
  }
});

it("gives types without an Arrow column as text, huge integers as decimals, enum values as a dictionary", async () => {
  const back = await engine.query(
    "SELECT sum(i) AS total, [1, 2] AS list, 'b'::ENUM('a', 'b') AS word, TIME '10:00:00' AS at, 7::UTINYINT AS tiny, NULL AS nothing FROM range(3) r(i)",
  );
  expect(back.schema.fields.map((f) => String(f.type))).toEqual([
    "Decimal[38e0]",
    "Utf8",
    "Dictionary<Int32, Utf8>",
    "Utf8",
    "Int64",
    "Int64",
  ]);
  expect(unscaled(back.getChildAt(0) as Vector, 0)).toBe(3n);
  expect([1, 2, 3, 4, 5].map((i) => back.getChildAt(i)?.get(0))).toEqual(["[1, 2]", "b", "10:00:00", 7n, null]);
  expect((await engine.query("SELECT 1 WHERE false")).schema.fields).toHaveLength(1);
});

it("keeps the order of a table where nothing sorts it, which pages of the service rely on", async () => {
  await engine.query("CREATE TABLE long AS SELECT i, (i * 7919) % 1000 AS k FROM range(1_000_000) r(i)");
  let after = -1;
  let seen = 0;
  for (;;) {
    const page = await engine.query(`SELECT rowid, i FROM long WHERE k < 300 AND rowid > ${after} LIMIT 50000`);
    if (page.numRows === 0) break;
    const rows = [...(page.getChildAt(0) as Vector)].map(Number);
    expect(rows.every((row, i) => row > (i === 0 ? after : rows[i - 1]))).toBe(true);
    after = rows[rows.length - 1];
    seen += rows.length;
  }
  expect(seen).toBe(300_000);
  let last = -1;
  for await (const batch of engine.batches("SELECT i FROM long WHERE k < 300")) {
    for (const i of batch.getChildAt(0) as Vector) {
      if (Number(i) <= last) throw new Error(`${i} after ${last}`);
      last = Number(i);
    }
  }
});

it("keys: a second row with a key is refused, an appended one takes its place", async () => {
  const rows = (k: number[], v: string[]) => tableFromArrays({ k, v });
  await expect(engine.load("keyed", rows([1, 1], ["a", "b"]), { key: ["k"] })).rejects.toMatchObject({
    code: "EngineData",
  });
  await engine.load("keyed", rows([1, 2], ["a", "b"]), { key: ["k"] });
  await engine.load("keyed", rows([2, 3], ["B", "c"]), { key: ["k"], mode: "append" });
  const back = await engine.query("SELECT v FROM keyed ORDER BY k");
  expect([...(back.getChildAt(0) as Vector)]).toEqual(["a", "B", "c"]);
  const add = { key: ["k"], mode: "append" } as const;
  await expect(engine.load("keyed", rows([4, 4], ["a", "b"]), add)).rejects.toMatchObject({ code: "EngineData" });
  await engine.load("free", rows([1, 1], ["a", "b"]));
  await engine.load("free", rows([1], ["c"]), { mode: "append" });
  expect((await engine.query("SELECT * FROM free")).numRows).toBe(3);
  await expect(engine.load("free", rows([1], ["d"]), add)).rejects.toMatchObject({ code: "WrongKey" });
  await expect(engine.load("keyed", rows([1], ["a"]), { key: ["K"] })).rejects.toThrow(/Did you mean "k"/);
});

it("a failed load leaves the old table and nothing else", async () => {
  await engine.load("safe", tableFromArrays({ n: [1, 2] }));
  async function* broken() {
    yield* tableFromArrays({ n: [9] }).batches;
    throw new Error("truncated");
  }
  await expect(engine.load("safe", broken())).rejects.toThrow(/truncated/);
  const names = await engine.query("SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'arrowbook_load%'");
  expect(names.numRows).toBe(0);
  expect((await engine.query("SELECT sum(n)::DOUBLE AS n FROM safe")).getChildAt(0)?.get(0)).toBe(3);
});

it("names what is wrong with a statement or with columns", async () => {
  await expect(engine.query("SELEC 1")).rejects.toMatchObject({ name: "InputError", code: "BadStatement" });
  await expect(engine.query("SELECT * FROM nowhere")).rejects.toThrow(/nowhere/);
  await expect(engine.query("SELECT ('x' || i)::INTEGER FROM range(3) r(i)")).rejects.toMatchObject({
    name: "DataError",
  });
  await expect(engine.load("twice", tableFromArrays({ a: [1], A: [2] }))).rejects.toMatchObject({
    code: "DuplicateColumn",
  });
});

it("keeps tables in a database file and says who holds it", async () => {
  const folder = temporaryFolder("engine");
  const path = join(folder, "data.duckdb");
  let second: Engine | undefined;
  try {
    const first = await duckdbEngine(path, { threads: 1, memoryLimit: "256MB" });
    await first.load("wide", new Table({ w: decimals(50, 28, [7n], 256) }));
    await first.close();
    await expect(first.query("SELECT 1")).rejects.toMatchObject({
      code: "EngineClosed",
    });
    second = await duckdbEngine(path);
    const back = await second.query("SELECT * FROM wide");
    expect(back.schema.fields[0].metadata.get("arrowbook.type")).toBe("BigDecimal(50,28)");
    await expect(duckdbEngine(folder)).rejects.toMatchObject({ code: "DatabaseNotOpened" });
  } finally {
    await second?.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

// Elsewhere the threads of a process are not distinguished.
it.runIf(process.platform === "linux")("refuses a file that another thread of this process has open", async () => {
  const folder = temporaryFolder("engine");
  const path = join(folder, "data.duckdb");
  const holder = new Worker(
    `const { DuckDBInstance } = require("@duckdb/node-api");
     const { parentPort, workerData } = require("node:worker_threads");
     DuckDBInstance.create(workerData).then((held) => {
       parentPort.once("message", () => { held.closeSync(); parentPort.postMessage("closed"); });
       parentPort.postMessage("open");
     });`,
    { eval: true, workerData: path },
  );
  try {
    await once(holder, "message");
    await expect(duckdbEngine(path)).rejects.toMatchObject({ code: "DatabaseNotOpened" });
    holder.postMessage("close");
    await once(holder, "message");
    await (await duckdbEngine(path)).close();
  } finally {
    await holder.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
});

it("an answer goes through Arrow's own files", async () => {
  expect(tableToIPC(await engine.query('SELECT * FROM "every type"')).length).toBeGreaterThan(1000);
});
