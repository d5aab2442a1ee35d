import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { CopyEngine } from "../../src/client/mirror/engine.js";
import type { MirrorOptions } from "../../src/client/mirror/mirror.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { serviceOf } from "../faults/bulk-fixtures.js";
import { isWhole, runs } from "../support/whole.js";
import { changingTable, type Row } from "./changing-table.js";

const { server, set } = await changingTable();
const root = mkdtempSync(join(tmpdir(), "arrowbook-damage-"));
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const ROWS: readonly Row[] = [
  ["AAA", "2022-03-01", "10.5000", "2022-03-02"],
  ["BBB", "2023-03-01", "1.0000", "2023-03-02"],
  ["BBB", "2024-03-01", "2.0000", "2024-03-02"],
];
const lines = (frame: Frame): string[] => frame.toCSV().trim().split("\n").slice(1).sort();
const ALL = ROWS.map((row) => row.join(","));
const open = (target: string | CopyEngine, options: MirrorOptions = {}) =>
  serviceOf(server).table("V/T").mirror(target, options);

const current = (folder: string): string =>
  join(folder, `v${String(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")).number).padStart(6, "0")}`);
const filesIn = (folder: string): string[] => readdirSync(current(folder)).map((name) => join(current(folder), name));
/** One of the files with another number of rows, of the same length as before. */
async function otherRows(path: string): Promise<void> {
  const length = readFileSync(path).length;
  const other = `${path}.other`;
  await (await Frame.fromParquet(path)).head(0).toParquet(other);
  const bytes = readFileSync(other);
  rmSync(other);
  // The footer is found from the end: bytes between the data and the footer do not matter.
  const footer = bytes.readUInt32LE(bytes.length - 8) + 8;
  const gap = Buffer.alloc(length - bytes.length);
  writeFileSync(path, Buffer.concat([bytes.subarray(0, -footer), gap, bytes.subarray(-footer)]));
}

const DAMAGES: Readonly<Record<string, (folder: string) => unknown>> = {
  "a file deleted": (folder) => rmSync(filesIn(folder)[0]),
  "every file deleted": (folder) => filesIn(folder).forEach((path) => void rmSync(path)),
  "its version deleted": (folder) => rmSync(current(folder), { recursive: true }),
  "a file cut": (folder) => truncateSync(filesIn(folder)[0], 100),
  "an empty file": (folder) => truncateSync(filesIn(folder)[0], 0),
  "a file of zeros": (folder) =>
    writeFileSync(filesIn(folder)[0], Buffer.alloc(readFileSync(filesIn(folder)[0]).length)),
  "a file of other rows": (folder) => otherRows(filesIn(folder)[0]),
};

const PLACES: readonly MirrorOptions[] = [{}, { by: "ticker" }, { by: "date:year", since: "changed" }];
const CASES = Object.entries(DAMAGES).flatMap(([name, damage], i) =>
  (isWhole ? PLACES : [PLACES[i % PLACES.length]]).map((options) => ({ name, damage, options })),
);

it.each(CASES)("refuses a copy with $name, and exports it again: $options", async ({ damage, options }) => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const folder = join(mkdtempSync(join(root, "d-")), "copy");
  const mirror = await open(folder, options);
  expect(lines(await mirror.frame())).toEqual(ALL);
  await damage(folder);
  for (const each of [mirror, await open(folder, options)]) {
    const refused = { name: "FileError", code: "BadMirror", hint: expect.stringContaining("sync()") };
    await expect(each.frame()).rejects.toMatchObject(refused);
    await expect(each.frame({ where: { ticker: "BBB" } })).rejects.toMatchObject(refused);
    await expect(each.sql("select count(*) from this")).rejects.toMatchObject(refused);
  }
  expect(await mirror.sync()).toMatchObject({ change: "export", rows: 3, received: 3 });
  expect(lines(await mirror.frame())).toEqual(ALL);
  expect((await mirror.sync()).change).toBe("none");
});

