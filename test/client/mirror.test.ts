import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import polars from "nodejs-polars";
import { afterAll, beforeEach, expect, it } from "vitest";
import type { Mirror, MirrorOptions } from "../../src/client/mirror/mirror.js";
import { duckdb } from "../../src/duckdb.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { otherEngine } from "../engine/other-engine.js";
import { serviceOf } from "../faults/bulk-fixtures.js";
import { runs } from "../support/whole.js";
import { changingTable, type Row } from "./changing-table.js";
import { mirrorInEngine } from "./mirror-in-engine.js";

const { server, set, rowRequests } = await changingTable();
const root = mkdtempSync(join(tmpdir(), "arrowbook-mirror-"));
let folder = "";

beforeEach(() => {
  folder = join(mkdtempSync(join(root, "m-")), "prices");
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const ROWS: readonly Row[] = [
  ["AAA", "2022-03-01", "10.5000", "2022-03-02"],
  ["AAA", "2023-03-01", "11.2500", "2023-03-02"],
  ["bbb", "2023-03-01", "0.0001", "2023-03-02"],
  ["BBB", "2024-03-01", "99999999999.9999", "2024-03-02"],
];
const open = (options?: MirrorOptions): Promise<Mirror> => serviceOf(server).table("V/T").mirror(folder, options);
/** The cells of each row, exactly, in an order of their own. */
const cells = (frame: Frame): string[] => frame.toCSV().trim().split("\n").slice(1).sort();
const expected = (rows: readonly Row[]): string[] => rows.map((row) => row.join(",")).sort();
/** Path, time and size of every file of the copy. */
const dataFiles = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".parquet") || name === "manifest.json")
    .map((name) => `${name} ${statSync(join(folder, name)).mtimeMs} ${statSync(join(folder, name)).size}`);

it("copies the table at once, and asks an unchanged one for its metadata alone", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const mirror = await open();
  expect(cells(await mirror.frame())).toEqual(expected(ROWS));
  expect(mirror.refreshedAt).toBe("2024-04-01T00:00:00Z");
  const [before, requests, files] = [server.seen.length, rowRequests(), dataFiles()];
  expect(await mirror.sync()).toEqual({
    code: "V/T",
    change: "none",
    rows: 4,
    received: 0,
    refreshed_at: "2024-04-01T00:00:00Z",
  });
  expect(server.seen.length).toBe(before + 1);
  expect(rowRequests()).toBe(requests);
  expect(dataFiles()).toEqual(files);
  expect(JSON.parse(readFileSync(join(folder, "checked.json"), "utf8"))).toEqual({ checked_at: expect.any(String) });
});

it("an existing copy opens and reads without a request", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  await open();
  const before = server.seen.length;
  const mirror = await open();
  const frame = await mirror.frame({ columns: ["date", "close"], where: { ticker: "AAA" } });
  expect(server.seen.length).toBe(before);
  expect(frame.columns.map(({ name, type }) => `${name} ${type}`)).toEqual(["date Date", "close BigDecimal(15,4)"]);
  expect(frame.numRows).toBe(2);
  expect(frame.source).toMatchObject({ code: "V/T", mirror: mirror.place, refreshed_at: "2024-04-01T00:00:00Z" });
  expect(frame.source?.complete).toBeUndefined();
  expect((await mirror.frame()).source?.complete).toBe(true);
});

it("SQL reads the copy exactly", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const mirror = await open({ by: "date:year" });
  const found = await mirror.sql("select ticker, max(close) as close from this where date > $1 group by 1 order by 1", {
    params: ["2023-01-01"],
  });
  expect(cells(found)).toEqual(["AAA,11.2500", "BBB,99999999999.9999", "bbb,0.0001"]);
});

