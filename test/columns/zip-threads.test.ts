import { execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { utimesSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RecordBatch } from "../../src/columns/arrow/arrow.js";
import type { CellReport } from "../../src/columns/arrow/read-options.js";
import { LentBatches } from "../../src/columns/build/text-reader.js";
import { type ZipCsvOptions, zipBatches, zipTable } from "../../src/columns/files/zip-file.js";
import { tableOf } from "../../src/columns/table/conform.js";
import { inflatedAhead } from "../../src/columns/workers/inflate-ahead.js";
import { hasThreads, THREADS } from "../../src/columns/workers/thread.js";
import { zipEntry } from "../../src/format/zip.js";
import type { EntryPlace } from "../../src/format/zip-entry.js";
import { packageRoot } from "../../src/package/package-root.js";
import { onThreads } from "../divided.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { isWhole, longIt } from "../support/whole.js";
import { zipBytes } from "../zip/archive.js";
import { textsOf } from "./rows.js";

const columns = columnSpecs({ ticker: "String", note: "Text", close: "BigDecimal(15,4)", day: "Date" });
const line = (i: number, note = `n${i % 9}`): string =>
  `T${i >> 3},${note},${i % 7 === 0 ? "" : `${i}.${String(i % 10_000).padStart(4, "0")}`},20${10 + (i % 80)}-02-${10 + (i % 18)}\n`;
const csv = (rows: number, note?: string): string =>
  `ticker,note,close,day\n${Array.from({ length: rows }, (_, i) => line(i, note)).join("")}`;

/** The place of an entry in an earlier state of the file. */
const otherState = (place: EntryPlace | undefined): EntryPlace => {
  const { path, state, record } = place as EntryPlace;
  return { path, record, state: { ...state, mtimeMs: state.mtimeMs - 1 } };
};

it("the build gave the threads their code", () => expect(hasThreads()).toBe(true));

describe("a long archive", () => {
  const folder = temporaryFolder();
  const usual = THREADS.most;
  afterAll(() => {
    THREADS.most = usual;
  });
  const path = join(folder, "long.zip");
  // As many bytes, in fewer rows.
  const NOTE = Array.from({ length: isWhole ? 40 : 130 }, (_, i) => (i * 7919).toString(36)).join("-");
  const rows = isWhole ? 90_000 : 28_000;
  const batchRows = isWhole ? 20_000 : 6_000;
  const text = csv(rows, NOTE);
  const zipped = (data: string): Buffer => Buffer.from(zipBytes([{ name: "T.csv", data }]));
  const right = zipped(text);
  const wrong = zipped(`${text}T,x,nope,2024-02-29\n`);
  beforeAll(() => {
    THREADS.most = 2;
    expect(text.length).toBeGreaterThan(16_777_216);
  });
  beforeEach(() => writeFileSync(path, right));

  // Parsed on a thread, or here because each batch is lent.
  const ways = [
    ["inflated and parsed on threads", () => ({ lent: undefined })],
    ["inflated on a thread, parsed here", () => ({ lent: new LentBatches() })],
  ] as const;

  const all = async (options: Partial<ZipCsvOptions>): Promise<RecordBatch[]> => {
    const batches: RecordBatch[] = [];
    const choose = () => ({ columns, ...options });
    for await (const batch of zipBatches(await zipEntry(path), choose, options)) batches.push(batch);
    return batches;
  };

  it("gives the same by a thread and without, as batches and as a table", async () => {
    const one = await onThreads(1, () => zipTable(path, { columns }));
    expect(one.numRows).toBe(rows);
    const expected = textsOf(one);
    expect(textsOf(await zipTable(path, { columns }))).toEqual(expected);
    for (const [, way] of ways) expect(textsOf(tableOf(await all(way())))).toEqual(expected);
    const bytes = Buffer.from(right);
    expect((await zipTable(bytes, { columns })).numRows).toBe(rows);
    expect(bytes.equals(right)).toBe(true);
  });

  longIt("is read all the same where a process may have no threads", () => {
    const may = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";
    const script = `import("arrowbook").then(async ({ Frame }) => {
      const frame = await Frame.fromZip(${JSON.stringify(path)}, { columns: ${JSON.stringify(columns)} });
      process.stdout.write(String(frame.numRows));
    })`;
    const printed = execFileSync(process.execPath, [may, "--allow-fs-read=*", "--no-warnings", "-e", script], {
      cwd: packageRoot(),
    });
    expect(printed.toString()).toBe(String(rows));
  });

  it.each(ways)("names the row of an error and gives each batch before it once: %s", async (_, way) => {
    writeFileSync(path, wrong);
    const given: number[] = [];
    const reading = async (): Promise<void> => {
      const options = { columns, batchRows };
      for await (const batch of zipBatches(await zipEntry(path), () => options, way())) {
        given.push(batch.numRows);
      }
    };
    await expect(reading()).rejects.toThrow(`Row ${rows}, column "close": "nope"`);
    expect(given).toEqual(Array<number>(4).fill(batchRows));
  });

  longIt.each(ways)("reports the cells that became null, once: %s", async (_, way) => {
    writeFileSync(path, wrong);
    const reports: CellReport[] = [];
    await all({ ...way(), onBadCell: "null", onReport: (report) => reports.push(report) });
    expect(reports).toMatchObject([
      { column: "close", what: "null", count: 1, examples: [{ row: rows, value: "nope" }] },
    ]);
  });

  longIt.each(ways)("is refused at the end where its checksum is wrong: %s", async (_, way) => {
    const bytes = Buffer.from(right);
    // The CRC-32 of the central directory, 16 bytes after its signature.
    const at = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 16;
    bytes.writeUInt32LE((bytes.readUInt32LE(at) ^ 1) >>> 0, at);
    writeFileSync(path, bytes);
    await expect(all(way())).rejects.toMatchObject({ name: "DataError", code: "BadChecksum" });
  });

  longIt.each(ways)("leaves no listener on the caller's signal, and stops when it is aborted: %s", async (_, way) => {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      const options = { columns, batchRows: 1_000 };
      for await (const _ of zipBatches(await zipEntry(path), () => options, { ...way(), signal: stop.signal })) {
        expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
        stop.abort(new Error("enough"));
      }
    };
    await expect(read()).rejects.toThrow("enough");
    await expect(read()).rejects.toThrow("enough");
  });

  longIt("gives each byte once where the thread that inflates fails", async () => {
    const damaged = Buffer.from(right);
    // A byte in the middle of the compressed data: the thread has sent chunks by then.
    damaged[damaged.length >> 1] ^= 1;
    writeFileSync(path, damaged);
    const entry = await zipEntry(path);
    const archive = { kind: "zip", place: entry.place as EntryPlace, limits: {} } as const;
    const byThread: Uint8Array[] = [];
    const here: Uint8Array[] = [];
    const collect = async (chunks: AsyncIterable<Uint8Array>, to: Uint8Array[]): Promise<void> => {
      for await (const chunk of chunks) to.push(new Uint8Array(chunk));
    };
    const refused = { name: "DataError", message: expect.stringMatching(/corrupt|checksum/) };
    await expect(collect(entry.chunks(), here)).rejects.toMatchObject(refused);
    await expect(
      collect(
        inflatedAhead(archive, () => entry.chunks()),
        byThread,
      ),
    ).rejects.toMatchObject(refused);
    expect(here.length).toBeGreaterThan(2);
    expect(Buffer.concat(byThread).equals(Buffer.concat(here))).toBe(true);
    writeFileSync(path, right);
    // One that cannot begin: all is inflated here.
    byThread.length = 0;
    const other = { ...archive, place: otherState(archive.place) };
    const again = await zipEntry(path);
    await collect(
      inflatedAhead(other, () => again.chunks()),
      byThread,
    );
    expect(Buffer.concat(byThread).toString() === text).toBe(true);
  });

  // Where batches are lent, a machine of one processor reads on one thread.
  const byThreads = availableParallelism() > 1 ? ways : ways.slice(0, 1);
  longIt.each(byThreads)("the threads read no directory, and the caller's thread no row: %s", async (_, way) => {
    const written = (bytes: Uint8Array): void => {
      writeFileSync(path, bytes);
      utimesSync(path, 1_700_000_000, 1_700_000_000);
    };
    written(Buffer.from(right));
    const entry = await zipEntry(path);
    const bytes = Buffer.from(right);
    bytes.fill(0, bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])));
    written(bytes);
    const never = () => Promise.reject(new Error("read by the caller's thread"));
    const onlyThreads = {
      ...entry,
      chunks: () => ({ next: never, return: never }) as unknown as AsyncGenerator<Uint8Array>,
    };
    let read = 0;
    for await (const batch of zipBatches(onlyThreads, () => ({ columns }), way())) read += batch.numRows;
    expect(read).toBe(rows);
  });

  longIt.each(ways)("an error of the choice ends the read: %s", async (_, way) => {
    const choose = async (firstCells: () => Promise<readonly string[]>): Promise<never> => {
      expect(await firstCells()).toEqual(columns.map(({ name }) => name));
      throw new Error(`not these: ${(await firstCells()).join(" ")}`);
    };
    const reading = async (): Promise<void> => {
      for await (const _ of zipBatches(await zipEntry(path), choose, way()));
    };
    await expect(reading()).rejects.toThrow("not these: ticker note close day");
  });

  longIt("takes columns that hold more than a thread can be sent", async () => {
    const more = columns.map((column) => ({ ...column, note: () => "?" }));
    expect((await zipTable(path, { columns: more })).numRows).toBe(rows);
  });

  longIt("does not keep a process alive whose iterator was left unfinished", () => {
    const script = `import("arrowbook").then(async ({ bulkFile }) => {
      const file = bulkFile(${JSON.stringify(path)}, { columns: ${JSON.stringify(columns)} });
      const batches = file.batches();
      process.stdout.write(String((await batches.next()).value.numRows));
    })`;
    const printed = execFileSync(process.execPath, ["-e", script], { cwd: packageRoot(), timeout: 120_000 });
    expect(printed.toString()).toBe("65536");
  });
});
