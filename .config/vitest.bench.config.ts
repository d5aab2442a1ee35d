import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { assemblyScript } from "./assemblyscript.mjs";

/** The kernel measured against stock tslab in one run; `npm run bench:kernel`, on an idle machine. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  plugins: [assemblyScript()],
  test: {
    include: ["test/bench/**/*.test.ts"],
    testTimeout: 900_000,
    hookTimeout: 240_000,
    pool: "forks",
    maxWorkers: 1,
  },
});
