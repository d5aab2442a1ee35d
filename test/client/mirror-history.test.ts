import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Manifest } from "../../src/client/mirror/log.js";
import { Mirror } from "../../src/client/mirror/mirror.js";
import type { MirrorQuery } from "../../src/client/mirror/place.js";
import { placeAt } from "../../src/client/mirror/place-at.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { isWhole } from "../support/whole.js";
import { linesOf, linesOfRows, type Quote, QuoteTable, rowsFrame } from "./as-of-run.js";

const root = temporaryFolder("history");
let count = 0;
const newFolder = (): string => join(root, String(count++));
const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
const quote = (ticker: string, close: number, changed = "2025-01-01"): Quote => ({
  ticker,
  date: "2024-01-01",
  close: `${close}.${"0".repeat(28)}`,
  changed,
});
const at = (day: number, hour = 12): string =>
  `2025-01-${String(day).padStart(2, "0")}T${String(hour).padStart(2, "0")}:00:00Z`;

function tableWith(rows: readonly Quote[], refreshed: string | null): QuoteTable {
  const table = new QuoteTable();
  table.rows = rows;
  table.refreshed = refreshed;
  return table;
}

it("asks for the refresh time alone where the table has not changed, with history too", async () => {
  const table = tableWith([quote("A", 1)], at(1));
  const mirror = table.mirror(newFolder(), { history: true });
  await mirror.sync();
  table.requests = 0;
  expect(await mirror.sync()).toMatchObject({ change: "none", received: 0, rows: 1 });
  expect(table.requests).toBe(1);
});

it("writes only what changed, and pairs equal rows", async () => {
  const table = tableWith([quote("A", 1), quote("B", 1), quote("B", 1)], at(1));
  const folder = newFolder();
  const mirror = table.mirror(folder, { history: true });
  await mirror.sync();
  table.rows = [quote("B", 1), quote("C", 1), quote("A", 1)];
  table.refreshed = at(2);
  await mirror.sync();
  const [{ rows, removed }] = manifestIn(folder).logs;
  expect([rows.map((piece) => piece.rows), removed.map((piece) => piece.rows)]).toEqual([[3, 1], [1]]);
  const changes = await mirror.changes("2025-01-01", "2025-01-02");
  expect([linesOf(changes.added), linesOf(changes.removed)]).toEqual([
    linesOfRows([quote("C", 1)]),
    linesOfRows([quote("B", 1)]),
  ]);
});

it("refreshes on one day, lags, times and Dates choose the states that were known", async () => {
  const table = tableWith([quote("A", 1)], at(1, 9));
  const mirror = table.mirror(newFolder(), { history: true });
  await mirror.sync();
  for (const [close, refreshed] of [
    [2, at(1, 23)],
    [3, at(3, 0)],
  ] as const) {
    table.rows = [quote("A", close)];
    table.refreshed = refreshed;
    await mirror.sync();
  }
  const closeOf = async (asOf: string | Date, lag?: string) => {
    const [line] = linesOf(await mirror.frame({ asOf, lag, columns: ["close"] }));
    return Number(line);
  };
  expect(await closeOf("2025-01-01")).toBe(2);
  expect(await closeOf("2025-01-02")).toBe(2);
  expect(await closeOf("2025-01-03")).toBe(3);
  expect(await closeOf(at(1, 22))).toBe(1);
  expect(await closeOf(new Date(at(1, 22)))).toBe(1);
  expect(await closeOf(new Date("2025-01-01"))).toBe(2);
  expect(await closeOf("2025-01-03T01:00:00+02:00")).toBe(2);
  expect(await closeOf("2025-01-03", "1 day")).toBe(2);
  expect(await closeOf("2025-02-03", "1 month")).toBe(3);
  expect(await closeOf("2025-01-02", "26 hours")).toBe(1);
  expect((await mirror.versions()).map(({ known_at }) => known_at)).toEqual([
    "2025-01-01T09:00:00.000Z",
    "2025-01-01T23:00:00.000Z",
    "2025-01-03T00:00:00.000Z",
  ]);
  for (const asOf of ["2024-12-31", "2025-02-30", "2025-1-1", "tomorrow", 5 as never]) {
    await expect(mirror.frame({ asOf })).rejects.toMatchObject({ name: "InputError", code: "BadArgument" });
  }
  await expect(mirror.frame({ asOf: "2025-01-03", lag: "a while" })).rejects.toMatchObject({ code: "BadArgument" });
  await expect(mirror.sql("from this", { from: "2025-01-03", asOf: "2025-01-02" })).rejects.toMatchObject({
    code: "BadArgument",
    message: expect.stringContaining("begin after the last"),
  });
});

