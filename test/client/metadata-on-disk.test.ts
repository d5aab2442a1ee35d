import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { cacheContents, clearCache } from "../../src/client/cache/cache-contents.js";
import type { CacheOptions } from "../../src/client/cache/cache-settings.js";
import { connect, type Service } from "../../src/client/service.js";
import { sampleData } from "../../src/server/data/sample.js";
import { serve } from "../../src/server/serve.js";
import { builtLibrary } from "../faults/built-library.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { damagedCopies } from "./damaged-copies.js";

const KEY = "canary-key-0123456789abcdef-metadata";
const running = await serve({
  data: sampleData(),
  apiKeys: { [KEY]: { subscriptions: "all" }, [`${KEY}-2`]: { subscriptions: "all" } },
});
afterAll(() => running.close());

let folder = "";
let requested: string[] = [];
let isOffline = false;
let change: (text: string) => string;
beforeEach(() => {
  folder = temporaryFolder("m");
  requested = [];
  isOffline = false;
  change = (text) => text;
});
afterEach(() => void vi.useRealTimers());

const fetchSeen: typeof fetch = async (input, init) => {
  if (isOffline) throw new TypeError("fetch failed");
  const isMetadata = new URL(String(input)).pathname.includes("metadata");
  requested.push(isMetadata ? "metadata" : "rows");
  const reply = await fetch(input, init);
  const text = await reply.text();
  return new Response(isMetadata ? change(text) : text, {
    status: reply.status,
    headers: { "content-type": reply.headers.get("content-type") ?? "" },
  });
};

/** A new connection, as that of a process that starts. */
const service = (cache: Omit<CacheOptions, "path"> = {}, apiKey = KEY): Service =>
  connect({
    url: running.url,
    apiKey,
    fetch: fetchSeen,
    cache: { path: folder, ...cache },
    retry: { attempts: 1 },
    warn: () => undefined,
    onProgress: false,
  });
const table = (cache?: Omit<CacheOptions, "path">, apiKey?: string) => service(cache, apiKey).table("MARKET/PRICES");
const kept = (): string[] => readdirSync(join(folder, "replies")).filter((name) => name.endsWith(".metadata"));
/** Moves the clock; only dates, not timers. */
const after = (ms: number): void => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

const KINDS: Readonly<Record<string, (service: Service) => { metadata(options?: object): Promise<object> }>> = {
  "a table": (service) => service.table("MARKET/PRICES"),
  "a table in XML": (service) => service.table("MARKET/PRICES").format("xml"),
  "a time series": (service) => service.dataset("MARKET/AAA"),
  "a database": (service) => service.database("MARKET"),
};

it.each(Object.entries(KINDS))("metadata of %s is requested once in ten minutes", async (_, of) => {
  const first = await of(service()).metadata();
  expect(await of(service()).metadata()).toEqual(first);
  after(9 * 60_000);
  expect(await of(service()).metadata()).toEqual(first);
  expect(requested).toHaveLength(1);
  after(2 * 60_000);
  expect(await of(service()).metadata()).toEqual(first);
  expect(requested).toHaveLength(2);
  expect(await of(service()).metadata({ refresh: true })).toEqual(first);
  expect(requested).toHaveLength(3);
  await clearCache(folder);
  await of(service()).metadata();
  expect(requested).toHaveLength(4);
});

it("serves names and types of queries, also of a connection that has them in memory, never past its time", async () => {
  const rows = (from = service({ metadata: 60_000 })) =>
    from.table("MARKET/PRICES").where({ ticker: "AAA" }).format("csv").limit(3).frame();
  await rows();
  const second = service({ metadata: 60_000 });
  await rows(second);
  await rows(second);
  expect(requested.filter((kind) => kind === "metadata")).toHaveLength(1);
  after(61_000);
  await rows();
  expect(requested.filter((kind) => kind === "metadata")).toHaveLength(2);
});

it("0 keeps none; a clock that was set back makes what is kept invalid", async () => {
  await table({ metadata: 0 }).metadata();
  expect(readdirSync(folder)).toEqual([]);
  await table().metadata();
  after(-3_600_000);
  await table().metadata();
  expect(requested).toHaveLength(3);
});

it("a refresh is noticed: by refresh: true, and by the rows of a time series, which always ask", async () => {
  const before = (await service().dataset("MARKET/AAA").metadata()).refreshed_at;
  change = (text) => text.replace(/"refreshed_at":"[^"]*"/, '"refreshed_at":"2031-01-01T00:00:00.000Z"');
  expect((await service().dataset("MARKET/AAA").metadata()).refreshed_at).toBe(before);
  const { source } = await service().dataset("MARKET/AAA").limit(3).frame();
  expect(source?.refreshed_at).toBe("2031-01-01T00:00:00Z");
  expect((await service().dataset("MARKET/AAA").metadata()).refreshed_at).toBe("2031-01-01T00:00:00Z");
  await table().metadata();
  change = (text) => text.replace(/"refreshed_at":"[^"]*"/, '"refreshed_at":"2032-01-01T00:00:00.000Z"');
  expect((await table().metadata({ refresh: true })).status.refreshed_at).toBe("2032-01-01T00:00:00Z");
  expect((await table().metadata()).status.refreshed_at).toBe("2032-01-01T00:00:00Z");
});

