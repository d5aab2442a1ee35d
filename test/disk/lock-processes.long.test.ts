import { spawn, spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "rolldown";
import { beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";

/* The lock of a killed process, which many processes find at once. */
const folder = temporaryFolder("takeover");
const module = join(folder, "lock.mjs");
beforeAll(async () => {
  const input = fileURLToPath(new URL("../../src/disk/lock.ts", import.meta.url));
  await build({ input, platform: "node", logLevel: "silent", output: { file: module, format: "esm" } });
});

const ended = Number(spawnSync(process.execPath, ["-e", "console.log(process.pid)"], { encoding: "utf8" }).stdout);
const PROCESSES = 4;
const LOCKS = 60;

/** Acquires each lock twice, in two threads, and reports where another thread is inside. */
const PROGRAM = `
  import { rmdirSync, mkdirSync } from "node:fs";
  import { setTimeout as pause } from "node:timers/promises";
  import { isMainThread, parentPort, Worker } from "node:worker_threads";
  const { acquire } = await import(process.argv[2]);
  const second = isMainThread ? new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) }) : undefined;
  const said = () => new Promise((resolve) => second.once("message", resolve));
  if (isMainThread) {
    await said();
    process.send("ready");
  } else parentPort.postMessage("ready");
  await new Promise((resolve) => (parentPort ?? process).once("message", resolve));
  const theirs = second && said();
  second?.postMessage("go");
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
  if (isMainThread) process.send([...others, ...(await theirs)], () => process.disconnect());
  else {
    parentPort.postMessage(others);
    parentPort.close();
  }
`;

it.each([
  ["names its holder", JSON.stringify({ pid: ended, host: hostname(), purpose: "q", token: "t" })],
  ["is empty", ""],
])("a lock of a killed process that %s is taken over by one thread at a time", async (_, text) => {
  const locks = temporaryFolder("l");
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

/** Holds a lock until it is released, without a beat since a day. */
const HOLDER = `
  import { utimesSync } from "node:fs";
  import { parentPort } from "node:worker_threads";
  const { acquire } = await import(MODULE);
  const lock = await acquire(PATH, "q", () => { throw new Error("held") });
  utimesSync(PATH, 0, DAY);
  (parentPort ?? process).SEND("held");
  (parentPort ?? process).once("message", async () => {
    await lock.release();
    (parentPort ?? process).SEND("released");
    parentPort?.close();
    process.disconnect?.();
  });
`;

it("a lock of a thread keeps the other threads of its process out, and one of a stopped process the others", async () => {
  const { acquire } = (await import(pathToFileURL(module).href)) as typeof import("../../src/disk/lock.js");
  const refuse = ({ pid }: { pid: number }): Promise<void> => Promise.reject(new Error(`held by ${pid}`));
  for (const kind of ["thread", "process"] as const) {
    const path = join(temporaryFolder("h"), "a.lock");
    const holder = join(folder, `${kind}.mjs`);
    const text = HOLDER.replaceAll("MODULE", JSON.stringify(pathToFileURL(module).href))
      .replaceAll("PATH", JSON.stringify(path))
      .replaceAll("DAY", String(Date.now() / 1000 - 86_400))
      .replaceAll("SEND", kind === "process" ? "send" : "postMessage");
    writeFileSync(holder, text);
    const child =
      kind === "process"
        ? spawn(process.execPath, [holder], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
        : new Worker(holder);
    const said = (): Promise<unknown> => new Promise((resolve) => child.once("message", resolve));
    expect(await said()).toBe("held");
    if ("kill" in child) child.kill("SIGSTOP");
    await expect(acquire(path, "q", refuse)).rejects.toThrow("held by");
    if ("kill" in child) child.kill("SIGCONT");
    const released = said();
    if ("kill" in child) child.send("go");
    else child.postMessage("go");
    expect(await released).toBe("released");
    await (await acquire(path, "q", refuse)).release();
  }
});

it.runIf(process.platform === "linux")(
  "a lock of a thread that was terminated is taken over at once, in its process and in others",
  async () => {
    const { acquire } = (await import(pathToFileURL(module).href)) as typeof import("../../src/disk/lock.js");
    const path = join(temporaryFolder("e"), "a.lock");
    const holder = join(folder, "terminated.mjs");
    const hold = HOLDER.replaceAll("MODULE", JSON.stringify(pathToFileURL(module).href)).replaceAll(
      "PATH",
      JSON.stringify(path),
    );
    writeFileSync(holder, hold.replaceAll("DAY", String(Date.now() / 1000)).replaceAll("SEND", "postMessage"));
    const refuse = ({ pid }: { pid: number }): Promise<void> => Promise.reject(new Error(`held by ${pid}`));
    const other = `const { acquire } = await import(${JSON.stringify(pathToFileURL(module).href)});
    await (await acquire(${JSON.stringify(path)}, "q", () => Promise.reject(new Error("held")))).release();`;
    const inAnother = (): number | null =>
      spawnSync(process.execPath, ["--input-type=module", "-e", other], { stdio: "ignore" }).status;
    for (const take of [
      async () => (await acquire(path, "q", refuse)).release(),
      async () => expect(inAnother()).toBe(0),
    ]) {
      const worker = new Worker(holder);
      await new Promise((resolve) => worker.once("message", resolve));
      expect(inAnother()).not.toBe(0);
      await worker.terminate();
      await take();
    }
  },
);

it("a lock of a killed process that its parent has not collected is taken over", async () => {
  const { acquire } = (await import(pathToFileURL(module).href)) as typeof import("../../src/disk/lock.js");
  const path = join(temporaryFolder("z"), "a.lock");
  // The shell never collects its child.
  const program = `const { acquire } = await import(${JSON.stringify(pathToFileURL(module).href)});
    await acquire(${JSON.stringify(path)}, "q", () => {}); console.log("held"); process.kill(process.pid, "SIGKILL");`;
  const shell = spawn("sh", ["-c", `"$0" --input-type=module -e "$1" & exec sleep 60`, process.execPath, program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => shell.stdout.once("data", resolve));
  const again = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
  await (await acquire(path, "q", again)).release();
  shell.kill();
});
