import { afterAll } from "vitest";
import { clickhouseEngine } from "../../src/engine/clickhouse/clickhouse.js";
import { engineContract } from "../engine/contract.js";
import { testServer } from "./server.js";

const server = await testServer();
afterAll(() => server.stop());

engineContract({
  name: "ClickHouse",
  open: () => clickhouseEngine(server.address),
  long: "SELECT number AS i, toString(number) AS t FROM numbers(200000)",
  endless: "SELECT number AS i FROM system.numbers",
  allTables: "SELECT name FROM system.tables WHERE database = currentDatabase()",
  runs: 15,
});
