import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordBatch } from "../../src/columns/arrow.js";
import { BatchMaker } from "../../src/columns/batches.js";
import { csvStreamTable } from "../../src/columns/csv.js";
import { threadBatches } from "../../src/columns/csv-thread.js";
import type { CellReport, CsvOptions } from "../../src/columns/options.js";
import { readTask } from "../../src/columns/read-task.js";
import { hasThreads, ThreadFailure } from "../../src/columns/reader-thread.js";
import { tableOf } from "../../src/columns/unify.js";
import { zipBatches, zipTable } from "../../src/columns/zip-rows.js";
import { zipEntry } from "../../src/format/zip.js";
import { packageRoot } from "../../src/package/package-root.js";
import { zipBytes } from "../zip/archive.js";
import { textsOf } from "./rows.js";

const columns = [
  { name: "ticker", type: "String" },
  { name: "note", type: "Text" },
  { name: "close", type: "BigDecimal(15,4)" },
  { name: "day", type: "Date" },
];
const line = (i: number, note = `n${i % 9}`): string =>
  `T${i >> 3},${note},${i % 7 === 0 ? "" : `${i}.${String(i % 10_000).padStart(4, "0")}`},20${10 + (i % 80)}-02-${10 + (i % 18)}\n`;
const csv = (rows: number, note?: string): string =>
  `ticker,note,close,day\n${Array.from({ length: rows }, (_, i) => line(i, note)).join("")}`;

it("the build gave the threads their code", () => expect(hasThreads()).toBe(true));

/** Text in chunks of `size` bytes; with `own` each in memory of its own, as zlib gives them. */
async function* cut(text: string, size: number, own = false): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    yield own ? new Uint8Array(chunk) : chunk;
  }
}

describe("a stream parsed on a thread", () => {
  it.each([
    ["chunks of 1,000 bytes out of one memory", 1_000, false, {}],
    ["chunks with memory of their own", 100_000, true, {}],
    ["small batches, whose dictionaries grow", 5_000, false, { batchRows: 100 }],
    ["text as Utf8", 70_000, true, { text: "utf8", batchRows: 1_000 }],
    ["one chunk", 1e9, true, {}],
  ] as const)("gives the batches that one thread gives: %s", async (_, size, own, more) => {
    const options: CsvOptions = { columns, ...more };
    const text = csv(20_000);
    const raws = [];
    for await (const raw of threadBatches(cut(text, size, own), readTask(options, undefined), { ahead: 2 }))
      raws.push(raw);
    const one = await csvStreamTable(cut(text, size), options);
    const maker = new BatchMaker(columns, options);
    const [late, early] = [new BatchMaker(columns, options).table(raws), tableOf(raws.map((raw) => maker.batch(raw)))];
    expect(late.batches.map((batch) => batch.numRows)).toEqual(one.batches.map((batch) => batch.numRows));
    expect(String(late.schema)).toBe(String(one.schema));
    expect(textsOf(late)).toEqual(textsOf(one));
    expect(textsOf(early)).toEqual(textsOf(one));
  });

  it("leaves memory alone that others may share", async () => {
    const text = csv(10);
    const pooled = Buffer.from(text);
    for await (const _ of threadBatches([pooled] as never, readTask({ columns }, undefined), { ahead: 2 }));
    expect(pooled.toString()).toBe(text);
  });

  it("says where each batch ended", async () => {
    const text = csv(1_000);
    const offsets: number[] = [];
    const task = readTask({ columns, batchRows: 250 }, undefined);
    for await (const _ of threadBatches(cut(text, 512), task, { ahead: 2, onBatch: (at) => offsets.push(at) }));
    const lines = text.split("\n");
    const ends = [250, 500, 750, 1_000].map((rows) => lines.slice(0, rows + 1).join("\n").length + 1);
    expect(offsets).toEqual(ends);
  });

  it("ends with ThreadFailure where something does not fit, after the batches before it", async () => {
    const text = `${csv(1_000)}T,n,nope,2024-02-29\n`;
    let rows = 0;
    const reading = async (): Promise<void> => {
      const task = readTask({ columns, batchRows: 100 }, undefined);
      for await (const raw of threadBatches(cut(text, 999), task, { ahead: 2 })) rows += raw.rows;
    };
    await expect(reading()).rejects.toBeInstanceOf(ThreadFailure);
    expect(rows).toBe(1_000);
  });

  it("passes on what the chunks throw", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(csv(10));
      throw new Error("cable cut");
    }
    const reading = async (): Promise<void> => {
      for await (const _ of threadBatches(broken(), readTask({ columns }, undefined), { ahead: 2 }));
    };
    await expect(reading()).rejects.toThrow("cable cut");
  });

  it("brings no more chunks than the caller can use, and closes them when it leaves", async () => {
    let brought = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from("ticker,note,close,day\n");
        for (;;) {
          brought++;
          yield Buffer.from(line(brought).repeat(500));
        }
      } finally {
        closed = true;
      }
    }
    const task = readTask({ columns, batchRows: 500 }, undefined);
    for await (const _ of threadBatches(endless(), task, { ahead: 2 })) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      break;
    }
    expect(closed).toBe(true);
    expect(brought).toBeLessThan(12);
  });

  it("stops when it is aborted, before and on the way", async () => {
    const stop = new AbortController();
    const task = readTask({ columns, batchRows: 100 }, undefined);
    const reading = async (): Promise<void> => {
      for await (const _ of threadBatches(cut(csv(5_000), 2_000), task, { ahead: 2, signal: stop.signal })) {
        stop.abort(new Error("enough"));
      }
    };
    await expect(reading()).rejects.toThrow("enough");
    await expect(reading()).rejects.toThrow("enough");
  });
});

