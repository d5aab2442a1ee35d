import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { CopyEngine } from "../../src/client/mirror/engine.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { connect } from "../../src/index.js";
import { builtLibrary } from "../faults/built-library.js";
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

describe("processes that use one database file at once", () => {
  const NAMES = ["open", "frame", "sql", "sync", "plan"] as const;
  let library = "";
  beforeAll(async () => {
    library = await builtLibrary();
    writeFileSync(
      join(library, "at-once.mjs"),
      `import { connect } from "./index.mjs";
const service = connect({ url: process.argv[2], apiKey: "canary-key-0123456789abcdef-many" });
process.send("ready");
process.on("message", async ({ path, calls }) => {
  const rows = [];
  try {
    const mirror = await service.table("V/T").mirror(path);
    for (const name of calls) {
      if (name === "open") rows.push((await (await service.table("V/T").mirror(path)).frame()).numRows);
      else if (name === "plan") rows.push((await mirror.plan()).columns.length - 1);
      else if (name === "sync") rows.push((await mirror.sync()).rows);
      else rows.push((await (name === "sql" ? mirror.sql("select * from this") : mirror.frame())).numRows);
    }
    process.send(rows);
  } catch (error) {
    process.send(String(error));
  }
});
`,
    );
  });
  afterAll(() => rmSync(library, { recursive: true, force: true }));

  it("all get the copy, in any order of calls", async () => {
    const children: ChildProcess[] = [];
    try {
      const start = async (): Promise<ChildProcess> => {
        const child = spawn(process.execPath, [join(library, "at-once.mjs"), server.url], {
          stdio: ["ignore", "inherit", "inherit", "ipc"],
        });
        children.push(child);
        await once(child, "message");
        return child;
      };
      const started = await Promise.all([1, 2, 3].map(start));
      const calls = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(fc.tuple(calls, calls, calls), async (all) => {
          set([...ROWS, ["CCC", "2024-04-01", "1.0000", "2024-04-02"]], "2024-04-01T00:00:00Z");
          const path = file();
          const replies = started.map(async (child, i) => {
            child.send({ path, calls: all[i] });
            return (await once(child, "message"))[0];
          });
          expect(await Promise.all(replies)).toEqual(all.map((each) => each.map(() => 3)));
          expect(readdirSync(join(path, ".."))).toEqual(["copies.duckdb"]);
        }),
        { numRuns: 5, seed: 28 },
      );
    } finally {
      for (const child of children) child.kill();
    }
  });

  it("wait for one that keeps it open, and then say which it is; an abort ends the wait", async () => {
    const { sharedFile } = await import("../../src/client/mirror/shared-file.js");
    const path = file();
    const script = `require("@duckdb/node-api").DuckDBInstance.create(${JSON.stringify(path)}).then(() => process.send("open"));
      process.on("message", () => process.exit());`;
    const holder = spawn(process.execPath, ["-e", script], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    try {
      await once(holder, "message");
      const tables = async (engine: CopyEngine): Promise<number> => (await engine.tables()).length;
      await expect(sharedFile(path, 200)(tables)).rejects.toMatchObject({
        code: "DatabaseNotOpened",
        message: expect.stringContaining(`open in process ${holder.pid}`),
      });
      await expect(sharedFile(path, 200)(tables, AbortSignal.timeout(20))).rejects.toThrow("aborted");
      const waiting = sharedFile(path)(tables);
      setTimeout(() => holder.send("end"), 300);
      expect(await waiting).toBe(0);
    } finally {
      holder.kill();
    }
  });
});
