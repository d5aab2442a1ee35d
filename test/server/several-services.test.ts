import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { connect } from "../../src/client/service.js";
import type { Engine } from "../../src/engine/contract/engine.js";
import { isArrowbookError } from "../../src/errors/errors.js";
import { savedState } from "../../src/server/data/catalog.js";
import { type RunningService, serve } from "../../src/server.js";
import { runs } from "../support/whole.js";
import { engineUnderTest, isClickhouse } from "./engine-under-test.js";
import { databaseEntry, folderOf, get, tableEntry } from "./support.js";

const ROWS = 120;
const HOME = "table/V/T";
const day = (i: number): string => new Date(1.7e12 + 86_400_000 * i).toISOString().slice(0, 10);
const rows = (version: number): string =>
  `k,word\n${Array.from({ length: ROWS }, (_, i) => `${i},v${version}\n`).join("")}`;
const series = (value: number): string =>
  `Date,v\n${Array.from({ length: 30 }, (_, i) => `${day(i)},${value}\n`).join("")}`;
const catalog = {
  databases: [databaseEntry("DB", { A: ["Date", "v"], B: ["Date", "v"] }, { premium: true })],
  tables: [tableEntry("V/T", { k: "Integer", word: "String" }, { filters: ["k"], primary_key: ["k"], premium: true })],
};

/** Services on one engine; the first has the data, the others serve what it has loaded. */
async function services(count = 2) {
  const own = await engineUnderTest();
  // DuckDB in one process can be shared too, by services that do not expect it.
  const engine: Engine = isClickhouse ? own : { ...own, dialect: { ...own.dialect, isShared: true } };
  const folder = folderOf({ "catalog.json": catalog, "t.csv": rows(0), "A.csv": series(0), "B.csv": series(0) });
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  const start = async (data?: string): Promise<RunningService> => {
    const running = await serve({ data, engine });
    afterAll(() => running.close());
    return running;
  };
  const [first, second] = [await start(folder), await start(count > 1 ? folder : undefined)];
  const stored = async (): Promise<string[]> => (await engine.tables()).filter((name) => name.startsWith(HOME));
  return { engine, folder, write, start, first, second, stored };
}

const words = (text: string): string[] => [...new Set([...text.matchAll(/v\d+/g)].map(([word]) => word))];

describe("what one service loads", () => {
  it("is served by the others from their next request on: metadata, rows, an export", async () => {
    const { write, first, second } = await services(1);
    const metadata = async () => JSON.parse((await get(second, "/datatables/V/T/metadata.json")).text).datatable;
    const before = (await metadata()).status.refreshed_at;
    expect(words((await get(second, "/datatables/V/T.csv")).text)).toEqual(["v0"]);
    write("t.csv", rows(1));
    await first.refresh("V/T");
    expect((await metadata()).status.refreshed_at).not.toBe(before);
    expect(words((await get(second, "/datatables/V/T.csv")).text)).toEqual(["v1"]);
    expect(words((await get(second, "/datatables/V/T.csv?k=7")).text)).toEqual(["v1"]);
    const there = connect({ url: second.url, apiKey: "sample" });
    const exported = await there.table("V/T").export({ stale: "wait" }).frame();
    expect(exported.column("word").unique().toArray()).toEqual(["v1"]);
  });

  it("has cursors that the others accept, and refuses those of the rows before", async () => {
    const { write, first, second } = await services();
    const page = async (running: RunningService, cursor?: string) => {
      const next = cursor === undefined ? "" : `&qopts.cursor_id=${cursor}`;
      const { status, text } = await get(running, `/datatables/V/T.json?qopts.per_page=50${next}`);
      return { status, reply: JSON.parse(text) };
    };
    const one = await page(first);
    const two = await page(second, one.reply.meta.next_cursor_id);
    expect(two.reply.datatable.data[0]).toEqual([50, "v0"]);
    write("t.csv", rows(1));
    await second.refresh("V/T");
    const late = await page(first, two.reply.meta.next_cursor_id);
    expect([late.status, late.reply.error?.code ?? late.reply]).toEqual([400, "QESx06"]);
  });

  it("of series reaches rows, metadata and bulk files, also of two services at one time", async () => {
    const { write, first, second } = await services();
    write("A.csv", series(1));
    write("B.csv", series(2));
    await Promise.all([first.refresh("DB/A"), second.refresh("DB/B")]);
    for (const each of [first, second]) {
      const there = connect({ url: each.url, apiKey: "sample" });
      const values = async (code: string) => (await there.dataset(`DB/${code}`).frame()).column("v").unique().toArray();
      expect([await values("A"), await values("B")]).toEqual([[1], [2]]);
      const bulk = await there.database("DB").bulk("partial").frame();
      expect(bulk.select("Code", "v").toArray()).toEqual([
        { Code: "A", v: 1 },
        { Code: "B", v: 2 },
      ]);
    }
  });
});

