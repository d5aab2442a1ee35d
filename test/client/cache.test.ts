import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { cacheContents, clearCache } from "../../src/client/cache/cache-contents.js";
import type { CacheOptions } from "../../src/client/cache/cache-settings.js";
import { connect } from "../../src/client/service.js";
import { sampleData } from "../../src/server/data/sample.js";
import { serve } from "../../src/server/serve.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { damagedCopies } from "./damaged-copies.js";

const KEY = "canary-key-0123456789abcdef-cache";
const running = await serve({
  data: sampleData(),
  apiKeys: { [KEY]: { subscriptions: "all" }, [`${KEY}-2`]: { subscriptions: "all" } },
});
afterAll(async () => {
  await running.close();
});

let folder = "";
let refreshed: string | null | undefined;
let date: string | undefined;
let requested: string[] = [];
let said: string[] = [];
let changeBody: (text: string) => string;
beforeEach(() => {
  folder = temporaryFolder("c");
  refreshed = undefined;
  date = undefined;
  requested = [];
  said = [];
  changeBody = (text) => text;
});

const fetchSeen: typeof fetch = async (input, init) => {
  const path = new URL(String(input)).pathname;
  const isMetadata = path.includes("metadata");
  requested.push(isMetadata ? "metadata" : "data");
  const reply = await fetch(input, init);
  const text = await reply.text();
  const body =
    isMetadata && refreshed !== undefined
      ? text.replace(/"refreshed_at":("[^"]*"|null)/, `"refreshed_at":${JSON.stringify(refreshed)}`)
      : changeBody(text);
  return new Response(body, {
    status: reply.status,
    headers: { "content-type": reply.headers.get("content-type") ?? "", ...(date && { date }) },
  });
};

const service = (cache: boolean | string | CacheOptions | undefined = folder, apiKey = KEY) =>
  connect({
    url: running.url,
    apiKey,
    fetch: fetchSeen,
    cache,
    warn: (text) => void said.push(text),
    onProgress: false,
  });
const series = (cache?: string | CacheOptions, apiKey?: string) => service(cache, apiKey).dataset("MARKET/AAA");
const replies = (): string[] => readdirSync(join(folder, "replies")).filter((name) => !name.endsWith(".metadata"));

describe("the cache of replies", () => {
  it("replies to the same query after one request for metadata, and says so", async () => {
    const first = await series().collapse("monthly").frame();
    expect(requested).toEqual(["metadata", "data"]);
    expect(first.source).not.toHaveProperty("cached");
    requested = [];
    const second = await series().collapse("monthly").frame();
    expect(requested).toEqual(["metadata"]);
    expect(second.toIPC()).toEqual(first.toIPC());
    expect(second.source).toEqual({ ...first.source, cached: true });
  });

  it.each(["xml", "csv"] as const)("holds replies in %s", async (format) => {
    const first = await series().format(format).limit(20).frame();
    requested = [];
    const second = await series().format(format).limit(20).frame();
    expect(requested).toEqual(["metadata"]);
    expect(second.toIPC()).toEqual(first.toIPC());
  });

  it("does not reply to another query, with another key, or for another service", async () => {
    await series().limit(5).frame();
    requested = [];
    expect((await series().limit(6).frame()).numRows).toBe(6);
    await series(folder, `${KEY}-2`).limit(5).frame();
    await connect({ url: running.url.replace("127.0.0.1", "localhost"), apiKey: KEY, fetch: fetchSeen, cache: folder })
      .dataset("MARKET/AAA")
      .limit(5)
      .frame();
    expect(requested.filter((kind) => kind === "data")).toHaveLength(3);
  });

  it("is not used once the data is refreshed, nor where the service does not say when", async () => {
    await series().limit(5).frame();
    refreshed = "2031-01-01T00:00:00.000Z";
    changeBody = (text) => text.replace(/"data":\[\[("[^"]+"),[^,]+,/, '"data":[[$1,987654.25,');
    const fresh = await series().limit(5).frame();
    expect(fresh.toCSV()).toContain("987654.25");
    expect(fresh.source).toMatchObject({ refreshed_at: "2031-01-01T00:00:00Z" });
    refreshed = null;
    requested = [];
    await series().limit(5).frame();
    await series().limit(5).frame();
    expect(requested).toEqual(["metadata", "data", "metadata", "data"]);
  });

  it.each(["without", "with"])("forgets a reply of the second of a refresh, %s the service's clock", async (how) => {
    const refreshedAt = Date.now() + (how === "with" ? -3_600_000 : 0);
    refreshed = new Date(refreshedAt).toISOString();
    date = how === "with" ? new Date(refreshedAt).toUTCString() : undefined;
    await series().limit(5).frame();
    changeBody = (text) => text.replace(/"data":\[\[("[^"]+"),[^,]+,/, '"data":[[$1,987654.25,');
    expect((await series().limit(5).frame()).toCSV()).toContain("987654.25");
    refreshed = new Date(refreshedAt - 3_000).toISOString();
    await series().limit(5).frame();
    expect((await series().limit(5).frame()).source).toMatchObject({ cached: true });
  });

  it("treats damaged and truncated entries as missing, and replaces them", async () => {
    const whole = (await series().limit(5).frame()).toCSV();
    const [name] = replies();
    const path = join(folder, "replies", name);
    const bytes = readFileSync(path);
    for (const content of damagedCopies(bytes)) {
      writeFileSync(path, content);
      requested = [];
      expect((await series().limit(5).frame()).toCSV()).toBe(whole);
      expect(requested).toEqual(["metadata", "data"]);
      expect(readFileSync(path).equals(bytes)).toBe(true);
    }
  });

  it("has no key in any name or content, and no reply that repeats it", async () => {
    await series().limit(5).frame();
    changeBody = (text) => text.replace('"limit":6', `"limit":6,"note":"${KEY}"`);
    await series().limit(6).frame();
    expect(replies()).toHaveLength(1);
    const all = readdirSync(folder, { recursive: true, withFileTypes: true });
    for (const file of all) {
      expect(file.name).not.toContain("canary");
      if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), "latin1")).not.toContain("canary");
    }
  });

  it("stays within its bytes: replies used longest ago are removed first", async () => {
    const size = async (limit: number): Promise<string> => {
      await series({ path: folder, bytes: 6_000 }).limit(limit).frame();
      return replies().sort((a, b) => at(b) - at(a))[0];
    };
    const at = (name: string): number => statSync(join(folder, "replies", name)).mtimeMs;
    const age = (name: string, minutes: number): void => {
      const then = new Date(Date.now() - minutes * 60_000);
      utimesSync(join(folder, "replies", name), then, then);
    };
    const first = await size(20);
    age(first, 30);
    const second = await size(21);
    age(second, 60);
    expect(replies().sort()).toEqual([first, second].sort());
    await size(20); // used again: the second is now the oldest
    age(first, 10);
    for (let limit = 22; replies().includes(second); limit++) {
      expect(limit).toBeLessThan(40);
      const newest = await size(limit);
      age(newest, 5);
    }
    expect(replies()).toContain(first);
    const total = replies().reduce((sum, name) => sum + statSync(join(folder, "replies", name)).size, 0);
    expect(total).toBeLessThanOrEqual(6_000);
    await series({ path: folder, bytes: 100 }).limit(30).frame();
    expect(replies().every((name) => statSync(join(folder, "replies", name)).size > 100)).toBe(true);
  });

  it("forgets what has not been used for its age", async () => {
    await series().limit(5).frame();
    const [old] = replies();
    const before = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
    utimesSync(join(folder, "replies", old), before, before);
    await series({ path: folder, age: 2 * 24 * 60 * 60 * 1000 })
      .limit(6)
      .frame();
    expect(replies()).not.toContain(old);
  });

  it("serves many at once", async () => {
    const all = Array.from({ length: 20 }, (_, i) => series().limit((i % 4) + 1));
    const frames = await Promise.all(all.map((query) => query.frame()));
    expect(frames.map(({ numRows }) => numRows)).toEqual(all.map((_, i) => (i % 4) + 1));
    expect(replies().filter((name) => !/^[0-9a-f]{32}\.reply$/.test(name))).toEqual([]);
    expect(replies()).toHaveLength(4);
  });

  it("that cannot be written is reported once; the rows arrive", async () => {
    writeFileSync(join(folder, "replies"), "a file, not a folder");
    const other = service();
    expect((await other.dataset("MARKET/AAA").limit(5).frame()).numRows).toBe(5);
    expect((await other.dataset("MARKET/AAA").limit(5).frame()).numRows).toBe(5);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^The cache .* cannot be written/);
  });
});

it("a cache is listed and cleared, and other files in its folder stay", async () => {
  await series().limit(5).frame();
  await series().limit(6).frame();
  const archive = "0123456789abcdef0123456789abcdef.zip";
  for (const name of [archive, `${archive}.json`, "notes.txt", "holiday.zip"]) writeFileSync(join(folder, name), "x");
  const found = await cacheContents(folder);
  expect(found.filter(({ kind }) => kind === "reply").map(({ code }) => code)).toEqual(["MARKET/AAA", "MARKET/AAA"]);
  expect(found.filter(({ kind }) => kind === "metadata")).toMatchObject([{ code: "MARKET/AAA" }]);
  expect(found.filter(({ kind }) => kind === "archive")).toMatchObject([{ name: archive, bytes: 1 }]);
  expect(await clearCache(folder)).toMatchObject({ files: 6 });
  expect(readdirSync(folder).sort()).toEqual(["holiday.zip", "notes.txt", "replies"]);
  expect(replies()).toEqual([]);
  expect(await cacheContents(join(folder, "none"))).toEqual([]);
});

it("true is the user's folder for caches; wrong options are named", async () => {
  const before = process.env["ARROWBOOK_CACHE"];
  process.env["ARROWBOOK_CACHE"] = join(folder, "own");
  try {
    await service(true).dataset("MARKET/AAA").limit(5).frame();
    expect(existsSync(join(folder, "own", "replies"))).toBe(true);
  } finally {
    if (before === undefined) delete process.env["ARROWBOOK_CACHE"];
    else process.env["ARROWBOOK_CACHE"] = before;
  }
  mkdirSync(join(folder, "empty"));
  await service(false).dataset("MARKET/AAA").limit(5).frame();
  expect(() => service("")).toThrow(/cache of connect\(\)/);
  expect(() => service({ bytes: -1 })).toThrow(/cache.bytes/);
  expect(() => service({ metadata: -1 })).toThrow(/cache.metadata/);
  expect(() => service({ size: 1 } as CacheOptions)).toThrow(/size/);
});
