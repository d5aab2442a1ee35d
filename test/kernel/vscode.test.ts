import { connect } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type KernelProcess, newConnection, spawnKernel } from "../../src/kernel/protocol/kernel-process.js";
import {
  type ConnectionInfo,
  type Content,
  decodeMessage,
  encodeMessage,
  type Message,
  newMessage,
} from "../../src/kernel/protocol/message.js";
import { type Wire, wire } from "../../src/kernel/protocol/zmtp.js";
import { needBuild } from "./build.js";
import recorded from "./vscode-messages.json" with { type: "json" };

/* The messages of VS Code's Jupyter extension, sent as it sends them; the extension itself does not run here. */
interface Recorded {
  readonly channel: string;
  readonly type: string;
  readonly content: object;
  readonly metadata?: object;
}

const PATIENCE_MS = 60_000;
const CHANNELS = ["shell", "control", "stdin", "iopub"] as const;

let connection: ConnectionInfo;
let kernel: KernelProcess;
const wires = new Map<string, Wire>();
const received: { readonly channel: string; readonly message: Message }[] = [];

beforeAll(async () => {
  needBuild();
  const spec = findKernel("arrowbook");
  connection = await newConnection(spec.name);
  kernel = await spawnKernel(spec, connection, process.cwd(), process.env);
  for (const channel of CHANNELS) {
    wires.set(channel, await vi.waitFor(() => opened(channel), { timeout: PATIENCE_MS, interval: 50 }));
  }
});

afterAll(async () => {
  kernel.kill("SIGKILL");
  for (const open of wires.values()) open.close();
  await kernel.clean();
});

function opened(channel: (typeof CHANNELS)[number]): Promise<Wire> {
  return new Promise((done, fail) => {
    wire(connect(connection[`${channel}_port`], connection.ip), channel === "iopub" ? "SUB" : "DEALER", {
      onReady: done,
      onMessage: (parts) => received.push({ channel, message: decodeMessage(parts, connection.key) }),
      onClose: fail,
    });
  });
}

/** Sends a recorded message, with the members of `content` besides; returns its id. */
function send({ channel, type, content, metadata }: Recorded, more: Content = {}, parent?: Message): string {
  const made = newMessage(type, { ...(content as Content), ...more }, "vscode", parent);
  wires.get(channel)!.send(encodeMessage({ ...made, metadata: (metadata ?? {}) as Content }, connection.key));
  return made.header.msg_id;
}

const answers = (id: string, channel: string): Message[] =>
  received.filter((one) => one.channel === channel && one.message.parent.msg_id === id).map(({ message }) => message);

const ofType = (id: string, type: string): Content[] =>
  answers(id, "iopub")
    .filter(({ header }) => header.msg_type === type)
    .map(({ content }) => content);

/** Waits for the idle status of a request; the types of what was published for it, in order. */
async function published(id: string): Promise<string[]> {
  await vi.waitFor(
    () => expect(ofType(id, "status").map((content) => content["execution_state"])).toEqual(["busy", "idle"]),
    { timeout: PATIENCE_MS, interval: 10 },
  );
  return answers(id, "iopub").map(({ header, content }) => String(content["execution_state"] ?? header.msg_type));
}

/** Sends a request and waits for all that answers it. */
async function ask(message: Recorded, more: Content = {}): Promise<{ id: string; reply: Content; types: string[] }> {
  const id = send(message, more);
  const types = await published(id);
  const [reply] = await vi.waitFor(
    () => {
      expect(answers(id, message.channel)).toHaveLength(1);
      return answers(id, message.channel);
    },
    { timeout: PATIENCE_MS, interval: 10 },
  );
  expect(reply.header.msg_type).toBe(message.type.replace("request", "reply"));
  return { id, reply: reply.content, types };
}

const run = (code: string) => ask(recorded.cell, { code });

it("both requests for the kernel's information are answered, on their channels", async () => {
  // Sent until a message arrives on iopub, as a subscription takes effect with a delay.
  await vi.waitFor(
    async () => {
      for (const message of recorded.start) send(message);
      await vi.waitFor(() => expect(received.some(({ channel }) => channel === "iopub")).toBe(true), 500);
    },
    { timeout: PATIENCE_MS },
  );
  for (const message of recorded.start) {
    const { reply, types } = await ask(message);
    expect(reply).toMatchObject({ status: "ok", language_info: { name: "typescript" } });
    expect(types).toEqual(["busy", "idle"]);
  }
});