it("a state is known from the refresh on that happened while its rows were received", async () => {
  const table = tableWith([quote("A", 1)], at(1));
  const mirror = table.mirror(newFolder(), { history: true });
  // The second request for metadata sees a later refresh than the plan did.
  let asked = 0;
  table.whenAsked = () => {
    if (++asked === 2) table.refreshed = at(4);
  };
  await mirror.sync();
  expect((await mirror.versions())[0]).toMatchObject({ refreshed_at: at(1), known_at: "2025-01-04T12:00:00.000Z" });
  await expect(mirror.frame({ asOf: "2025-01-03" })).rejects.toMatchObject({ code: "BadArgument" });
  // The export may lack rows of that refresh.
  expect((await mirror.sync()).change).toBe("export");
});

it("without history a copy has one state, and says how to keep more", async () => {
  const table = tableWith([quote("A", 1)], at(1));
  const mirror = table.mirror(newFolder());
  await mirror.sync();
  table.rows = [quote("A", 2)];
  table.refreshed = at(2);
  await mirror.sync();
  expect(await mirror.versions()).toHaveLength(1);
  expect(linesOf(await mirror.frame({ asOf: "2025-01-02" }))).toEqual(linesOfRows([quote("A", 2)]));
  await expect(mirror.frame({ asOf: "2025-01-01" })).rejects.toMatchObject({
    code: "BadArgument",
    hint: expect.stringContaining("history: true"),
  });
});

it("history stays where a copy is opened without the option, ends with false, and keeps what it promises", async () => {
  const table = tableWith([quote("A", 1)], at(1));
  const folder = newFolder();
  await table.mirror(folder, { history: true }).sync();
  const change = async (day: number, options = {}) => {
    table.rows = [quote("A", day)];
    table.refreshed = at(day);
    const mirror = table.mirror(folder, options);
    await mirror.sync();
    return (await mirror.versions()).map(({ rows }) => rows);
  };
  expect(await change(2)).toEqual([1, 1]);
  // The last state before the time that is kept stays: it is what was known at its beginning.
  expect(await change(3, { history: { keep: "1 day" } })).toEqual([1]);
  expect(await change(4, { history: { keep: "500 years" } })).toEqual([1, 1]);
  expect(await change(5, { history: false })).toEqual([1]);
  for (const history of [5, "2 years", { keep: "long" }, { years: 2 }]) {
    expect(() => table.mirror(folder, { history: history as never })).toThrow(/history|2 years|length of time/);
  }
});

it("other columns begin a new log; states from before keep theirs", async () => {
  const table = tableWith([quote("A", 1)], at(1));
  const folder = newFolder();
  await table.mirror(folder, { history: true }).sync();
  table.columns = ["ticker", "date", "close"];
  table.rows = [quote("A", 2), quote("B", 2)];
  table.refreshed = at(2);
  const mirror = table.mirror(folder, { history: true });
  await mirror.sync();
  expect((await mirror.frame({ asOf: "2025-01-01" })).columns.map(({ name }) => name)).toHaveLength(4);
  expect((await mirror.frame()).columns.map(({ name }) => name)).toEqual(["ticker", "date", "close"]);
  expect(linesOf(await mirror.sql("select count(*) from this"))).toEqual(["2"]);
  await expect(mirror.changes("2025-01-01", "2025-01-02")).rejects.toMatchObject({ code: "BadArgument" });
});

it("a damaged copy is found by verify, repaired by sync, and its states from before fail alone", async () => {
  const table = tableWith([quote("A", 1)], at(1));
  const folder = newFolder();
  const mirror = table.mirror(folder, { history: true });
  await mirror.sync();
  table.rows = [quote("A", 1), quote("B", 1)];
  table.refreshed = at(2);
  await mirror.sync();
  const [{ rows }] = manifestIn(folder).logs;
  rmSync(join(folder, rows[1].name));
  expect(await mirror.verify()).toEqual({ complete: false, damage: [expect.stringContaining("is missing")] });
  expect(linesOf(await mirror.frame({ asOf: "2025-01-01" }))).toEqual(linesOfRows([quote("A", 1)]));
  await expect(mirror.frame()).rejects.toMatchObject({ code: "BadMirror" });
  expect((await mirror.sync()).change).toBe("export");
  expect(linesOf(await mirror.frame())).toEqual(linesOfRows(table.rows));
  expect(linesOf(await mirror.frame({ asOf: "2025-01-01" }))).toEqual(linesOfRows([quote("A", 1)]));
});

