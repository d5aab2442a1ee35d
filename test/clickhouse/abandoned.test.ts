import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { tableFromArrays } from "apache-arrow";
import { afterAll, expect, it } from "vitest";
import { clickhouseEngine } from "../../src/engine/clickhouse/clickhouse.js";
import { testServer } from "./server.js";

const server = await testServer();
const engine = await clickhouseEngine(server.address);
const eager = await clickhouseEngine(server.address, { abandonedAfter: 0 });
afterAll(async () => {
  await engine.close();
  await eager.close();
  await server.stop();
});

const rows = (from: number, count: number) =>
  tableFromArrays({ k: Float64Array.from({ length: count }, (_, i) => from + i) });

async function staged(): Promise<string[]> {
  const found = await engine.query(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, 'arrowbook_load_')",
  );
  return [...found].map((row) => String(row?.["name"]));
}

it("a killed load's table is dropped by the next load of that name, once it is old", async () => {
  await engine.load("prices", rows(0, 3));
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("load-for-ever.mjs", import.meta.url)), server.address, "prices"],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  await expect.poll(async () => (await staged()).length, { timeout: 60_000 }).toBe(1);
  child.kill("SIGKILL");
  await once(child, "exit");
  const [left] = await staged();
  await engine.load("prices", rows(0, 4));
  await eager.load("other", rows(0, 1));
  expect(await staged()).toEqual([left]);
  // The server counts in seconds.
  await expect
    .poll(
      async () => {
        await eager.load("prices", rows(0, 5));
        return staged();
      },
      { timeout: 60_000, interval: 300 },
    )
    .toEqual([]);
  expect(await engine.verify("prices", rows(0, 5))).toMatchObject({ equal: true });
});

it("a live load continues beside another load of that name", async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  async function* slow() {
    yield* rows(0, 300_000).batches;
    await gate;
    yield* rows(300_000, 10).batches;
  }
  await engine.load("live", rows(0, 1));
  const loading = engine.load("live", slow());
  await expect.poll(async () => (await staged()).length, { timeout: 60_000 }).toBe(1);
  await engine.load("live", rows(0, 2));
  expect(await staged()).toHaveLength(1);
  open();
  expect(await loading).toEqual({ rows: 300_010 });
  expect(await engine.verify("live", rows(0, 300_010))).toMatchObject({ equal: true });
  expect(await staged()).toEqual([]);
});
