import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";
import { beforeAll, expect, it } from "vitest";
import { Frame } from "../../src/index.js";
import { dataTypes, narrowDeclarations } from "../../src/kernel/compiler/value-types.js";
import type { TypeScript } from "../../src/kernel/install/installed-typescript.js";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import { needBuild } from "../kernel/build.js";

beforeAll(needBuild);

const KERNELS = ["tslab", "arrowbook"] as const;

/** The middle of some measurements. */
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** The processor time of a process in milliseconds, of all its threads; the clock of Linux has steps of 10 ms. */
const processorTime = (pid: number, place = `/proc/${pid}/stat`): number => {
  const [, fields] = readFileSync(place, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) * 10;
};

/** The processor time of each of some requests, and their slowest times but for one in twenty. */
async function measured(kernel: KernelClient, count: number, ask: (i: number) => Promise<unknown>) {
  // V8 compiles the code of the first ones, in other threads of the process.
  for (let i = 0; i < 100; i++) await ask(i);
  const before = processorTime(kernel.pid);
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push(await timed(() => ask(i)));
  const p95 = times.sort((a, b) => a - b)[Math.floor(count * 0.95)];
  return { processor: (processorTime(kernel.pid) - before) / count, p95 };
}

const complete = (kernel: KernelClient, code: string): Promise<unknown> =>
  kernel.request("complete_request", { code, cursor_pos: code.length });

it("takes no more processor time than stock tslab for the first result, and 0.7 of it for a cell", async () => {
  const first: Record<string, number[]> = { tslab: [], arrowbook: [] };
  const cell: Record<string, number[]> = { tslab: [], arrowbook: [] };
  const completion: Record<string, number[]> = { tslab: [], arrowbook: [] };
  // Turn by turn, so that what else the machine does falls on both.
  for (let round = 0; round < 5; round++) {
    for (const name of KERNELS) {
      const kernel = await startKernel(findKernel(name));
      await kernel.execute("1 + 1");
      first[name].push(processorTime(kernel.pid));
      const run = (i: number): Promise<unknown> => kernel.execute(`const v${i} = ${i};\nconsole.log(v${i} + 1)`);
      cell[name].push((await measured(kernel, 40, run)).processor);
      const ask = (i: number): Promise<unknown> => complete(kernel, `const other${i} = { total: ${i} };\nother${i}.`);
      completion[name].push((await measured(kernel, 40, ask)).processor);
      await kernel.shutdown();
    }
  }
  const ratio = (times: Readonly<Record<string, number[]>>): number =>
    median(times["arrowbook"]) / median(times["tslab"]);
  const table = Object.entries({ "first result": first, "a cell": cell, "a completion": completion }).map(
    ([what, times]) => [
      what,
      { ...Object.fromEntries(KERNELS.map((name) => [`${name}, ms`, median(times[name])])), ratio: ratio(times) },
    ],
  );
  console.table(Object.fromEntries(table));
  expect(ratio(first)).toBeLessThan(1);
  expect(ratio(cell)).toBeLessThan(0.7);
});

/** A copy of the built kernel without what the debugger adds to scripts and keeps of values, and its launcher. */
function withoutDebugger(folder: string): string {
  mkdirSync(folder, { recursive: true });
  cpSync("package.json", join(folder, "package.json"));
  cpSync("dist/esm", join(folder, "dist/esm"), { recursive: true });
  const file = join(folder, "dist/esm/shared/kernel.js");
  const code = readFileSync(file, "utf8");
  const without = [
    /\\n\/\/# sourceMappingURL=\$\{SOURCE_MAP_URL\}/,
    /(?<=function offerDebugValues\([^)]*\) \{)/,
  ].reduce((rest, pattern, i) => {
    expect(rest).toMatch(pattern);
    return rest.replace(pattern, i === 0 ? "" : " return;");
  }, code);
  writeFileSync(file, without);
  return join(folder, "dist/esm/launcher.js");
}

/** The processor time of the first thread of a kernel, which runs its cells. */
const cellsTime = (pid: number): number => processorTime(pid, `/proc/${pid}/task/${pid}/stat`);