it("verify finds cells that changed in a file of the same size", async () => {
  const table = tableWith([quote("A", 1), quote("B", 2)], at(1));
  const folder = newFolder();
  const mirror = table.mirror(folder);
  await mirror.sync();
  const manifest = manifestIn(folder);
  const [piece] = manifest.logs[0].rows;
  const path = join(folder, piece.name);
  const other = (await Frame.fromParquet(path)).toArray().map((row) => ({ ...row, ticker: "C" }));
  await Frame.fromRows(other, [
    { name: "ticker", type: "String" },
    { name: "date", type: "Date" },
    { name: "close", type: "BigDecimal(50,28)" },
    { name: "changed", type: "Date" },
    { name: "arrowbook_row", type: "Integer" },
  ]).toParquet(path);
  const logs = [{ ...manifest.logs[0], rows: [{ ...piece, bytes: statSync(path).size }] }];
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...manifest, logs }));
  expect(await table.mirror(folder).verify()).toMatchObject({
    complete: false,
    damage: [expect.stringContaining("other rows than were written")],
  });
});

it.each(isWhole ? (["folder", "engine"] as const) : (["folder"] as const))(
  "merges many small pieces of a %s by itself, and loses no state",
  async (place) => {
    const many = Array.from({ length: 400 }, (_, i) => quote(`T${i}`, 1));
    const table = tableWith(many, at(1, 0));
    const folder = newFolder();
    const engine = place === "engine" ? await duckdbEngine() : undefined;
    try {
      const mirror = table.mirror(engine ?? folder, { history: true });
      await mirror.sync();
      const states = [table.rows];
      for (let hour = 1; hour <= 20; hour++) {
        table.rows = table.rows.map((row, i) => (i === hour ? quote(`T${i}`, 1 + hour) : row));
        table.refreshed = at(1, hour);
        states.push(table.rows);
        await mirror.sync();
      }
      for (const [hour, rows] of states.entries()) {
        expect(linesOf(await mirror.frame({ asOf: at(1, hour) }))).toEqual(linesOfRows(rows));
      }
      if (engine === undefined) {
        const [{ rows, removed }] = manifestIn(folder).logs;
        expect([rows.length, removed.length].every((n) => n < 8)).toBe(true);
        const named = [...rows, ...removed].map(({ name }) => name);
        for (const name of named) expect(existsSync(join(folder, name))).toBe(true);
      } else expect((await engine.tables()).length).toBeLessThan(20);
      await mirror.compact();
      expect(await mirror.verify()).toEqual({ complete: true, damage: [] });
      expect(linesOf(await mirror.frame({ asOf: at(1, 3) }))).toEqual(linesOfRows(states[3]));
    } finally {
      await engine?.close();
    }
  },
);

it("a copy that is moved, as to another machine, is the same copy", async () => {
  const table = tableWith([quote("A", 1)], at(1));
  const [folder, moved] = [newFolder(), newFolder()];
  await table.mirror(folder, { history: true }).sync();
  cpSync(folder, moved, { recursive: true });
  rmSync(folder, { recursive: true });
  const mirror = table.mirror(moved);
  expect(await mirror.verify()).toEqual({ complete: true, damage: [] });
  table.rows = [quote("A", 2)];
  table.refreshed = at(2);
  await mirror.sync();
  expect(linesOf(await mirror.frame({ asOf: "2025-01-01" }))).toEqual(linesOfRows([quote("A", 1)]));
});

it("updates of a copy without history do not pile up rows that nothing needs", async () => {
  const table = tableWith([quote("A", 1), quote("B", 1)], at(1));
  const folder = newFolder();
  const mirror = table.mirror(folder, { since: "changed", wholeEvery: 100 });
  await mirror.sync();
  for (let day = 2; day < 12; day++) {
    table.rows = [quote("A", day, at(day).slice(0, 10)), quote("B", day, at(day).slice(0, 10))];
    table.refreshed = at(day);
    expect((await mirror.sync()).change).toBe("since");
  }
  const [{ rows, removed }] = manifestIn(folder).logs;
  expect([...rows, ...removed].reduce((sum, piece) => sum + piece.rows, 0)).toBeLessThan(10);
  expect(linesOf(await mirror.frame())).toEqual(linesOfRows(table.rows));
});

