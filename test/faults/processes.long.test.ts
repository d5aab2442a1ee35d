import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { Frame } from "../../src/frame/frame.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { builtLibrary } from "./built-library.js";
import { archiveOf, csvOf, EXPORT, exportAnswer, FILE, METADATA, metadata } from "./bulk-fixtures.js";
import { faultServer, ranged } from "./fault-server.js";

const server = await faultServer();
const ROWS = 60_000;
const csv = csvOf(ROWS);
const zip = archiveOf(csv);
const strong = { etag: '"one"' };
let library = "";
let folder = "";
let script = "";

beforeAll(async () => {
  library = await builtLibrary();
  script = join(library, "land.mjs");
  writeFileSync(
    script,
    `import { connect } from "./index.mjs";
const [url, path] = process.argv.slice(2);
const service = connect({ url, apiKey: "canary-key-0123456789abcdef-child", retry: { attempts: 9, pause: 5 } });
const file = service.table("V/T").export();
if (process.send) {
  process.send("ready");
  await new Promise((resolve) => process.once("message", resolve));
  process.disconnect();
}
await (path.endsWith(".zip") ? file.saveZip(path) : file.toParquet(path));
`,
  );
});
afterAll(async () => {
  await server.close();
  rmSync(library, { recursive: true, force: true });
});
beforeEach(() => {
  server.reset();
  folder = temporaryFolder("t");
  server.on(METADATA, metadata);
  server.on(EXPORT, exportAnswer(server));
});

const start = (path: string): ChildProcess => spawn(process.execPath, [script, server.url, path], { stdio: "inherit" });
/** Two processes that want the same file at once, whichever of them was loaded first. */
async function startTwo(path: string): Promise<ChildProcess[]> {
  const both = [0, 1].map(() =>
    spawn(process.execPath, [script, server.url, path], { stdio: ["inherit", "inherit", "inherit", "ipc"] }),
  );
  await Promise.all(both.map((child) => once(child, "message")));
  for (const child of both) child.send("go");
  return both;
}
/** The exit code, once everything that the process printed has arrived. */
const end = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.once("close", resolve));

/** The same numbers for the same seed, between 0 and 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

it.each(["T.zip", "T.parquet"])(
  "row 46: killed at any time, %s is complete or absent, and the next run resumes",
  async (name) => {
    const random = seeded(name.length);
    const path = join(folder, name);
    // Slow enough that most kills fall into the download; what was fetched before a kill is not fetched again.
    server.on(FILE, ranged(zip, strong, { pace: 60 }));
    const isRight = async () => {
      if (name.endsWith(".zip")) expect(readFileSync(path).equals(zip)).toBe(true);
      else expect((await Frame.fromParquet(path)).numRows).toBe(ROWS);
    };
    let kills = 0;
    for (let run = 0; run < 25 && !existsSync(path); run++) {
      const child = start(path);
      const ended = end(child);
      const before = server.count(FILE);
      // A time of the download, of the writing, or before or after.
      const killed = (async () => {
        while (server.count(FILE) === before && child.exitCode === null) await new Promise((go) => setTimeout(go, 5));
        await new Promise((go) => setTimeout(go, random() * 350));
        child.kill("SIGKILL");
      })();
      const status = await ended;
      await killed;
      if (status === 0) break;
      kills++;
      if (existsSync(path)) await isRight();
    }
    if (!existsSync(path)) expect(await end(start(path))).toBe(0);
    await isRight();
    expect(kills).toBeGreaterThan(0);
    const froms = server.seen
      .filter(({ path: p }) => p === FILE)
      .map(({ headers }) => Number(/\d+/.exec(headers.range ?? "0")?.[0]));
    expect(Math.max(...froms)).toBeGreaterThan(0);
    expect(froms).toEqual([...froms].sort((a, b) => a - b));
    expect(await end(start(path))).toBe(0);
    expect(readdirSync(folder)).toEqual([name]);
  },
);

it("row 46: Ctrl-C leaves what the same command resumes with, and says so", async () => {
  server.on(FILE, ranged(zip, strong, { pace: 200 }));
  const path = join(folder, "T.parquet");
  const command = join(library, "command.mjs");
  writeFileSync(command, 'import { main } from "./main.mjs";\nprocess.exitCode = await main(process.argv.slice(2));\n');
  const words = [command, "export", "V/T", "-o", path, "--url", server.url, "--key", "canary-key-0123456789abcdef-c"];
  const run = (): { child: ChildProcess; said: () => string } => {
    const child = spawn(process.execPath, words, { stdio: ["ignore", "inherit", "pipe"] });
    let said = "";
    child.stderr?.on("data", (text) => {
      said += text;
    });
    return { child, said: () => said };
  };
  const first = run();
  const ended = end(first.child);
  const received = () => readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  await vi.waitFor(() => expect(Math.max(...received())).toBeGreaterThan(65_536), { timeout: 60_000 });
  first.child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(first.said()).toMatch(/^arrowbook: Stopped\. .*run the same command again to resume\.\n$/);
  server.on(FILE, ranged(zip, strong));
  const second = run();
  expect(await end(second.child)).toBe(0);
  expect(second.said()).toContain("60,000 rows");
  expect(server.seen.filter((request) => request.path === FILE).at(-1)?.headers.range).toMatch(/^bytes=[1-9]/);
  expect(readdirSync(folder)).toEqual(["T.parquet"]);
});

it("row 45: two processes that want the same file share one download", async () => {
  server.on(FILE, ranged(zip, strong, { pace: 200 }));
  const path = join(folder, "T.zip");
  const [a, b] = await startTwo(path);
  expect(await Promise.all([end(a), end(b)])).toEqual([0, 0]);
  expect(readFileSync(path).equals(zip)).toBe(true);
  expect(server.seen.filter(({ path: p, headers }) => p === FILE && headers.range === undefined)).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(["T.zip"]);
});

it("row 45: where locks do nothing, two processes still end with one whole file", async () => {
  server.on(FILE, ranged(zip, strong, { pace: 6 }));
  const path = join(folder, "T.zip");
  mkdirSync(`${path}.lock`); // a lock that can be neither taken nor read
  const [a, b] = await startTwo(path);
  expect(await Promise.all([end(a), end(b)])).toEqual([0, 0]);
  expect(readFileSync(path).equals(zip)).toBe(true);
});
