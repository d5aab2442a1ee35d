import { afterAll, beforeAll, expect, it } from "vitest";
import { findKernel } from "../../src/kernel/install/kernelspec.js";
import { type KernelClient, startKernel } from "../../src/kernel/protocol/jupyter-client.js";
import { needBuild } from "./build.js";

let kernel: KernelClient;

const SHOWS = `{ [Symbol.for("Jupyter.display")]: () => ({ "text/html": "<b>seven</b>", "text/plain": "seven" }) }`;

beforeAll(async () => {
  needBuild();
  kernel = await startKernel(findKernel("tslab"));
});

afterAll(async () => {
  await kernel.shutdown();
});

const published = async (code: string): Promise<readonly unknown[]> =>
  (await kernel.execute(code)).published.map((message) =>
    message.header.msg_type === "stream" ? message.content["text"] : message.content["data"],
  );

const BUNDLE = { "text/html": "<b>seven</b>", "text/plain": "seven" };

it("shows the result of the importing cell, and of those after it", async () => {
  expect(await published(`import "arrowbook/notebook";\nconst seven = ${SHOWS};\nseven`)).toEqual([BUNDLE]);
  expect(await published("seven")).toEqual([BUNDLE]);
  expect(await published("const other = await Promise.resolve(seven);\nother")).toEqual([BUNDLE]);
});

it("shows a result whose bundle comes later", async () => {
  expect(await published(`({ [Symbol.for("Jupyter.display")]: async () => ({ "text/plain": "late" }) })`)).toEqual([
    { "text/plain": "late" },
  ]);
});

it("leaves other results as they are, and shows each once", async () => {
  expect(await published("1 + 1")).toEqual(["2\n"]);
  expect(await published("undefined")).toEqual([]);
  expect(await published("const nothing = 1;")).toEqual([]);
  expect(await published(`import "arrowbook/notebook";\nseven`)).toEqual([BUNDLE]);
  expect(await published(`const tsLastExpr = 5;\nseven`)).toEqual([BUNDLE]);
});

it("does nothing elsewhere", async () => {
  const { active } = await import("../../src/notebook.js");
  expect(active).toBe(false);
});
