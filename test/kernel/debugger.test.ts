import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Variable } from "../../src/kernel/debug/variables.js";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type Execution, type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import type { Content, Json, Message } from "../../src/kernel/protocol/message.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { needBuild } from "./build.js";

/* The twelve steps of a session in JupyterLab's debugger, by the messages that it sends. */
const folder = temporaryFolder("debugger");
const library = join(folder, "lib.ts");
let kernel: KernelClient;
const events: Content[] = [];

const CELL = `interface Row { n: number }
function twice(row: Row): number {
  const result: number = row.n * 2;
  return result;
}

const table = Frame.fromRows([{ a: 1, b: "x" }, { a: 2, b: "y" }]);
let total = 0;
for (const n of [1, 2]) {
  total += twice({ n });
}
total`;

beforeAll(async () => {
  needBuild();
  writeFileSync(
    library,
    "export type N = number;\n\nexport function half(n: N): N {\n  const rest: N = n / 2;\n  return rest;\n}\n",
  );
  kernel = await startKernel(findKernel("arrowbook"), { folder }, onMessage);
});

afterAll(async () => {
  expect(await kernel.shutdown(60_000)).toBe(true);
});

/** Events belong to the last request, which may be answered by then. */
function onMessage({ header, content }: Message): void {
  if (header.msg_type === "debug_event") events.push(content);
}

let seq = 0;
async function debug(command: string, given: Content = {}): Promise<Record<string, Json>> {
  const content = { type: "request", seq: ++seq, command, arguments: given };
  const { reply } = await kernel.request("debug_request", content, { channel: "control", timeout: 60_000, onMessage });
  expect(reply.content).toMatchObject({ type: "response", command, request_seq: seq, success: true });
  return reply.content["body"] as Record<string, Json>;
}

const run = (code: string): Promise<Execution> => kernel.execute(code, { timeout: 120_000 });

const resultOf = ({ published }: Execution): unknown =>
  published.find(({ header }) => header.msg_type === "execute_result")?.content["data"];

async function breakAt(path: string, ...lines: number[]): Promise<Json> {
  const set = await debug("setBreakpoints", { source: { path }, breakpoints: lines.map((line) => ({ line })) });
  return (set["breakpoints"] as unknown as readonly { readonly line: number }[]).map(({ line }) => line);
}

/** The reason of the next stop, with the place of each frame. */
async function stop(): Promise<{ readonly reason: Json; readonly at: readonly string[]; readonly body: Content }> {
  await expect.poll(() => events.some(({ event }) => event === "stopped"), { timeout: 60_000 }).toBe(true);
  const [body] = events.splice(0).flatMap((each) => (each["event"] === "stopped" ? [each["body"] as Content] : []));
  interface Frame {
    readonly id: number;
    readonly name: string;
    readonly line: number;
    readonly source: { readonly name: string };
  }
  const frames = (await debug("stackTrace", { threadId: 1 }))["stackFrames"] as unknown as readonly Frame[];
  // JupyterLab takes 0 for no frame, and a frame with the id of an earlier one for one that did not move.
  expect(frames[0].id).toBeGreaterThan(first + 100);
  first = frames[0].id;
  expect(frames.map(({ id }) => id)).toEqual(frames.map((_, at) => first + at));
  return {
    reason: body["reason"]!,
    at: frames.map(({ name, line, source }) => `${name} ${source.name}:${line}`),
    body,
  };
}

/** The id of the first frame of the last stop. */
let first = 0;

async function locals(at = 0): Promise<ReadonlyMap<string, Variable>> {
  const scopes = (await debug("scopes", { frameId: first + at }))["scopes"] as unknown as readonly {
    variablesReference: number;
  }[];
  const { variables } = await debug("variables", { variablesReference: scopes[0].variablesReference });
  return new Map((variables as unknown as readonly Variable[]).map((each) => [each.name, each]));
}

