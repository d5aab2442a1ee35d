// test:clickhouse: the tests of arrowbook/clickhouse, against the server in CLICKHOUSE_URL or against chdb, the real
// engine in process, behind a small HTTP interface.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const packages = join(here, "node_modules");

const hasEngine = process.env.CLICKHOUSE_URL !== undefined || existsSync(join(packages, "chdb"));
const lacks = [
  [!existsSync(join(packages, "@clickhouse/client")), "the official client: npm ci --prefix test/clickhouse"],
  [!hasEngine, "an engine: npm ci --prefix test/clickhouse (chdb, 560 MB), or an address in CLICKHOUSE_URL"],
].filter(([missing]) => missing);
if (lacks.length > 0) {
  console.error(`test:clickhouse lacks\n${lacks.map(([, how]) => `  ${how}`).join("\n")}`);
  process.exit(1);
}

const args = ["node_modules/vitest/vitest.mjs", "run", "--config", ".config/vitest.clickhouse.config.ts"];
const { status } = spawnSync(process.execPath, [...args, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  // The package takes its optional client from where the tests have it.
  env: { ...process.env, NODE_PATH: [packages, process.env.NODE_PATH].filter(Boolean).join(delimiter) },
});
process.exit(status ?? 1);
