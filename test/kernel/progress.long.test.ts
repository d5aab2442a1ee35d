import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { joined, type MimeBundle } from "../../src/kernel/notebook/notebook-file.js";
import { runNotebook } from "../../src/kernel/notebook/run-notebook.js";
import { needBuild } from "./build.js";

/*
 * Long work in a real kernel: one display, updated in place, ends in a line; in a headless run nothing, unless asked
 * for.
 */

const folder = mkdtempSync(fileURLToPath(new URL("../../node_modules/.progress-", import.meta.url)));

beforeAll(needBuild);
afterAll(() => rmSync(folder, { recursive: true }));

const SOURCES = [
  `import { connect } from "arrowbook";
import "arrowbook/notebook";
const sample = await connect.sample();
const wait = () => new Promise((done) => setTimeout(done, 60));
const service = connect({
  url: sample.url,
  apiKey: "sample",
  fetch: async (...request) => {
    await wait();
    return fetch(...request);
  },
});`,
  'const all = await service.table("MARKET/PRICES").pageSize(1_000).frame();',
  'const none = await service.table("MARKET/PRICES").pageSize(1_000).page();\nawait sample.close();',
];

const outputsOn = async (kernel: string, env: NodeJS.ProcessEnv) => {
  const path = join(folder, "progress.ipynb");
  const cell = { cell_type: "code", metadata: {}, outputs: [], execution_count: null };
  const cells = SOURCES.map((source, i) => ({ ...cell, id: `c${i}`, source }));
  writeFileSync(path, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
  const { notebook } = await runNotebook(path, { kernel, output: false, env: { ...process.env, ...env } });
  return notebook.cells.map(({ outputs }) =>
    (outputs ?? []).map((output) =>
      output.output_type === "display_data"
        ? joined((output as { data: MimeBundle }).data["text/plain"] as string)
        : output.output_type,
    ),
  );
};

it.each(["tslab", "arrowbook"])("%s shows it as one display, and nothing for the short call", async (kernel) => {
  const line = expect.stringMatching(/^MARKET\/PRICES: 32,610 rows in \d+\.\d s \(2\.\d MB\)$/);
  expect(await outputsOn(kernel, { ARROWBOOK_PROGRESS: "on" })).toEqual([[], [line], []]);
});

it("a headless run stores none of it", async () => {
  expect(await outputsOn("tslab", { NODE_ENV: "", CI: "" })).toEqual([[], [], []]);
});
