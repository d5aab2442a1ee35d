import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { testServer } from "./server.js";

const server = await testServer();
afterAll(() => server.stop());

const ROWS = Number(process.env["ARROWBOOK_LARGE_ROWS"] ?? 5_000_000);

it(`the embedded service on ClickHouse: all pages and an export of ${ROWS} rows in constant memory`, () => {
  const script = fileURLToPath(new URL("large-service.mjs", import.meta.url));
  const options = { encoding: "utf8", maxBuffer: 1 << 24 } as const;
  const done = spawnSync(process.execPath, [script, server.address, String(ROWS)], options);
  expect(done.stderr).toBe("");
  const found = JSON.parse(done.stdout) as { rows: number; bytes: number; megabytes: { afterExport: number } };
  console.log(JSON.stringify(found));
  expect(found.rows).toBe(ROWS);
  expect(found.bytes).toBeGreaterThan(ROWS);
  expect(found.megabytes.afterExport).toBeLessThanOrEqual(500);
}, 1_800_000);
