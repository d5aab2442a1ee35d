import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bulkFile, type LocalBulkOptions } from "../../src/client/bulk/local-bulk-file.js";
import type { ConnectOptions } from "../../src/client/transport/options.js";
import type { Progress } from "../../src/columns/io/progress.js";
import { HOST } from "../../src/disk/temp-name.js";
import { Frame } from "../../src/frame/frame.js";
import { zipBytes } from "../zip/archive.js";
import {
  archiveOf,
  columns,
  csvOf,
  EXPORT,
  exportAnswer,
  FILE,
  json,
  METADATA,
  metadata,
  SECRET,
  serviceOf,
} from "./bulk-fixtures.js";
import { type Answer, faultServer, ranged } from "./fault-server.js";

const server = await faultServer();
const root = mkdtempSync(join(tmpdir(), "arrowbook-bulk-"));
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const ROWS = 20_000;
const csv = csvOf(ROWS);
const zip = archiveOf(csv);
const other = archiveOf(csvOf(ROWS, 2));
const strong = { etag: '"one"' };
const half = Math.floor(zip.length / 2);

let folder = "";
beforeEach(() => {
  server.reset();
  folder = mkdtempSync(join(root, "t-"));
  server.on(METADATA, metadata);
  server.on(EXPORT, exportAnswer(server));
});

const poll = { first: 5, longest: 20 };
const exported = (options: ConnectOptions = {}, more: { stale?: "use" | "wait" } = {}) =>
  serviceOf(server, options)
    .table("V/T")
    .export({ poll, ...more });
const target = () => join(folder, "T.zip");
const save = (options?: ConnectOptions) => exported(options).saveZip(target());
const fails = async (run: Promise<unknown>) =>
  run.then(
    () => {
      throw new Error("it succeeded");
    },
    (error) => error,
  );
const ranges = () => server.seen.filter(({ path }) => path === FILE).map(({ headers }) => headers.range);
const isWhole = () => expect(readFileSync(target()).equals(zip)).toBe(true);
const left = () => readdirSync(folder).sort();