it("a checkpoint compares the refresh time of now", async () => {
  const checkpoint = join(folder, "pages");
  const query = (warn: (text: string) => void) =>
    connect({ url: running.url, apiKey: KEY, fetch: fetchSeen, cache: folder, warn, onProgress: false })
      .table("MARKET/PRICES")
      .where({ ticker: "AAA" });
  await query(() => undefined).frame({ checkpoint });
  change = (text) => text.replace(/"refreshed_at":"[^"]*"/, '"refreshed_at":"2031-01-01T00:00:00.000Z"');
  const said: string[] = [];
  await query((text) => said.push(text)).frame({ checkpoint });
  expect(said.join()).toContain("the table was refreshed at 2031-01-01T00:00:00Z");
});

it("a column that is newer than the copy is found; one that does not exist is reported, also without a service", async () => {
  change = (text) => text.replaceAll('"volume"', '"turnover"').replaceAll('"Volume"', '"Turnover"');
  await table().metadata();
  await service().dataset("MARKET/AAA").metadata();
  change = (text) => text;
  expect((await table().select("volume").limit(2).frame()).columns.map(({ name }) => name)).toEqual(["volume"]);
  expect((await service().dataset("MARKET/AAA").column("Volume").limit(2).frame()).numColumns).toBe(2);
  isOffline = true;
  await expect(table().select("volumes").frame()).rejects.toMatchObject({ code: "UnknownColumn" });
  await expect(service().dataset("MARKET/AAA").column("Volumes").frame()).rejects.toMatchObject({
    code: "UnknownColumn",
  });
});

it("without a connection metadata is served for as long as `metadata` says", async () => {
  const known = await table().metadata();
  after(365 * 24 * 3_600_000);
  isOffline = true;
  expect(await table({ metadata: Number.POSITIVE_INFINITY, age: Number.POSITIVE_INFINITY }).metadata()).toEqual(known);
  await expect(table().metadata()).rejects.toMatchObject({ name: "TransportError" });
  await expect(table({ metadata: Number.POSITIVE_INFINITY }).metadata({ refresh: true })).rejects.toMatchObject({
    name: "TransportError",
  });
});

it("is not that of another key, service or table", async () => {
  await table().metadata();
  await table({}, `${KEY}-2`).metadata();
  await service()
    .table("MARKET/SECURITIES")
    .metadata()
    .catch(() => undefined);
  await connect({ url: running.url.replace("127.0.0.1", "localhost"), apiKey: KEY, fetch: fetchSeen, cache: folder })
    .table("MARKET/PRICES")
    .metadata();
  expect(requested).toHaveLength(4);
});

it("treats damaged and truncated copies as missing, and replaces them", async () => {
  const known = await table().metadata();
  const path = join(folder, "replies", kept()[0]);
  const bytes = readFileSync(path);
  for (const content of damagedCopies(bytes)) {
    writeFileSync(path, content);
    requested = [];
    expect(await table().metadata()).toEqual(known);
    expect(await table().metadata()).toEqual(known);
    expect(requested).toEqual(["metadata"]);
  }
});

it("has no key in any name or content, and no copy of metadata that repeats it", async () => {
  await table().metadata();
  change = (text) => text.replace(/"description":("[^"]*"|null)/, `"description":"${KEY}"`);
  await service().dataset("MARKET/AAA").metadata();
  expect(kept()).toHaveLength(1);
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    expect(file.name).not.toContain("canary");
    if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), "latin1")).not.toContain("canary");
  }
});

it("stays within the bytes and the age of the cache, and is listed", async () => {
  await table().metadata();
  expect(await cacheContents(folder)).toMatchObject([
    { kind: "metadata", code: "MARKET/PRICES", name: expect.stringMatching(/^[0-9a-f]{32}\.metadata$/) },
  ]);
  const path = join(folder, "replies", kept()[0]);
  const old = new Date(Date.now() - 40 * 24 * 3_600_000);
  utimesSync(path, old, old);
  await service().dataset("MARKET/AAA").metadata();
  expect(await cacheContents(folder)).toMatchObject([{ code: "MARKET/AAA" }]);
  const bytes = statSync(join(folder, "replies", kept()[0])).size;
  await service({ bytes: bytes + 10 })
    .dataset("MARKET/BBB")
    .metadata();
  expect(await cacheContents(folder)).toMatchObject([{ code: "MARKET/BBB" }]);
  rmSync(folder, { recursive: true });
  await service({ bytes: 10 }).dataset("MARKET/AAA").metadata();
  expect(await cacheContents(folder)).toEqual([]);
});

longIt("is shared by processes that read and write it at once", async () => {
  const library = await builtLibrary();
  try {
    const script = join(library, "metadata.mjs");
    writeFileSync(
      script,
      `import { connect } from "./index.mjs";
const [url, apiKey, cache] = process.argv.slice(2);
let requests = 0;
const seen = (...given) => { requests++; return fetch(...given); };
for (let i = 0; i < 30; i++) {
  const { columns } = await connect({ url, apiKey, cache, fetch: seen }).table("MARKET/PRICES").metadata({ refresh: i % 3 === 0 && !process.env.ONLY_READ });
  if (columns.length < 3) throw new Error("columns are missing");
}
console.log(requests);
`,
    );
    const run = async (env: Record<string, string> = {}): Promise<number> => {
      const child = spawn(process.execPath, [script, running.url, KEY, folder], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...env },
      });
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
      });
      const [status] = await once(child, "close");
      expect(status).toBe(0);
      return Number(text);
    };
    const both = await Promise.all([run(), run()]);
    expect(both).toEqual([10, 10]);
    expect(await run({ ONLY_READ: "1" })).toBe(0);
    expect(kept()).toHaveLength(1);
    expect(readdirSync(join(folder, "replies"))).toEqual(kept());
  } finally {
    rmSync(library, { recursive: true, force: true });
  }
});
