import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { zipBytes } from "../zip/archive.js";
import { archiveOf, csvOf, EXPORT, exportAnswer, FILE, METADATA, metadata } from "./bulk-fixtures.js";
import { faultServer, ranged } from "./fault-server.js";
import { killedLibrary } from "./killed-library.js";

const server = await faultServer();
const root = mkdtempSync(join(tmpdir(), "arrowbook-steps-"));
const ROWS = 500;
/** Each step is a process or three. */
const LONG = 900_000;
const zip = archiveOf(csvOf(ROWS));
let library = "";
let script = "";

beforeAll(async () => {
  library = await killedLibrary();
  script = join(library, "land-steps.mjs");
  writeFileSync(
    script,
    `import "./killed.mjs";
import { connect } from "./index.mjs";
const [url, path, cache] = process.argv.slice(2);
const service = connect({ url, apiKey: "canary-key-0123456789abcdef-steps", cache });
const file = service.table("V/T").export();
const land = { zip: "saveZip", csv: "toCSV", parquet: "toParquet" }[path.split(".").at(-1)];
await file[land](path);
`,
  );
  server.on(METADATA, metadata);
  server.on(EXPORT, exportAnswer(server));
  server.on(FILE, ranged(zip, { etag: '"one"' }));
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
  rmSync(library, { recursive: true, force: true });
});

/** Runs the download into `path`, killed at a step on the disk (0: never); gives whether it came to its end. */
async function land(step: number, path: string, cache?: string): Promise<boolean> {
  const child = spawn(process.execPath, [script, server.url, path, ...(cache ? [cache] : [])], {
    stdio: "inherit",
    env: { ...process.env, KILLED_AT: String(step) },
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once("exit", (...how) => resolve(how)),
  );
  expect(code ?? signal).toBe(step === 0 || code === 0 ? 0 : "SIGKILL");
  return signal === null;
}

const isThere = (path: string): boolean => readdirSync(dirname(path)).includes(basename(path));

it.each(["T.zip", "T.parquet"])(
  "row 46: killed at each step on the disk, %s ends whole and alone",
  async (name) => {
    const isRight = async (path: string) => {
      if (name === "T.zip") expect(readFileSync(path).equals(zip)).toBe(true);
      else expect((await Frame.fromParquet(path)).numRows).toBe(ROWS);
    };
    let step = 1;
    for (let ended = false; !ended; step++) {
      const path = join(mkdtempSync(join(root, "t-")), name);
      ended = await land(step, path);
      if (isThere(path)) await isRight(path);
      if (!ended) await land(0, path);
      await isRight(path);
      expect({ step, files: readdirSync(dirname(path)) }).toEqual({ step, files: [name] });
    }
    expect(step).toBeGreaterThan(10);
  },
  LONG,
);

it(
  "row 46: killed at each step of taking a newer file into the cache, the rows are the newer ones",
  async () => {
    const older = csvOf(ROWS, 1);
    const newer = csvOf(ROWS, 2);
    const stored = (data: string) => zipBytes([{ name: "T.csv", data, method: 0 }]);
    expect(stored(older).length).toBe(stored(newer).length);
    const serve = (data: string, etag: string, snapshot: string) => {
      server.on(FILE, ranged(stored(data), { etag }));
      server.on(EXPORT, exportAnswer(server, "fresh", { snapshot }));
    };
    let step = 1;
    for (let ended = false; !ended; step++) {
      const folder = mkdtempSync(join(root, "c-"));
      const [path, cache] = [join(folder, "T.csv"), join(folder, "cache")];
      serve(older, '"older"', "2024-03-01 00:00:00 UTC");
      await land(0, path, cache);
      serve(newer, '"newer"', "2024-03-02 00:00:00 UTC");
      ended = await land(step, path, cache);
      if (!ended) await land(0, path, cache);
      expect(readFileSync(path, "utf8") === newer, `step ${step}`).toBe(true);
      expect(readdirSync(folder).sort()).toEqual(["T.csv", "cache"]);
      expect(readdirSync(cache).filter((name) => !/^(?:\w+\.zip(?:\.json)?|arrowbook-runs\.json)$/.test(name))).toEqual(
        [],
      );
    }
    expect(step).toBeGreaterThan(10);
  },
  LONG,
);

it("row 46: notes that other machines are writing are left alone for a day", async () => {
  const path = join(mkdtempSync(join(root, "o-")), "T.parquet");
  server.on(FILE, ranged(zip, { etag: '"one"' }));
  const young = `${path}.download.zip.json.ffffffff-1-00000001.new`;
  const old = `${path}.download.zip.json.ffffffff-1-00000002.new`;
  for (const note of [young, old]) writeFileSync(note, "");
  const before = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  utimesSync(old, before, before);
  await land(0, path);
  expect(readdirSync(dirname(path)).sort()).toEqual(["T.parquet", basename(young)]);
});
