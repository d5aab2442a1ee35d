import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type Execution, type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import type { Content, Message } from "../../src/kernel/protocol/message.js";
import { needBuild } from "./build.js";

/* Live views through the kernel's sockets, as a front end with anywidget uses them. */
let kernel: KernelClient;
/** All that is published after its request: what widgets send and change. */
const late: Message[] = [];

beforeAll(async () => {
  needBuild();
  kernel = await startKernel(findKernel("arrowbook"), {}, (message) => late.push(message));
});

beforeEach(() => {
  late.length = 0;
});

afterAll(async () => {
  expect(await kernel.shutdown(60_000)).toBe(true);
});

/** A limit for hangs alone: a busy machine may take seconds. */
const PATIENCE_MS = 60_000;

const run = (code: string): Promise<Execution> => kernel.execute(code, { timeout: 120_000 });

const of = (execution: Execution, type: string): readonly Content[] =>
  execution.published.filter(({ header }) => header.msg_type === type).map(({ content }) => content);

/** Sends a message that has no reply; returns what is published for it. */
function tell(type: string, content: Content): Message[] {
  const published: Message[] = [];
  kernel.request(type, content, { onMessage: (message) => published.push(message) }).catch(() => undefined);
  return published;
}

const custom = (id: unknown, content: Content): Message[] =>
  tell("comm_msg", { comm_id: id, data: { method: "custom", content } } as Content);

const textOf = ({ content }: Message): unknown => (content["data"] as Content | undefined)?.["text/plain"];

/** Waits for an output that replaces an earlier one. */
const replaced = (text: string): Promise<void> =>
  vi.waitFor(
    () => expect(late.filter(({ header }) => header.msg_type === "update_display_data").map(textOf)).toContain(text),
    PATIENCE_MS,
  );

describe("interact()", () => {
  it("shows controls, then the first output, and replaces the output with each value", async () => {
    const shown = await run('interact({ n: range(0, 10), kind: ["a", "b"] }, ({ n, kind }) => kind + n)');
    expect(of(shown, "display_data").map((content) => (content["data"] as Content)["text/plain"])).toEqual([
      "n = 5 · kind = a",
      "a5",
    ]);
    expect(of(shown, "execute_result")).toEqual([]);
    const [open] = of(shown, "comm_open");
    const { state } = open["data"] as { state: Content };
    expect(of(shown, "display_data")[0]["data"]).toMatchObject({
      "text/html": expect.stringContaining(`<div id="${state["target"] as string}">`),
    });
    custom(open["comm_id"], { kind: "values", seq: 1, values: [7, 1] });
    await replaced("b7");
    for (const values of [null, [7], [7, 5], ["7", 1]]) custom(open["comm_id"], { kind: "values", seq: 2, values });
    custom(open["comm_id"], { kind: "values", seq: 3, values: [99, 0] });
    await replaced("a10");
    const done = () => late.filter(({ header }) => header.msg_type === "comm_msg");
    // Sent after the output.
    await vi.waitFor(
      () =>
        expect(done().map(({ content }) => (content["data"] as Content)["content"])).toEqual([
          { kind: "done", seq: 1 },
          { kind: "done", seq: 3 },
        ]),
      PATIENCE_MS,
    );
  });

  it("awaits, reports errors in place and ends a call that is interrupted", async () => {
    const shown = await run(`interact({ n: range(0, 4, 1, 0) }, async ({ n }) => {
  if (n > 1) display("at " + n);
  if (n === 1) throw new RangeError("one");
  if (n === 2) while (true) {}
  if (n === 3) await new Promise(() => {});
  return "n " + n;
})`);
    expect(of(shown, "update_display_data").map((content) => (content["data"] as Content)["text/plain"])).toEqual([
      "n 0",
    ]);
    const id = of(shown, "comm_open")[0]["comm_id"];
    let seq = 0;
    const set = (n: number) => custom(id, { kind: "values", seq: ++seq, values: [n] });
    set(1);
    await vi.waitFor(
      () => expect(late.map((message) => JSON.stringify(message.content)).join()).toMatch(/RangeError: one.*> 3 \|/),
      PATIENCE_MS,
    );
    for (const stuck of [2, 3]) {
      set(stuck);
      await vi.waitFor(() => expect(late.map(textOf)).toContain(`at ${stuck}`), PATIENCE_MS);
      late.length = 0;
      await kernel.interrupt();
      await vi.waitFor(
        () => expect(late.map((message) => JSON.stringify(message.content)).join()).toContain("interrupted"),
        PATIENCE_MS,
      );
      set(4);
      await replaced("n 4");
    }
    expect(of(await run("6 * 7"), "execute_result")[0]["data"]).toEqual({ "text/plain": "42" });
  });

  it("is closed by its front end, and where there is none", async () => {
    const shown = await run('const open = interact({ n: range(0, 4) }, ({ n }) => "closed " + n)');
    const id = of(shown, "comm_open")[0]["comm_id"];
    tell("comm_close", { comm_id: id, data: {} } as Content);
    custom(id, { kind: "values", seq: 1, values: [1] });
    const { reply } = await kernel.request("comm_info_request", { target_name: "jupyter.widget" });
    expect(reply.content["comms"]).not.toHaveProperty(String(id));
    expect(of(await run("open.close(); open.values.n"), "execute_result")[0]["data"]).toEqual({ "text/plain": "2" });
    expect(late.map(textOf)).not.toContain("closed 1");
  });
});

it("explore() answers with pages of all rows while no cell runs", async () => {
  const shown = await run(
    "const big = Frame.fromColumns({ n: Int32Array.from({ length: 50_000 }, (_, i) => i) }); big.explore()",
  );
  const html = (of(shown, "execute_result")[0]["data"] as Content)["text/html"];
  const id = of(shown, "comm_open")[0]["comm_id"];
  const replies = custom(id, { kind: "hello" });
  const hello = { method: "custom", content: { kind: "hello" } };
  await vi.waitFor(() => expect(replies.map(({ content }) => content["data"])).toContainEqual(hello), PATIENCE_MS);
  custom(id, { kind: "page", seq: 1, first: 0, filters: [">=49990"], sort: { column: 0, descending: true } });
  await vi.waitFor(() => expect(late.length).toBeGreaterThan(0), PATIENCE_MS);
  const page = (late[0].content["data"] as Content)["content"] as Content;
  expect(page).toMatchObject({ kind: "rows", seq: 1, matching: 10, first: 0 });
  expect((page["cells"] as string[][])[0].slice(0, 2)).toEqual(["49999", "49998"]);
  expect(String(html)).toContain("pip install anywidget");
});

it("a comm for an unknown target is closed at once; malformed messages leave the kernel as it is", async () => {
  const published = tell("comm_open", { comm_id: "x", target_name: "unknown", data: {} });
  await vi.waitFor(() => expect(published.map(({ header }) => header.msg_type)).toEqual(["comm_close"]), PATIENCE_MS);
  for (const type of ["comm_open", "comm_msg", "comm_close"])
    for (const content of [{}, { comm_id: 5 }]) tell(type, content);
  expect(of(await run("'alive'"), "execute_result")[0]["data"]).toEqual({ "text/plain": "alive" });
});
