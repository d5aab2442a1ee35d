import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { assemblyScript } from "./assemblyscript.mjs";

const results = process.env["ARROWBOOK_RESULTS"] ?? "node_modules/.vitest";

/** What needs a real Trino; `npm run test:trino`. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  plugins: [assemblyScript()],
  test: {
    include: ["test/trino/**/*.test.ts"],
    reporters: ["default", ["json", { outputFile: `${results}/trino.json` }]],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 1,
    env: { TZ: "America/Los_Angeles" },
  },
});
