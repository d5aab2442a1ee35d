import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { connect } from "../../src/client/service.js";
import { Frame } from "../../src/frame/frame.js";
import { pagedTable } from "../client/paged-table.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const KEY = "canary-key-0123456789abcdef-cli";
const table = await pagedTable();
afterAll(async () => {
  await table.server.close();
});

let said = "";
let printed = "";
beforeEach(() => {
  said = "";
  printed = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said += text;
    return true;
  });
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

const arrowbook = (...args: string[]): Promise<number> => main([...args, "--url", table.server.url, "--key", KEY]);

it("get table --resume requests the pages that an earlier run did not keep, and removes them at the end", async () => {
  const folder = temporaryFolder("r");
  const output = join(folder, "rows.csv");
  const service = connect({ url: table.server.url, apiKey: KEY, onProgress: false });
  const whole = (await service.table("V/T").frame()).toCSV();
  for await (const _ of service.table("V/T").batches({ checkpoint: `${output}.checkpoint` })) break;
  const cursors = new Set<string | null>();
  table.onRows = () => cursors.add(table.server.seen.at(-1)?.query.get("qopts.cursor_id") ?? null);
  expect(await arrowbook("get", "table", "V/T", "-o", output, "--resume", "--quiet")).toBe(0);
  table.onRows = () => undefined;
  // The run before had requested a page ahead, which may arrive only now: the cursors count, not the requests.
  expect([...cursors]).toEqual(["c10", "c20", "c30"]);
  expect(readFileSync(output, "utf8")).toBe(whole);
  expect(readdirSync(folder)).toEqual(["rows.csv"]);
});

it.each([
  [[], "resumed after 2 pages, 20 rows\n"],
  [["--json"], "resumed after 2 pages, 20 rows\n"],
  [["--quiet"], ""],
] as const)("get table --resume says how much an earlier run kept: %j", async (flags, note) => {
  const output = join(temporaryFolder("n"), "rows.csv");
  const service = connect({ url: table.server.url, apiKey: KEY, onProgress: false });
  let pages = 0;
  for await (const _ of service.table("V/T").batches({ checkpoint: `${output}.checkpoint` })) if (++pages === 2) break;
  expect(await arrowbook("get", "table", "V/T", "-o", output, "--resume", ...flags)).toBe(0);
  expect(said).toMatch(note === "" ? /^$/ : new RegExp(`^${note}`));
  expect(readFileSync(output, "utf8").trim().split("\n")).toHaveLength(36);
  said = "";
  expect(await arrowbook("get", "table", "V/T", "-o", output, "--resume", ...flags)).toBe(0);
  expect(said).not.toContain("resumed");
});

it("get table --resume needs an output file", async () => {
  expect(await arrowbook("get", "table", "V/T", "--resume")).not.toBe(0);
  expect(said).toContain("--resume needs an output file");
});

it("cache list and cache clear show and empty the folder", async () => {
  const folder = temporaryFolder("c");
  const sample = ["get", "dataset", "MARKET/AAA", "--limit", "3", "--sample", "--cache", folder, "-q"];
  expect(await main(sample)).toBe(0);
  printed = "";
  expect(await main(["cache", "list", "--path", folder, "--json"])).toBe(0);
  const kinds = (JSON.parse(printed) as { kind: string; code?: string }[]).map(({ kind, code }) => [kind, code]);
  expect(kinds.sort()).toEqual([
    ["metadata", "MARKET/AAA"],
    ["reply", "MARKET/AAA"],
    ["runs", undefined],
  ]);
  expect(await main(["cache", "clear", "--path", folder])).toBe(0);
  expect(said).toContain("3 files");
  expect(existsSync(join(folder, "replies"))).toBe(true);
  expect(readdirSync(join(folder, "replies"))).toEqual([]);
});

it("Ctrl-C while the rows are written stops the command, which says so, and keeps the pages of --resume", async () => {
  const folder = temporaryFolder("s");
  const output = join(folder, "rows.csv");
  vi.spyOn(Frame.prototype, "toCSV").mockImplementation(async () => {
    process.emit("SIGINT", "SIGINT");
    await new Promise((done) => setTimeout(done, 20));
  });
  expect(await arrowbook("get", "table", "V/T", "-o", output, "--resume", "--quiet")).toBe(130);
  expect(said).toBe("arrowbook: Stopped. Run it again to resume.\n");
  expect(existsSync(`${output}.checkpoint`)).toBe(true);
});
