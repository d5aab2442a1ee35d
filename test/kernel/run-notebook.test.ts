import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Notebook, type Output, parseNotebook } from "../../src/kernel/notebook/notebook-file.js";
import { parameterOf, withParameters } from "../../src/kernel/notebook/parameters.js";
import { runNotebook } from "../../src/kernel/notebook/run-notebook.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";

const folder = temporaryFolder("run");

/** Writes a notebook of code cells and gives its path. */
const notebook = (name: string, kernel: string, ...cells: string[]): string => {
  const path = join(folder, name);
  const content = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { name: kernel, display_name: kernel } },
    cells: [
      { cell_type: "markdown", id: "m", metadata: {}, source: "# About" },
      ...cells.map((source, i) => ({
        cell_type: "code",
        id: `c${i}`,
        metadata: {},
        source,
        outputs: [],
        execution_count: null,
      })),
    ],
  };
  writeFileSync(path, JSON.stringify(content));
  return path;
};

const outputs = (path: string, cell: number): readonly Output[] =>
  parseNotebook(readFileSync(path, "utf8"), path).cells[cell].outputs ?? [];

it("stores the outputs of every cell in place, and a page beside it", async () => {
  const html = join(folder, "ok.html");
  const path = notebook("ok.ipynb", "tslab", "const a = 2;", "console.log('a');console.log('b'); a + 1", "");
  const report = await runNotebook(path, { html });
  expect(report).toMatchObject({ kernel: "tslab", executed: 2, failures: [] });
  expect(outputs(path, 2)).toEqual([{ output_type: "stream", name: "stdout", text: ["a\n", "b\n", "3\n"] }]);
  const stored = JSON.parse(readFileSync(path, "utf8")) as Notebook;
  expect(stored.cells.map((cell) => cell.execution_count)).toEqual([undefined, 1, 2, null]);
  expect(readFileSync(html, "utf8")).toMatch(/<h1 id="[^"]+">About<\/h1>/);
});

longIt("skips cells with a tag", async () => {
  const path = notebook("tags.ipynb", "arrowbook", "1", "throw new Error('needs a package')", "3");
  const read = JSON.parse(readFileSync(path, "utf8")) as { cells: { metadata: object }[] };
  read.cells[2].metadata = { tags: ["other", "extra"] };
  writeFileSync(path, JSON.stringify(read));
  const report = await runNotebook(path, { skipTag: "extra" });
  expect(report).toMatchObject({ executed: 2, failures: [] });
  expect([1, 2, 3].map((cell) => outputs(path, cell).length)).toEqual([1, 0, 1]);
});

it("stops at the cell that fails, names it, and keeps what ran", async () => {
  const path = notebook("bad.ipynb", "tslab", "console.log('before')", "throw new RangeError('too far')", "1");
  await expect(runNotebook(path)).rejects.toMatchObject({
    code: "CellFailed",
    message: "Cell 3 of bad.ipynb failed: RangeError: too far",
    hint: "The cell starts with: throw new RangeError('too far')",
  });
  expect(outputs(path, 1)).toHaveLength(1);
  expect(outputs(path, 3)).toEqual([]);
});

longIt("continues after errors when allowed, losing no cell", async () => {
  const path = notebook(
    "go-on.ipynb",
    "tslab",
    "throw new Error('one')",
    "console.log(2)",
    "nonsense",
    "console.log(4)",
  );
  const report = await runNotebook(path, { allowErrors: true });
  expect(report.failures.map((failure) => failure.cell)).toEqual([2, 4]);
  expect(outputs(path, 2)).toEqual([{ output_type: "stream", name: "stdout", text: ["2\n"] }]);
  expect(outputs(path, 4)).toEqual([{ output_type: "stream", name: "stdout", text: ["4\n"] }]);
});

longIt("names the cell that takes too long", async () => {
  const path = notebook("slow.ipynb", "tslab", "await new Promise((r) => setTimeout(r, 60_000))");
  await expect(runNotebook(path, { timeout: 300, output: false })).rejects.toThrow(/^Cell 2: No reply within 0\.3 s/);
});