describe("download", () => {
  it("a whole file arrives under its name, and nothing else stays", async () => {
    server.on(FILE, ranged(zip, strong));
    expect(await save()).toMatchObject({ path: target(), bytes: zip.length });
    isWhole();
    expect(left()).toEqual(["T.zip"]);
    expect(server.seen.find(({ path }) => path === FILE)?.headers["accept-encoding"]).toBe("identity");
  });

  it("row 1: with a strong ETag it resumes where it was cut", async () => {
    server.on(FILE, ranged(zip, strong, { cutAt: half }), ranged(zip, strong, { cutAt: 1000 }), ranged(zip, strong));
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
    server.on(FILE, ranged(zip, strong, { cutAt: half }), wrong, ranged(zip, strong));
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
    server.on(FILE, ranged(same, {}, { cutAt: half }), ranged(stored, {}));
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
    server.on(FILE, ranged(zip, strong, { stallAt: half }), ranged(zip, strong, { trickle: 30 }), ranged(zip, strong));
    await save();
    isWhole();
    expect(server.count(FILE)).toBe(3);
  });

  it("row 7: the whole download has a time limit", async () => {
    server.on(FILE, ranged(zip, strong, { stallAt: half }));
    const error = await fails(save({ timeouts: { download: 150, idle: 5_000 } }));
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
    server.on(FILE, ranged(zip, strong, { cutAt: half }), { status: 403, body: "expired" }, ranged(zip, strong));
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
    server.on(FILE, ranged(zip, strong, { cutAt: half }), { status: 400, body: "" });
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

  it("row 48: an abort ends within a second and leaves what the next run resumes with", async () => {
    server.on(FILE, ranged(zip, strong, { stallAt: half }));
    const stop = new AbortController();
    const reason = new Error("enough");
    const run = fails(exported({ timeouts: { idle: 9_000 } }).saveZip(target(), { signal: stop.signal }));
    while (!left().some((name) => name.endsWith(".part"))) await new Promise((go) => setTimeout(go, 10));
    await new Promise((go) => setTimeout(go, 100));
    const start = performance.now();
    stop.abort(reason);
    expect(await run).toBe(reason);
    expect(performance.now() - start).toBeLessThan(1_000);
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

describe("the export conversation", () => {
  it("row 20: an export that is never made ends at its deadline, saying its state", async () => {
    server.on(EXPORT, exportAnswer(server, "creating", { path: null }));
    expect(await fails(exported().ready())).toMatchObject({
      name: "ServiceError",
      code: "ExportPending",
      value: "creating",
    });
    expect(server.count(EXPORT)).toBeGreaterThan(3);
  });

  it("row 20: the pauses grow, and an abort ends them at once", async () => {
    server.on(EXPORT, exportAnswer(server, "creating", { path: null }));
    const pauses: (number | undefined)[] = [];
    const stop = new AbortController();
    const onProgress = (event: Progress): void => {
      pauses.push(event.pause);
      if (pauses.length === 4) setTimeout(() => stop.abort(new Error("enough")), 1);
    };
    const file = exported({ onProgress, timeouts: { export: 60_000 } });
    await expect(file.ready({ signal: stop.signal })).rejects.toThrow("enough");
    expect(pauses.slice(0, 4)).toEqual([5, 10, 20, 20]);
  });

  it("row 21: regenerating: the older file at once, or the newer one when it is there", async () => {
    const old = { snapshot: "2024-02-01 00:00:00 UTC" };
    server.on(FILE, ranged(zip, strong));
    server.on(EXPORT, exportAnswer(server, "regenerating", old));
    expect(await exported({}, { stale: "use" }).ready()).toMatchObject({
      status: "regenerating",
      ready: true,
      data_snapshot_time: expect.stringContaining("2024-02-01"),
    });
    server.reset();
    server.on(METADATA, metadata);
    server.on(
      EXPORT,
      exportAnswer(server, "regenerating", old),
      exportAnswer(server, "regenerating", old),
      exportAnswer(server),
    );
    expect(await exported({}, { stale: "wait" }).ready()).toMatchObject({ status: "fresh" });
    expect(server.count(EXPORT)).toBe(3);
  });

  it("row 21: a file made after the refresh that was asked for is new enough, though a newer one is being made", async () => {
    server.on(
      EXPORT,
      exportAnswer(server, "creating", { path: null }),
      exportAnswer(server, "regenerating", {
        snapshot: "2024-03-01 00:00:00 UTC",
        refreshed: "2024-03-05 00:00:00 UTC",
      }),
    );
    expect(await exported({}, { stale: "wait" }).ready()).toMatchObject({ status: "regenerating", ready: true });
  });

  it("row 22: fresh without a link and creating with one are not ready; states may go back", async () => {
    server.on(
      EXPORT,
      exportAnswer(server, "fresh", { path: null }),
      exportAnswer(server, "creating"),
      exportAnswer(server, "regenerating", { path: null }),
      exportAnswer(server, "creating", { path: null }),
      exportAnswer(server),
    );
    expect(await exported().ready()).toMatchObject({ status: "fresh", ready: true });
    expect(server.count(EXPORT)).toBe(5);
  });

  it("row 22: an unknown state is an error that names it", async () => {
    server.on(EXPORT, exportAnswer(server, "brewing"));
    expect(await fails(exported().status())).toMatchObject({
      name: "DataError",
      code: "UnknownStatus",
      value: "brewing",
    });
  });

  it("row 14: the hourly limit is counted before asking; looks at one export are one", async () => {
    const service = serviceOf(server, { limits: { exportsPerHour: 2 } });
    const file = service.table("V/T").export();
    for (let i = 0; i < 5; i++) await file.status();
    await service.table("V/T").export().status();
    const asked = server.count(EXPORT);
    expect(await fails(service.table("V/T").export().status())).toMatchObject({
      code: "ExportLimit",
      message: expect.stringMatching(/2 exports.*60 minutes/),
      retry: { retryable: false },
    });
    expect(server.count(EXPORT)).toBe(asked);
  });

  it("filters and columns go with the question, checked by name first", async () => {
    server.on(FILE, ranged(zipBytes([{ name: "T.csv", data: "close,ticker\n1.2500,AAA\n" }]), strong));
    const query = serviceOf(server)
      .table("V/T")
      .where({ ticker: "AAA", date: { gte: "2024-01-01" } })
      .select("close", "ticker");
    const frame = await query.export().frame();
    expect(frame.columns.map(({ name }) => name)).toEqual(["close", "ticker"]);
    const { query: asked } = server.seen.find(({ path }) => path === EXPORT)!;
    expect(Object.fromEntries(asked)).toMatchObject({
      ticker: "AAA",
      "date.gte": "2024-01-01",
      "qopts.columns": "close,ticker",
      "qopts.export": "true",
    });
    const asks = server.count(EXPORT);
    expect(await fails(serviceOf(server).table("V/T").select("clsoe").export().status())).toMatchObject({
      code: "UnknownColumn",
    });
    expect(server.count(EXPORT)).toBe(asks);
  });
});

describe("landing", () => {
  beforeEach(() => server.on(FILE, ranged(zip, strong)));

  it("frame, batches, Parquet, Arrow stream and file, and CSV hold the same rows", async () => {
    const frame = await exported().frame();
    expect(frame.numRows).toBe(ROWS);
    expect(String(frame.table.schema.fields[2].type)).toContain("Decimal");
    const ipc = frame.toIPC();
    const paths = {
      parquet: join(folder, "a.parquet"),
      stream: join(folder, "a.arrows"),
      file: join(folder, "a.arrow"),
      csv: join(folder, "a.csv"),
    };
    const file = exported();
    expect(await file.toParquet(paths.parquet)).toMatchObject({ rows: ROWS, path: paths.parquet });
    expect(await file.toArrow(paths.stream)).toMatchObject({ rows: ROWS });
    expect(await file.toArrow(paths.file, { format: "file", batchRows: 3_000 })).toMatchObject({ rows: ROWS });
    expect(await file.toCSV(paths.csv)).toMatchObject({ bytes: csv.length });
    expect(readFileSync(paths.csv, "utf8")).toBe(csv);
    expect(readFileSync(paths.file).subarray(0, 6).toString()).toBe("ARROW1");
    const back = [
      await Frame.fromParquet(paths.parquet),
      await Frame.fromArrow(paths.stream),
      await Frame.fromArrow(paths.file),
      await Frame.fromCSV(paths.csv, { columns }),
    ];
    for (const each of back) {
      expect(each.columns).toEqual(frame.columns);
      expect([...each.rows({ decimals: "string" })]).toEqual([...frame.rows({ decimals: "string" })]);
    }
    expect(ipc.length).toBeGreaterThan(0);
    let rows = 0;
    for await (const batch of file.batches({ batchRows: 1_000 })) {
      expect(batch.numRows).toBeLessThanOrEqual(1_000);
      rows += batch.numRows;
    }
    expect(rows).toBe(ROWS);
    expect(left()).toEqual(["a.arrow", "a.arrows", "a.csv", "a.parquet"]);
  });

  it("row 27: an archive that is damaged inside is fetched once more; where it stays so, no file appears", async () => {
    const bad = zipBytes([{ name: "T.csv", data: csv, crc: 1 }]);
    server.on(FILE, ranged(bad, strong), ranged(zip, { etag: '"two"' }));
    expect((await exported().frame()).numRows).toBe(ROWS);
    server.on(FILE, ranged(bad, strong));
    for (const path of ["a.parquet", "a.arrow", "a.csv", "a.zip"].map((name) => join(folder, name))) {
      const file = exported();
      const run = path.endsWith("parquet")
        ? file.toParquet(path)
        : path.endsWith("arrow")
          ? file.toArrow(path)
          : path.endsWith("csv")
            ? file.toCSV(path)
            : file.saveZip(path);
      expect(await fails(run)).toMatchObject({ name: "DataError", code: "BadChecksum" });
    }
    expect(left()).toEqual([]);
  });

  it("row 27: rows are returned only from an archive whose checksum is right", async () => {
    server.on(FILE, ranged(zipBytes([{ name: "T.csv", data: csv, crc: 1 }]), strong));
    const seen: number[] = [];
    const run = (async () => {
      for await (const batch of exported().batches()) seen.push(batch.numRows);
    })();
    expect(await fails(run)).toMatchObject({ code: "BadChecksum" });
    expect(seen).toEqual([]);
  });

  it.each([
    [
      "row 29: two files",
      zipBytes([
        { name: "a.csv", data: csv },
        { name: "b.csv", data: csv },
      ]),
      "ZipEntries",
    ],
    ["row 29: a name that leaves the folder", zipBytes([{ name: "../a.csv", data: csv }]), "BadZip"],
    ["row 30: a bomb", zipBytes([{ name: "a.csv", data: Buffer.alloc(8 << 20, 10) }]), "ZipBomb"],
    [
      "row 30: overlapping entries",
      zipBytes(
        [
          { name: "a/", data: "" },
          { name: "a.csv", data: csv },
        ],
        { sameOffset: true },
      ),
      "ZipBomb",
    ],
    ["row 31: an unknown method", zipBytes([{ name: "a.csv", data: csv, method: 93 }]), "UnsupportedZip"],
  ])("%s is refused, and nothing is left", async (_, bytes, code) => {
    server.on(FILE, ranged(bytes, strong));
    expect(await fails(exported().toParquet(join(folder, "a.parquet")))).toMatchObject({ name: "DataError", code });
  });

  it("row 34: the header decides by name: order is free, a missing, extra or differently spelt column is an error", async () => {
    const of = (text: string) =>
      ranged(zipBytes([{ name: "T.csv", data: text }]), { etag: `"${encodeURIComponent(text)}"` });
    server.on(FILE, of("close,ticker,date\n1.2500,AAA,2024-02-29\n"));
    expect([...(await exported().frame()).rows()]).toEqual([{ ticker: "AAA", date: "2024-02-29", close: 1.25 }]);
    for (const header of ["ticker,date", "ticker,date,close,extra", "Ticker,date,close"]) {
      const cells = header.split(",").map((_, i) => ["AAA", "2024-02-29", "1", "x"][i]);
      server.on(FILE, of(`${header}\n${cells.join(",")}\n`));
      expect(await fails(exported().frame())).toMatchObject({ name: "DataError" });
    }
  });

  it("row 34: an unknown header is not taken for data", async () => {
    for (const text of ["t,d,c\nAAA,2024-02-29,1.25\n", "t,d\n", ",,\n"]) {
      server.on(FILE, ranged(zipBytes([{ name: "T.csv", data: text }]), { etag: `"${encodeURIComponent(text)}"` }));
      for (const options of [{}, { onBadCell: "null" }] as const) {
        expect(await fails(exported().frame(options))).toMatchObject({ name: "DataError", code: "UndeclaredColumn" });
      }
    }
  });

  it("a file without a header line is read by place", async () => {
    server.on(FILE, ranged(zipBytes([{ name: "T.csv", data: "AAA,2024-02-29,1.25\nBBB,2024-03-01,\n" }]), strong));
    expect([...(await exported().frame()).rows()]).toEqual([
      { ticker: "AAA", date: "2024-02-29", close: 1.25 },
      { ticker: "BBB", date: "2024-03-01", close: null },
    ]);
  });

  it("row 35: a ragged row is an error, and no file appears", async () => {
    server.on(FILE, ranged(zipBytes([{ name: "T.csv", data: "ticker,date,close\nAAA,2024-02-29\n" }]), strong));
    expect(await fails(exported().toParquet(join(folder, "a.parquet")))).toMatchObject({ name: "DataError" });
    expect(existsSync(join(folder, "a.parquet"))).toBe(false);
  });

  it("row 46: a run that broke while it wrote the Parquet file does not download again", async () => {
    const path = join(folder, "a.parquet");
    const stop = new AbortController();
    const onProgress = (event: Progress) => event.phase === "read" && stop.abort(new Error("enough"));
    await expect(exported().toParquet(path, { signal: stop.signal, onProgress, batchRows: 100 })).rejects.toThrow(
      "enough",
    );
    expect(existsSync(path)).toBe(false);
    const before = server.count(FILE);
    expect(await exported().toParquet(path)).toMatchObject({ rows: ROWS });
    expect(server.count(FILE)).toBe(before);
    expect(left()).toEqual(["a.parquet"]);
  });

  it("a cache keeps one generation: the second run downloads nothing, a newer snapshot does", async () => {
    const cache = join(folder, "cache");
    expect((await exported({ cache }).frame()).numRows).toBe(ROWS);
    expect((await exported({ cache }).frame()).numRows).toBe(ROWS);
    expect(server.count(FILE)).toBe(1);
    server.on(EXPORT, exportAnswer(server, "fresh", { snapshot: "2024-03-09 00:00:00 UTC" }));
    await exported({ cache }).frame();
    expect(server.count(FILE)).toBe(2);
    expect(readdirSync(cache).join()).not.toMatch(/canary|secret|key/);
  });

  it("row 47: a file in the cache that has rotted is downloaded again", async () => {
    const cache = join(folder, "cache");
    await exported({ cache }).frame();
    const [kept] = readdirSync(cache).filter((name) => name.endsWith(".zip"));
    const bytes = readFileSync(join(cache, kept));
    bytes[half] ^= 0xff;
    writeFileSync(join(cache, kept), bytes);
    expect((await exported({ cache }).frame()).numRows).toBe(ROWS);
    expect(server.count(FILE)).toBe(2);
    expect(readFileSync(join(cache, kept)).equals(zip)).toBe(true);
  });

  it("row 48: a slow reader holds one batch at a time, and leaving early leaves nothing behind", async () => {
    const ours = () =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`arrowbook-bulk-${HOST}-${process.pid}-`));
    expect(ours()).toEqual([]);
    for await (const batch of exported().batches({ batchRows: 100 })) {
      expect(batch.numRows).toBe(100);
      expect(ours()).toHaveLength(1);
      break;
    }
    await vi.waitFor(() => expect(ours()).toEqual([]));
  });

  it("progress reports bytes of the download and rows of the reading, to its end", async () => {
    const events: Progress[] = [];
    await exported().frame({ onProgress: (event) => events.push(event), batchRows: 1_000 });
    expect(events.at(-1)).toMatchObject({
      phase: "read",
      rows: ROWS,
      bytes: csv.length,
      total: csv.length,
      done: true,
    });
    expect(events.some(({ phase, total }) => phase === "download" && total === zip.length)).toBe(true);
  });
});

describe("database bulk", () => {
  const BULK = "/api/v3/databases/EOD/data";
  const text = "Code,Date,Open,Close\nAAPL,2024-02-29,1.5,2.5\nMSFT,2024-02-29,,3\n";

  it("Code, the date, then numbers; the answer's redirect is followed without the key", async () => {
    const storage = await faultServer();
    storage.on("/", ranged(zipBytes([{ name: "EOD.csv", data: text }]), strong));
    server.on(BULK, { status: 302, headers: { location: `${storage.url}/EOD.zip` } });
    const frame = await serviceOf(server).database("EOD").bulk("partial").frame();
    expect(frame.columns).toEqual([
      { name: "Code", type: "String" },
      { name: "Date", type: "Date" },
      { name: "Open", type: "double" },
      { name: "Close", type: "double" },
    ]);
    expect([...frame.rows()]).toEqual([
      { Code: "AAPL", Date: "2024-02-29", Open: 1.5, Close: 2.5 },
      { Code: "MSFT", Date: "2024-02-29", Open: null, Close: 3 },
    ]);
    expect(server.seen[0].query.get("download_type")).toBe("partial");
    expect(JSON.stringify(storage.seen)).not.toContain("canary");
    await storage.close();
  });

  it("without a header line the titles come from the metadata of the first series, or are numbered", async () => {
    const bare = text.slice(text.indexOf("\n") + 1);
    server.on(BULK, ranged(zipBytes([{ name: "EOD.csv", data: bare }]), strong));
    const dataset = {
      id: 1,
      dataset_code: "AAPL",
      database_code: "EOD",
      name: "n",
      description: null,
      refreshed_at: null,
      newest_available_date: null,
      oldest_available_date: null,
      column_names: ["Date", "Open", "Close"],
      frequency: "daily",
      type: "Time Series",
      premium: true,
    };
    server.on("/api/v3/datasets/EOD/AAPL/metadata", { headers: json, body: JSON.stringify({ dataset }) });
    const named = await serviceOf(server).database("EOD").bulk().frame();
    expect(named.columns.map(({ name }) => name)).toEqual(["Code", "Date", "Open", "Close"]);
    server.on("/api/v3/datasets/EOD/AAPL/metadata", { status: 404, body: "" });
    const numbered = await serviceOf(server).database("EOD").bulk().frame();
    expect(numbered.columns.map(({ name }) => name)).toEqual(["Code", "Date", "Column 1", "Column 2"]);
    expect(numbered.numRows).toBe(2);
  });

  it("row 15: not a subscriber: the service's message, requested once", async () => {
    server.on(BULK, {
      status: 403,
      headers: json,
      body: '{"error":{"code":"QEPx04","message":"You do not have permission"}}',
    });
    expect(await fails(serviceOf(server).database("EOD").bulk().frame())).toMatchObject({
      name: "ServiceError",
      code: "QEPx04",
      hint: expect.stringContaining("ubscribe"),
    });
    expect(server.count(BULK)).toBe(1);
  });
});

describe("a local archive", () => {
  it("is the same BulkFile", async () => {
    writeFileSync(target(), zip);
    const local = bulkFile(target(), { columns });
    expect(await local.status()).toMatchObject({ ready: true });
    expect((await local.frame()).numRows).toBe(ROWS);
    await local.saveZip(join(folder, "copy.zip"));
    expect(readFileSync(join(folder, "copy.zip")).equals(zip)).toBe(true);
    await local.toCSV(join(folder, "copy.csv"));
    expect(readFileSync(join(folder, "copy.csv"), "utf8")).toBe(csv);
    await local.toParquet(join(folder, "none.parquet"), { compression: "none" });
    await local.toParquet(join(folder, "snappy.parquet"), { compression: "snappy" });
    const sizeOf = (name: string) => readFileSync(join(folder, name)).length;
    expect(sizeOf("none.parquet")).toBeGreaterThan(sizeOf("snappy.parquet"));
  });

  it("needs its columns declared, but for a database bulk file", async () => {
    writeFileSync(target(), zip);
    await expect(bulkFile(target()).frame()).rejects.toMatchObject({ name: "InputError", code: "NoSchema" });
    writeFileSync(target(), zipBytes([{ name: "EOD.csv", data: "Code,Date,Close\nA,2024-02-29,1\n" }]));
    expect((await bulkFile(target()).frame()).columns.map(({ type }) => type)).toEqual(["String", "Date", "double"]);
  });

  const text = (name: string) => ({ name, type: "String" });
  const written = (csv: string) => writeFileSync(target(), zipBytes([{ name: "T.csv", data: csv }]));

  it("with an unknown header is refused", async () => {
    written("t,m\na,b\n");
    await expect(bulkFile(target(), { columns: [text("x"), text("y")] }).frame()).rejects.toMatchObject({
      name: "DataError",
      code: "UndeclaredColumn",
      hint: expect.stringContaining("header: false"),
    });
  });

  it("takes the header and lenient options of CSV", async () => {
    const columns = [text("x"), text("y")];
    written("a,b\nc,d\n");
    const rowsOf = async (options: LocalBulkOptions) => [...(await bulkFile(target(), options).frame()).rows()];
    expect(await rowsOf({ columns, header: false })).toEqual([
      { x: "a", y: "b" },
      { x: "c", y: "d" },
    ]);
    expect(await rowsOf({ columns, header: "detect" })).toHaveLength(2);
    written('y,z,X\n1,2,q"r\n');
    expect(await rowsOf({ columns, lenient: { header: true, quotes: true } })).toEqual([{ x: 'q"r', y: "1" }]);
    written("y,x\n1\n");
    await expect(rowsOf({ columns, header: "detect" })).rejects.toMatchObject({ code: "ShortRow" });
    expect(await rowsOf({ columns, header: "detect", lenient: { shortRows: true } })).toEqual([{ x: null, y: "1" }]);
    expect(() => bulkFile(target(), { header: false })).toThrow("expects columns together with header");
    expect(() => bulkFile(target(), { columns, header: "yes" as never })).toThrow('Unknown header: "yes".');
    const misspelt = { columns, lenient: { headers: true } as never };
    expect(() => bulkFile(target(), misspelt)).toThrow('has no option "headers"');
  });

  it("that is empty has no rows", async () => {
    written("");
    expect(await bulkFile(target(), { columns }).frame()).toMatchObject({ numRows: 0, numColumns: 3 });
  });

  it("that is damaged is not deleted", async () => {
    writeFileSync(target(), zip.subarray(0, half));
    await expect(bulkFile(target(), { columns }).frame()).rejects.toMatchObject({ code: "NotZip" });
    expect(existsSync(target())).toBe(true);
  });
});
