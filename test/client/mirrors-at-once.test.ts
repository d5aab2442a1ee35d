import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it, vi } from "vitest";
import type { CopyEngine } from "../../src/client/mirror/engine-copy.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { connect } from "../../src/index.js";
import { serviceOf } from "../faults/bulk-fixtures.js";
import { changingTable, type Row } from "./changing-table.js";

const { server, set } = await changingTable();
const root = mkdtempSync(join(tmpdir(), "arrowbook-at-once-"));
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const ROWS: readonly Row[] = [
  ["AAA", "2022-03-01", "10.5000", "2022-03-02"],
  ["BBB", "2023-03-01", "1.0000", "2023-03-02"],
];
const file = (): string => join(mkdtempSync(join(root, "f-")), "copies.duckdb");
const open = (path: string) => serviceOf(server).table("V/T").mirror(path);

it("a database file is opened, read and synchronised by calls at once, in any order", async () => {
  const call = fc.constantFrom("open", "frame", "where", "sql", "sync", "plan");
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 8 }), fc.boolean(), async (calls, isNew) => {
      set(ROWS, "2024-04-01T00:00:00Z");
      const path = file();
      const first = isNew ? undefined : await open(path);
      if (first !== undefined) set([...ROWS, ["CCC", "2024-04-01", "1.0000", "2024-04-02"]], "2024-04-02T00:00:00Z");
      const counts = await Promise.all(
        calls.map(async (name) => {
          const mirror = name === "open" || first === undefined ? await open(path) : first;
          if (name === "sync") return (await mirror.sync()).rows;
          if (name === "plan") return (await mirror.plan()).columns.length - 2;
          if (name === "where") return (await mirror.frame({ where: { ticker: ["AAA", "BBB"] } })).numRows;
          if (name === "sql") return (await mirror.sql("select * from this")).numRows;
          return (await mirror.frame()).numRows;
        }),
      );
      for (const count of counts) expect([2, 3]).toContain(count);
      // Nothing stays open.
      await (await duckdbEngine(path)).close();
      expect(readdirSync(join(path, ".."))).toEqual(["copies.duckdb"]);
    }),
    { numRuns: 8, seed: 10 },
  );
});

it("two tables are copied into one file at once, also by a link to it", async () => {
  const service = await connect.sample();
  const path = file();
  const link = join(path, "..", "link.duckdb");
  try {
    await service.table("MARKET/PRICES").mirror(path);
    symlinkSync(path, link);
    const mirrors = await Promise.all([path, path, link].map((each) => service.table("MARKET/PRICES").mirror(each)));
    const [one, ...others] = await Promise.all(mirrors.map((mirror) => mirror.frame()));
    for (const other of others) expect(other.numRows).toBe(one.numRows);
    set(ROWS, "2024-04-01T00:00:00Z");
    const [second] = await Promise.all([open(path), mirrors[0].sync(), mirrors[1].frame()]);
    expect((await second.frame()).numRows).toBe(2);
  } finally {
    await service.close();
  }
});

it("a file that cannot be opened is an error for all, and is opened once it can be", async () => {
  set(ROWS, "2024-04-01T00:00:00Z");
  const path = file();
  const mirror = await open(path);
  const own = await duckdbEngine(path);
  const results = await Promise.allSettled([mirror.frame(), mirror.frame(), mirror.sync()]);
  for (const result of results) expect(result).toMatchObject({ reason: { code: "DatabaseNotOpened" } });
  await own.close();
  expect((await mirror.frame()).numRows).toBe(2);
});

it("two copies of the module, as of ESM and CommonJS, open the file one after the other", async () => {
  const path = file();
  const { sharedFile } = await import("../../src/client/mirror/shared-file.js");
  vi.resetModules();
  const other = await import("../../src/client/mirror/shared-file.js");
  expect(other.sharedFile).not.toBe(sharedFile);
  const count = async (engine: CopyEngine): Promise<number> => {
    await engine.query("select 1");
    return (await engine.tables()).length;
  };
  const calls = Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? sharedFile : other.sharedFile)(path)(count));
  expect(await Promise.all(calls)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(other.isOpen(path)).toBe(false);
});

it("a first synchronisation that fails beside a read leaves no file", async () => {
  const path = file();
  set([...ROWS, ["AAA", "not a date", "1.0000", "2024-04-02"]], "2024-04-01T00:00:00Z");
  const mirrors = await Promise.all([1, 2].map(() => serviceOf(server).table("V/T").mirror(path, { load: false })));
  const results = await Promise.allSettled([mirrors[0].sync(), mirrors[1].sync(), mirrors[1].plan()]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(readdirSync(join(path, ".."))).toEqual([]);
});
