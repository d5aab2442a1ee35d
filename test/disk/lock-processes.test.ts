import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";

/* The lock of a killed process, which many processes find at once. */
const folder = mkdtempSync(join(tmpdir(), "arrowbook-takeover-"));
const module = join(folder, "lock.mjs");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  const input = fileURLToPath(new URL("../../src/disk/lock.ts", import.meta.url));
  await build({ input, platform: "node", logLevel: "silent", output: { file: module, format: "esm" } });
});

const ended = Number(spawnSync(process.execPath, ["-e", "console.log(process.pid)"], { encoding: "utf8" }).stdout);
const PROCESSES = 6;
const LOCKS = 60;

/** Acquires each lock twice, and reports where another process is inside. */
const PROGRAM = `
  import { rmdirSync, mkdirSync } from "node:fs";
  import { setTimeout as pause } from "node:timers/promises";
  const { acquire } = await import(process.argv[2]);
  process.send("ready");
  await new Promise((resolve) => process.once("message", resolve));
  const others = [];
  for (let i = 0; i < ${LOCKS}; i++)
    for (let again = 0; again < 2; again++) {
      const path = process.argv[3] + "/" + i + ".lock";
      const lock = await acquire(path, "q", () => pause(1));
      try {
        mkdirSync(path + "-inside");
        await pause(Math.random() * 2);
        rmdirSync(path + "-inside");
      } catch {
        others.push(i);
      }
      await lock.release();
    }
  process.send(others, () => process.disconnect());
`;

it.each([
  ["names its holder", JSON.stringify({ pid: ended, host: hostname(), purpose: "q", token: "t" })],
  ["is empty", ""],
])("a lock of a killed process that %s is taken over by one process at a time", async (_, text) => {
  const locks = mkdtempSync(join(folder, "l-"));
  for (let i = 0; i < LOCKS; i++) writeFileSync(join(locks, `${i}.lock`), text);
  const program = join(folder, "program.mjs");
  writeFileSync(program, PROGRAM);
  const children = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, [program, pathToFileURL(module).href, locks], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    }),
  );
  const next = (child: (typeof children)[number]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      child.once("message", resolve).once("close", () => reject(new Error("ended")));
    });
  await Promise.all(children.map(next));
  const found = Promise.all(children.map(next));
  for (const child of children) child.send("go");
  expect((await found).flat()).toEqual([]);
  expect(readdirSync(locks)).toEqual([]);
});
