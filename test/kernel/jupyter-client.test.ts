import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";

const text = (execution: Awaited<ReturnType<KernelClient["execute"]>>): string =>
  execution.published
    .filter((m) => m.header.msg_type === "stream")
    .map((m) => m.content["text"])
    .join("");

describe("a client over the kernel's own sockets, against stock tslab", () => {
  let kernel: KernelClient;

  beforeAll(async () => {
    kernel = await startKernel(findKernel("tslab"));
  });

  afterAll(async () => {
    await kernel.shutdown();
  });

  it("learns what the kernel is", () => {
    expect(kernel.info).toMatchObject({ implementation: "tslab", language_info: { name: "typescript" } });
  });

  it("runs cells that see each other", async () => {
    await kernel.execute("const a = 20 as number;");
    const second = await kernel.execute("a * 2 + 2");
    expect(second.reply.content).toMatchObject({ status: "ok", execution_count: 2 });
    expect(text(second)).toBe("42\n");
  });

  it("passes large messages whole", async () => {
    const large = await kernel.execute("console.log('é'.repeat(300_000).length, 'x'.repeat(400_000))");
    expect(text(large)).toBe(`300000 ${"x".repeat(400_000)}\n`);
  });

  it("asks for completion and inspection", async () => {
    const code = "const rows = [{ price: 1 }]; rows[0].pr";
    const { reply } = await kernel.request("complete_request", { code, cursor_pos: code.length });
    expect(reply.content["matches"]).toEqual(["price"]);
  });

  it("interrupts a pending cell after its time limit and continues", async () => {
    await expect(
      kernel.execute("await new Promise((r) => setTimeout(r, 60_000));", { timeout: 2000 }),
    ).rejects.toMatchObject({ code: "CellTimeout" });
    // Stock tslab drops what arrives within 200 ms after an error.
    await vi.waitFor(async () => expect(text(await kernel.execute("console.log('alive')"))).toBe("alive\n"), {
      timeout: 120_000,
    });
  });

  it("names a kernel that does not exist and those that do", () => {
    expect(() => findKernel("tslob")).toThrow(/There is no kernel "tslob".*"tslab"/);
  });
});

it("says what a dying kernel last wrote", async () => {
  const spec = {
    name: "dying",
    argv: [process.execPath, "-e", "console.error('no such license'); process.exit(3)"],
    displayName: "",
    language: "",
    interruptMode: "signal",
    env: {},
  } as const;
  await expect(startKernel(spec)).rejects.toThrow(/dying ended unexpectedly \(exit status 3\)[\s\S]*no such license/);
});

longIt("starts a kernel again whose port another process took first", async () => {
  const folder = temporaryFolder("ports");
  const tslab = findKernel("tslab");
  const program = tslab.argv.findIndex((part) => part.endsWith("tslab"));
  // Binds the kernel's shell port in the kernel's own process before tslab does, the first time only.
  const wrapper = join(folder, "wrapper.cjs");
  writeFileSync(
    wrapper,
    `const { appendFileSync, readFileSync, realpathSync } = require("node:fs");
const [, , starts, connection, program, ...rest] = process.argv;
appendFileSync(starts, "start\\n");
const go = () => {
  process.argv = [process.argv[0], realpathSync(program), ...rest];
  require(process.argv[1]);
};
if (readFileSync(starts, "utf8").split("\\n").length > 2) go();
else require("node:net").createServer().listen(JSON.parse(readFileSync(connection)).shell_port, "127.0.0.1", go);
`,
  );
  const starts = join(folder, "starts");
  const argv = [process.execPath, wrapper, starts, "{connection_file}", ...tslab.argv.slice(program)];
  const kernel = await startKernel({ ...tslab, argv });
  try {
    expect(text(await kernel.execute("console.log(6 * 7)"))).toBe("42\n");
    expect(readFileSync(starts, "utf8")).toBe("start\nstart\n");
  } finally {
    await kernel.shutdown();
    rmSync(folder, { recursive: true });
  }
});

it("says that a command is not there", async () => {
  const spec = {
    name: "absent",
    argv: ["/no/such/command"],
    displayName: "",
    language: "",
    interruptMode: "signal",
    env: {},
  } as const;
  await expect(startKernel(spec)).rejects.toMatchObject({ code: "KernelNotStarted" });
});

longIt("fails the running cell when its kernel dies", async () => {
  const kernel = await startKernel(findKernel("tslab"));
  await expect(kernel.execute("process.exit(7)")).rejects.toThrow(/exit status 7/);
  expect(await kernel.shutdown(60_000)).toBe(true);
});
