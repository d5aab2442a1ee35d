import { Table } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textRows } from "../../src/columns/build/text-rows.js";
import { duckdb } from "../../src/duckdb.js";
import type { FrameEngine } from "../../src/frame/frame-engine.js";
import { Frame } from "../../src/index.js";

const DIGITS = "12345678901234567890123456789012345678901.5000";
const frame = (type: string, cell: string): Frame =>
  Frame.from(
    textRows(
      [["1", cell]],
      [
        { name: "k", type: "Integer" },
        { name: "x", type },
      ],
    ).table(),
  );
const a = frame("BigDecimal(50,4)", DIGITS);
const b = frame("BigDecimal(60,2)", "1.50");
const n = frame("String", "abc");

const wide = "BigDecimal(50,4)";
/** Statements over the tables a, b and n, and the types of their results. */
const CASES: [sql: string, types: string[], params?: string[]][] = [
  ["SELECT x FROM a", [wide]],
  ["SELECT * FROM A", ["Integer", wide]],
  ["SELECT x AS y FROM a WHERE x <> ''", [wide]],
  ["SELECT max(x) AS x, first(x) AS f FROM a", [wide, wide]],
  [`SELECT x FROM a WHERE x = $1`, [wide], [DIGITS]],
  ["WITH q AS (SELECT * FROM a) SELECT x FROM q ORDER BY length(x)", [wide]],
  ["SELECT a.x, b.x FROM a JOIN b USING (k)", [wide, "BigDecimal(60,2)"]],
  ["SELECT n.x, a.x FROM n JOIN a USING (k)", ["String", wide]],
  ["SELECT 'abc' AS x FROM a", ["String"]],
  ["SELECT x || 'abc' AS x FROM a", ["String"]],
  ["SELECT upper(x) AS x FROM a", ["String"]],
  ["SELECT x FROM a UNION ALL SELECT x FROM b", ["String"]],
  ["SELECT x FROM a UNION ALL SELECT 'abc'", ["String"]],
  ["SELECT coalesce(x, 'none') AS x FROM a", ["String"]],
  ["SELECT string_agg(x) AS x FROM a", ["String"]],
];

describe("a result column has the type of a wide decimal only where it passes its values through", () => {
  let engine: FrameEngine;
  beforeAll(async () => {
    engine = await duckdb();
    for (const [name, rows] of Object.entries({ a, b, n })) await engine.load(name, rows);
  });
  afterAll(() => engine.close());

  it.each(CASES)("query: %s", async (sql, types, params) => {
    expect((await engine.query(sql, params)).columns.map(({ type }) => type)).toEqual(types);
  });

  it.each(CASES)("batches: %s", async (sql, types, params) => {
    for await (const batch of engine.batches(sql, params))
      expect(Frame.from(new Table([batch])).columns.map(({ type }) => type)).toEqual(types);
  });

  it.each(CASES)("sql(): %s", async (sql, types, params) => {
    const result = await a.sql(sql, { params, tables: { a, b, n } } as never);
    expect(result.columns.map(({ type }) => type)).toEqual(types);
  });

  it("leaves statements without a result, and several at once, to the engine", async () => {
    await engine.query("CREATE TABLE made AS SELECT x FROM a; INSERT INTO made SELECT 'abc'");
    expect((await engine.query("SELECT count(*) AS c FROM made")).column("c").get(0)).toBe(2);
  });

  it("refuses a statement that is not text", async () => {
    const refused = { code: "BadStatement" };
    await expect(engine.query(5 as never)).rejects.toMatchObject(refused);
    await expect(engine.batches(5 as never).next()).rejects.toMatchObject(refused);
  });
});
