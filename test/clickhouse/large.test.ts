import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { testServer } from "./server.js";

const server = await testServer();
afterAll(() => server.stop());

const ROWS = Number(process.env["ARROWBOOK_LARGE_ROWS"] ?? 5_000_000);

it.each(["ClickHouse", "DuckDB"])(
  `%s: ${ROWS} rows loaded, verified, queried and read`,
  (engine) => {
    const script = fileURLToPath(new URL("large-load.mjs", import.meta.url));
    const address = engine === "DuckDB" ? "duckdb" : server.address;
    const done = spawnSync(process.execPath, [script, address, String(ROWS)], { encoding: "utf8", maxBuffer: 1 << 24 });
    expect(done.stderr).toBe("");
    const found = JSON.parse(done.stdout) as { megabytes: number; seconds: object };
    console.log(`${engine}: [seconds, processor seconds] ${JSON.stringify(found.seconds)}, ${found.megabytes} MB`);
    expect(found).toMatchObject({ rows: ROWS, equal: true, verified: ROWS, read: ROWS });
    // The embedded engine's own memory counts in its process.
    if (engine === "ClickHouse") expect(found.megabytes).toBeLessThanOrEqual(400);
  },
  900_000,
);
