import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { assemblyScript } from "./assemblyscript.mjs";

const results = process.env["ARROWBOOK_RESULTS"] ?? "node_modules/.vitest";

/** What needs Python's side of Jupyter; `npm run test:jupyter`. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  plugins: [assemblyScript()],
  test: {
    include: ["test/jupyter/**/*.test.ts"],
    reporters: ["default", ["json", { outputFile: `${results}/jupyter.json` }]],
    testTimeout: 600_000,
    hookTimeout: 240_000,
    pool: "forks",
    maxWorkers: 1,
  },
});
