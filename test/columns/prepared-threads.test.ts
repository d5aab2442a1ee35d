import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { bulkFile } from "../../src/client/bulk/local-bulk-file.js";
import { Frame } from "../../src/index.js";
import { builtin } from "../../src/package/builtin.js";
import { onThreads } from "../divided.js";

const folder = mkdtempSync(join(tmpdir(), "arrowbook-prepared-"));
const workers = builtin("node:worker_threads");
const { Worker } = workers;
let started = 0;
workers.Worker = class extends Worker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args);
    started++;
  }
};

afterAll(() => {
  workers.Worker = Worker;
  rmSync(folder, { recursive: true });
});

it("threads start before the directory of a long archive is read, and for no other", async () => {
  const columns = [{ name: "x", type: "String" }];
  const [short, long] = [1_000_000, 5_000_000].map((size) => {
    const path = join(folder, `${size}.zip`);
    writeFileSync(path, Buffer.alloc(size, "not a zip archive "));
    return path;
  });
  const refused = { code: "NotZip" };
  await expect(Frame.fromZip(short, { columns })).rejects.toMatchObject(refused);
  await expect(onThreads(1, () => Frame.fromZip(long, { columns }))).rejects.toMatchObject(refused);
  await expect(bulkFile(long, { columns }).toCSV(join(folder, "x.csv"))).rejects.toMatchObject(refused);
  expect(started).toBe(0);
  await expect(onThreads(2, () => Frame.fromZip(long, { columns }))).rejects.toMatchObject(refused);
  const expected = Math.min(2, availableParallelism());
  expect(started).toBe(expected);
  // They wait for the next read.
  await expect(onThreads(2, () => bulkFile(long, { columns }).frame())).rejects.toMatchObject(refused);
  await expect(onThreads(2, () => Frame.fromZip(long, { columns }))).rejects.toMatchObject(refused);
  expect(started).toBe(expected);
});
