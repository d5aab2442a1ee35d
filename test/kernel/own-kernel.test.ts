import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type Execution, type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import { newConnection } from "../../src/kernel/protocol/kernel-process.js";
import type { Message } from "../../src/kernel/protocol/message.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { needBuild } from "./build.js";

let kernel: KernelClient;
const late: Message[] = [];

beforeAll(async () => {
  needBuild();
  kernel = await startKernel(findKernel("arrowbook"), {}, (message) => late.push(message));
});

afterAll(async () => {
  expect(await kernel.shutdown(60_000)).toBe(true);
});

const run = (code: string): Promise<Execution> => kernel.execute(code, { timeout: 120_000 });

const of = (execution: Execution, type: string): readonly Message["content"][] =>
  execution.published.filter((message) => message.header.msg_type === type).map((message) => message.content);

const streamed = (execution: Execution): string =>
  of(execution, "stream")
    .map((content) => content["text"])
    .join("");

const result = async (code: string): Promise<unknown> => of(await run(code), "execute_result")[0]?.["data"];

const error = async (code: string): Promise<Message["content"]> => of(await run(code), "error")[0];

/** The traceback without the colours of terminals. */
const trace = (content: Message["content"]): string =>
  (content["traceback"] as readonly string[]).join("\n").replaceAll(/\u001b\[\d+m/g, "");

describe("results", () => {
  it("are execute_result, with the input published before", async () => {
    const execution = await run("const a = 20;\na + 22");
    const types = execution.published.map((message) => message.header.msg_type);
    expect(types).toEqual(["execute_input", "execute_result"]);
    const count = execution.reply.content["execution_count"];
    expect(of(execution, "execute_result")[0]).toEqual({
      data: { "text/plain": "42" },
      metadata: {},
      execution_count: count,
    });
    expect(execution.reply.content).toMatchObject({ status: "ok", payload: [], user_expressions: {} });
  });

  it("show the representations of a value, asynchronous ones too, and its text besides", async () => {
    const own = `({ [Symbol.for("Jupyter.display")]: async () => ({ "text/html": "<b>7</b>" }), seven: 7 })`;
    expect(await result(own)).toMatchObject({
      "text/html": "<b>7</b>",
      "text/plain": expect.stringContaining("seven: 7"),
    });
  });

  it("of null, undefined and declarations are nothing", async () => {
    for (const code of ["null", "undefined", "const b = 1;", "let c; c = undefined", "type T = 1;", ""]) {
      expect(of(await run(code), "execute_result")).toEqual([]);
    }
  });

  it("of display() is what it shows, not its handle, and a picture states its size on the page", async () => {
    const shown = await run("display([{ a: 1 }])");
    expect(of(shown, "display_data")).toHaveLength(1);
    expect(of(shown, "execute_result")).toEqual([]);
    const chart = await run("Frame.fromColumns({ x: [1, 2], y: [1, 2] }).plot({ x: 'x', y: 'y' })");
    expect(of(chart, "execute_result")[0]["metadata"]).toEqual({
      "image/png": { width: expect.any(Number), height: expect.any(Number) },
    });
  });

  it("that fail to render do not fail the cell", async () => {
    const { reply } = await run(`({ [Symbol.for("Jupyter.display")]() { throw new Error("no"); } })`);
    expect(reply.content["status"]).toBe("ok");
  });
});

describe("cells", () => {
  it("see each other, may be run again and may redeclare", async () => {
    await run("const x = 1; function f(n: number) { return n + x; } class C { m = 2; } interface I { q: number }");
    await run("const x = 'text';");
    expect(await result("x.length + new C().m")).toEqual({ "text/plain": "6" });
    await run("let n = 0;");
    await run("n++; n++;");
    expect(await result("n")).toEqual({ "text/plain": "2" });
  });

  it("may await in every way the language has", async () => {
    await run("const later = <T,>(v: T): Promise<T> => new Promise((r) => setTimeout(() => r(v), 1));");
    expect(await result("await (later(1))")).toEqual({ "text/plain": "1" });
    expect(await result("await (async () => 2)()")).toEqual({ "text/plain": "2" });
    expect(await result("const three = await (later(3)); three.toFixed(1)")).toEqual({ "text/plain": "3.0" });
    const loop = "async function* g() { yield 1; yield 2; }\nlet sum = 0;\nfor await (const v of g()) sum += v;\nsum";
    expect(await result(loop)).toEqual({ "text/plain": "3" });
  });

  it("write to both streams in order, also from process.stdout and while they run", async () => {
    const execution = await run("console.log('a'); console.error('b'); process.stdout.write('c\\n'); console.log('d')");
    expect(of(execution, "stream")).toEqual([
      { name: "stdout", text: "a\n" },
      { name: "stderr", text: "b\n" },
      { name: "stdout", text: "c\n" },
      { name: "stdout", text: "d\n" },
    ]);
  });

  it("show output while they are busy", async () => {
    const seen = join(temporaryFolder("busy"), "seen");
    const isSeen = `existsSync(${JSON.stringify(seen)})`;
    // The cell ends when its output has been received, or after a minute.
    const code = `import { existsSync } from "node:fs";
const until = (ended: () => boolean, ms: number) => { const t = Date.now(); while (!ended() && Date.now() - t < ms); };
console.log("first");
until(() => false, 80);
console.log("second");
until(() => ${isSeen}, 60_000);
${isSeen}`;
    const execution = await kernel.execute(code, {
      timeout: 120_000,
      onMessage: ({ header }) => header.msg_type === "stream" && writeFileSync(seen, ""),
    });
    expect(streamed(execution)).toBe("first\nsecond\n");
    expect(of(execution, "execute_result")[0]?.["data"]).toEqual({ "text/plain": "true" });
  });

  longIt("load TypeScript files, JSON and packages from the working folder", async () => {
    const folder = temporaryFolder("cells");
    writeFileSync(
      join(folder, "lib.ts"),
      "import { two } from './two';\nexport const triple = (n: number): number => n * (1 + two);\n",
    );
    writeFileSync(join(folder, "two.ts"), "export const two: number = 2;\n");
    writeFileSync(join(folder, "data.json"), '{ "k": [1, 2] }');
    const other = await startKernel(findKernel("arrowbook"), { folder });
    const executed = await other.execute(
      "import { triple } from './lib';\nimport data from './data.json';\ntriple(data.k.length)",
    );
    expect(of(executed, "execute_result")[0]?.["data"]).toEqual({ "text/plain": "6" });
    await other.shutdown();
    rmSync(folder, { recursive: true });
  });

  longIt("see what changes on the disk while the notebook is open", async () => {
    const folder = temporaryFolder("watch");
    const place = join(folder, "node_modules", "pkg");
    const install = (value: string): void => {
      rmSync(place, { recursive: true, force: true });
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "package.json"), '{ "name": "pkg", "main": "a.js", "types": "a.d.ts" }');
      writeFileSync(join(place, "a.d.ts"), `export declare const value: ${value};\n`);
      writeFileSync(join(place, "a.js"), `exports.value = ${value};\n`);
    };
    install("1");
    writeFileSync(join(folder, "lib.ts"), "export const n = 1;\n");
    const other = await startKernel(findKernel("arrowbook"), { folder });
    const shown = async (code: string): Promise<unknown> =>
      of(await other.execute(code, { timeout: 120_000 }), "execute_result")[0]?.["data"];
    expect(await shown("import { n } from './lib';\nimport { value } from 'pkg';\nn + value")).toEqual({
      "text/plain": "2",
    });
    writeFileSync(join(folder, "lib.ts"), "export const n = 41;\n");
    install("2");
    await vi.waitFor(
      async () => expect(await shown("import { n } from './lib';\nn + 1")).toEqual({ "text/plain": "42" }),
      { timeout: 120_000, interval: 500 },
    );
    expect(await shown("value + 0")).toEqual({ "text/plain": "1" });
    await other.shutdown();
    rmSync(folder, { recursive: true });
  });

  it("still reach tslab's own display", async () => {
    const execution = await run(`import { display } from "tslab";\ndisplay.html("<i>x</i>");`);
    expect(of(execution, "display_data")[0]).toMatchObject({ data: { "text/html": "<i>x</i>" } });
  });
});

