import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import Papa from "papaparse";
import { expect, it } from "vitest";
import { zipEntry } from "../../src/format/zip.js";
import { specification } from "../../src/spec/profile.js";
import { get, sampleOf, started } from "./support.js";

const MINUTE = 60_000;

interface Status {
  readonly file: { readonly link: string | null; readonly status: string; readonly data_snapshot_time: string | null };
  readonly datatable: { readonly last_refreshed_time: string };
}

const ask = async (service: { url: string }, path: string): Promise<Status> =>
  ((await get(service, path)).json() as { datatable_bulk_download: Status }).datatable_bulk_download;

/** Asks until the file has the state. */
async function until(service: { url: string }, path: string, status: string): Promise<Status> {
  for (let i = 0; i < 2_000; i++) {
    const now = await ask(service, path);
    if (now.file.status === status) return now;
    await new Promise((wake) => setTimeout(wake, 10));
  }
  throw new Error(`never ${status}`);
}

async function csvOf(link: string): Promise<string[][]> {
  const entry = await zipEntry(new Uint8Array(await (await fetch(link)).arrayBuffer()));
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of entry.chunks()) text += decoder.decode(chunk, { stream: true });
  return Papa.parse<string[]>(text, { skipEmptyLines: true }).data;
}

it("spec 4.9: a file is creating, then fresh, whole, and equal to its source", async () => {
  const service = await started({ data: sampleOf("TRANSPORT/FLIGHTS") });
  const path = "/datatables/TRANSPORT/FLIGHTS.json?qopts.export=true";
  const first = await ask(service, path);
  expect(first).toEqual({
    file: { link: null, status: "creating", data_snapshot_time: null },
    datatable: { last_refreshed_time: "2025-01-02 06:00:00 UTC" },
  });
  const done = await until(service, path, "fresh");
  expect(done.file.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/files\/[\w.-]+\/TRANSPORT_FLIGHTS\.zip\?api_key=sample$/);
  expect(done.file.data_snapshot_time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  const source = readFileSync(resolve(import.meta.dirname, "../../notebooks/data/transport-flights.csv"), "utf8");
  expect(await csvOf(done.file.link as string)).toEqual(Papa.parse(source, { skipEmptyLines: true }).data);
});

it("all pages of a table are its export, cell by cell", async () => {
  const service = await started({ data: sampleOf("MARKET/PRICES") });
  const path = "/datatables/MARKET/PRICES.csv";
  const pages: string[][] = [];
  let cursor = "";
  do {
    const page = await get(service, cursor === "" ? path : `${path}?qopts.cursor_id=${cursor}`);
    pages.push(...page.rows().slice(1));
    cursor = page.headers.get("cursor_id") ?? "";
  } while (cursor !== "");
  expect(pages).toHaveLength(32_610);
  const { file } = await until(service, "/datatables/MARKET/PRICES.json?qopts.export=true", "fresh");
  expect((await csvOf(file.link as string)).slice(1)).toEqual(pages);
});

it("spec 4.9: three forms of the path, filters and columns; CSV has one row", async () => {
  const service = await started({ data: sampleOf("MARKET/PRICES") });
  const query = "?qopts.export=true&ticker=AAA&date.gte=2024-12-30&qopts.columns=close,date";
  const done = await until(service, `/datatables/MARKET/PRICES.json${query}`, "fresh");
  expect(await csvOf(done.file.link as string)).toEqual([
    ["close", "date"],
    [expect.stringMatching(/^\d+\.\d{4}$/), "2024-12-30"],
    [expect.stringMatching(/^\d+\.\d{4}$/), "2024-12-31"],
  ]);
  for (const path of ["/datatables/MARKET/PRICES.json/", "/datatables/MARKET/PRICES", "/datatables/MARKET/PRICES/"]) {
    expect((await ask(service, path + query)).file.status).toBe("fresh");
  }
  const [names, cells] = (await get(service, `/datatables/MARKET/PRICES.csv${query}`)).rows();
  expect(names).toEqual(["file.link", "file.status", "file.data_snapshot_time", "datatable.last_refreshed_time"]);
  expect([cells[1], cells[3]]).toEqual(["fresh", "2025-01-02 06:00:00 UTC"]);
  const bad = await get(service, "/datatables/MARKET/PRICES.json?qopts.export=true&nope=1");
  expect([bad.status, bad.text]).toEqual([422, expect.stringContaining("QESx04")]);
});

it("spec 3: a link dies after 30 minutes and another call gives a new one", async () => {
  let now = 5_000;
  const service = await started({ data: sampleOf("TRANSPORT/AIRPORTS"), clock: () => now });
  const path = "/datatables/TRANSPORT/AIRPORTS.json?qopts.export=true";
  const { file } = await until(service, path, "fresh");
  const link = file.link as string;
  now += 30 * MINUTE - 1;
  expect((await fetch(link)).status).toBe(200);
  now += 1;
  const dead = await fetch(link);
  expect([dead.status, await dead.text()]).toEqual([410, expect.stringMatching(/expired.*Repeat the export call/)]);
  const renewed = (await ask(service, path)).file;
  expect([renewed.status, renewed.data_snapshot_time]).toEqual(["fresh", file.data_snapshot_time]);
  expect((await fetch(renewed.link as string)).status).toBe(200);
  expect((await fetch(link.replace(/\.[0-9a-z]+\.([\w-]{22}\/)/, ".zzzzzz.$1"))).status).toBe(404);
  expect((await fetch(link.replace(/\?.*/, ""))).status).toBe(403);
  expect((await fetch(link.replace(/=sample/, "=other"))).status).toBe(400);
});

it("spec 3: after a refresh the file is regenerating with its old link, then fresh", async () => {
  let now = 0;
  const service = await started({ data: sampleOf("TRANSPORT/AIRPORTS"), clock: () => now });
  const path = "/datatables/TRANSPORT/AIRPORTS.json?qopts.export=true";
  const before = await until(service, path, "fresh");
  const etag = (await fetch(before.file.link as string)).headers.get("etag");
  now += 5 * MINUTE;
  await service.refresh("TRANSPORT/AIRPORTS");
  const stale = await ask(service, path);
  expect(stale.file.status).toBe("regenerating");
  expect(stale.file.data_snapshot_time).toBe(before.file.data_snapshot_time);
  expect(stale.datatable.last_refreshed_time > (stale.file.data_snapshot_time as string)).toBe(true);
  expect(await csvOf(stale.file.link as string)).toHaveLength(3_377);
  const after = await until(service, path, "fresh");
  expect((after.file.data_snapshot_time as string) > (before.file.data_snapshot_time as string)).toBe(true);
  expect((await fetch(after.file.link as string)).headers.get("etag")).not.toBe(etag);
  const metadata = (await get(service, "/datatables/TRANSPORT/AIRPORTS/metadata.json")).json() as {
    datatable: { status: { refreshed_at: string } };
  };
  expect(metadata.datatable.status.refreshed_at.replace("T", " ").replace("Z", " UTC")).toBe(
    after.datatable.last_refreshed_time,
  );
  await expect(service.refresh("TRANSPORT/AIRPORT")).rejects.toThrow(/Did you mean "TRANSPORT\/AIRPORTS"/);
});

it("spec 8: 60 files an hour for a subscriber; looking at their state is free", async () => {
  let now = 0;
  const profile = { ...specification, exportsPerHour: { ...specification.exportsPerHour, value: 3 } };
  const apiKeys = { "first-key": { subscriptions: "all" }, "other-key": { subscriptions: "all" } } as const;
  const service = await started({ data: sampleOf("TRANSPORT/FLIGHTS"), clock: () => now, profile, apiKeys });
  const order = (id: number, key: string) =>
    get(service, `/datatables/TRANSPORT/FLIGHTS.json?qopts.export=true&id=${id}&api_key=${key}`);
  for (const id of [1, 2, 3, 1, 2, 3, 1]) expect((await order(id, "first-key")).status).toBe(200);
  const refusal = await order(4, "first-key");
  expect([refusal.status, refusal.text]).toEqual([429, expect.stringMatching(/3 bulk files within an hour/)]);
  expect(refusal.headers.get("retry-after")).toBe("3600");
  expect((await order(5, "other-key")).status).toBe(200);
  now += 59 * MINUTE;
  expect((await order(4, "first-key")).headers.get("retry-after")).toBe("60");
  now += MINUTE;
  expect((await order(4, "first-key")).status).toBe(200);
  expect(specification.exportsPerHour.value).toBe(60);
});

it("spec 8: subscribers only, and premium databases only", async () => {
  const apiKeys = { free: { subscriptions: [] }, market: { subscriptions: ["MARKET"] } };
  const service = await started({
    data: sampleOf("MARKET", "WEATHER", "LABOR", "MARKET/PRICES", "TRANSPORT/FLIGHTS"),
    apiKeys,
  });
  const bulk = (code: string, key: string) => get(service, `/databases/${code}/data?download_type=full&api_key=${key}`);
  const order = (code: string, key: string) =>
    get(service, `/datatables/${code}.json?qopts.export=true&api_key=${key}`);
  expect((await bulk("MARKET", "free")).text).toContain("QEPx04");
  expect((await bulk("MARKET", "market")).status).toBe(200);
  expect((await bulk("WEATHER", "market")).status).toBe(403);
  expect((await bulk("LABOR", "market")).text).toMatch(/QEPx02.*premium/);
  expect((await order("TRANSPORT/FLIGHTS", "free")).text).toContain("QEPx04");
  expect((await order("MARKET/PRICES", "free")).text).toContain("QEPx04");
  expect((await order("MARKET/PRICES", "market")).status).toBe(200);
  const path = "/datatables/MARKET/PRICES.json?qopts.export=true&api_key=market";
  const link = (await until(service, path, "fresh")).file.link as string;
  expect((await fetch(link)).status).toBe(200);
  expect((await fetch(link.replace("=market", "=free"))).status).toBe(403);
});

it("a file not requested for a day is removed", async () => {
  let now = 0;
  const service = await started({ data: sampleOf("TRANSPORT/AIRPORTS"), clock: () => now });
  const path = "/datatables/TRANSPORT/AIRPORTS.json?qopts.export=true";
  await until(service, path, "fresh");
  now += 25 * 60 * MINUTE;
  await until(service, `${path}&state=WA`, "fresh");
  expect((await ask(service, path)).file.status).toBe("creating");
});

it("bulk files: ranges, conditions, HEAD, never compressed", async () => {
  const service = await started({ data: sampleOf("TRANSPORT/AIRPORTS") });
  const link = (await until(service, "/datatables/TRANSPORT/AIRPORTS.json?qopts.export=true", "fresh")).file
    .link as string;
  const part = async (headers: Record<string, string>, method = "GET") => {
    const answer = await fetch(link, { method, headers });
    return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
  };
  const whole = await part({ "accept-encoding": "gzip" });
  const size = whole.bytes.length;
  expect(whole.headers.get("content-encoding")).toBeNull();
  expect(whole.headers.get("content-length")).toBe(String(size));
  expect(whole.headers.get("accept-ranges")).toBe("bytes");
  const etag = whole.headers.get("etag") as string;
  expect(etag).toMatch(/^"[\w-]+"$/);
  const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  const head = await part({}, "HEAD");
  expect([head.status, head.bytes.length, head.headers.get("content-length")]).toEqual([200, 0, String(size)]);
  const begin = await part({ range: "bytes=0-999" });
  const rest = await part({ range: "bytes=1000-", "if-range": etag });
  expect([begin.status, begin.headers.get("content-range")]).toEqual([206, `bytes 0-999/${size}`]);
  expect([rest.status, rest.headers.get("content-range")]).toEqual([206, `bytes 1000-${size - 1}/${size}`]);
  expect(sha(Buffer.concat([begin.bytes, rest.bytes]))).toBe(sha(whole.bytes));
  expect((await part({ range: "bytes=-22" })).bytes).toEqual(whole.bytes.subarray(-22));
  expect((await part({ range: `bytes=10-${size * 2}` })).bytes.length).toBe(size - 10);
  expect((await part({ range: "bytes=5-9", "if-range": '"another"' })).status).toBe(200);
  for (const odd of ["bytes=9-5", "bytes=0-1,5-6", "bytes=-", "lines=1-2", "bytes=a-b"]) {
    expect((await part({ range: odd })).bytes.length, odd).toBe(size);
  }
  const beyond = await part({ range: `bytes=${size}-` });
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${size}`]);
  expect((await part({ "if-none-match": etag })).status).toBe(304);
  expect((await part({ "if-match": '"another"' })).status).toBe(412);
});

it("a database bulk file can be resumed too", async () => {
  const service = await started({ data: sampleOf("WEATHER") });
  const url = `${service.url}/api/v3/databases/WEATHER/data?download_type=full&api_key=sample`;
  const whole = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const rest = await fetch(url, { headers: { range: "bytes=100-" } });
  expect(rest.status).toBe(206);
  expect(new Uint8Array(await rest.arrayBuffer())).toEqual(whole.subarray(100));
});
