import { execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordBatch } from "../../src/columns/arrow/arrow.js";
import type { CellReport, CsvOptions } from "../../src/columns/arrow/read-options.js";
import { BatchMaker } from "../../src/columns/build/batch-maker.js";
import { LentBatches } from "../../src/columns/build/lent-batches.js";
import { csvTable } from "../../src/columns/csv/reader.js";
import { tableOf } from "../../src/columns/table/conform.js";
import { inflateTo } from "../../src/columns/workers/inflate.js";
import { inflatedAhead } from "../../src/columns/workers/inflate-ahead.js";
import { readTask, type ThreadAnswer, threadReader } from "../../src/columns/workers/task.js";
import { hasThreads } from "../../src/columns/workers/thread.js";
import { BatchReceiver } from "../../src/columns/workers/transfer.js";
import { type ZipCsvOptions, zipBatches, zipTable } from "../../src/columns/workers/zip-file.js";
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

/** What a reading thread answers to chunks of `size` bytes, and how many chunks it let in by then. */
const answersTo = async (
  text: string,
  size: number,
  options: CsvOptions,
  ahead = Number.POSITIVE_INFINITY,
): Promise<{ answers: ThreadAnswer[]; letIn: () => number; take: () => Promise<void> }> => {
  const answers: ThreadAnswer[] = [];
  const { port1, port2 } = new MessageChannel();
  const obey = threadReader((answer) => answers.push(answer));
  const bytes = Buffer.from(text);
  let at = 0;
  let letIn = 0;
  // As the thread that inflates does it: three chunks on their way, and null behind the last.
  let ended = false;
  const bring = (room: number): void => {
    for (let i = 0; i < room && !ended; i++, at += size) {
      ended = at >= bytes.length;
      port2.postMessage(ended ? null : new Uint8Array(bytes.subarray(at, at + size)));
    }
  };
  port2.on("message", (memory: ArrayBuffer) => {
    expect(memory.byteLength).toBeGreaterThan(0);
    letIn++;
    bring(1);
  });
  obey({ stream: { ...readTask(options, undefined), from: port1, ahead } });
  bring(3);
  const settled = async (): Promise<void> => {
    for (let quiet = 0, before = ""; quiet < 5; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = `${answers.length} ${letIn}`;
      quiet = now === before ? quiet + 1 : 0;
      before = now;
    }
  };
  await settled();
  const take = (): Promise<void> => {
    obey({ taken: true });
    return settled();
  };
  return { answers, letIn: () => letIn, take };
};

describe("a reading thread", () => {
  it.each([
    ["chunks of 1,000 bytes", 1_000, {}],
    ["chunks of 100,000 bytes", 100_000, {}],
    ["small batches, whose dictionaries grow", 5_000, { batchRows: 100 }],
    ["text as Utf8", 70_000, { text: "utf8", batchRows: 1_000 }],
    ["one chunk", 1e9, {}],
  ] as const)("gives the batches that the caller's thread gives: %s", async (_, size, more) => {
    const options: CsvOptions = { columns, ...more };
    const text = csv(20_000);
    const { answers } = await answersTo(text, size, options);
    const receiver = new BatchReceiver();
    const raws = answers.flatMap((answer) => ("batch" in answer ? [receiver.unpack(answer.batch)] : []));
    const one = csvTable(Buffer.from(text), options);
    const maker = new BatchMaker(columns, options);
    const [late, early] = [new BatchMaker(columns, options).table(raws), tableOf(raws.map((raw) => maker.batch(raw)))];
    expect(late.batches.map((batch) => batch.numRows)).toEqual(one.batches.map((batch) => batch.numRows));
    expect(String(late.schema)).toBe(String(one.schema));
    expect(textsOf(late)).toEqual(textsOf(one));
    expect(textsOf(early)).toEqual(textsOf(one));
    expect(answers.at(-1)).toEqual({ end: { offset: text.length, rows: 20_000, reports: [] } });
  });

  it("says where each batch ended", async () => {
    const text = csv(1_000);
    const { answers } = await answersTo(text, 999_999, { columns, batchRows: 250 });
    const lines = text.split("\n");
    const ends = [250, 500, 750, 1_000].map((rows) => lines.slice(0, rows + 1).join("\n").length + 1);
    expect(answers.flatMap((answer) => ("batch" in answer ? [answer.offset] : []))).toEqual(ends);
  });

  it("says so where something does not fit, after the batches before it, and nothing more", async () => {
    const { answers } = await answersTo(`${csv(1_000)}T,n,nope,2024-02-29\n${csv(100)}`, 999, {
      columns,
      batchRows: 100,
    });
    expect(answers.filter((answer) => "batch" in answer)).toHaveLength(10);
    expect(answers.at(-1)).toEqual({ failed: true });
    expect(answers.filter((answer) => "failed" in answer)).toHaveLength(1);
  });

  it("says so too where the columns make no sense", async () => {
    const { answers } = await answersTo(csv(1), 999, { columns, batchRows: 0 });
    expect(answers).toEqual([{ failed: true }]);
  });

  it("lets chunks in only as batches are taken", async () => {
    const text = csv(1_000);
    const size = Math.ceil(text.length / 20);
    const reading = await answersTo(text, size, { columns, batchRows: 100 }, 2);
    const batches = (): number => reading.answers.filter((answer) => "batch" in answer).length;
    // Two that wait, and what the three chunks on their way may hold.
    expect(batches()).toBeLessThanOrEqual(4);
    const before = reading.letIn();
    for (let taken = 1; taken <= 10; taken++) {
      await reading.take();
      expect(batches() - taken).toBeLessThanOrEqual(4);
    }
    expect(reading.letIn()).toBeGreaterThan(before);
    expect(batches()).toBe(10);
    expect(reading.answers.at(-1)).toMatchObject({ end: { rows: 1_000 } });
  });
});