it("an abort interrupts a statement over the copy", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const mirror = await open();
  const stop = new AbortController();
  const long = "select count(*) from this, range(10_000_000) a(i), range(10_000_000) b(j) where (i * j) % 7 = 3";
  const stopped = mirror.sql(long, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(stopped).rejects.toThrow("enough");
  await expect(mirror.sql(long, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  expect((await mirror.sql("select * from this")).numRows).toBe(ROWS.length);
});

it("exports a changed table whole, and keeps the version before it for its readers", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const mirror = await open();
  for (const [i, day] of ["2024-04-02", "2024-04-03"].entries()) {
    set(ROWS.slice(i + 1), `${day}T00:00:00Z`);
    expect(await mirror.sync()).toMatchObject({ change: "export", rows: 3 - i, received: 3 - i });
  }
  expect(cells(await mirror.frame())).toEqual(expected(ROWS.slice(2)));
  expect(readdirSync(folder).sort()).toEqual(["checked.json", "manifest.json", "v000002", "v000003"]);
});

it("a table that does not say when it was refreshed is exported each time", async () => {
  set(ROWS, null);
  const mirror = await open();
  set(ROWS.slice(1), null);
  expect(await mirror.sync()).toMatchObject({ change: "export", rows: 3, refreshed_at: null });
  expect(mirror.refreshedAt).toBeUndefined();
});

it("takes only changed rows with since, and everything at every n-th change", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const mirror = await open({ since: "changed", wholeEvery: 2 });
  const corrected: Row = ["AAA", "2023-03-01", "12.0000", "2024-04-02"];
  const added: Row = ["CCC", "2024-04-01", "1.0000", "2024-04-02"];
  // The deletion of the first row cannot be seen by an update.
  set([ROWS[2], ROWS[3], corrected, added], "2024-04-02T00:00:00Z");
  expect(await mirror.plan()).toMatchObject({
    change: "since",
    key: ["ticker", "date"],
    update: { column: "changed", day: "2024-03-02" },
  });
  expect(await mirror.sync()).toMatchObject({ change: "since", received: 3, rows: 5 });
  expect(cells(await mirror.frame())).toEqual(expected([ROWS[0], corrected, ROWS[2], ROWS[3], added]));
  set([ROWS[2], ROWS[3], corrected, added], "2024-04-03T00:00:00Z");
  expect(await mirror.sync()).toMatchObject({ change: "export", rows: 4 });
  expect(cells(await mirror.frame())).toEqual(expected([ROWS[2], ROWS[3], corrected, added]));
});

it.each<[string, readonly string[]]>([
  ["ticker", ["ticker-AAA.parquet", "ticker-BBB.parquet", "ticker-bbb.2.parquet", "ticker.parquet"]],
  ["date:year", ["date_year-2022.parquet", "date_year-2023.parquet", "date_year-2024.parquet"]],
  ["date:month", ["date_month-2022-03.parquet", "date_month-2023-03.parquet", "date_month-2024-03.parquet"]],
])("splits the rows by %s into files that other engines read", async (by, names) => {
  const rows: readonly Row[] = [ROWS[3], ...ROWS.slice(0, 3), [null, "2024-03-05", "1.0000", "2024-03-06"]];
  set(rows, "2024-04-01T00:00:00Z");
  const mirror = await open({ by });
  expect(readdirSync(join(folder, "v000001")).sort()).toEqual([...names].sort());
  expect(cells(await mirror.frame())).toEqual(expected(rows));
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  for (const { name, value, rows: count } of manifest.logs[0].rows) {
    const part = await Frame.fromParquet(join(folder, name));
    expect(part.numRows).toBe(count);
    expect(polars.readParquet(join(folder, name)).height).toBe(count);
    const [column] = by.split(":");
    for (const cell of part.column(column)) {
      if (value === null) expect(cell).toBeNull();
      else expect(String(cell).startsWith(value)).toBe(true);
    }
  }
  const counted = await mirror.sql("select count(*) as n, count(distinct date) as days from this");
  expect(cells(counted)).toEqual(["5,4"]);
});

it.each(["[a]", "x*y", "q?", "o'b", "ticker=ZZZ", "vendor=V"])(
  "SQL reads the copy in a folder called %s",
  async (name) => {
    folder = join(mkdtempSync(join(root, "n-")), name, "prices");
    set(ROWS, "2024-04-01T00:00:00Z");
    // What the pattern of the name would match.
    await serviceOf(server)
      .table("V/T")
      .mirror(join(folder, "..", "..", "xxy", "prices"));
    const mirror = await open();
    const all = await mirror.sql("select * from this");
    expect(all.columns.map((column) => column.name)).toEqual(["ticker", "date", "close", "changed"]);
    expect(cells(all)).toEqual(expected(ROWS));
  },
);

