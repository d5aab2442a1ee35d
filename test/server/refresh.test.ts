import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/contract/engine.js";
import { type ServeOptions, serve } from "../../src/server.js";
import { engineUnderTest, isClickhouse } from "./engine-under-test.js";
import { folderOf, get, tableEntry } from "./support.js";

const HOME = "table/V/T";
const WIDE = "1234567890123456789012.3456789012345678901234567890";
const catalog = {
  tables: [
    tableEntry(
      "V/T",
      { k: "Integer", word: "String", wide: "BigDecimal(50,28)" },
      { filters: ["k"], primary_key: ["k"] },
    ),
  ],
};

/** A hundred rows whose texts, few enough for a list of values, begin with `word`. */
const file = (word: string, keys = (i: number): number | "" => i): string =>
  `k,word,wide\n${Array.from({ length: 100 }, (_, i) => `${keys(i)},${word}${i % 3},${WIDE}\n`).join("")}`;

async function service(text: string, options: Partial<ServeOptions> = {}) {
  const engine = options.engine === undefined ? await engineUnderTest() : (options.engine as Engine);
  const folder = folderOf({ "catalog.json": catalog, "t.csv": text });
  const write = (next: string): void => writeFileSync(join(folder, "t.csv"), next);
  const start = async () => {
    const running = await serve({ data: folder, ...options, engine });
    afterAll(() => running.close());
    return running;
  };
  return { engine, folder, write, start, running: await start() };
}

const page = async (running: { url: string }, query = ""): Promise<string> =>
  (await get(running, `/datatables/V/T.csv${query}`)).text;
/** The engine's tables of V/T, without those that stay a while because other services may read them. */
async function ownTables(engine: Engine): Promise<string[]> {
  const own = (await engine.tables()).filter((name) => name.startsWith(HOME));
  const found = await engine.query("SELECT value FROM arrowbook_service WHERE name = $1", [`loaded/${HOME}`]);
  const { earlier = [] } = JSON.parse(String(found.getChildAt(0)?.get(0) ?? "{}"));
  const kept = new Set(earlier.map(({ table }: { table: string }) => table));
  return own.filter((name) => !kept.has(name));
}

/** DuckDB's lists of values. */
async function lists(engine: Engine): Promise<number> {
  if (isClickhouse) return 0;
  const sql = "SELECT count(*)::INTEGER AS n FROM duckdb_types() WHERE type_name LIKE 'values of %'";
  return Number((await engine.query(sql)).getChildAt(0)?.get(0));
}

/** An engine whose results wait for `open` before their first row; `waiting` settles once there are `count` of them. */
function heldUp(engine: Engine, count: number) {
  let open = (): void => undefined;
  let arrived = (): void => undefined;
  let begun = 0;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const waiting = new Promise<void>((resolve) => (arrived = resolve));
  const held: Engine = {
    ...engine,
    async *batches(sql, params, options) {
      if (++begun === count) arrived();
      await gate;
      yield* engine.batches(sql, params, options);
    },
  };
  return { held, open: () => open(), waiting };
}

describe("a refresh that fails", () => {
  it.each([
    ["a repeated key", file("new", (i) => (i === 7 ? 6 : i)), "DuplicateKey", /t\.csv: the primary key .* k = 6/],
    ["a null key", file("new", (i) => (i === 7 ? "" : i)), "DuplicateKey", /k = null/],
    ["a cell of another type", file("new").replace("\n9,", "\nx,"), "BadCell", /t\.csv: .*"k"/],
  ])("by %s keeps the rows and serves them", async (_, wrong, code, message) => {
    const { engine, write, start, running } = await service(file("old"));
    const [before, metadata] = [await page(running), (await get(running, "/datatables/V/T/metadata.json")).text];
    const [tables, values] = [await ownTables(engine), await lists(engine)];
    expect(before).toContain(`\n7,old1,${WIDE}\n`);
    write(wrong);
    for (const _time of [1, 2]) {
      const error = await running.refresh("V/T").catch((failed: Error) => failed);
      expect(error).toMatchObject({ name: "DataError", code });
      expect((error as Error).message).toMatch(message);
      expect(await page(running)).toBe(before);
      expect(await page(running, "?k=7&qopts.columns=word")).toBe("word\nold1\n");
      expect((await get(running, "/datatables/V/T/metadata.json")).text).toBe(metadata);
      expect([await ownTables(engine), await lists(engine)]).toEqual([tables, values]);
    }
    await expect(start()).rejects.toMatchObject({ code });
    const again = await serve({ engine });
    expect(await page(again)).toBe(before);
    await again.close();
    write(file("mended"));
    await running.refresh("V/T");
    expect(await page(running, "?k=7&qopts.columns=word")).toBe("word\nmended1\n");
    expect(await ownTables(engine)).toHaveLength(1);
    expect(await lists(engine)).toBe(values);
  });

  it("because the new state cannot be saved keeps the rows", async () => {
    const engine = await engineUnderTest();
    let isBroken = false;
    const breaking: Engine = {
      ...engine,
      async load(name, data, options) {
        if (isBroken && name === "arrowbook_service") throw new Error("the disk is full");
        return engine.load(name, data, options);
      },
    };
    const { write, start, running } = await service(file("old"), { engine: breaking });
    const before = await page(running);
    write(file("new"));
    isBroken = true;
    await expect(running.refresh("V/T")).rejects.toThrow("the disk is full");
    expect(await page(running)).toBe(before);
    isBroken = false;
    await running.refresh("V/T");
    expect(await page(running, "?k=7&qopts.columns=word")).toBe("word\nnew1\n");
    const next = await start();
    expect(await page(next, "?k=7&qopts.columns=word")).toBe("word\nnew1\n");
    // On a shared engine, rows that were not recorded may be those that another service is loading.
    expect(await ownTables(engine)).toHaveLength(isClickhouse ? 2 : 1);
  });
});