describe("an inflating thread", () => {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "T.zip");
  const rows = Array.from({ length: 700_000 }, (_, i) => `${(i * 2654435761) % 1e9},${i}\n`).join("");

  it("sends the file in at most so many chunks at a time, whose memory goes along and comes back, and then that it has ended", async () => {
    writeFileSync(path, zipBytes([{ name: "T.csv", data: rows }]));
    const { crc32 } = await zipEntry(path);
    const { port1, port2 } = new MessageChannel();
    const chunks: Uint8Array[] = [];
    let most = 0;
    let unread = 0;
    const ended = new Promise<void>((resolve) => {
      port2.on("message", (chunk: Uint8Array<ArrayBuffer> | null) => {
        if (chunk === null) resolve();
        else {
          chunks.push(new Uint8Array(chunk));
          most = Math.max(most, ++unread);
          setTimeout(() => {
            unread--;
            port2.postMessage(chunk.buffer, [chunk.buffer]);
          }, 5);
        }
      });
    });
    await Promise.all([inflateTo({ task: { kind: "zip", path, crc32, limits: {} }, to: port1, chunks: 3 }), ended]);
    port2.close();
    expect(Buffer.concat(chunks).toString()).toBe(rows);
    expect(most).toBeLessThanOrEqual(3);
  });

  it("sends nothing of another file than was meant", async () => {
    const { port1, port2 } = new MessageChannel();
    await expect(
      inflateTo({ task: { kind: "zip", path, crc32: 1, limits: {} }, to: port1, chunks: 3 }),
    ).rejects.toThrow("changed");
    port2.close();
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

  // Parsed on a thread, or here because each batch is lent.
  const ways = [
    ["inflated and parsed on threads", () => ({ threads: 2 })],
    ["inflated on a thread, parsed here", () => ({ lent: new LentBatches() })],
  ] as const;

  const all = async (options: Partial<ZipCsvOptions>): Promise<RecordBatch[]> => {
    const batches: RecordBatch[] = [];
    for await (const batch of zipBatches(path, await zipEntry(path), { columns, ...options })) batches.push(batch);
    return batches;
  };

  it("gives the same by a thread and without, as batches and as a table", async () => {
    const one = await zipTable(path, { columns, threads: 1 });
    expect(one.numRows).toBe(rows);
    const expected = textsOf(one);
    expect(textsOf(await zipTable(path, { columns, threads: 2 }))).toEqual(expected);
    for (const [, way] of ways) expect(textsOf(tableOf(await all(way())))).toEqual(expected);
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

  it.each(ways)("names the row of an error and gives each batch before it once: %s", async (_, way) => {
    writeFileSync(path, zipped(`${text}T,x,nope,2024-02-29\n`));
    const given: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const batch of zipBatches(path, await zipEntry(path), { columns, ...way(), batchRows: 20_000 })) {
        given.push(batch.numRows);
      }
    };
    await expect(reading()).rejects.toThrow(`Row ${rows}, column "close": "nope"`);
    expect(given).toEqual([20_000, 20_000, 20_000, 20_000]);
    writeFileSync(path, zipped(text));
  });

  it.each(ways)("reports the cells that became null, once: %s", async (_, way) => {
    writeFileSync(path, zipped(`${text}T,x,nope,2024-02-29\n`));
    const reports: CellReport[] = [];
    await all({ ...way(), onBadCell: "null", onReport: (report) => reports.push(report) });
    expect(reports).toMatchObject([
      { column: "close", what: "null", count: 1, examples: [{ row: rows, value: "nope" }] },
    ]);
    writeFileSync(path, zipped(text));
  });

  it.each(ways)("is refused at the end where its checksum is wrong: %s", async (_, way) => {
    const bytes = zipped(text);
    // The CRC-32 of the central directory, 16 bytes after its signature.
    const at = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 16;
    bytes.writeUInt32LE((bytes.readUInt32LE(at) ^ 1) >>> 0, at);
    writeFileSync(path, bytes);
    await expect(all(way())).rejects.toMatchObject({ name: "DataError", code: "BadChecksum" });
    writeFileSync(path, zipped(text));
  });

  it.each(ways)("leaves no listener on the caller's signal, and stops when it is aborted: %s", async (_, way) => {
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      const options = { columns, ...way(), batchRows: 1_000, signal: stop.signal };
      for await (const _ of zipBatches(path, await zipEntry(path), options)) {
        expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
        stop.abort(new Error("enough"));
      }
    };
    await expect(read()).rejects.toThrow("enough");
    await expect(read()).rejects.toThrow("enough");
  });

  it("gives each byte once where the thread that inflates fails", async () => {
    const wrong = zipped(text);
    // A byte in the middle of the compressed data: the thread has sent chunks by then.
    wrong[wrong.length >> 1] ^= 1;
    writeFileSync(path, wrong);
    const entry = await zipEntry(path);
    const archive = { kind: "zip", path, crc32: entry.crc32, limits: {} } as const;
    const byThread: Uint8Array[] = [];
    const here: Uint8Array[] = [];
    const collect = async (chunks: AsyncIterable<Uint8Array>, to: Uint8Array[]): Promise<void> => {
      for await (const chunk of chunks) to.push(new Uint8Array(chunk));
    };
    const damaged = { name: "DataError", message: expect.stringMatching(/damaged|checksum/) };
    await expect(collect(entry.chunks(), here)).rejects.toMatchObject(damaged);
    await expect(
      collect(
        inflatedAhead(archive, () => entry.chunks()),
        byThread,
      ),
    ).rejects.toMatchObject(damaged);
    expect(here.length).toBeGreaterThan(2);
    expect(Buffer.concat(byThread).equals(Buffer.concat(here))).toBe(true);
    writeFileSync(path, zipped(text));
    // One that cannot begin: all is inflated here.
    byThread.length = 0;
    const other = { ...archive, crc32: archive.crc32 ^ 1 };
    const right = await zipEntry(path);
    await collect(
      inflatedAhead(other, () => right.chunks()),
      byThread,
    );
    expect(Buffer.concat(byThread).toString() === text).toBe(true);
  });

  it("takes columns that hold more than a thread can be sent", async () => {
    const more = columns.map((column) => ({ ...column, note: () => "?" }));
    expect((await zipTable(path, { columns: more, threads: 2 })).numRows).toBe(rows);
  });

  it("does not keep a process alive whose iterator was left unfinished", () => {
    const script = `import("arrowbook").then(async ({ bulkFile }) => {
      const file = bulkFile(${JSON.stringify(path)}, { columns: ${JSON.stringify(columns)} });
      const batches = file.batches({ threads: 2, batchRows: 1000 });
      process.stdout.write(String((await batches.next()).value.numRows));
    })`;
    const printed = execFileSync(process.execPath, ["-e", script], { cwd: packageRoot(), timeout: 20_000 });
    expect(printed.toString()).toBe("1000");
  });
});
