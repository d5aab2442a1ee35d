import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Progress } from "../../src/columns/io/progress.js";
import { hostDigits } from "../../src/disk/temp-name.js";
import { Frame } from "../../src/frame/frame.js";
import { inBatches } from "../divided.js";
import { zipBytes } from "../zip/archive.js";
import { columns, EXPORT, exportAnswer, FILE } from "./bulk-fixtures.js";
import {
  csv,
  exported,
  fails,
  folder,
  half,
  left,
  other,
  ROWS,
  server,
  strong,
  withOneExport,
  zip,
} from "./bulk-service.js";
import { ranged } from "./fault-server.js";

withOneExport();

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
    expect(await inBatches(3_000, () => file.toArrow(paths.file, { format: "file" }))).toMatchObject({ rows: ROWS });
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
    await inBatches(1_000, async () => {
      for await (const batch of file.batches()) {
        expect(batch.numRows).toBeLessThanOrEqual(1_000);
        rows += batch.numRows;
      }
    });
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
    await expect(exported().toParquet(path, { signal: stop.signal, onProgress })).rejects.toThrow("enough");
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

  it("a cache looks at the ETag where two generations may have begun within one second", async () => {
    const cache = join(folder, "cache");
    const times = { snapshot: "2024-03-01 00:00:00 UTC", refreshed: "2024-03-01 00:00:00 UTC" };
    server.on(EXPORT, exportAnswer(server, "fresh", times));
    const close = async () => (await exported({ cache }).frame()).column("close").toStrings();
    server.on(FILE, { body: zip, headers: strong });
    const first = await close();
    expect(await close()).toEqual(first);
    expect(server.count(FILE)).toBe(2);
    server.on(FILE, { body: other, headers: { etag: '"two"' } });
    expect(await close()).not.toEqual(first);
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
      readdirSync(tmpdir()).filter((name) => name.startsWith(`arrowbook-bulk-${hostDigits()}-${process.pid}-`));
    expect(ours()).toEqual([]);
    await inBatches(100, async () => {
      for await (const batch of exported().batches()) {
        expect(batch.numRows).toBe(100);
        expect(ours()).toHaveLength(1);
        break;
      }
    });
    await vi.waitFor(() => expect(ours()).toEqual([]), { timeout: 60_000 });
  });

  it("progress reports bytes of the download and rows of the reading, to its end", async () => {
    const events: Progress[] = [];
    await inBatches(1_000, () => exported().frame({ onProgress: (event) => events.push(event) }));
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
