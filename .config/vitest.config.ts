import { defineConfig } from "vitest/config";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/jupyter/**", "test/browser/**", "test/clickhouse/**", "test/bench/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    env: { TZ: "America/Los_Angeles" },
  },
});