it("a value that is never shown keeps no later request waiting", async () => {
  await run('const never = { [Symbol.for("Jupyter.display")]: () => new Promise(() => undefined) };');
  const given = { variableName: "never" };
  const content = { type: "request", seq: ++seq, command: "richInspectVariables", arguments: given };
  void kernel.request("debug_request", content, { channel: "control", timeout: 60_000 }).catch(() => undefined);
  const { variables } = await debug("inspectVariables");
  expect(variables).toContainEqual(expect.objectContaining({ name: "never" }));
});

it("starts, and sets breakpoints in a cell that has not run", async () => {
  expect(kernel.info).toMatchObject({ debugger: true, supported_features: expect.arrayContaining(["debugger"]) });
  expect(await debug("debugInfo")).toMatchObject({ isStarted: false, hashMethod: "Murmur2", breakpoints: [] });
  expect(await debug("initialize", { clientID: "jupyterlab" })).toMatchObject({
    exceptionBreakpointFilters: [{ filter: "all" }],
    supportsModulesRequest: true,
  });
  await debug("attach");
  // Only then does JupyterLab offer to stop at exceptions.
  await expect.poll(() => events.splice(0).map(({ event }) => event)).toEqual(["initialized"]);
  const { sourcePath } = await debug("dumpCell", { code: CELL });
  // As JupyterLab computes it from the code of the cell.
  expect(sourcePath).toBe("arrowbook-cell-3374330712.ts");
  expect(await breakAt(String(sourcePath), 3, 10)).toEqual([3, 10]);
  await debug("configurationDone");
  expect(await debug("debugInfo")).toMatchObject({ isStarted: true, breakpoints: [{ source: sourcePath }] });
});

it("stops at a breakpoint, with call stack and locals, steps over, into and out, evaluates, and continues", async () => {
  const { sourcePath } = await debug("dumpCell", { code: CELL });
  await breakAt(String(sourcePath), 10);
  const running = run(CELL);
  expect(await stop()).toMatchObject({ reason: "breakpoint", at: ["cell cell:10"] });
  const found = await locals();
  expect(found.get("table")).toMatchObject({ type: "Frame (2 × 2)" });
  expect(found.get("n")).toMatchObject({ value: "1" });
  expect([...found.keys()].filter((name) => /^\$|require|exports/.test(name))).toEqual([]);
  const columns = await debug("variables", { variablesReference: found.get("table")!.variablesReference });
  expect((columns["variables"] as unknown as readonly Variable[]).map(({ name }) => name)).toEqual(["a", "b"]);
  expect(await debug("richInspectVariables", { variableName: "table", frameId: first })).toMatchObject({
    data: { "text/html": expect.stringContaining("<table") },
  });
  expect(await debug("evaluate", { expression: "total + n * 100", frameId: first })).toMatchObject({ result: "100" });
  await debug("stepIn", { threadId: 1 });
  expect(await stop()).toMatchObject({ reason: "step", at: ["twice cell:3", "cell cell:10"] });
  await debug("next", { threadId: 1 });
  expect(await stop()).toMatchObject({ at: ["twice cell:4", "cell cell:10"] });
  expect((await locals()).get("result")).toMatchObject({ value: "2" });
  await debug("evaluate", { expression: "total = 50", frameId: first + 1 });
  await debug("stepOut", { threadId: 1 });
  expect((await stop()).at[0]).toMatch(/^cell cell:(9|10)$/);
  await breakAt(String(sourcePath));
  await debug("continue", { threadId: 1 });
  expect(resultOf(await running)).toEqual({ "text/plain": expect.stringMatching(/^\d+$/) });
});