describe("errors", () => {
  it("carry name, message and a trace that names the cell and quotes the line", async () => {
    await run(
      "function deep(n: number): number {\n  interface Gone { a: number }\n  if (n === 0) throw new RangeError('too deep');\n  return deep(n - 1);\n}",
    );
    const found = await error("const unused = 1;\n\ndeep(1);");
    expect(found).toMatchObject({ ename: "RangeError", evalue: "too deep" });
    expect(trace(found)).toMatch(/RangeError: too deep\n[\s\S]*> 3 \| {3}if \(n === 0\) throw new RangeError/);
    expect(trace(found)).toMatch(/at deep \(cell \[\d+\]:3:22\)/);
    expect(trace(found)).toMatch(/at cell \[\d+\]:3:1/);
    expect(trace(found)).not.toMatch(/node:|tslab|launcher/);
  });

  it("that a cell prints have the positions of its source, and no frame of the kernel", async () => {
    await run(
      "async function failing() {\n  await null;\n  interface Gone { a: number }\n  throw new Error('printed');\n}",
    );
    const code = `interface Gone { a: number }
try {
  await failing();
} catch (error) {
  console.error(error);
}
[new Error("stack").stack!].map((stack) => stack)[0]`;
    const execution = await run(code);
    expect(streamed(execution)).toMatch(
      /^Error: printed\n {4}at (?:async )?failing \(cell \[\d+\]:4:9\)\n {4}at async cell \[\d+\]:3:3\n$/,
    );
    expect(JSON.stringify(execution.published)).toMatch(/Error: stack\\n {4}at (?:async )?cell \[\d+\]:7:2'?"/);
  });

  it("of the compiler are errors too, with every message", async () => {
    const found = await error("const n: number = 'a';\nn.foo");
    expect(found).toMatchObject({ ename: "TypeScriptError", evalue: expect.stringContaining("1:7 - Type 'string'") });
    expect(trace(found)).toMatch(/2:3 - Property 'foo' does not exist/);
  });

  it("that are not an Error still say what was thrown", async () => {
    expect(await error("throw 'plain'")).toMatchObject({ ename: "Uncaught", evalue: "plain" });
    expect(await error("throw { code: 5 }")).toMatchObject({ ename: "Uncaught", evalue: "{ code: 5 }" });
    expect(await error("throw null")).toMatchObject({ ename: "Uncaught", evalue: "null" });
    expect(await error("throw [1, [2, 3]]")).toMatchObject({ ename: "Uncaught", evalue: "[ 1, [ 2, 3 ] ]" });
    expect(await error("await Promise.reject(new TypeError('later'))")).toMatchObject({ ename: "TypeError" });
    expect(await error("throw new Error('outer', { cause: new Error('inner') })")).toMatchObject({
      traceback: expect.arrayContaining([expect.stringContaining("inner")]),
    });
  });

  it("say that process.exit() would end the kernel, which keeps its values", async () => {
    await run("const kept = 42");
    expect(await error("process.exit(3)")).toMatchObject({
      ename: "ArrowbookError",
      evalue: expect.stringContaining("would end the kernel"),
    });
    await run("setTimeout(() => process.exit(), 1); await new Promise((done) => setTimeout(done, 50))");
    expect(await result("kept")).toEqual({ "text/plain": "42" });
  });

  it("abort the cells that wait, and none after", async () => {
    const sent = join(temporaryFolder("abort"), "sent");
    const failing = `import { existsSync } from "node:fs";
while (!existsSync(${JSON.stringify(sent)}));
throw new Error("stop");`;
    const running = [run(failing), run("1"), run("2")];
    // Two replies on the control channel: by then the kernel has read what was sent before on the shell channel.
    for (let i = 0; i < 2; i++) await kernel.request("kernel_info_request", {}, { channel: "control" });
    writeFileSync(sent, "");
    const all = await Promise.all(running);
    expect(all.map((execution) => execution.reply.content["status"])).toEqual(["error", "aborted", "aborted"]);
    // A cell that did not run shows no number.
    expect(all.slice(1).map((execution) => "execution_count" in execution.reply.content)).toEqual([false, false]);
    expect(await result("3")).toEqual({ "text/plain": "3" });
  });

  it("let the next cells run where the front end says so", async () => {
    const all = await Promise.all([kernel.execute("throw new Error('ignored')", { stopOnError: false }), run("1")]);
    expect(all.map((execution) => execution.reply.content["status"])).toEqual(["error", "ok"]);
  });

  it("of a rejected call name the cell and the line, once, without a frame of the kernel or the package", async () => {
    await run("const sample = await connect.sample();");
    const found = await error('const before = 1;\nconst failed = await sample.table("MARKET/PRICE").frame();');
    expect(found["traceback"]).toEqual([
      expect.stringMatching(/^\u001b\[31mServiceError QECx02\u001b\[39m\n[\s\S]*Did you mean "MARKET\/PRICES"\?/),
      expect.stringContaining("1 | const before = 1;"),
      '> 2 | const failed = await sample.table("MARKET/PRICE").frame();',
      expect.stringContaining("^"),
      expect.stringMatching(/^ {4}at cell \[\d+\]:2:16$/),
    ]);
    const helper =
      'async function fetched() {\n  return await sample.table("MARKET/PRICE").frame();\n}\nawait fetched();';
    expect(trace(await error(helper))).toMatch(/ {4}at fetched \(cell \[\d+\]:2:10\)\n {4}at cell \[\d+\]:4:1$/);
    expect(trace(await error("[1].map(() => (undefined as any).x)"))).not.toMatch(/dist|launch|node:/);
  });

  it("of a call that is not awaited are reported once, with what to write", async () => {
    const pause = "await new Promise((r) => setTimeout(r, 300));";
    const rejected = await run("Promise.reject(new TypeError('mine'))");
    expect(of(rejected, "error")[0]).toMatchObject({ ename: "TypeError", evalue: "mine" });
    expect(streamed(rejected)).toBe("");
    late.length = 0;
    const pending = await run("new Promise((_, no) => setTimeout(() => no(new Error('later')), 30))");
    const written =
      streamed(pending) + streamed(await run(pause)) + late.map(({ content }) => content["text"] ?? "").join("");
    expect(written).toMatch(
      /^The end of cell \[\d+\] calls this without await: write await before the call\.\n.*Error.*: later/,
    );
    expect(written.match(/later/g)).toHaveLength(2); // the message, and the quoted line
    expect(written).not.toMatch(/dist|launch|node:/);
  });

  it("outside of a cell are reported and do not end the kernel", async () => {
    const execution = await run(
      "setTimeout(() => { throw new Error('adrift') }, 1); await new Promise((r) => setTimeout(r, 60));",
    );
    expect(streamed(execution)).toContain("adrift");
  });
});

describe("the other requests", () => {
  const ask = async (type: string, content: Message["content"]): Promise<Message["content"]> =>
    (await kernel.request(type, content, { timeout: 120_000 })).reply.content;

  it("kernel_info names what it is", () => {
    expect(kernel.info).toMatchObject({
      status: "ok",
      implementation: "arrowbook",
      language_info: { name: "typescript", version: expect.stringMatching(/^[56]\./), file_extension: ".ts" },
    });
  });

  it("completion has types, and counts code points", async () => {
    const code = "const s = '😀'; const rows = [{ price: 1 }]; rows.map((r) => r.pr";
    const points = [...code].length;
    expect(await ask("complete_request", { code, cursor_pos: points })).toMatchObject({
      matches: ["price"],
      cursor_start: points - 2,
      cursor_end: points,
    });
    const union = "const u = (w: 'day' | 'week') => w; u('')";
    expect(await ask("complete_request", { code: union, cursor_pos: union.length - 2 })).toMatchObject({
      matches: ["day", "week"],
    });
  });

  it("inspection gives types, documentation and, inside a call, its parameters", async () => {
    const code = "/** Adds things. */\nfunction add(a: number, b: number) { return a + b; }\nadd(1, 2)";
    const at = (text: string, more = 0): number => code.lastIndexOf(text) + more;
    expect(await ask("inspect_request", { code, cursor_pos: at("add", 1), detail_level: 0 })).toMatchObject({
      found: true,
      data: { "text/plain": expect.stringMatching(/function add\(a: number, b: number\): number[\s\S]*Adds things/) },
    });
    const inside = await ask("inspect_request", { code, cursor_pos: at("(1, ", 4), detail_level: 0 });
    expect(inside).toMatchObject({ data: { "text/plain": expect.stringContaining("now: b: number") } });
    const nothing = await ask("inspect_request", { code: "   ", cursor_pos: 1, detail_level: 0 });
    expect(nothing).toMatchObject({ status: "ok", found: false, data: {} });
  });

  it("is_complete, history and comms answer as the protocol has them", async () => {
    expect(await ask("is_complete_request", { code: "f(" })).toMatchObject({ status: "incomplete" });
    expect(await ask("is_complete_request", { code: "1 + 1" })).toEqual({ status: "complete" });
    await run("'remember me'");
    const history = await ask("history_request", { hist_access_type: "tail", n: 1, output: false, raw: true });
    expect(history["history"]).toEqual([[0, expect.any(Number), "'remember me'"]]);
    const found = await ask("history_request", {
      hist_access_type: "search",
      pattern: "*remember*",
      n: 5,
      output: false,
    });
    expect(found["history"]).toHaveLength(1);
    expect(await ask("comm_info_request", {})).toEqual({ status: "ok", comms: {} });
  });

  it("silent requests count nothing and publish nothing", async () => {
    const before = (await run("1")).reply.content["execution_count"];
    const silent = await kernel.execute("2", { silent: true });
    expect(silent.published).toEqual([]);
    expect((await run("1")).reply.content["execution_count"]).toBe(Number(before) + 1);
  });
});

longIt("ends when the process that started it is gone", async () => {
  const script = `
    const { spawn } = require("node:child_process");
    const [command, ...args] = JSON.parse(process.argv[1]);
    const child = spawn(command, args, { stdio: "ignore", env: { ...process.env, JPY_PARENT_PID: String(process.pid) } });
    console.log(child.pid);
    setTimeout(() => process.exit(), 3000);`;
  const connection = join(temporaryFolder("orphan"), "connection.json");
  writeFileSync(connection, JSON.stringify(await newConnection("orphan")));
  const argv = findKernel("arrowbook").argv.map((part) => part.replace("{connection_file}", connection));
  const pid = Number(execFileSync(process.execPath, ["-e", script, JSON.stringify(argv)], { encoding: "utf8" }));
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), { timeout: 120_000, interval: 200 });
  rmSync(dirname(connection), { recursive: true });
});

longIt("ends by itself with timers pending and in the middle of a loop", async () => {
  const busy = await startKernel(findKernel("arrowbook"));
  await busy.execute("setInterval(() => {}, 10);");
  expect(await busy.shutdown(60_000)).toBe(true);
  const looping = await startKernel(findKernel("arrowbook"));
  const stuck = looping.execute("while (true) {}");
  stuck.catch(() => undefined);
  await new Promise((done) => setTimeout(done, 200));
  expect(await looping.shutdown(60_000)).toBe(true);
});