describe("a refresh while rows are read", () => {
  it("completes a page and an export of the old rows, and then removes them", async () => {
    const engine = await engineUnderTest();
    const { held, open, waiting } = heldUp(engine, 2);
    const { write, running } = await service(file("old"), { engine: held });
    const reading = page(running);
    const cursor = get(running, "/datatables/V/T.json?qopts.export=true");
    await waiting;
    await cursor;
    write(file("new"));
    await running.refresh("V/T");
    const tables = (await engine.tables()).filter((name) => name.startsWith(HOME));
    expect(tables).toHaveLength(2);
    write(file("newer"));
    await running.refresh("V/T");
    open();
    expect(await reading).toContain(`\n99,old0,${WIDE}\n`);
    await expect
      .poll(async () => (await get(running, "/datatables/V/T.json?qopts.export=true")).text, { timeout: 60_000 })
      .toContain('"fresh"');
    expect(await page(running)).toContain(`\n99,newer0,${WIDE}\n`);
    await expect.poll(() => ownTables(engine), { timeout: 60_000 }).toHaveLength(1);
    await expect.poll(() => lists(engine), { timeout: 60_000 }).toBe(isClickhouse ? 0 : 1);
  });

  it("every page is of one version, whatever is refreshed meanwhile", async () => {
    const { engine, write, running } = await service(file("v0x"));
    let isDone = false;
    const readers = [0, 1, 2].map(async () => {
      while (!isDone) {
        const words = [...(await page(running)).matchAll(/,(v\d+)x\d,/g)].map(([, word]) => word);
        expect(words).toHaveLength(100);
        expect(new Set(words).size).toBe(1);
      }
    });
    for (let i = 1; i <= 5; i++) {
      write(file(`v${i}x`));
      await Promise.all([running.refresh("V/T"), running.refresh("V/T")]);
    }
    isDone = true;
    await Promise.all(readers);
    expect(await page(running)).toContain(",v5x0,");
    await expect.poll(() => ownTables(engine), { timeout: 60_000 }).toHaveLength(1);
  });
});

describe("what earlier runs left in the engine", () => {
  it("a changed file replaces the rows; those of a killed load are removed", async () => {
    const { engine, write, start, running } = await service(file("old"));
    await running.close();
    const [first] = await ownTables(engine);
    const rows = await engine.query(`SELECT c0 FROM ${engine.dialect.quoteName(first)}`);
    for (const name of [`${HOME} 2`, `${HOME} 17`, `${HOME}2`, `${HOME} two`]) await engine.load(name, rows);
    write(`${file("new")}100,new,1\n`);
    const next = await start();
    expect(await page(next)).toContain("\n100,new,1");
    const left = await ownTables(engine);
    expect(left).toEqual(expect.arrayContaining([`${HOME} two`, `${HOME}2`]));
    expect(left).toHaveLength(3);
    expect(left).not.toContain(`${HOME} 17`);
    expect(await lists(engine)).toBe(isClickhouse ? 0 : 1);
  });

  it("rows that are gone from the engine are loaded again", async () => {
    const { engine, start, running } = await service(file("old"));
    await running.close();
    for (const name of await ownTables(engine)) await engine.query(`DROP TABLE ${engine.dialect.quoteName(name)}`);
    expect(await page(await start())).toContain(",old0,");
  });
});

it("a refresh after one whose file was missing works", async () => {
  const { folder, write, running } = await service(file("old"));
  rmSync(join(folder, "t.csv"));
  await expect(running.refresh("V/T")).rejects.toMatchObject({ code: "FileNotFound" });
  write(file("new"));
  await running.refresh("V/T");
  expect(await page(running)).toContain(",new0,");
});