it("costs a cell at most 2 % for the debugger while it is off", async () => {
  // Where the copy finds the packages that the kernel imports.
  const folder = "node_modules/.cache/arrowbook-without-debugger";
  const launcher = withoutDebugger(folder);
  const own = findKernel("arrowbook");
  const bare = { ...own, argv: own.argv.map((part) => (part.endsWith("launcher.js") ? launcher : part)) };
  const shares: number[] = [];
  for (let pair = 0; pair < 5; pair++) {
    const kernels = await Promise.all([own, bare].map((spec) => startKernel(spec)));
    const run = async (block: number): Promise<void> => {
      for (const kernel of block % 2 === 0 ? kernels : [...kernels].reverse()) {
        for (let i = 0; i < 40; i++) await kernel.execute(`const v${i} = ${block};\nconsole.log(v${i} + 1)`);
      }
    };
    for (let block = 0; block < 4; block++) await run(block);
    const before = kernels.map(({ pid }) => ({ cells: cellsTime(pid), all: processorTime(pid) }));
    for (let block = 0; block < 8; block++) await run(block);
    const [mine, other] = kernels.map(({ pid }, i) => ({
      cells: cellsTime(pid) - before[i].cells,
      all: processorTime(pid) - before[i].all,
    }));
    // Scripts are compiled and run in the first thread: the times of the others vary by more than is measured.
    shares.push((mine.cells - other.cells) / other.all);
    await Promise.all(kernels.map((kernel) => kernel.shutdown()));
  }
  rmSync(folder, { recursive: true });
  console.log(
    `the debugger while it is off, of a cell: ${shares.map((share) => `${(share * 100).toFixed(1)} %`).join(", ")}`,
  );
  expect(median(shares)).toBeLessThanOrEqual(0.02);
});

it("completes within 15 ms, and within 50 ms while a cell runs", async () => {
  const kernel = await startKernel(findKernel("arrowbook"));
  await kernel.execute(
    "interface Price { ticker: string; date: string; close: number }\nconst t = service.table<Price>('MARKET/PRICES');\nconst sample = { total: 1 };",
  );
  const codes = ["sample.", 't.select("', "service.", "sam", "t.where({ "];
  const ask = (i: number): Promise<unknown> => complete(kernel, `const other${i} = ${i};\n${codes[i % codes.length]}`);
  const found = { idle: await measured(kernel, 100, ask) } as Record<string, { processor: number; p95: number }>;
  for (const [name, code] of [
    ["an await", "await new Promise(() => {})"],
    ["a loop", "while (true) {}"],
  ]) {
    const running = kernel.execute(`await new Promise((done) => setTimeout(done, 100));\n${code}`);
    found[name] = await measured(kernel, 100, ask);
    await kernel.interrupt();
    await running;
  }
  console.table(found);
  await kernel.shutdown();
  expect(found["idle"].p95).toBeLessThan(15);
  expect(found["an await"].p95).toBeLessThan(50);
  expect(found["a loop"].p95).toBeLessThan(50);
});

it("runs 1,000 cells without growing by more than 50 MB", async () => {
  const kernel = await startKernel(findKernel("arrowbook"));
  await kernel.execute('import { Frame } from "arrowbook";');
  const held = async (): Promise<number[]> => {
    const { published } = await kernel.execute(
      "const m = process.memoryUsage(); console.log(JSON.stringify([m.rss, m.heapUsed]))",
    );
    const line = published.find((message) => message.header.msg_type === "stream")?.content["text"];
    return (JSON.parse(String(line)) as number[]).map((bytes) => bytes / 1e6);
  };
  for (let i = 0; i < 30; i++) await kernel.execute(`const a${i % 10} = ${i};`);
  await new Promise((done) => setTimeout(done, 4000));
  const before = await held();
  for (let i = 0; i < 1000; i++) {
    await kernel.execute(
      `const v${i % 50} = ${i};\nfunction f${i % 50}(): number { return v${i % 50}; }\nawait Promise.resolve(f${i % 50}())`,
    );
  }
  // The kernel gives memory back when nothing has been asked for a while.
  await new Promise((done) => setTimeout(done, 4000));
  const after = await held();
  console.log(
    `1,000 cells: ${(after[0] - before[0]).toFixed(0)} MB more, ${(after[1] - before[1]).toFixed(0)} MB of them on the heap`,
  );
  expect(after[0] - before[0]).toBeLessThan(50);
  expect(after[1] - before[1]).toBeLessThan(50);
  await kernel.shutdown();
});

it("narrows the types of hundreds of declarations in less than 5 ms of processor time", () => {
  const columns = Array.from({ length: 40 }, (_, i) => [`column_${i}`, 1] as const);
  const wide = Frame.fromRows([Object.fromEntries(columns)]);
  const others = Array.from({ length: 400 }, (_, i) => `declare const v${i}: { a: number; b: string[] };\n`).join("");
  const declarations = `declare const f: Frame<Record<string, Cell>>;\n${others}`;
  const times = Array.from({ length: 40 }, () => {
    const before = process.cpuUsage();
    narrowDeclarations(ts as unknown as TypeScript, declarations, (name) =>
      name === "f" ? dataTypes(wide) : undefined,
    );
    return process.cpuUsage(before).user / 1000;
  });
  console.log(`narrowing of 400 declarations: ${median(times).toFixed(1)} ms`);
  expect(median(times)).toBeLessThan(5);
});
