import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type Execution, type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import type { Content, Message } from "../../src/kernel/protocol/message.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { needBuild } from "./build.js";

/* What version 5.5 of the protocol asks for, and cells that print or hold too much. */
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

const streamed = ({ published }: Execution): string =>
  published
    .filter(({ header }) => header.msg_type === "stream")
    .map(({ content }) => content["text"])
    .join("");

const control = async (type: string, content: Content = {}): Promise<Content> =>
  (await kernel.request(type, content, { channel: "control" })).reply.content;

it("the version is that of subshells and of the welcome on iopub", () => {
  expect(kernel.info).toMatchObject({ protocol_version: "5.5", supported_features: ["debugger", "kernel subshells"] });
});

describe("subshells", () => {
  it("are created, listed and deleted", async () => {
    const { status, subshell_id: id } = await control("create_subshell_request");
    expect({ status, id }).toEqual({ status: "ok", id: expect.any(String) });
    expect(await control("list_subshell_request")).toEqual({ status: "ok", subshell_id: [id] });
    expect(await control("delete_subshell_request", { subshell_id: id })).toEqual({ status: "ok" });
    expect(await control("list_subshell_request")).toEqual({ status: "ok", subshell_id: [] });
    expect(await control("delete_subshell_request", { subshell_id: id })).toMatchObject({ status: "error" });
  });

  it("run cells while a cell of the main shell waits, each with its own output and error", async () => {
    const { subshell_id } = await control("create_subshell_request");
    await run("let release = () => {};");
    const waiting = run("await new Promise<void>((done) => { release = done; });");
    const subshell = { subshell_id: String(subshell_id) };
    const failing = await kernel.execute('console.log("sub"); throw new Error("aside");', {
      timeout: 60_000,
      ...subshell,
    });
    expect(failing.reply.content).toMatchObject({ status: "error", evalue: "aside" });
    expect(streamed(failing)).toBe("sub\n");
    await kernel.execute("release()", { timeout: 60_000, ...subshell });
    const main = await waiting;
    expect(main.reply.content["status"]).toBe("ok");
  });
});

describe("output", () => {
  it("of a timer belongs to its cell, also while another one runs", async () => {
    late.length = 0;
    const first = await run('void setTimeout(() => console.log("from the first"), 200);');
    const second = await run('await new Promise((done) => setTimeout(done, 600));\nconsole.log("second");');
    expect(streamed(second)).toBe("second\n");
    await expect
      .poll(() => late.map(({ content }) => content["text"]), { timeout: 60_000 })
      .toEqual(["from the first\n"]);
    expect(late[0].parent.msg_id).toBe(first.reply.parent.msg_id);
  });

  it("of a million lines is its first and last lines, with the number of the others", async () => {
    const text = streamed(await run("for (let i = 1; i <= 1_000_000; i++) console.log(i);"));
    const lines = text.split("\n");
    expect(lines.slice(0, 2)).toEqual(["1", "2"]);
    expect(lines[9_999]).toBe("10000");
    expect(lines[10_000]).toMatch(/too long for a page/);
    expect(lines[10_001]).toBe("… 989,900 of 1,000,000 lines are left out here");
    expect(lines.slice(10_002)).toEqual([...Array.from({ length: 100 }, (_, i) => String(999_901 + i)), ""]);
    expect(streamed(await run("console.log(1);"))).toBe("1\n");
  });

  it("of one long line is its beginning and its end, before the result", async () => {
    const execution = await run('console.log("a".repeat(3_000_000)); console.log("b".repeat(3_000)); "result"');
    expect(execution.published.at(-1)?.header.msg_type).toBe("execute_result");
    const lines = streamed(execution).split("\n");
    expect(lines[0]).toBe("a".repeat(2_000_000));
    expect(lines[1]).toMatch(/too long for a page/);
    expect(lines.slice(-3)).toEqual([expect.stringMatching(/^a+$/), "b".repeat(3_000), ""]);
  });

  it("without lines says how many characters are left out", async () => {
    const text = streamed(await run('for (let i = 0; i < 300_000; i++) process.stdout.write("progress. ");'));
    const [, , counted, end] = text.split("\n");
    expect(counted).toBe(`… ${(1_000_000 - end.length).toLocaleString("en-US")} characters are left out here`);
    expect(end).toMatch(/progress\. $/);
  });

  it("in another encoding is decoded", async () => {
    expect(streamed(await run('process.stdout.write("6869", "hex"); process.stdout.write("é\\n", "utf8");'))).toBe(
      "hié\n",
    );
  });
});

it("a callback that throws what cannot be read does not end the kernel", async () => {
  late.length = 0;
  const trap = "() => { throw new Error('trap'); }";
  await run(`setTimeout(() => { throw new Proxy({}, { get: ${trap}, getPrototypeOf: ${trap} }); }, 50);`);
  const next = streamed(await run("await new Promise((done) => setTimeout(done, 200));"));
  const text = [...late.map(({ content }) => content["text"]), next].join("");
  expect(text).toMatch(/Thrown by a callback[\s\S]*throws when it is read/);
});

it("a shutdown for a restart is answered as one, and the process ends by itself", async () => {
  const other = await startKernel(findKernel("arrowbook"));
  await other.execute("setInterval(() => {}, 10);");
  const { reply } = await other.request("shutdown_request", { restart: true }, { channel: "control", timeout: 60_000 });
  expect(reply.header.msg_type).toBe("shutdown_reply");
  expect(reply.content).toEqual({ status: "ok", restart: true });
  await vi.waitFor(() => expect(() => process.kill(other.pid, 0)).toThrow("ESRCH"), { timeout: 60_000, interval: 20 });
  await expect(other.execute("1")).rejects.toThrow(/ended unexpectedly \(exit status 0\)/);
  await other.shutdown();
});

it("a kernel whose compiler cannot start ends, and its client reports why", async () => {
  const folder = temporaryFolder("broken-typescript");
  const compiler = join(folder, "node_modules", "typescript");
  mkdirSync(compiler, { recursive: true });
  writeFileSync(join(compiler, "package.json"), JSON.stringify({ version: "5.9.2", main: "main.js" }));
  writeFileSync(join(compiler, "main.js"), 'throw new Error("this compiler is broken");');
  const cell = startKernel(findKernel("arrowbook"), { folder }).then((broken) => broken.execute("1"));
  await expect(cell).rejects.toThrow(/this compiler is broken/);
});

longIt("a kernel whose memory is full says so in the cell, and to the client that started it", async () => {
  const env = { ...process.env, NODE_OPTIONS: "--max-old-space-size=200" };
  const small = await startKernel(findKernel("arrowbook"), { env });
  const errors: Content[] = [];
  const onMessage = ({ header, content }: Message): void => {
    if (header.msg_type === "error") errors.push(content);
  };
  const filling = "const all: number[][] = [];\nfor (;;) all.push(Array.from({ length: 1000 }, (_, i) => i + 0.5));";
  const cell = small.execute(filling, { timeout: 120_000, onMessage });
  await expect(cell).rejects.toThrow(/ran out of memory; a larger limit/);
  expect(errors).toEqual([
    {
      ename: "OutOfMemory",
      evalue: "the memory of the kernel is full, and it ends",
      traceback: [expect.stringContaining("are lost"), expect.stringContaining("--max-old-space-size")],
    },
  ]);
  await small.shutdown();
});
