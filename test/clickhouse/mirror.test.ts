import { afterAll } from "vitest";
import { clickhouse } from "../../src/clickhouse.js";
import { mirrorInEngine } from "../client/mirror-in-engine.js";
import { testServer } from "./server.js";

const server = await testServer();
const guarded = await testServer("password-0123456789abcdef");
afterAll(() => Promise.all([server.stop(), guarded.stop()]));

mirrorInEngine("ClickHouse", async () => ({ target: await clickhouse(server.address) }));
mirrorInEngine("ClickHouse by its address, whose password is not shown", async () => {
  const target = guarded.address.replace("http:", "clickhouse:");
  return { target, place: "clickhouse://127.0.0.1/tests" };
});
