import { existsSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { RecordBatch } from "../../src/columns/arrow/arrow.js";
import { Frame } from "../../src/frame/frame.js";
import { bulkFiles, type FileOrder } from "../../src/server/answers/exports.js";
import { specification } from "../../src/spec/profile.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder("bulk-faults");

const columns = [{ name: "id", type: "Integer" }];
const batchOf = (id: number): RecordBatch => Frame.fromRows([{ id }], columns).table.batches[0] as RecordBatch;

const files = (changed = async (): Promise<void> => undefined, clock = () => performance.now()) =>
  bulkFiles({
    folder,
    profile: specification,
    clock,
    now: () => "2024-01-01T00:00:00Z",
    remembered: [],
    changed,
  });

const order = (version: string, batches: () => AsyncGenerator<RecordBatch>): FileOrder => ({
  question: "V/T full",
  version,
  code: "V/T",
  name: "T.csv",
  rows: () => ({ columns, batches: batches() }),
});

/** Paths of the folder that this process has open. */
const opened = (): string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });

it.runIf(process.platform === "linux")("rows that fail while a file is made leave no open file", async () => {
  const all = files();
  const failing = order("1", async function* () {
    yield batchOf(1);
    throw new Error("the engine failed");
  });
  for (let i = 0; i < 5; i++) await expect(all.make(failing)).rejects.toThrow("the engine failed");
  await expect.poll(opened).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  await all.close();
});

it("a file that failed is begun again after a minute, or once its rows are refreshed", async () => {
  let now = 0;
  const all = files(undefined, () => now);
  let begun = 0;
  const ask = (version: string) =>
    all.order(
      order(version, async function* () {
        begun++;
        yield batchOf(1);
        throw new Error("the disk is full");
      }),
      "someone",
    );
  expect(await ask("1")).toEqual({ status: "creating" });
  await expect.poll(() => ask("1").catch(String)).toContain("the disk is full");
  for (now of [1_000, 30_000, 59_999]) await expect(ask("1")).rejects.toThrow("the disk is full");
  expect(begun).toBe(1);
  expect(await ask("2")).toEqual({ status: "creating" });
  await expect.poll(() => ask("2").catch(String)).toContain("the disk is full");
  now += 60_000;
  expect(await ask("2")).toEqual({ status: "creating" });
  await expect.poll(() => begun).toBe(3);
  await all.close();
});

it("a file whose rows are refreshed while it is made is made again for those who ask afterwards", async () => {
  const all = files();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const old = all.make(
    order("old", async function* () {
      await held;
      yield batchOf(1);
    }),
  );
  const renewed = all.make(
    order("new", async function* () {
      yield batchOf(2);
    }),
  );
  release();
  expect((await old).version).toBe("old");
  expect((await renewed).version).toBe("new");
  await all.close();
});

it("a file is available once it is remembered, so that a service killed afterwards still has it", async () => {
  let save = (): void => undefined;
  const saved = new Promise<void>((resolve) => {
    save = resolve;
  });
  const remembered: string[][] = [];
  const all = files(() => {
    remembered.push(all.made().map(({ version }) => version));
    return saved;
  });
  const ask = () =>
    all.order(
      order("1", async function* () {
        yield batchOf(1);
      }),
      "someone",
    );
  await ask();
  await expect.poll(() => remembered).toEqual([["1"]]);
  expect(await ask()).toEqual({ status: "creating" });
  save();
  await expect.poll(async () => (await ask()).status).toBe("fresh");
  await all.close();
});

it("a file of an earlier run that is not requested is removed after a day, when the next one is started", async () => {
  let now = 0;
  const path = join(folder, "old.zip");
  writeFileSync(path, "");
  const old = {
    path,
    bytes: 0,
    etag: '"x"',
    id: "old",
    code: "V/T",
    version: "1",
    snapshotTime: "2024-01-01T00:00:00Z",
  };
  const all = bulkFiles({
    folder,
    profile: specification,
    clock: () => now,
    now: () => "2024-01-02T00:00:00Z",
    remembered: [old],
    changed: async () => undefined,
  });
  const rows = async function* () {
    yield batchOf(1);
  };
  await all.order(order("1", rows), "someone");
  expect(all.find("old")).toBeDefined();
  now = 25 * 60 * 60 * 1000;
  await all.order({ ...order("1", rows), question: "another" }, "someone");
  expect([all.find("old"), existsSync(path)]).toEqual([undefined, false]);
  await all.close();
});
