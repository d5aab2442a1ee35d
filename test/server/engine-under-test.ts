import { afterAll } from "vitest";
import type { Engine } from "../../src/engine/contract/engine.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";

/** Whether this run tests ClickHouse. */
export const isClickhouse = process.env["ARROWBOOK_TEST_ENGINE"] === "clickhouse";

let databases = 0;

/**
 * An empty engine of the kind that this run tests: DuckDB, or in `test:clickhouse` a database of its own on the server.
 * It is closed after the tests of the file.
 */
export async function engineUnderTest(): Promise<Engine> {
  const engine = isClickhouse ? await onServer() : await duckdbEngine();
  afterAll(() => engine.close());
  return engine;
}

let server: Promise<{ readonly address: string }> | undefined;

async function onServer(): Promise<Engine> {
  const { clickhouseEngine } = await import("../../src/engine/clickhouse/clickhouse.js");
  server ??= started();
  const { address } = await server;
  const database = `service_${process.pid}_${databases++}`;
  const first = await clickhouseEngine(address);
  await first.query(`CREATE DATABASE ${database} ENGINE = Atomic`);
  await first.close();
  const engine = await clickhouseEngine(address, { database });
  return {
    ...engine,
    async close() {
      await engine.query(`DROP DATABASE ${database} SYNC`);
      await engine.close();
    },
  };
}

async function started() {
  const { testServer } = await import("../clickhouse/server.js");
  const found = await testServer();
  afterAll(() => found.stop());
  return found;
}
