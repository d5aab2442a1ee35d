import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { assemblyScript } from "./assemblyscript.mjs";

/** Where the results go for the counts of .ci/run and for test/spec-coverage.md. */
const results = process.env["ARROWBOOK_RESULTS"] ?? "node_modules/.vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = (path: string): string => `${root}src/${path}`;

/** What replaces modules, runs cells or measures memory; `test/support/forget.ts` undoes what else a file changes. */
const ALONE = /\bvi\.(?:mock|doMock|resetModules)\(|\bstartCells\(|\bprocess\.memoryUsage\(/;

const isAlone = (file: string): boolean =>
  file.endsWith(".long.test.ts") || ALONE.test(readFileSync(root + file, "utf8"));

/** The mode `all` also runs the files whose names end in `.long.test.ts`. */
export default defineConfig(({ mode }) => {
  const isAll = mode === "all";
  const files = readdirSync(`${root}test`, { recursive: true, encoding: "utf8" })
    .map((file) => `test/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".test.ts") && !/^test\/(?:jupyter|browser|clickhouse|trino|bench)\//.test(file))
    .filter((file) => isAll || !file.endsWith(".long.test.ts"));
  // Of the projects: what they extend is read again, in no mode.
  const env = { TZ: "America/Los_Angeles", ARROWBOOK_TESTS: mode };
  return {
    root,
    plugins: [assemblyScript()],
    resolve: {
      alias: [
        { find: /^arrowbook$/, replacement: src("index.ts") },
        { find: /^arrowbook\/(server|notebook|duckdb|clickhouse|trino|testing)$/, replacement: `${src("")}$1.ts` },
      ],
    },
    test: {
      reporters: ["default", ["json", { outputFile: `${results}/unit.json` }]],
      testTimeout: 180_000,
      hookTimeout: 180_000,
      // Polls end as soon as they hold: the limit only ends those that never do.
      expect: { poll: { timeout: 60_000 } },
      setupFiles: [`${root}test/support/set-up.ts`],
      pool: "forks",
      // What cells import is the built package, as Node loads it.
      server: { deps: { external: [/\/dist\//] } },
      // Transformed modules are kept between runs, by their contents: one file of tests starts in seconds.
      experimental: { fsModuleCache: true },
      maxWorkers: 3,
      projects: [
        // One after the other in a process: the code of the package is loaded and optimised once.
        {
          extends: true,
          test: {
            name: "together",
            env,
            isolate: false,
            include: files.filter((file) => !isAlone(file)),
            setupFiles: [`${root}test/support/forget.ts`],
          },
        },
        { extends: true, test: { name: "alone", env, include: files.filter(isAlone) } },
      ],
    },
  };
});