it("reads only its own files of a version", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const folder = join(mkdtempSync(join(root, "d-")), "copy");
  const mirror = await open(folder, { by: "ticker", since: "changed" });
  copyFileSync(filesIn(folder)[0], join(current(folder), "other.parquet"));
  writeFileSync(join(current(folder), "damaged.parquet"), "not one");
  expect(lines(await mirror.frame())).toEqual(ALL);
  expect(lines(await mirror.sql("select * from this"))).toEqual(ALL);
  const added: Row = ["CCC", "2024-04-01", "3.0000", "2024-04-02"];
  set([...ROWS, added], "2024-04-02T00:00:00Z");
  expect(await mirror.sync()).toMatchObject({ change: "since", rows: 4 });
  expect(lines(await mirror.frame())).toEqual([...ALL, added.join(",")]);
});

/** Statements that damage a copy, whose rows are in the table `rows`. */
const STATEMENTS = ['drop table "rows"', `delete from "rows" where ticker = 'AAA'`, 'drop table "arrowbook_mirrors"'];
it.each(
  STATEMENTS.flatMap((statement) => (["a file", "an engine"] as const).map((place) => [place, statement] as const)),
)("in %s, repairs a copy after %s", async (place, statement) => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const path = join(mkdtempSync(join(root, "e-")), "copy.duckdb");
  const engine = place === "a file" ? undefined : await duckdbEngine();
  try {
    const mirror = await open(engine ?? path, { since: "changed" });
    const user = engine ?? (await duckdbEngine(path));
    const [rows] = (await user.tables()).filter((name) => name.endsWith(" rows"));
    await user.query(statement.replace("rows", rows));
    if (user !== engine) await user.close();
    await expect(mirror.frame()).rejects.toMatchObject({ code: "BadMirror", hint: expect.stringContaining("sync()") });
    expect(await mirror.sync()).toMatchObject({ change: "export", rows: 3 });
    expect(lines(await mirror.frame())).toEqual(ALL);
    expect((await mirror.sync()).change).toBe("none");
  } finally {
    await engine?.close();
  }
});

it("does not replace a table of other columns that no mirror made", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const engine = await duckdbEngine();
  try {
    await engine.query(`create table "V/T" as select 1 as mine`);
    await expect(open(engine)).rejects.toMatchObject({ code: "BadMirror", message: expect.stringContaining("V/T") });
    expect((await engine.query(`select mine from "V/T"`)).numRows).toBe(1);
    await engine.query(`drop table "V/T"`);
    await engine.query(`create view "V/T" as select 1 as mine`);
    await expect(open(engine)).rejects.toMatchObject({ code: "BadMirror", message: expect.stringContaining("V/T") });
    await engine.query(`drop view "V/T"`);
    expect(lines(await (await open(engine)).frame())).toEqual(ALL);
  } finally {
    await engine.close();
  }
});

it.each(["a folder", "an engine"])("reads beside synchronisations see one state each, in %s", async (place) => {
  set(ROWS.slice(0, 1), "2024-03-01T00:00:00Z");
  const engine = place === "a folder" ? undefined : await duckdbEngine();
  const target = engine ?? join(mkdtempSync(join(root, "c-")), "copy");
  try {
    const mirror = await open(target, engine === undefined ? { by: "ticker" } : {});
    let isDone = false;
    const states = new Map<string | undefined, number>([["2024-03-01T00:00:00Z", 1]]);
    const reader = async (): Promise<void> => {
      const other = await open(target, engine === undefined ? { by: "ticker" } : {});
      while (!isDone) {
        const frame = await other.frame();
        const at = frame.source?.refreshed_at;
        // While an engine loads newer rows, the refresh of what it has is not known.
        if (at !== undefined || engine === undefined) expect(frame.numRows).toBe(states.get(at));
        expect(ALL.slice(0, frame.numRows)).toEqual(lines(frame));
      }
    };
    const readers = [reader(), reader()];
    for (let i = 1; i <= runs(12, 4); i++) {
      const at = `2024-04-${String(i).padStart(2, "0")}T00:00:00Z`;
      states.set(at, 1 + (i % 3));
      set(ROWS.slice(0, 1 + (i % 3)), at);
      await mirror.sync();
    }
    isDone = true;
    await Promise.all(readers);
  } finally {
    await engine?.close();
  }
});
