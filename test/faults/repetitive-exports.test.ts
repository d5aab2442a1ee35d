import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bulkFile } from "../../src/client/bulk/local-bulk-file.js";
import { THREADS } from "../../src/columns/workers/thread.js";
import { onThreads } from "../divided.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { zipBytes } from "../zip/archive.js";
import { columns, exportAnswer, FILE, json, METADATA, metadata, serviceOf } from "./bulk-fixtures.js";
import { exported, fails, folder, server, strong, target, withOneExport } from "./bulk-service.js";
import { ranged, type Step } from "./fault-server.js";

withOneExport();

/* Columns that repeat their values compress a thousand times: they are rows, not bombs. */
const HEADER = "ticker,date,close\n";
const dense = (rows: number, row: string): Buffer => zipBytes([{ name: "T.csv", data: HEADER + row.repeat(rows) }]);

describe("an export of repetitive columns", () => {
  it("is read, written, copied and mirrored without an option", async () => {
    const rows = 400_000;
    server.on(FILE, ranged(dense(rows, "USA,2024-02-29,1.2500\n"), strong));
    expect((await exported().frame()).numRows).toBe(rows);
    expect(await exported().toParquet(join(folder, "T.parquet"))).toMatchObject({ rows });
    expect((await exported().toCSV(join(folder, "T.csv"))).bytes).toBe(HEADER.length + rows * 22);
    await exported().saveZip(target());
    expect((await bulkFile(target(), { columns }).frame()).numRows).toBe(rows);
    let read = 0;
    for await (const batch of exported().batches()) read += batch.numRows;
    expect(read).toBe(rows);
    const mirror = await serviceOf(server).table("V/T").mirror(join(folder, "mirror"));
    expect((await mirror.frame()).numRows).toBe(rows);
  });

  it("any constant columns, in any number: every row", async () => {
    const cell = fc.record({
      ticker: fc.constantFrom("USA", "", "a longer text of thirty letters"),
      date: fc.constantFrom("2024-02-29", ""),
      close: fc.constantFrom("0.0000", "1.2500", ""),
      rows: fc.integer({ min: 60_000, max: 900_000 }),
      threads: fc.constantFrom(1, THREADS.most),
    });
    await forAllAsync(runs(8), cell, async ({ ticker, date, close, rows, threads }) => {
      const archive = dense(rows, `${ticker},${date},${close}\n`);
      server.on(FILE, ranged(archive, { etag: `"${archive.length}-${ticker}-${rows}"` }));
      const written = await onThreads(threads, () => exported().toParquet(join(folder, `${rows}.parquet`)));
      expect(written.rows).toBe(rows);
    });
  });

  it("has limits that a caller can set", async () => {
    server.on(FILE, ranged(dense(400_000, "USA,2024-02-29,1.2500\n"), strong));
    const refused = { name: "DataError", code: "ZipBomb" };
    const file = exported();
    expect(await fails(file.frame({ maxRatio: 100 }))).toMatchObject(refused);
    expect(await fails(file.saveZip(target(), { maxRatio: 100 }))).toMatchObject(refused);
    expect(await fails(file.toCSV(join(folder, "T.csv"), { maxSize: 1000 }))).toMatchObject(refused);
    expect((await file.frame({ maxRatio: 2000 })).numRows).toBe(400_000);
    const table = serviceOf(server).table("V/T");
    expect(await fails(table.mirror(join(folder, "m"), { maxRatio: 100 }))).toMatchObject(refused);
    const mirror = await table.mirror(join(folder, "m"), { maxRatio: 2000 });
    expect((await mirror.frame()).numRows).toBe(400_000);
  });

  it("has the same limits where an export replaces the pages", async () => {
    server.on("/api/v3/datatables/V/T", (request) =>
      request.query.has("qopts.export")
        ? (exportAnswer(server) as Step)
        : { status: 413, headers: json, body: '{"quandl_error":{"code":"QELx06","message":"too many results"}}' },
    );
    server.on(METADATA, metadata);
    server.on(FILE, ranged(dense(400_000, "USA,2024-02-29,1.2500\n"), strong));
    const table = serviceOf(server).table("V/T");
    const refused = { name: "DataError", code: "ZipBomb" };
    expect(await fails(table.frame({ fallback: "export", maxRatio: 100 }))).toMatchObject(refused);
    expect(await fails(table.frame({ fallback: "export", maxSize: 1_000 }))).toMatchObject(refused);
    expect(await fails(table.batches({ fallback: "export", maxRatio: 100 }).next())).toMatchObject(refused);
    expect((await table.frame({ fallback: "export", maxRatio: 2_000 })).numRows).toBe(400_000);
  });

  it("of more than a gigabyte is refused without maxRatio", async () => {
    const size = 2 ** 30 + 1;
    server.on(FILE, ranged(zipBytes([{ name: "T.csv", data: `${HEADER}USA,2024-02-29,1\n`, size }]), strong));
    const error = await fails(exported().frame());
    expect(error).toMatchObject({ code: "ZipBomb", hint: expect.stringContaining("maxRatio") });
  });

  it("is refused if it does not begin with the columns of the query", async () => {
    server.on(FILE, ranged(zipBytes([{ name: "T.csv", data: Buffer.alloc(8 << 20, "abc,def\n") }]), strong));
    expect(await fails(exported().frame())).toMatchObject({ code: "ZipBomb" });
  });
});
