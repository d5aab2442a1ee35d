import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import type { Notebook } from "../../src/kernel/notebook/notebook-file.js";
import { runNotebook } from "../../src/kernel/notebook/run-notebook.js";
import { haveCases } from "../cases.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { needBuild } from "./build.js";
import { gallery } from "./gallery.js";
import { schemaFaults } from "./schema-faults.js";

const folder = temporaryFolder("stored");

beforeAll(needBuild);

const SOURCES = [
  "console.log('out'); console.error('err'); console.log('out again')",
  "({ [Symbol.for('Jupyter.display')]: () => ({ 'text/html': '<b>7</b>\\n<i>8</i>', 'application/json': { a: [1] } }) })",
  "throw new RangeError('too far')",
  "import { display } from 'tslab';\ndisplay.png(Buffer.from('iVBORw0KGgo=', 'base64'));",
  "const n: number = 'text'",
  "setTimeout(() => console.log('late'), 50); await new Promise((done) => setTimeout(done, 120));",
];

longIt.each([
  ["tslab", ["stream stream stream", "stream", "stream", "display_data", "stream", "stream"]],
  ["arrowbook", ["stream stream stream", "execute_result", "error", "display_data", "error", "stream"]],
])("what a run on %s stores is valid under nbformat's schema", async (kernel, kinds) => {
  const path = join(folder, `${kernel}.ipynb`);
  const cells = SOURCES.map((source, i) => ({
    cell_type: "code",
    id: `c${i}`,
    metadata: {},
    source,
    outputs: [],
    execution_count: null,
  }));
  writeFileSync(path, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
  await runNotebook(path, { kernel, allowErrors: true });
  const stored = JSON.parse(readFileSync(path, "utf8")) as Notebook;
  expect(stored.cells.map((cell) => cell.outputs?.map((output) => output.output_type).join(" "))).toEqual(kinds);
  expect(stored.metadata).toMatchObject({ kernelspec: { name: kernel }, language_info: { name: "typescript" } });
  expect(haveCases ? schemaFaults(stored) : []).toEqual([]);
});

it("the gallery itself is valid under the schema", () => {
  for (const name of gallery) {
    const path = fileURLToPath(new URL(`../../notebooks/${name}`, import.meta.url));
    const stored = JSON.parse(readFileSync(path, "utf8")) as Notebook;
    expect(haveCases ? schemaFaults(stored) : [], name).toEqual([]);
  }
});
