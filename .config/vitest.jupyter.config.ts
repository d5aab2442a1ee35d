import { defineConfig } from "vitest/config";

/** What needs Python's side of Jupyter; `npm run test:jupyter`. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/jupyter/**/*.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 240_000,
    pool: "forks",
    maxWorkers: 1,
  },
});