it("a table without rows has one empty file", async () => {
  set([], "2024-04-01T00:00:00Z");
  const mirror = await open({ by: "ticker" });
  const frame = await mirror.frame();
  expect([frame.numRows, frame.columns.length]).toEqual([0, 4]);
});

it("a synchronisation that fails leaves the copy as it was", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const mirror = await open({ by: "ticker" });
  set([...ROWS, ["AAA", "not a date", "1.0000", "2024-04-02"]], "2024-04-02T00:00:00Z");
  await expect(mirror.sync()).rejects.toMatchObject({ name: "DataError" });
  expect(cells(await mirror.frame())).toEqual(expected(ROWS));
  set(ROWS.slice(1), "2024-04-03T00:00:00Z");
  await mirror.sync();
  expect(cells(await mirror.frame())).toEqual(expected(ROWS.slice(1)));
  const { logs } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const names = logs[0].rows.map(({ name }: { name: string }) => name).sort();
  expect(readdirSync(join(folder, "v000002")).map((name) => `v000002/${name}`)).toEqual(names);
});

it("two synchronisations at once export once", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const [one, two] = [await open({ load: false }), await open({ load: false })];
  const before = server.count("/files/");
  const changes = (await Promise.all([one.sync(), two.sync()])).map(({ change }) => change).sort();
  expect(changes).toEqual(["export", "none"]);
  expect(server.count("/files/")).toBe(before + 1);
});

it.each<[string, MirrorOptions, object]>([
  ["another option", { unknown: 1 } as MirrorOptions, { code: "UnknownOption" }],
  ["another unit", { by: "date:week" }, { code: "BadArgument", message: expect.stringContaining("date:week") }],
  ["a column that is not there", { by: "tickr" }, { code: "UnknownColumn", hint: expect.stringContaining("ticker") }],
  ["the year of a text", { by: "ticker:year" }, { code: "WrongType", column: "ticker" }],
  ["changes by a text", { since: "ticker" }, { code: "WrongType", column: "ticker" }],
  ["changes by a column without filter", { since: "date" }, { code: "NotFilterable", column: "date" }],
  ["changes by a column that is not there", { since: "change" }, { code: "UnknownColumn" }],
  ["wholeEvery of 0", { since: "changed", wholeEvery: 0 }, { code: "BadArgument" }],
  ...[{ files: "yes" }, { load: 1 }, { by: 5 }, { since: true }, { history: "yes" }, { history: null }].map(
    (options): [string, MirrorOptions, object] => {
      const [name] = Object.keys(options);
      const message = expect.stringMatching(name === "by" ? /^Rows cannot be split by 5/ : `^${name} must be .*; got`);
      return [JSON.stringify(options), options as object, { code: "BadArgument", message }];
    },
  ),
])("refuses %s", async (_, options, error) => {
  set(ROWS, "2024-04-01T00:00:00Z");
  await expect(open(options)).rejects.toMatchObject(error);
});

it.each([
  ["a value with spaces", { ticker: "A changed gte 2024-01-01" }, { ticker: "A", changed: { gte: "2024-01-01" } }],
  ["a value with quotes", { ticker: '"A"' }, { ticker: "A" }],
  ["a bound with a comma", { ticker: { gte: "A,B" } }, { ticker: { gte: "A" } }],
])("distinguishes queries whose filters are spelt alike: %s", async (_, first, second) => {
  set([], "2024-04-01T00:00:00Z");
  const table = serviceOf(server).table("V/T");
  await table.where(first as never).mirror(folder);
  await expect(table.where(second as never).mirror(folder)).rejects.toMatchObject({ code: "BadArgument" });
  expect((await table.where(first as never).mirror(folder)).isEmpty).toBe(false);
});

it("refuses a folder of another query, and one whose manifest is not one", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  await open();
  const other = serviceOf(server).table("V/T").where({ ticker: "AAA" });
  await expect(other.mirror(folder)).rejects.toMatchObject({ code: "BadArgument" });
  writeFileSync(join(folder, "manifest.json"), "{}");
  await expect(open()).rejects.toMatchObject({ code: "BadMirror", message: expect.stringContaining("manifest.json") });
});

