import { expect, it } from "vitest";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { type ServeOptions, serve } from "../../src/server.js";

/** What `serve` refuses of `tables`; its tables are tested on ClickHouse (test/clickhouse/tables-in-place.test.ts). */
async function refusal(options: object): Promise<string> {
  const error = await serve(options as ServeOptions).then(
    async (service) => {
      await service.close();
      throw new Error("It is served.");
    },
    (thrown) => thrown,
  );
  return `${error.code}: ${error.message} ${error.hint}`;
}

it("tables of an engine: options that are wrong, and engines that cannot serve them", async () => {
  const engine = await duckdbEngine();
  const of = (table: unknown, code = "V/T") => refusal({ engine, tables: { [code]: table } });
  expect(await of("main.t")).toMatch(/^NotServable: The engine has no tables that others load\. .*clickhouse\(\)/);
  expect(await refusal({ tables: { "V/T": "t" } })).toMatch(/^BadArgument: tables are those of engine/);
  expect(await refusal({ engine, data: ".", tables: { "V/T": "t" } })).toMatch(/^BadArgument: .*without data/);
  expect(await refusal({ engine, tables: {} })).toMatch(/^BadArgument: tables is .*"SHARADAR\/SEP"/);
  expect(await of("t", "T")).toMatch(/^BadArgument: tables\["T"\] is not a code/);
  expect(await of("t", "V/../T")).toMatch(/^BadArgument: .*not a code/);
  expect(await of(7)).toMatch(/^BadArgument: tables\["V\/T"\] is 7\. Pass "database\.table"/);
  expect(await of({ key: ["a"] })).toMatch(/^BadArgument: .*database\.table/);
  expect(await of({ from: "t", keys: ["a"] })).toMatch(/^UnknownOption: .*keys.*key/);
  expect(await of({ from: ["a"] })).toMatch(/^BadArgument: .*from/);
  expect(await of({ from: "t", key: [] })).toMatch(/^BadArgument: .*key is .*\["ticker", "date"\]/);
  expect(await of({ from: "t", premium: 1 })).toMatch(/^BadArgument: .*premium is 1/);
  await engine.close();
});
