import { afterAll, beforeAll, expect, it } from "vitest";
import type { Variable } from "../../src/kernel/debug/variables.js";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import { needBuild } from "./build.js";

/* The requests that JupyterLab's debugger panel sends for its variables view, and the icons of completion. */
let kernel: KernelClient;

beforeAll(async () => {
  needBuild();
  kernel = await startKernel(findKernel("arrowbook"), { env: { ...process.env, ARROWBOOK_URL: "" } });
  await kernel.execute(`const frame = Frame.fromRows([{ ticker: "AAA", close: 1.5 }, { ticker: "BBB", close: null }]);
const list = [1, 2, 3], text = "plain", nothing = null, big = 5n;
let held = { a: 1, get secret() { throw new Error("called"); }, inner: { deep: true } };
function twice(n: number) { return 2 * n; }
class Shape {}
const map = new Map([["k", { v: 1 }]]);
const hostile = new Proxy({}, { ownKeys() { throw new Error("no"); }, get() { throw new Error("no"); } });
frame`);
});

afterAll(async () => {
  await kernel.shutdown();
});

let seq = 0;
const debug = async (command: string, given: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
  const content = { type: "request", seq: ++seq, command, arguments: given as never };
  const { reply } = await kernel.request("debug_request", content, { channel: "control" });
  expect(reply.header.msg_type).toBe("debug_reply");
  expect(reply.content).toMatchObject({ type: "response", command, request_seq: seq });
  return reply.content;
};

const variables = async (command: string, given: Record<string, unknown> = {}): Promise<Variable[]> =>
  ((await debug(command, given))["body"] as { variables: Variable[] }).variables;

it("an unknown request fails, and says so", async () => {
  expect(await debug("gotoTargets")).toMatchObject({
    success: false,
    message: expect.stringContaining("not supported"),
  });
});

it("variables have a value, those with members type and shape too; hidden names stay hidden", async () => {
  const all = await variables("inspectVariables");
  const byName = new Map(all.map((variable) => [variable.name, variable]));
  expect([...byName.keys()]).toEqual(
    expect.arrayContaining(["frame", "list", "text", "nothing", "held", "twice", "Shape", "map", "hostile"]),
  );
  for (const hidden of ["tsLastExpr", "__tslab__", "service", "connect", "Frame"])
    expect(byName.has(hidden)).toBe(false);
  expect(byName.get("frame")).toMatchObject({
    type: "Frame (2 × 2)",
    value: expect.stringMatching(/2 rows × 2 columns/),
  });
  expect(byName.get("list")).toMatchObject({ type: "Array (3)", value: "[ 1, 2, 3 ]" });
  // JupyterLab's tree shows a type in place of the value, which is enough for values that cannot be opened.
  const simple = { text: "'plain'", nothing: "null", big: "5n", twice: "function twice", Shape: "class Shape" };
  for (const [name, value] of Object.entries(simple)) {
    expect(byName.get(name)).toEqual({ name, value, variablesReference: 0, evaluateName: name });
  }
  expect(byName.get("map")).toMatchObject({ type: "Map (1)" });
});

it("members open: columns of a frame, properties without calling getters, entries of a map", async () => {
  const all = await variables("inspectVariables");
  const open = async (name: string): Promise<Variable[]> => {
    const { variablesReference } = all.find((variable) => variable.name === name)!;
    expect(variablesReference).toBeGreaterThan(0);
    return variables("variables", { variablesReference });
  };
  expect((await open("frame")).map(({ name, type }) => [name, type])).toEqual([
    ["ticker", "Column"],
    ["close", "Column"],
  ]);
  expect((await open("held")).map(({ name }) => name)).toEqual(["a", "inner"]);
  expect(await open("map")).toMatchObject([{ name: "'k'", value: "{ v: 1 }" }]);
  expect(await variables("variables", { variablesReference: 4242 })).toEqual([]);
});

it("a frame is rendered as a table", async () => {
  const { body } = await debug("richInspectVariables", { variableName: "frame" });
  expect(body).toMatchObject({
    data: { "text/html": expect.stringContaining("<table"), "text/plain": expect.anything() },
  });
  expect((await debug("richInspectVariables", { variableName: "unknown" }))["body"]).toEqual({
    data: {},
    metadata: {},
  });
  expect(await debug("disconnect")).toMatchObject({ success: true });
});

it("completion has the kind of each match", async () => {
  const kinds = async (code: string): Promise<Record<string, string>> => {
    const { content } = (await kernel.request("complete_request", { code, cursor_pos: code.length })).reply;
    const types = (content["metadata"] as { _jupyter_types_experimental: { text: string; type: string }[] })
      ._jupyter_types_experimental;
    expect(types.map(({ text }) => text)).toEqual(content["matches"]);
    return Object.fromEntries(types.map(({ text, type }) => [text, type]));
  };
  expect(await kinds("frame.")).toMatchObject({ sort: "function", numRows: "property" });
  expect(await kinds("twi")).toEqual({ twice: "function" });
  expect(await kinds("Shap")).toMatchObject({ Shape: "class" });
  expect(await kinds('frame.select("')).toEqual({ close: "value", ticker: "value" });
});
