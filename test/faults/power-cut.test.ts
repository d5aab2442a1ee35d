import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { connect } from "../../src/client/service.js";
import { syncFolder } from "../../src/disk/sync-folder.js";
import { Frame } from "../../src/frame/frame.js";
import { sampleData } from "../../src/server/data/sample.js";
import { serve } from "../../src/server/serve.js";
import { SAMPLE_KEY } from "../../src/spec/endpoints.js";
import { record } from "../../src/testing.js";
import { pagedTable } from "../client/paged-table.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { archiveOf, csvOf, EXPORT, exportAnswer, FILE, METADATA, metadata, serviceOf } from "./bulk-fixtures.js";
import { faultServer, ranged } from "./fault-server.js";

/** What a loss of power would undo: bytes and names that no sync has put on the disk yet. */
const lost = vi.hoisted(() => ({
  bytes: new Set<string>(),
  names: new Set<string>(),
  /** Files that got their name before their bytes were on the disk. */
  early: [] as string[],
  refuseFolders: undefined as string | undefined,
}));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const written = ["write", "writeFile", "writev", "truncate", "appendFile"] as const;
  type Calls = Record<string, ((...given: unknown[]) => Promise<unknown>) | undefined>;
  const renamed = (from: string, to: string): void => {
    if (lost.bytes.delete(from)) {
      lost.bytes.add(to);
      lost.early.push(to);
    }
    lost.names.delete(from);
    lost.names.add(to);
  };
  return {
    ...real,
    async open(...given: Parameters<typeof real.open>) {
      const path = resolve(String(given[0]));
      const handle = await real.open(...given);
      const calls = handle as unknown as Calls;
      const isFolder = (await handle.stat()).isDirectory();
      if (given[1] !== undefined && /[wa]/.test(String(given[1]))) lost.names.add(path);
      for (const name of written) {
        const write = calls[name]?.bind(handle);
        if (write === undefined) continue;
        calls[name] = (...how: unknown[]) => {
          lost.bytes.add(path);
          return write(...how);
        };
      }
      for (const name of ["sync", "datasync"] as const) {
        const sync = handle[name].bind(handle);
        handle[name] = async () => {
          if (isFolder && lost.refuseFolders)
            throw Object.assign(new Error("fsync"), { code: lost.refuseFolders, syscall: "fsync" });
          await sync();
          if (!isFolder) lost.bytes.delete(path);
          else for (const each of [...lost.names]) if (dirname(each) === path) lost.names.delete(each);
        };
      }
      return handle;
    },
    async rename(from: string, to: string) {
      await real.rename(from, to);
      renamed(resolve(from), resolve(to));
    },
    async mkdir(...given: Parameters<typeof real.mkdir>) {
      const first = await real.mkdir(...given);
      if (typeof first === "string") {
        for (let made = resolve(String(given[0])); made !== dirname(first); made = dirname(made)) lost.names.add(made);
      }
      return first;
    },
  };
});

const server = await faultServer();
const table = await pagedTable();
const root = temporaryFolder("power");
afterAll(async () => {
  await server.close();
  await table.server.close();
});
server.on(METADATA, metadata);
server.on(EXPORT, exportAnswer(server));
server.on(FILE, ranged(archiveOf(csvOf(300)), { etag: '"one"' }));

let folder = "";
let count = 0;
beforeEach(() => {
  folder = join(root, String(count++));
  mkdirSync(folder);
  lost.bytes.clear();
  lost.names.clear();
  lost.early.length = 0;
  lost.refuseFolders = undefined;
});

const frame = Frame.fromRows([{ ticker: "A", close: 1.5 }]);
const bulk = () => serviceOf(server).table("V/T").export();
const paged = (options = {}) => connect({ url: table.server.url, apiKey: "power-cut-key-0123456789", ...options });

const COMMITTED: Readonly<Record<string, (at: (name: string) => string) => Promise<unknown>>> = {
  "toCSV()": (at) => frame.toCSV(at("new/folder/a.csv")),
  "toCSV() with gzip": (at) => frame.toCSV(at("a.csv.gz")),
  "toJSONLines()": (at) => frame.toJSONLines(at("a.jsonl")),
  "toParquet()": (at) => frame.toParquet(at("new/a.parquet")),
  "toArrow()": (at) => frame.toArrow(at("a.arrows")),
  "a picture": (at) => frame.plot({ x: "ticker", y: "close" }).save(at("a.svg")),
  "saveZip() of an export": (at) => bulk().saveZip(at("new/folder/T.zip")),
  "toCSV() of an export": (at) => bulk().toCSV(at("T.csv")),
  "toParquet() of an export": (at) => bulk().toParquet(at("new/T.parquet")),
  "a mirror": (at) => serviceOf(server).table("V/T").mirror(at("new/mirror")),
  "a mirror in parts": (at) => serviceOf(server).table("V/T").mirror(at("mirror"), { by: "date:year" }),
  "a checkpoint": (at) =>
    paged()
      .table("V/T")
      .frame({ checkpoint: at("new/pages") }),
  "a recording": async (at) => {
    await paged({ fetch: record(at("new/calls.jsonl")) })
      .table("V/T")
      .metadata();
  },
};

/** What would be lost of the files that are there. */
function lostFiles(): string[] {
  const there = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  return there.filter((path) => lost.bytes.has(path) || lost.names.has(path)).map((path) => path.slice(folder.length));
}

it.each(Object.entries(COMMITTED))("row 46: a loss of power right after %s loses nothing", async (_, write) => {
  await write((name) => join(folder, name));
  expect(readdirSync(folder)).not.toEqual([]);
  expect({ lost: lostFiles(), early: lost.early }).toEqual({
    lost: [],
    early: [],
  });
});

it("row 46: a loss of power leaves the bulk files of a service complete", async () => {
  const running = await serve({ data: sampleData() });
  try {
    const service = connect({ url: running.url, apiKey: SAMPLE_KEY });
    await service.database("MARKET").bulk().saveZip(join(folder, "MARKET.zip"));
    expect(lost.early.filter((path) => path.endsWith(".zip"))).toEqual([]);
    expect([...lost.bytes, ...lost.names].filter((path) => path.endsWith(".zip"))).toEqual([]);
  } finally {
    await running.close();
  }
});

it.each(["EPERM", "EINVAL", "EISDIR"])("row 46: a folder that cannot be synced (%s) is not an error", async (code) => {
  lost.refuseFolders = code;
  await frame.toCSV(join(folder, "new", "a.csv"));
  expect(readdirSync(join(folder, "new"))).toEqual(["a.csv"]);
  await syncFolder(join(folder, "missing"));
});

it("row 46: a disk that fails while it syncs a folder is an error", async () => {
  lost.refuseFolders = "EIO";
  await expect(frame.toCSV(join(folder, "a.csv"))).rejects.toMatchObject({ name: "FileError" });
});