describe("a long archive", () => {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "long.zip");
  const NOTE = Array.from({ length: 40 }, (_, i) => (i * 7919).toString(36)).join("-");
  const rows = 90_000;
  const text = csv(rows, NOTE);
  const zipped = (data: string): Buffer => Buffer.from(zipBytes([{ name: "T.csv", data }]));
  beforeAll(() => {
    expect(text.length).toBeGreaterThan(16_777_216);
    writeFileSync(path, zipped(text));
  });

  const all = async (options: Partial<CsvOptions>): Promise<RecordBatch[]> => {
    const batches: RecordBatch[] = [];
    for await (const batch of zipBatches(await zipEntry(path), { columns, ...options })) batches.push(batch);
    return batches;
  };

  it("gives the same by a thread and without, as batches and as a table", async () => {
    const one = await zipTable(path, { columns, threads: 1 });
    expect(one.numRows).toBe(rows);
    const expected = textsOf(one);
    expect(textsOf(await zipTable(path, { columns, threads: 2 }))).toEqual(expected);
    expect(textsOf(tableOf(await all({ threads: 2 })))).toEqual(expected);
    const bytes = zipped(text);
    expect((await zipTable(bytes, { columns, threads: 2 })).numRows).toBe(rows);
    expect(bytes.equals(zipped(text))).toBe(true);
  });

  it("is read all the same where a process may have no threads", () => {
    const may = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";
    const script = `import("arrowbook").then(async ({ Frame }) => {
      const frame = await Frame.fromZip(${JSON.stringify(path)}, { columns: ${JSON.stringify(columns)}, threads: 2 });
      process.stdout.write(String(frame.numRows));
    })`;
    const printed = execFileSync(process.execPath, [may, "--allow-fs-read=*", "--no-warnings", "-e", script], {
      cwd: packageRoot(),
    });
    expect(printed.toString()).toBe(String(rows));
  });

  it("names the row of an error and gives each batch before it once", async () => {
    writeFileSync(path, zipped(`${text}T,x,nope,2024-02-29\n`));
    const given: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const batch of zipBatches(await zipEntry(path), { columns, threads: 2, batchRows: 20_000 })) {
        given.push(batch.numRows);
      }
    };
    await expect(reading()).rejects.toThrow(`Row ${rows}, column "close": "nope"`);
    expect(given).toEqual([20_000, 20_000, 20_000, 20_000]);
    writeFileSync(path, zipped(text));
  });

  it("reports the cells that became null, once", async () => {
    writeFileSync(path, zipped(`${text}T,x,nope,2024-02-29\n`));
    const reports: CellReport[] = [];
    await all({ threads: 2, onBadCell: "null", onReport: (report) => reports.push(report) });
    expect(reports).toMatchObject([
      { column: "close", what: "null", count: 1, examples: [{ row: rows, value: "nope" }] },
    ]);
    writeFileSync(path, zipped(text));
  });

  it("is refused at the end where its checksum is wrong", async () => {
    const bytes = zipped(text);
    // The CRC-32 of the central directory, 16 bytes after its signature.
    const at = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 16;
    bytes.writeUInt32LE((bytes.readUInt32LE(at) ^ 1) >>> 0, at);
    writeFileSync(path, bytes);
    await expect(all({ threads: 2 })).rejects.toMatchObject({ name: "DataError", code: "BadChecksum" });
    writeFileSync(path, zipped(text));
  });
});