it.each([
  ["a folder", "new/deep/prices", "new"],
  ["a DuckDB file", "prices.duckdb", "prices.duckdb"],
])("a first sync that fails or is stopped leaves no empty place: %s", async (_, place, made) => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const parent = mkdtempSync(join(root, "e-"));
  const service = serviceOf(server, { retry: { attempts: 1 } });
  const copyOf = (code: string) => service.table(code).mirror(join(parent, place), { load: false });
  const plain = await copyOf("V/T");
  await plain.plan();
  expect(readdirSync(parent)).toEqual([]);
  await expect((await copyOf("V/NONE")).sync()).rejects.toThrow();
  expect(readdirSync(parent)).toEqual([]);
  const stop = new AbortController();
  const stopped = plain.sync({ signal: stop.signal, onProgress: () => stop.abort(new Error("stopped")) });
  await expect(stopped).rejects.toThrow("stopped");
  expect(readdirSync(parent)).toEqual([]);
  expect((await plain.sync()).rows).toBe(ROWS.length);
  expect(readdirSync(parent)).toEqual([made]);
});

it("says that an empty folder has no copy yet", async () => {
  const mirror = await open({ load: false });
  await expect(mirror.frame()).rejects.toMatchObject({ code: "BadMirror", hint: "Call sync() first." });
});

const database = join(mkdtempSync(join(root, "d-")), "copies.duckdb");
mirrorInEngine("a DuckDB file", async () => ({ target: database, place: database }));
mirrorInEngine("an engine", async () => ({ target: await duckdbEngine() }));
mirrorInEngine("an engine of another dialect", async () => ({ target: otherEngine(await duckdbEngine(), true) }));
mirrorInEngine("an engine of Frames", async () => ({ target: await duckdb() }));

it("refuses files by a column for an engine, and a target that is none", async () => {
  await expect(serviceOf(server).table("V/T").mirror("copy.duckdb", { by: "ticker" })).rejects.toMatchObject({
    code: "BadArgument",
    hint: expect.stringContaining("Leave by out"),
  });
  for (const target of ["", 5, null, {}]) {
    await expect(
      serviceOf(server)
        .table("V/T")
        .mirror(target as string),
    ).rejects.toMatchObject({ code: "BadArgument" });
  }
});

it.each(["folder", "file"])(
  "updates a %s whose texts are kept in another way than those of the update",
  async (kind) => {
    const many = Array.from(
      { length: 3_000 },
      (_, i): Row => [`${i} ${"x".repeat(40)}`, "2024-03-01", "1.0000", "2024-03-02"],
    );
    set(many, "2024-04-01T00:00:00Z");
    const target = kind === "folder" ? folder : `${folder}.duckdb`;
    const mirror = await serviceOf(server).table("V/T").mirror(target, { since: "changed" });
    const rows: readonly Row[] = [...many.slice(1), ["0 new", "2024-03-01", "2.0000", "2024-04-02"]];
    set([...many, rows[rows.length - 1]].slice(-1), "2024-04-02T00:00:00Z");
    expect(await mirror.sync()).toMatchObject({ change: "since", received: 1, rows: 3_001 });
    expect(cells(await mirror.frame())).toEqual(expected([many[0], ...rows]));
  },
);

it("updates give what an export gives, whatever is added or corrected", async () => {
  const row = fc.record({ ticker: fc.constantFrom("A", "B", "C"), day: fc.nat(5), cents: fc.nat(99) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { maxLength: 6 }), { minLength: 1, maxLength: 4 }), async (steps) => {
      folder = join(mkdtempSync(join(root, "p-")), "prices");
      const table = new Map<string, Row>();
      let mirror: Mirror | undefined;
      for (const [i, step] of steps.entries()) {
        for (const { ticker, day, cents } of step) {
          const date = `2024-01-0${day + 1}`;
          table.set(`${ticker} ${date}`, [ticker, date, `1.${String(cents).padStart(2, "0")}00`, `2024-02-0${i + 1}`]);
        }
        set([...table.values()], `2024-02-0${i + 1}T12:00:00.000Z`);
        mirror ??= await open({ since: "changed", wholeEvery: 100, by: "ticker" });
        await mirror.sync();
        expect(cells(await mirror.frame())).toEqual(expected([...table.values()]));
      }
    }),
    { numRuns: runs(15, 5) },
  );
});
