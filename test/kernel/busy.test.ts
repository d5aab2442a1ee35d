import { afterAll, beforeAll, expect, it } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type Execution, type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import type { Message } from "../../src/kernel/protocol/message.js";
import { needBuild } from "./build.js";

/* The kernel answers about code while a cell runs. */
let kernel: KernelClient;

beforeAll(async () => {
  needBuild();
  kernel = await startKernel(findKernel("arrowbook"));
  const { reply } = await kernel.execute(
    'const sample = { total: 1 };\nconst made = Frame.fromRows([{ city: "Oslo", degrees: 3 }]);',
  );
  expect(reply.content["status"]).toBe("ok");
});

afterAll(async () => {
  expect(await kernel.shutdown(60_000)).toBe(true);
});

const ask = async (type: string, content: Message["content"]): Promise<Message["content"]> =>
  (await kernel.request(type, content, { timeout: 60_000 })).reply.content;

it.each([
  ["a loop", "while (true) {}"],
  ["an await", "await new Promise(() => {})"],
])("completes, inspects and describes itself during %s, which an interrupt ends", async (_, code) => {
  let running: Promise<Execution> | undefined;
  let isEnded = false;
  await new Promise<void>((began) => {
    const onMessage = ({ header }: Message): void => {
      if (header.msg_type === "stream") began();
    };
    running = kernel.execute(`console.log("began");\n${code}`, {
      timeout: 120_000,
      onMessage,
    });
    running.finally(() => {
      isEnded = true;
    });
  });
  await new Promise((done) => setTimeout(done, 100));
  expect(await ask("complete_request", { code: "sample.", cursor_pos: 7 })).toMatchObject({ matches: ["total"] });
  const column = 'made.select("")';
  expect(await ask("complete_request", { code: column, cursor_pos: column.length - 2 })).toMatchObject({
    matches: ["city", "degrees"],
  });
  expect(await ask("inspect_request", { code: "sample", cursor_pos: 3, detail_level: 0 })).toMatchObject({
    data: { "text/plain": expect.stringContaining("total: number") },
  });
  expect(await ask("is_complete_request", { code: "f(" })).toMatchObject({ status: "incomplete" });
  expect(await ask("kernel_info_request", {})).toMatchObject({ status: "ok", implementation: "arrowbook" });
  expect(isEnded).toBe(false);
  await kernel.interrupt();
  expect((await running!).reply.content).toMatchObject({ status: "error", ename: "Interrupted" });
  expect((await kernel.execute("sample.total", { timeout: 60_000 })).reply.content["status"]).toBe("ok");
});