longIt("leaves the file unchanged on request", async () => {
  const path = notebook("dry.ipynb", "tslab", "1");
  const before = readFileSync(path, "utf8");
  await runNotebook(path, { output: false });
  expect(readFileSync(path, "utf8")).toBe(before);
});

it("keeps the key out of stored outputs", async () => {
  const key = "secret-key-0123456789";
  const path = notebook("key.ipynb", "tslab", "console.log(process.env.ARROWBOOK_API_KEY)");
  await runNotebook(path, { env: { ...process.env, ARROWBOOK_API_KEY: key } });
  expect(readFileSync(path, "utf8")).not.toContain(key);
});

/** A notebook whose first code cell has a tag. */
const tagged = (name: string, kernel: string, tag: string, ...cells: string[]): string => {
  const path = notebook(name, kernel, ...cells);
  const read = JSON.parse(readFileSync(path, "utf8")) as { cells: { metadata: object }[] };
  read.cells[1].metadata = { tags: [tag] };
  writeFileSync(path, JSON.stringify(read));
  return path;
};

it("sets parameters in a cell after the tagged one, and replaces it in the next run", async () => {
  const path = tagged(
    "parameters.ipynb",
    "arrowbook",
    "parameters",
    'const days = 30, code = "A";',
    "[days + 1, code]",
  );
  const parameters = Object.fromEntries(["days=60", 'code=B "c"'].map(parameterOf));
  await runNotebook(path, { parameters });
  const injected = 'let days = 60;\nlet code = "B \\"c\\"";';
  const cells = (): Notebook["cells"] => parseNotebook(readFileSync(path, "utf8"), path).cells;
  expect(cells()[2]).toMatchObject({
    metadata: { tags: ["injected-parameters"] },
    source: `// Parameters\n${injected}`,
    execution_count: 2,
  });
  expect(outputs(path, 3)).toMatchObject([{ data: { "text/plain": [`[ 61, 'B "c"' ]`] } }]);
  await runNotebook(path, { parameters: { days: 7 } });
  expect(cells().map(({ metadata }) => metadata["tags"])).toEqual([
    undefined,
    ["parameters"],
    ["injected-parameters"],
    undefined,
  ]);
  expect(outputs(path, 3)).toMatchObject([{ data: { "text/plain": ["[ 8, 'A' ]"] } }]);
});

it("reads parameters as JSON, else as text", () => {
  const read = ["n=1.5", 'list=["a",2]', "none=null", "on=true", "day=2020-01-01", 'text="30"', "größe=", "eq=a=b"];
  expect(Object.fromEntries(read.map(parameterOf))).toEqual({
    n: 1.5,
    list: ["a", 2],
    none: null,
    on: true,
    day: "2020-01-01",
    text: "30",
    größe: "",
    eq: "a=b",
  });
  for (const bad of ["days", "=1", "two names=1", "1a=2"]) {
    expect(() => parameterOf(bad)).toThrow(`A parameter must be name=value; got ${JSON.stringify(bad)}.`);
  }
});

it("puts parameters at the top of a notebook without the tag, with an id of their own", () => {
  const path = tagged("untagged.ipynb", "arrowbook", "other", "1");
  const { cells } = withParameters(parseNotebook(readFileSync(path, "utf8"), path), { a: null }, "typescript");
  expect(cells.map(({ id }) => id)).toEqual(["cell-1", "m", "c0"]);
  expect(cells[0].source).toBe("// Parameters\nlet a = null;");
});

it("refuses parameters for a kernel of another language", () => {
  const path = notebook("python.ipynb", "python3", "1");
  const read = parseNotebook(readFileSync(path, "utf8"), path);
  expect(() => withParameters(read, { a: 1 }, "python")).toThrow(
    "Parameters are set in TypeScript; the notebook's kernel runs python.",
  );
});

it("refuses a kernel that is not there", async () => {
  await expect(runNotebook(notebook("k.ipynb", "nope", "1"))).rejects.toMatchObject({ code: "UnknownKernel" });
});