it("no reply has rows of two versions, and no error comes but that of a refresh, under load", async () => {
  const { write, first, second } = await services();
  const both = [first, second];
  let isDone = false;
  let turn = 0;
  /** Each request goes to the other service. */
  const balanced = connect({
    url: first.url,
    apiKey: "sample",
    fetch: (input, init) => fetch(String(input).replace(first.url, both[turn++ % 2].url), init),
  });
  const counts = { frames: 0, refreshed: 0 };
  const codes = new Set<string>();
  const readers = Array.from({ length: 4 }, async (_, reader) => {
    while (!isDone) {
      try {
        const frame =
          reader % 2 === 0
            ? await balanced.table("V/T").pageSize(17).frame()
            : await balanced
                .dataset("DB/A")
                .transform(reader === 1 ? "cumul" : "none")
                .frame();
        const values = reader % 2 === 0 ? frame.column("word").unique().toArray() : frame.column("v").toNumbers();
        if (reader % 2 === 0) expect([frame.numRows, values.length]).toEqual([ROWS, 1]);
        else expect(frame.numRows).toBe(30);
        counts.frames++;
      } catch (error) {
        if (!isArrowbookError(error)) throw error;
        codes.add(error.code);
        counts.refreshed++;
      }
    }
  });
  const versions = runs(12, 2);
  for (let version = 1; version <= versions; version++) {
    write("t.csv", rows(version));
    write("A.csv", series(version));
    await both[version % 2].refresh("V/T");
    await both[(version + 1) % 2].refresh("DB/A");
  }
  isDone = true;
  await Promise.all(readers);
  expect([...codes].filter((code) => code !== "TableRefreshed" && code !== "QESx06")).toEqual([]);
  expect(counts.frames).toBeGreaterThan(0);
  for (const each of both) expect(words((await get(each, "/datatables/V/T.csv")).text)).toEqual([`v${versions}`]);
});

describe("rows that were replaced", () => {
  it("stay for requests of other services, and are removed by a load ten minutes later", async () => {
    const { engine, write, first, stored } = await services();
    write("t.csv", rows(1));
    await first.refresh("V/T");
    const [old, current] = await stored();
    expect(current).toBeDefined();
    const record = await engine.query("SELECT value FROM arrowbook_service WHERE name = $1", [`loaded/${HOME}`]);
    const state = JSON.parse(String(record.getChildAt(0)?.get(0)));
    expect(state.earlier.map(({ table }: { table: string }) => table)).toEqual([old]);
    state.earlier[0].at -= 600_001;
    await engine.query("DELETE FROM arrowbook_service WHERE name = $1", [`loaded/${HOME}`]);
    await engine.query("INSERT INTO arrowbook_service VALUES ($1, $2)", [`loaded/${HOME}`, JSON.stringify(state)]);
    write("t.csv", rows(2));
    await first.refresh("V/T");
    expect(await stored()).not.toContain(old);
    expect(await stored()).toContain(current);
  });

  it("of a killed load are removed by a start a day later; those of a running load are not", async () => {
    const { engine, folder, start, stored } = await services();
    const rowsOf = await engine.query("SELECT 1 AS c0");
    const at = (ms: number): string => `${HOME} ${(Date.now() - ms) * 1_000}`;
    const [killed, running] = [at(25 * 3_600_000), at(60_000)];
    for (const name of [killed, running]) await engine.load(name, rowsOf);
    await start(folder);
    expect(await stored()).not.toContain(killed);
    expect(await stored()).toContain(running);
  });
});

it("rows of a series load that was killed are removed a day later, those of one at work are not", async () => {
  const { engine, folder, write, start } = await services(1);
  const stored = async (): Promise<number> => {
    const [row] = [...(await engine.query('SELECT count(DISTINCT s) AS n FROM "series/DB"'))];
    return Number(row?.["n"]);
  };
  const staged = async (): Promise<string[]> => (await engine.tables()).filter((name) => name.startsWith("loading/"));
  expect(await stored()).toBe(2);
  write("A.csv", series(1));
  write("B.csv", series(1));
  const killed: Engine = {
    ...engine,
    async query(sql, ...more) {
      if (sql.includes("INSERT INTO") && sql.includes("loading/DB/B")) throw new Error("killed");
      return engine.query(sql, ...more);
    },
  };
  await expect(serve({ data: folder, engine: killed })).rejects.toThrow("killed");
  expect([await stored(), await staged()]).toEqual([3, [expect.stringMatching(/^loading\/DB\/B \d+$/)]]);
  await start();
  expect([await stored(), await staged()]).toEqual([3, [expect.stringContaining("DB/B")]]);
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 25 * 3_600_000);
  const late = await start(folder);
  now.mockRestore();
  expect(await staged()).toEqual([]);
  // The series of the first load are kept for services that may still read them.
  expect(await stored()).toBe(4);
  const text = (await get(late, "/datasets/DB/A/data.csv?limit=1")).text;
  expect(text.trim()).toMatch(/,1(\.0)?$/);
});

it("replaced series that others may still read stay, also where the load that wrote them was killed at its end", async () => {
  const { engine, folder, write, first, start } = await services(1);
  const stored = async (): Promise<number[]> => {
    const found = [...(await engine.query('SELECT DISTINCT s FROM "series/DB" ORDER BY s'))];
    return found.map((row) => Number(row?.["s"]));
  };
  const begun = (await stored()).map((number) => ["DB/A", number]);
  const note = { version: "", refreshedAt: new Date(Date.now() - 50 * 3_600_000).toISOString(), begun };
  await savedState(engine).write({ "loaded/begun/DB/7": note });
  write("A.csv", series(1));
  await first.refresh("DB/A");
  const before = await stored();
  expect(before).toHaveLength(3);
  await start(folder);
  expect(await stored()).toEqual(before);
});