it("start-up commands run and print, without a number", async () => {
  const { id, reply, types } = await ask(recorded.startup);
  expect(reply).toMatchObject({ status: "ok", execution_count: 0 });
  expect(types).toEqual(["busy", "execute_input", "stream", "idle"]);
  expect(ofType(id, "stream")).toEqual([{ name: "stdout", text: "started\n" }]);
});

it("a cell with the metadata of its document has its messages in order and the first number", async () => {
  const { id, reply, types } = await ask(recorded.cell);
  expect(reply).toMatchObject({ status: "ok", execution_count: 1 });
  expect(types).toEqual(["busy", "execute_input", "stream", "execute_result", "idle"]);
  expect(ofType(id, "execute_result")).toEqual([{ execution_count: 1, data: { "text/plain": "42" }, metadata: {} }]);
});

it("the history has the cell, not the start-up commands", async () => {
  const content = { hist_access_type: "tail", n: 10, output: false, raw: true };
  const { reply } = await ask({ channel: "shell", type: "history_request", content });
  expect(reply["history"]).toEqual([[0, 1, recorded.cell.content.code]]);
});

it("a cell that fails does not keep the next one from running", async () => {
  const failing = send(recorded.cell, { code: "throw new RangeError('mine')" });
  const next = send(recorded.cell, { code: "6 * 7" });
  expect(await published(failing)).toEqual(["busy", "execute_input", "error", "idle"]);
  expect(await published(next)).toEqual(["busy", "execute_input", "execute_result", "idle"]);
});

it("controls open a comm, which is listed, has a state and receives what is set", async () => {
  const { id } = await run("interact({ n: range(0, 10) }, ({ n }) => 'n is ' + n)");
  const [{ comm_id, target_name }] = ofType(id, "comm_open");
  expect(target_name).toBe("jupyter.widget");
  const { reply } = await ask(recorded.widgets.info);
  expect(reply["comms"]).toEqual({ [String(comm_id)]: { target_name: "jupyter.widget" } });
  const asked = send(recorded.widgets.state, { comm_id });
  expect(await published(asked)).toEqual(["busy", "comm_msg", "idle"]);
  expect(ofType(asked, "comm_msg")[0]).toMatchObject({ comm_id, data: { method: "update" } });
  send(recorded.widgets.custom, { comm_id });
  await vi.waitFor(
    () => expect(JSON.stringify(received.map(({ message }) => message.content))).toContain("n is 7"),
    PATIENCE_MS,
  );
});

it("completion has matches, also where UTF-16 puts the cursor beyond the last character", async () => {
  const [plain, face] = recorded.complete;
  expect((await ask(plain)).reply).toMatchObject({ matches: ["toUpperCase"], cursor_start: 23, cursor_end: 30 });
  // The protocol counts characters, of which the emoji is one; VS Code reads these as one place too early.
  expect((await ask(face)).reply).toMatchObject({ matches: ["toUpperCase"], cursor_start: 23, cursor_end: 30 });
});

it("the chosen completion is documented", async () => {
  const { reply } = await ask(recorded.inspect);
  expect(reply).toMatchObject({ found: true, data: { "text/plain": expect.stringContaining("JSON.stringify") } });
});

it("a line of input reaches its cell", async () => {
  const id = send(recorded.cell, { code: 'prompt("Name?")' });
  const question = await vi.waitFor(
    () => {
      const [found] = answers(id, "stdin");
      expect(found.content).toEqual({ prompt: "Name? ", password: false });
      return found;
    },
    { timeout: PATIENCE_MS, interval: 10 },
  );
  send(recorded.input, {}, question);
  await published(id);
  expect(ofType(id, "execute_result")[0]["data"]).toEqual({ "text/plain": "Ada" });
});

/** Sends a loop without end and waits until it has begun. */
async function looping(): Promise<string> {
  const loop = send(recorded.cell, { code: "while (true) {}" });
  await vi.waitFor(() => expect(ofType(loop, "execute_input")).toHaveLength(1), { timeout: PATIENCE_MS, interval: 10 });
  return loop;
}

it("an interrupt, which comes on the shell channel, ends a loop", async () => {
  const loop = await looping();
  expect((await ask(recorded.interrupt)).reply).toEqual({ status: "ok" });
  expect(await published(loop)).toEqual(["busy", "execute_input", "error", "idle"]);
  expect((await run("6 * 7")).reply).toMatchObject({ status: "ok" });
});

it("SIGTERM, by which the extension restarts a kernel, ends it in the middle of a loop", async () => {
  await looping();
  kernel.kill("SIGTERM");
  expect(await kernel.ended).toBe("signal SIGTERM");
});
