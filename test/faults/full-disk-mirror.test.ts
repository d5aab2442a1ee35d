import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import type { Mirror, MirrorOptions } from "../../src/client/mirror/mirror.js";
import { copyAt } from "../../src/client/mirror/place-at.js";
import { engineError } from "../../src/engine/duckdb/error.js";
import { changingTable, type Row } from "../client/changing-table.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { serviceOf } from "./bulk-fixtures.js";
import { lines, NEW, OLD } from "./killed-copy.js";

/** Bytes that fit on the disk from now on. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY, written: 0 }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const take = (length: number): void => {
    disk.written += length;
    disk.room -= length;
    if (disk.room >= 0) return;
    const message = "ENOSPC: no space left on device, write";
    throw Object.assign(new Error(message), { code: "ENOSPC", syscall: "write" });
  };
  const lengthOf = (data: unknown): number =>
    [data].flat().reduce<number>((sum, each) => sum + Buffer.byteLength(each as Uint8Array | string), 0);
  const taking =
    <T>(write: (...given: never[]) => Promise<T>, at: number) =>
    async (...given: unknown[]): Promise<T> => {
      take(lengthOf(given[at]));
      return write(...(given as never[]));
    };
  return {
    ...real,
    writeFile: taking(real.writeFile, 1),
    async open(...given: Parameters<typeof real.open>) {
      const handle = await real.open(...given);
      const [write, writev, writeFile] = [handle.write, handle.writev, handle.writeFile].map((method) =>
        taking((method as (...all: unknown[]) => Promise<unknown>).bind(handle), 0),
      );
      return Object.assign(handle, { write, writev, writeFile });
    },
  };
});

const { server, set } = await changingTable();
const root = temporaryFolder("full-disk");
let count = 0;
afterAll(() => server.close());
const newFolder = (): string => join(root, String(count++));
const open = (folder: string, options: MirrorOptions): Promise<Mirror> =>
  serviceOf(server).table("V/T").mirror(folder, options);
const linesOf = async (mirror: Mirror, asOf?: string): Promise<string[]> =>
  (await mirror.frame({ asOf })).toCSV().trim().split("\n").slice(1).sort();

/** A copy of the old rows, at a service that has the new ones. */
async function copied(options: MirrorOptions): Promise<string> {
  set(OLD, "2024-03-02T12:00:00Z");
  const folder = newFolder();
  await open(folder, options);
  set(NEW, "2024-03-03T12:00:00Z");
  return folder;
}

/** Runs work in copies of a folder, on disks that fill up ever later. */
async function onFullDisks(
  before: string,
  options: MirrorOptions,
  work: (mirror: Mirror) => Promise<unknown>,
  check: (mirror: Mirror, isDone: boolean) => Promise<void>,
): Promise<void> {
  const whole = newFolder();
  cpSync(before, whole, { recursive: true });
  const mirror = await open(whole, options);
  disk.written = 0;
  await work(mirror);
  const needed = disk.written;
  const steps = runs(60, 2);
  for (let step = 0; step <= steps; step++) {
    const folder = newFolder();
    cpSync(before, folder, { recursive: true });
    const each = await open(folder, options);
    disk.room = Math.floor((needed * step) / steps);
    const error = await work(each).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    disk.room = Number.POSITIVE_INFINITY;
    if (error !== undefined) expect(error).toMatchObject({ name: "FileError", code: "DiskFull" });
    expect(await each.verify()).toEqual({ complete: true, damage: [] });
    await check(each, error === undefined);
    rmSync(folder, { recursive: true });
  }
}

it.each([{}, { by: "ticker" }, { since: "changed" }, { history: true }])(
  "a disk that fills up during sync(%o) leaves the old copy or the new one, and the next sync the new one",
  async (options) => {
    const seen = new Set<boolean>();
    await onFullDisks(
      await copied(options),
      options,
      (mirror) => mirror.sync(),
      async (mirror, isDone) => {
        const rows = await linesOf(mirror);
        expect([lines(OLD), lines(NEW)]).toContainEqual(rows);
        if (isDone) expect(rows).toEqual(lines(NEW));
        seen.add(rows.length === NEW.length);
        expect(await mirror.sync()).toMatchObject({ rows: 3 });
        expect(await linesOf(mirror)).toEqual(lines(NEW));
        expect(readdirSync(mirror.place).sort()).toEqual(["checked.json", "manifest.json", "v000001", "v000002"]);
      },
    );
    expect(seen).toEqual(new Set([false, true]));
  },
);

it("a disk that fills up during compact() loses no state", async () => {
  const options = { history: true };
  const folder = await copied(options);
  await (await open(folder, options)).sync();
  await onFullDisks(
    folder,
    options,
    (mirror) => mirror.compact(),
    async (mirror) => {
      expect(await linesOf(mirror, "2024-03-02")).toEqual(lines(OLD));
      expect(await linesOf(mirror)).toEqual(lines(NEW));
      await mirror.compact();
      expect(await linesOf(mirror, "2024-03-02")).toEqual(lines(OLD));
      expect(await linesOf(mirror)).toEqual(lines(NEW));
    },
  );
});

it.each([
  ["a folder", "copy", {}],
  ["parts", "copy", { by: "ticker" }],
  ["a DuckDB file", "copy.duckdb", {}],
])("%s that was copied to another machine has all states, and is brought up to date there", async (_, name, how) => {
  const options = { ...how, history: true };
  const place = newFolder();
  mkdirSync(place);
  const here = join(place, name);
  set(OLD, "2024-03-02T12:00:00Z");
  await open(here, options);
  const there = join(newFolder(), "elsewhere", name);
  cpSync(here, there, { recursive: true });
  rmSync(here, { recursive: true });
  const alone = await copyAt(there, "V/T");
  expect(await alone.verify()).toEqual({ complete: true, damage: [] });
  expect(await linesOf(alone)).toEqual(lines(OLD));
  set(NEW, "2024-03-03T12:00:00Z");
  const mirror = await open(there, options);
  expect(await mirror.sync()).toMatchObject({ change: "export", rows: 3 });
  expect([await linesOf(mirror, "2024-03-02"), await linesOf(mirror)]).toEqual([lines(OLD), lines(NEW)]);
});

it("a copy that ended halfway is found incomplete by verify(), and repaired by sync()", async () => {
  const more: Row = ["DDD", "2024-03-04", "1.0000", "2024-03-04"];
  const options = { history: true };
  const here = await copied(options);
  await (await open(here, options)).sync();
  set([...NEW, more], "2024-03-04T12:00:00Z");
  await (await open(here, options)).sync();
  for (const missing of ["v000001", "v000002/removed.parquet", "v000003/rows.parquet"]) {
    const there = newFolder();
    cpSync(here, there, { recursive: true });
    rmSync(join(there, missing), { recursive: true });
    const mirror = await open(there, options);
    const { complete, damage } = await mirror.verify();
    expect([complete, damage.join()]).toEqual([false, expect.stringContaining(missing)]);
    await expect(mirror.frame()).rejects.toMatchObject({ code: "BadMirror", hint: expect.stringContaining("sync()") });
    expect(await mirror.sync()).toMatchObject({ change: "export", rows: 4 });
    expect(await linesOf(mirror)).toEqual(lines([...NEW, more]));
  }
});

it("a full disk is named where the engine in this process meets it", () => {
  const text = 'TransactionContext Error: Failed to commit: Could not write file "a.wal": No space left on device';
  expect(engineError(new Error(text), "The rows could not be loaded")).toMatchObject({
    name: "FileError",
    code: "DiskFull",
    message: `The rows could not be loaded: ${text}.`,
  });
});
