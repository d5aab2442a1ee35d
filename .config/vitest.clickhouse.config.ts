import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { assemblyScript } from "./assemblyscript.mjs";

const results = process.env["ARROWBOOK_RESULTS"] ?? "node_modules/.vitest";

/** What needs a ClickHouse engine; `npm run test:clickhouse`. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  plugins: [assemblyScript()],
  test: {
    include: [
      "test/clickhouse/**/*.test.ts",
      // The tests of the service, on ClickHouse.
      "test/server/{awkward-texts,endpoints,exports,extensions,file-lists,filter-decimals,long-lists,point-in-time,profiles,refresh,series,several-services,tables}.test.ts",
    ],
    reporters: ["default", ["json", { outputFile: `${results}/clickhouse.json` }]],
    setupFiles: ["test/support/set-up.ts"],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 1,
    env: { TZ: "America/Los_Angeles", ARROWBOOK_TEST_ENGINE: "clickhouse" },
  },
});
