import { afterAll, expect, it } from "vitest";
import { textTable } from "../../src/columns/build/from-text-rows.js";
import { duckdb } from "../../src/duckdb.js";
import { Frame } from "../../src/index.js";

const frame = (type: string, cell: string): Frame => Frame.from(textTable([[cell]], [{ name: "x", type }]));

it("a wide column whose namesake in another table has another type has none of both", async () => {
  const engine = await duckdb();
  afterAll(() => engine.close());
  await engine.load("a", frame("BigDecimal(50,4)", "7.2500"));
  await engine.load("b", frame("BigDecimal(60,2)", "1.50"));
  await engine.load("c", frame("BigDecimal(60,2)", "2.50"));
  const typeOf = async (sql: string): Promise<unknown> => (await engine.query(sql)).columns[0];
  expect(await typeOf("SELECT a.x FROM a, b")).toEqual({ name: "x", type: "String" });
  expect(await typeOf("SELECT a.x FROM a, b, c")).toEqual({ name: "x", type: "String" });
  expect(await typeOf("SELECT b.x FROM b, c")).toEqual({ name: "x", type: "BigDecimal(60,2)" });
});
