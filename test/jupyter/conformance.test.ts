import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installKernel } from "../../src/kernel/install/install.js";
import type { Notebook } from "../../src/kernel/notebook/notebook-file.js";
import { node24 } from "./node24.js";
import { python } from "./python.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const prefix = mkdtempSync(join(tmpdir(), "arrowbook-jupyter-"));
const env = { ...process.env, JUPYTER_PATH: join(prefix, "share", "jupyter"), HOME: prefix };

beforeAll(async () => {
  execFileSync(process.execPath, [".config/build.mjs"], { cwd: root });
  const folder = await installKernel({ prefix });
  withNode24(folder);
  stockTslab();
});

afterAll(() => rmSync(prefix, { recursive: true, force: true }));

/** Our kernelspec once more, started by Node 24. */
function withNode24(folder: string): void {
  const spec = JSON.parse(readFileSync(join(folder, "kernel.json"), "utf8")) as { argv: string[] };
  writeSpec("arrowbook24", { ...spec, argv: [node24(), ...spec.argv.slice(1)] });
}

/** Stock tslab's kernelspec, with absolute paths. */
function stockTslab(): void {
  const program = join(root, "node_modules", "tslab", "bin", "tslab");
  writeSpec("tslab", {
    argv: [process.execPath, program, "kernel", "--config-path={connection_file}"],
    display_name: "TypeScript",
    language: "typescript",
  });
}

function writeSpec(name: string, spec: object): void {
  const folder = join(prefix, "share", "jupyter", "kernels", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "kernel.json"), JSON.stringify(spec));
}

const conformance = (kernel: string): ReturnType<typeof python> =>
  python([join(root, "test/jupyter/conformance.py")], { ...env, KERNEL: kernel }, root);

it.each([
  ["this Node", "arrowbook"],
  ["Node 24", "arrowbook24"],
])("our kernel passes jupyter_kernel_test whole on %s", async (_, kernel) => {
  const { status, stderr } = await conformance(kernel);
  expect(stderr).toMatch(/Ran 13 tests[\s\S]*\nOK\s*$/);
  expect(stderr).not.toContain("skipped");
  expect(status).toBe(0);
});

it("a restart by jupyter_client starts a new process, with the connection of the earlier one", async () => {
  const { stdout, stderr } = await python(
    [join(root, "test/jupyter/restart.py")],
    { ...env, KERNEL: "arrowbook" },
    root,
  );
  expect(stderr).toBe("");
  const { before, after } = JSON.parse(stdout) as Record<"before" | "after", { pid: string; count: number }>;
  expect([before.count, after.count]).toEqual([1, 1]);
  expect(Number(before.pid)).toBeGreaterThan(0);
  expect(Number(after.pid)).toBeGreaterThan(0);
  expect(after.pid).not.toBe(before.pid);
});

it("stock tslab fails four of them, as docs/kernel.md says", async () => {
  const { stderr } = await conformance("tslab");
  const failed = [...stderr.matchAll(/^(?:FAIL|ERROR): (test_\w+)/gm)].map((match) => match[1]);
  expect([...new Set(failed)].sort()).toEqual([
    "test_error",
    "test_execute_result",
    "test_history",
    "test_kernel_info",
  ]);
});

it("nbconvert executes a notebook past its errors: result bundles, error outputs, no cell lost", async () => {
  const sources = [
    "const table = { [Symbol.for('Jupyter.display')]: async () => ({ 'text/html': '<table></table>' }) };\ntable",
    "throw new RangeError('first')",
    "console.log('after one')",
    "const wrong: number = 'text';",
    "40 + 2",
  ];
  const cells = sources.map((source, i) => ({
    cell_type: "code",
    id: `c${i}`,
    metadata: {},
    source,
    outputs: [],
    execution_count: null,
  }));
  const metadata = { kernelspec: { name: "arrowbook", display_name: "x" } };
  writeFileSync(join(prefix, "in.ipynb"), JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata, cells }));
  const args = "-m nbconvert --to notebook --execute --allow-errors --output out.ipynb in.ipynb".split(" ");
  const { status, stderr } = await python(args, env, prefix);
  expect(stderr).not.toContain("Traceback");
  expect(status).toBe(0);
  const done = JSON.parse(readFileSync(join(prefix, "out.ipynb"), "utf8")) as Notebook;
  expect(done.cells.map((cell) => cell.execution_count)).toEqual([1, 2, 3, 4, 5]);
  expect(done.cells.map((cell) => cell.outputs?.[0])).toMatchObject([
    { output_type: "execute_result", data: { "text/html": ["<table></table>"], "text/plain": expect.anything() } },
    { output_type: "error", ename: "RangeError", evalue: "first" },
    { output_type: "stream", name: "stdout", text: ["after one\n"] },
    { output_type: "error", ename: "TypeScriptError" },
    { output_type: "execute_result", data: { "text/plain": ["42"] } },
  ]);
});