it("stops in a local file, and where a cell throws", async () => {
  await breakAt(library, 5);
  const running = run('import { half } from "./lib";\nconst $eight = 8;\nhalf($eight)');
  expect(await stop()).toMatchObject({ reason: "breakpoint", at: ["half lib.ts:5", "cell cell:3"] });
  expect((await locals()).get("rest")).toMatchObject({ value: "4" });
  expect([...(await locals(1)).keys()].sort()).toEqual(["$eight", "half"]);
  const { modules } = await debug("modules");
  expect(modules).toMatchObject([{ name: "lib.ts", path: library }]);
  expect((await debug("source", { source: { path: library } }))["content"]).toContain("export function half(n: N)");
  await breakAt(library);
  await debug("continue", { threadId: 1 });
  expect(resultOf(await running)).toEqual({ "text/plain": "4" });
  await debug("setExceptionBreakpoints", { filters: ["all"] });
  const failing = run("const missing = { a: undefined as { b: number } | undefined };\n\nmissing.a!.b");
  const stopped = await stop();
  expect(stopped).toMatchObject({ reason: "exception", at: ["cell cell:3"] });
  expect(stopped.body["text"]).toMatch(/^TypeError: Cannot read/);
  await debug("continue", { threadId: 1 });
  expect((await failing).reply.content).toMatchObject({ status: "error", ename: "TypeError" });
  await debug("setExceptionBreakpoints", { filters: [] });
});

it("stops in what cells and files defined before the debugger was on", async () => {
  await debug("disconnect");
  const code = "function thrice(n: number): number {\n  const triple = n * 3;\n  return triple;\n}";
  await run(code);
  await debug("initialize");
  await debug("attach");
  expect((await debug("modules"))["modules"]).toMatchObject([{ name: "lib.ts", path: library }]);
  const { sourcePath } = await debug("dumpCell", { code });
  expect(await breakAt(String(sourcePath), 3)).toEqual([3]);
  expect(await breakAt(library, 4)).toEqual([4]);
  const running = run("half(thrice(4))");
  expect(await stop()).toMatchObject({ reason: "breakpoint", at: ["thrice cell:3", "cell cell:1"] });
  expect((await locals()).get("triple")).toMatchObject({ value: "12" });
  await debug("continue", { threadId: 1 });
  expect(await stop()).toMatchObject({ reason: "breakpoint", at: ["half lib.ts:4", "cell cell:1"] });
  await breakAt(library);
  await breakAt(String(sourcePath));
  await debug("continue", { threadId: 1 });
  expect(resultOf(await running)).toEqual({ "text/plain": "6" });
});

it("steps into a function of an earlier cell at once, past the code that finds it", async () => {
  await run("function once(n: number): number {\n  return n;\n}");
  const code = "const five = 5;\nonce(five)";
  const { sourcePath } = await debug("dumpCell", { code });
  await breakAt(String(sourcePath), 2);
  const running = run(code);
  expect(await stop()).toMatchObject({ at: ["cell cell:2"] });
  await debug("stepIn", { threadId: 1 });
  expect(await stop()).toMatchObject({ reason: "step", at: ["once cell:2", "cell cell:2"] });
  await breakAt(String(sourcePath));
  await debug("continue", { threadId: 1 });
  expect(resultOf(await running)).toEqual({ "text/plain": "5" });
});

it("an interrupt ends a cell that is stopped, and after the end no cell stops", async () => {
  const code = "let waits = 1;\nwhile (true) {\n  waits++;\n}";
  const { sourcePath } = await debug("dumpCell", { code });
  await breakAt(String(sourcePath), 3);
  const stuck = run(code);
  await stop();
  await kernel.interrupt();
  expect((await stuck).reply.content).toMatchObject({ status: "error", ename: "Interrupted" });
  events.length = 0;
  await debug("disconnect");
  await expect.poll(() => events.map(({ event }) => event)).toEqual(["terminated"]);
  expect(await debug("debugInfo")).toMatchObject({ isStarted: false, breakpoints: [], stoppedThreads: [] });
  expect(resultOf(await run("40 + 2"))).toEqual({ "text/plain": "42" });
});
