import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type Execution, type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import type { Message } from "../../src/kernel/protocol/message.js";
import { longIt } from "../support/whole.js";
import { needBuild } from "./build.js";

let kernel: KernelClient;

beforeAll(async () => {
  needBuild();
  kernel = await startKernel(findKernel("arrowbook"));
});

afterAll(async () => {
  expect(await kernel.shutdown(60_000)).toBe(true);
});

/**
 * Runs a cell and interrupts it some time after the first message of a type: its input is published before it is
 * compiled, its output while it runs.
 */
async function interrupted(code: string, wait: number, type = "execute_input"): Promise<Message["content"]> {
  let running: Promise<Execution> | undefined;
  await new Promise<void>((began) => {
    const onMessage = ({ header }: Message): void => {
      if (header.msg_type === type) began();
    };
    running = kernel.execute(code, { timeout: 120_000, onMessage });
    running.catch(() => undefined);
  });
  await sleep(wait);
  await kernel.interrupt();
  return (await running!).reply.content;
}

async function expectAlive(): Promise<void> {
  const { published } = await kernel.execute("6 * 7", { timeout: 120_000 });
  const result = published.find(({ header }) => header.msg_type === "execute_result");
  expect(result?.content["data"]).toEqual({ "text/plain": "42" });
}

it.each([
  ["a loop", "while (true) {}"],
  ["a pending await", "await new Promise(() => {})"],
  ["a loop after an await", "await new Promise((r) => setTimeout(r, 10)); while (true) {}"],
  ["a loop of promises", "while (true) await null;"],
  ["a loop that catches everything", "for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }"],
  ["the display of a value", '({ [Symbol.for("Jupyter.display")]() { for (;;) {} } })'],
])("ends %s, and the kernel lives on", async (_, code) => {
  expect(await interrupted(code, 300)).toMatchObject({ status: "error", ename: "Interrupted" });
  await expectAlive();
});

it("during the compilation keeps the cell from running and the compiler in order", async () => {
  const long = Array.from({ length: 1_000 }, (_, i) => `const v${i} = { a: ${i}, b: [${i}, "x"] };`).join("\n");
  expect(await interrupted(`globalThis.process.title = "ran";\n${long}`, 0)).toMatchObject({ ename: "Interrupted" });
  await expectAlive();
  const { published } = await kernel.execute('process.title === "ran"', { timeout: 120_000 });
  expect(JSON.stringify(published)).toContain('"text/plain":"false"');
});

longIt("at any time ends the cell, once", async () => {
  for (let wait = 0; wait < 30; wait++) {
    expect(await interrupted("while (true) {}", wait)).toMatchObject({ status: "error", ename: "Interrupted" });
  }
  await expectAlive();
});

it("after the end of a cell changes nothing", async () => {
  for (let i = 0; i < 20; i++) {
    const running = kernel.execute("1 + 1", { timeout: 120_000 });
    await kernel.interrupt();
    expect((await running).reply.content["status"]).toMatch(/^(ok|error)$/);
    await kernel.interrupt();
    await expectAlive();
  }
});

it("aborts the signal that requests beneath listen to", async () => {
  await kernel.execute("let seen = 'no';", { timeout: 120_000 });
  const code = `const signal = (globalThis as any)[Symbol.for("arrowbook.signal")] as AbortSignal;
signal.addEventListener("abort", () => { seen = signal.reason.name; });
console.log("listening");
await new Promise(() => {});`;
  expect(await interrupted(code, 0, "stream")).toMatchObject({ ename: "Interrupted" });
  const { published } = await kernel.execute("seen", { timeout: 120_000 });
  expect(JSON.stringify(published)).toContain("AbortError");
});

it("aborts also a request that a cell sends just after, not one of the next cell", async () => {
  const signal = '(globalThis as any)[Symbol.for("arrowbook.signal")]';
  const code = `const late = new Promise((done) => {
  ${signal}.addEventListener("abort", () => setTimeout(() => done(${signal}.aborted), 30));
});
Object.assign(globalThis, { late });
console.log("waits");
await new Promise(() => {});`;
  expect(await interrupted(code, 0, "stream")).toMatchObject({ ename: "Interrupted" });
  const { published } = await kernel.execute(`[await (globalThis as any).late, ${signal}.aborted].join()`, {
    timeout: 120_000,
  });
  expect(JSON.stringify(published)).toContain("true,false");
});