it.each([
  ["a copy of an earlier build", JSON.stringify({ format: 1, code: "V/T", question: "V/T", files: [] }), "earlier"],
  ["another manifest", "{}", "is not the manifest"],
])("refuses %s, and leaves it as it is", async (_, text, message) => {
  const folder = newFolder();
  mkdirSync(folder);
  writeFileSync(join(folder, "manifest.json"), text);
  const mirror = tableWith([], at(1)).mirror(folder);
  const refused = {
    code: "BadMirror",
    message: expect.stringContaining(message),
    hint: expect.stringContaining("new place"),
  };
  await expect(mirror.open()).rejects.toMatchObject(refused);
  await expect(mirror.sync()).rejects.toMatchObject(refused);
  expect(readdirSync(folder)).toEqual(["manifest.json"]);
});

it("refuses a copy of an earlier build in an engine", async () => {
  const engine = await duckdbEngine();
  try {
    const state = JSON.stringify({ code: "V/T", question: "V/T", rows: 1, columns: [] });
    await engine.load("arrowbook_mirrors", Frame.fromRows([{ code: "V/T", state }]), { key: ["code"] });
    await expect(tableWith([], at(1)).mirror(engine).open()).rejects.toMatchObject({ code: "BadMirror" });
  } finally {
    await engine.close();
  }
});

it("other programs find the newest state of an engine's copy as a view", async () => {
  const engine = await duckdbEngine();
  try {
    const table = tableWith([quote("A", 1), quote("B", 1)], at(1));
    const mirror = table.mirror(engine, { history: true });
    await mirror.sync();
    table.rows = [quote("A", 2)];
    table.refreshed = at(2);
    await mirror.sync();
    const found = await engine.query('select ticker, changed from "V/T"');
    expect(linesOf(Frame.from(found))).toEqual(["A,2025-01-01"]);
  } finally {
    await engine.close();
  }
});

it("two synchronisations at once of one copy in an engine write tables of their own", async () => {
  const engine = await duckdbEngine();
  try {
    const table = tableWith([quote("A", 1)], at(1));
    let exports = 0;
    let secondBegan!: () => void;
    const second = new Promise<void>((resolve) => {
      secondBegan = resolve;
    });
    let first: Promise<unknown> | undefined;
    /** The first export ends after the second has begun, and the second after the first synchronisation. */
    const batches = async function* () {
      exports++;
      if (exports === 2) secondBegan();
      await (exports === 2 ? first : second);
      yield* rowsFrame(table.rows).table.batches;
    };
    const query = { ...table.query, export: () => ({ batches }) } as unknown as MirrorQuery;
    const mirror = new Mirror(query, placeAt(engine, "V/T", undefined), { history: true });
    first = mirror.sync();
    await Promise.all([first, mirror.sync()]);
    expect(linesOf(await mirror.frame())).toEqual(linesOfRows(table.rows));
    expect(await mirror.verify()).toEqual({ complete: true, damage: [] });
    const others = (await engine.tables()).filter((name) => !name.startsWith("V/T"));
    expect(others).toEqual(["arrowbook_mirrors"]);
  } finally {
    await engine.close();
  }
});

it.each(["a folder", "an engine"])("compact() of %s of which something is missing says what", async (place) => {
  const engine = place === "a folder" ? undefined : await duckdbEngine();
  try {
    const folder = newFolder();
    const mirror = tableWith([quote("A", 1)], at(1)).mirror(engine ?? folder);
    await mirror.sync();
    if (engine === undefined) rmSync(join(folder, manifestIn(folder).logs[0].rows[0].name));
    for (const name of (await engine?.tables()) ?? []) {
      if (name.endsWith(" rows")) await engine?.query(`drop table "${name}"`);
    }
    const missing = { code: "BadMirror", message: expect.stringContaining("is missing") };
    await expect(mirror.compact()).rejects.toMatchObject(missing);
  } finally {
    await engine?.close();
  }
});

it.each(["a folder", "an engine"])("frame() of %s refuses what it does not take, and can be aborted", async (place) => {
  const engine = place === "a folder" ? undefined : await duckdbEngine();
  try {
    const mirror = tableWith([quote("A", 1)], at(1)).mirror(engine ?? newFolder());
    await mirror.sync();
    const unknown = mirror.frame({ colums: ["ticker"] } as object);
    await expect(unknown).rejects.toMatchObject({ code: "UnknownOption", hint: expect.stringContaining("columns") });
    const none = mirror.frame({ columns: [] });
    await expect(none).rejects.toMatchObject({ code: "BadArgument" });
    const stopped = mirror.frame({ signal: AbortSignal.abort(new Error("enough")) });
    await expect(stopped).rejects.toThrow("enough");
    const noColumn = mirror.frame({ columns: ["tickr"] });
    await expect(noColumn).rejects.toMatchObject({ code: "UnknownColumn", hint: expect.stringContaining("ticker") });
  } finally {
    await engine?.close();
  }
});
