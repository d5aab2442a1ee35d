import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import type { Progress } from "../../src/columns/io/progress.js";
import { zipBytes } from "../zip/archive.js";
import { csvOf, EXPORT, exportAnswer, FILE, json, SECRET } from "./bulk-fixtures.js";
import {
  csv,
  cut,
  exported,
  fails,
  folder,
  half,
  isWhole,
  left,
  other,
  ROWS,
  ranges,
  save,
  server,
  strong,
  target,
  withOneExport,
  zip,
} from "./bulk-service.js";
import { type Answer, faultServer, ranged } from "./fault-server.js";

withOneExport();

describe("download", () => {
  it("a whole file arrives under its name, and nothing else stays", async () => {
    server.on(FILE, ranged(zip, strong));
    expect(await save()).toMatchObject({ path: target(), bytes: zip.length });
    isWhole();
    expect(left()).toEqual(["T.zip"]);
    expect(server.seen.find(({ path }) => path === FILE)?.headers["accept-encoding"]).toBe("identity");
  });

  it("row 1: with a strong ETag it resumes where it was cut", async () => {
    server.on(FILE, ranged(zip, strong, cut(half)), ranged(zip, strong, cut(1000, half + 1000)), ranged(zip, strong));
    await save();
    isWhole();
    expect(ranges()).toEqual([undefined, `bytes=${half}-`, `bytes=${half + 1000}-`]);
    expect(server.seen.at(-1)?.headers["if-range"]).toBe('"one"');
  });

  it("row 1: many cuts do not end a download that makes progress", async () => {
    server.on(FILE, ranged(zip, strong, { cutAt: 16_000 }));
    await save();
    isWhole();
    expect(server.count(FILE)).toBeGreaterThan(8);
  });

  it("row 1: a wrong Content-Range is not a continuation", async () => {
    const wrong: Answer = {
      status: 206,
      headers: { ...strong, "content-range": `bytes 5-${zip.length - 1}/${zip.length}` },
      body: zip.subarray(5),
    };
    server.on(FILE, ranged(zip, strong, cut(half)), wrong, ranged(zip, strong));
    await save();
    isWhole();
    expect(ranges()).toEqual([undefined, `bytes=${half}-`, undefined]);
  });

  it("row 2: a service that does not know Range gives it all again; nothing is appended", async () => {
    server.on(FILE, { headers: strong, body: zip, cutAt: half }, { headers: strong, body: zip });
    await save();
    isWhole();
  });

  it("row 2: without Range, cuts that always come at the same place end as an error", async () => {
    server.on(FILE, { headers: strong, body: zip, cutAt: half });
    expect(await fails(save())).toMatchObject({
      name: "TransportError",
      message: expect.stringContaining("tried 4 times"),
    });
    expect(existsSync(target())).toBe(false);
  });

  it("row 3: a file that is replaced meanwhile starts again, whole", async () => {
    server.on(FILE, ranged(other, { etag: '"old"' }, { cutAt: half }), ranged(zip, strong));
    await save();
    isWhole();
  });

  it("row 3: a file of the same length without a strong ETag is found out by its checksum, and fetched once more without Range", async () => {
    expect(other.length).not.toBe(0);
    const same = zipBytes([{ name: "T.csv", data: csvOf(ROWS, 2), method: 0 }]);
    const stored = zipBytes([{ name: "T.csv", data: csv, method: 0 }]);
    expect(same.length).toBe(stored.length);
    server.on(FILE, ranged(same, {}, cut(half)), ranged(stored, {}));
    await save();
    expect(readFileSync(target()).equals(stored)).toBe(true);
    expect(ranges()).toEqual([undefined, `bytes=${half}-`, undefined]);
  });

  it("row 3: a weak ETag that changed is a change", async () => {
    server.on(FILE, ranged(other, { etag: 'W/"a"' }, { cutAt: half }), ranged(zip, { etag: 'W/"b"' }));
    await save();
    isWhole();
    expect(ranges().at(-1)).toBeUndefined();
  });

  it("row 3: a file replaced again and again is an error after two changes", async () => {
    let n = 0;
    server.on(FILE, () => ({ headers: { etag: `"${n++}"` }, body: zip, cutAt: half + n * 100 }));
    expect(await fails(save())).toMatchObject({ code: "FileReplaced" });
  });

  it("row 5, 26: a body that only the end of the connection ends, cut, is refused and fetched once more", async () => {
    server.on(FILE, { body: zip, cutAt: half, length: "close" }, { body: zip, length: "close" });
    await save();
    isWhole();
    server.on(FILE, { body: zip, cutAt: half, length: "close" });
    expect(await fails(exported().saveZip(join(folder, "B.zip")))).toMatchObject({ name: "DataError", code: "NotZip" });
    expect(left()).toEqual(["T.zip"]);
  });

  it("row 6: a declared length that is too big or too small", async () => {
    server.on(FILE, { body: zip, length: zip.length + 100 }, { body: zip });
    await save();
    isWhole();
    server.on(FILE, { body: zip, length: zip.length - 100 });
    expect(await fails(exported().saveZip(join(folder, "B.zip")))).toMatchObject({
      name: expect.stringMatching(/DataError|TransportError/),
    });
    expect(existsSync(join(folder, "B.zip"))).toBe(false);
  });

  it("row 7: a stall and a trickle are cut and gone on from", async () => {
    server.on(FILE, ranged(zip, strong, { stallAt: half }), ranged(zip, strong, { trickle: 200 }), ranged(zip, strong));
    await save({ timeouts: { idle: 1_000 } });
    isWhole();
    // A slow machine may meet the limit once more.
    expect(server.count(FILE)).toBeGreaterThanOrEqual(3);
  });

  it("row 7: the whole download has a time limit", async () => {
    server.on(FILE, ranged(zip, strong, { stallAt: half }));
    const error = await fails(save({ timeouts: { download: 150 } }));
    expect(error).toMatchObject({ code: "Timeout", message: expect.stringContaining("0.15 seconds") });
  });

  it("row 9: a coded body is decoded, and never gone on with", async () => {
    const coded = { ...strong, "content-encoding": "gzip" };
    const packed = gzipSync(zip);
    server.on(FILE, { headers: coded, body: packed, cutAt: 20_000 }, { headers: coded, body: packed });
    await save();
    isWhole();
    expect(ranges()).toEqual([undefined, undefined]);
  });

  it("row 10: a web page in the file's place, first or in the middle, is never kept", async () => {
    const html: Answer = { headers: { "content-type": "text/html" }, body: "<!doctype html><title>Sign in</title>" };
    server.on(FILE, html);
    expect(await fails(save())).toMatchObject({
      code: "UnexpectedContent",
      message: expect.stringContaining("web page"),
    });
    server.on(FILE, ranged(zip, strong, { cutAt: half }), html);
    expect(await fails(save())).toMatchObject({ code: "UnexpectedContent" });
    expect(existsSync(target())).toBe(false);
  });

  it("row 10: an error body with status 200 is the error it is", async () => {
    server.on(FILE, { headers: json, body: '{"error":{"code":"QEPx04","message":"not subscribed"}}' });
    expect(await fails(save())).toMatchObject({ name: "ServiceError", code: "QEPx04" });
  });

  it("row 11, 12: 503 with Retry-After is waited for in full, an hour fails at once", async () => {
    server.on(FILE, { status: 503, headers: { "retry-after": "1" } }, ranged(zip, strong));
    const start = performance.now();
    await save();
    expect(performance.now() - start).toBeGreaterThan(995);
    server.on(FILE, { status: 429, headers: { "retry-after": "3600" } });
    expect(await fails(exported().saveZip(join(folder, "B.zip")))).toMatchObject({
      status: 429,
      retry: { after: 3_600_000 },
    });
  });

  it("row 16: the link's host gets no key of ours; its redirect is followed without one", async () => {
    const storage = await faultServer();
    storage.on("/", ranged(zip, strong));
    server.on(FILE, { status: 302, headers: { location: `${storage.url}/signed?x=1` } });
    await save();
    isWhole();
    expect(JSON.stringify(storage.seen)).not.toMatch(/canary|link-secret/);
    await storage.close();
  });

  it.each([403, 404, 410])("row 17: a link that answers %i at the start is renewed", async (status) => {
    server.on(FILE, { status, body: "" }, ranged(zip, strong));
    await save();
    isWhole();
    expect(server.count(EXPORT)).toBe(2);
  });

  it("row 17: a link that expires in the middle is renewed, and the download resumes", async () => {
    server.on(FILE, ranged(zip, strong, cut(half)), { status: 403, body: "expired" }, ranged(zip, strong));
    await save();
    isWhole();
    expect(ranges().at(-1)).toBe(`bytes=${half}-`);
  });

  it("row 17: a new link to another generation starts again from the first byte", async () => {
    server.on(EXPORT, exportAnswer(server), exportAnswer(server, "fresh", { snapshot: "2024-03-02 00:00:00 UTC" }));
    server.on(FILE, ranged(other, {}, { cutAt: half }), { status: 403, body: "" }, ranged(zip, {}));
    await save();
    isWhole();
    expect(ranges().at(-1)).toBeUndefined();
  });

  it("row 17: a link that never works ends as the service's refusal after three renewals", async () => {
    server.on(FILE, { status: 403, body: "" });
    expect(await fails(save())).toMatchObject({ name: "ServiceError", status: 403 });
    expect(server.count(EXPORT)).toBe(4);
  });

  it("row 18, 19: an old link is requested again by the monotonic clock", async () => {
    server.on(FILE, ranged(zip, strong, { cutAt: half }), ranged(zip, strong));
    const { specification, defineProfile } = await import("../../src/spec/profile.js");
    await save({ profile: defineProfile(specification, { linkLifetimeMs: 1 }) });
    isWhole();
    expect(server.count(EXPORT)).toBe(2);
  });

  it("row 44: a disk without room is reported before the first byte", async () => {
    server.on(FILE, { body: zip, length: 2 ** 50 });
    expect(await fails(save())).toMatchObject({
      name: "FileError",
      code: "DiskFull",
      message: expect.stringMatching(/needs \d+ bytes; \d+ are free/),
    });
    expect(left()).toEqual([]);
  });

  it("row 44, 46: the old file stays until the new one is whole", async () => {
    writeFileSync(target(), "old");
    server.on(FILE, ranged(zip, strong, { cutAt: 10 }), { status: 404, body: "" });
    expect(await fails(save({ retry: { attempts: 1 } }))).toBeDefined();
    expect(readFileSync(target(), "utf8")).toBe("old");
  });

  it("row 45: two at once on one path share one download", async () => {
    server.on(FILE, ranged(zip, strong, { delay: 100 }));
    await Promise.all([save(), save()]);
    isWhole();
    expect(server.count(FILE)).toBe(1);
    expect(left()).toEqual(["T.zip"]);
  });

  it("row 46: what an earlier run left is gone on with; what belongs to another question is not", async () => {
    server.on(FILE, ranged(zip, strong, cut(half)), { status: 400, body: "" });
    expect(await fails(save())).toMatchObject({ status: 400 });
    expect(left().filter((name) => name.endsWith(".part"))).toHaveLength(1);
    server.on(FILE, ranged(zip, strong));
    await save();
    isWhole();
    expect(ranges().at(-1)).toBe(`bytes=${half}-`);
    expect(left()).toEqual(["T.zip"]);
  });

  it("row 47: a folder that cannot be written is said", async () => {
    writeFileSync(join(folder, "file"), "");
    expect(await fails(exported().saveZip(join(folder, "file", "T.zip")))).toMatchObject({ name: "FileError" });
  });

  it("row 48: an abort ends at once and leaves what the next run resumes with", async () => {
    server.on(FILE, ranged(zip, strong, { stallAt: half }));
    const stop = new AbortController();
    const reason = new Error("enough");
    const run = fails(exported({ timeouts: { idle: 3_600_000 } }).saveZip(target(), { signal: stop.signal }));
    const written = () => left().map((name) => statSync(join(folder, name)).size);
    await vi.waitFor(() => expect(written()).toContain(half), { timeout: 60_000 });
    setTimeout(() => stop.abort(reason), 50);
    expect(await run).toBe(reason);
    server.on(FILE, ranged(zip, strong));
    await save();
    isWhole();
    expect(ranges().at(-1)).toBe(`bytes=${half}-`);
  });

  it("row 49: neither the link nor the key appears in any file, status, event or error", async () => {
    const events: Progress[] = [];
    server.on(FILE, ranged(zip, strong, { cutAt: half }), { status: 400, body: `api_key=${SECRET}` });
    const file = exported({ onProgress: (event) => events.push(event) });
    const error = await fails(file.saveZip(target()));
    const written = left().map((name) => readFileSync(join(folder, name), "latin1"));
    const { inspect } = await import("node:util");
    const all =
      JSON.stringify([await file.status(), events, error, left()]) +
      inspect(error, { depth: 9 }) +
      inspect(file, { depth: 9 }) +
      written.join();
    expect(all).not.toMatch(/link-secret|canary/);
  });
});
