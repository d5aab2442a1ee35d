import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { assemblyScript } from "./assemblyscript.mjs";

/** Where the results go for the counts of .ci/run and for test/spec-coverage.md. */
const results = process.env["ARROWBOOK_RESULTS"] ?? "node_modules/.vitest";

const src = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  plugins: [assemblyScript()],
  resolve: {
    alias: [
      { find: /^arrowbook$/, replacement: src("index.ts") },
      { find: /^arrowbook\/(server|notebook|duckdb|clickhouse|trino|testing)$/, replacement: `${src("")}$1.ts` },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/jupyter/**", "test/browser/**", "test/clickhouse/**", "test/bench/**"],
    reporters: ["default", ["json", { outputFile: `${results}/unit.json` }]],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Polls end as soon as they hold: the limit only ends those that never do.
    expect: { poll: { timeout: 60_000 } },
    pool: "forks",
    // Transformed modules are kept between runs, by their contents: one file of tests starts in seconds.
    experimental: { fsModuleCache: true },
    maxWorkers: 2,
    env: { TZ: "America/Los_Angeles" },
  },
});
