import { execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordBatch } from "../../src/columns/arrow/arrow.js";
import type { Batching, CellReport, CsvOptions } from "../../src/columns/arrow/read-options.js";
import { BatchMaker } from "../../src/columns/build/batch-maker.js";
import type { RawBatch } from "../../src/columns/build/builder.js";
import { LentBatches } from "../../src/columns/build/text-reader.js";
import { csvTable } from "../../src/columns/csv/reader.js";
import { type ZipCsvOptions, zipBatches, zipTable } from "../../src/columns/files/zip-file.js";
import { tableOf } from "../../src/columns/table/conform.js";
import { ChunkRing } from "../../src/columns/workers/chunk-ring.js";
import { type InflateTask, inflateTo } from "../../src/columns/workers/inflate.js";
import { inflatedAhead } from "../../src/columns/workers/inflate-ahead.js";
import { readTask, type ThreadReply, threadReader } from "../../src/columns/workers/task.js";
import { hasThreads, THREADS } from "../../src/columns/workers/thread.js";
import { BatchReceiver } from "../../src/columns/workers/transfer.js";
import { csvRecords } from "../../src/format/csv-records.js";
import { zipEntry } from "../../src/format/zip.js";
import type { EntryPlace } from "../../src/format/zip-entry.js";
import { packageRoot } from "../../src/package/package-root.js";
import { onThreads } from "../divided.js";
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

/** The place of an entry in an earlier state of the file. */
const otherState = (place: EntryPlace | undefined): EntryPlace => {
  const { path, state, record } = place as EntryPlace;
  return { path, record, state: { ...state, mtimeMs: state.mtimeMs - 1 } };
};

it("the build gave the threads their code", () => expect(hasThreads()).toBe(true));

/** What a reading thread answers to chunks of `size` bytes, and how many chunks it let in by then. */
const answersTo = async (
  text: string,
  size: number,
  options: CsvOptions & Batching,
  ahead = Number.POSITIVE_INFINITY,
): Promise<{ answers: ThreadReply[]; letIn: () => number; take: () => Promise<void> }> => {
  const answers: ThreadReply[] = [];
  const obey = threadReader((answer) => answers.push(answer));
  const bytes = Buffer.from(text);
  let letIn = 0;
  const ring = new ChunkRing();
  const bring = async (): Promise<void> => {
    for (let at = 0; at < bytes.length; at += size) {
      await ring.write(bytes.subarray(at, at + size));
      letIn++;
    }
    await ring.end();
  };
  obey({ stream: { ...readTask(options, undefined), ring: ring.memory, ahead } });
  void bring();
  const settled = async (): Promise<void> => {
    for (let quiet = 0, before = ""; quiet < 5; ) {
      await new Promise((resolve) => setTimeout(resolve, 1));
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

/** Copies of the chunks that come through a ring. */
const chunksIn = async (ring: ChunkRing): Promise<Uint8Array[]> => {
  const chunks: Uint8Array[] = [];
  for (let chunk = await ring.next(); chunk !== undefined; chunk = await ring.next()) {
    chunks.push(new Uint8Array(chunk));
    ring.release();
  }
  return chunks;
};

/** The batches in what a thread answers. */
const rawsIn = (answers: readonly ThreadReply[]): RawBatch[] => {
  const receiver = new BatchReceiver();
  return answers.flatMap((answer) => ("batches" in answer || "held" in answer ? [...receiver.batches(answer)] : []));
};

describe("a reading thread", () => {
  it.each([
    ["chunks of 1,000 bytes", 1_000, {}],
    ["chunks of 100,000 bytes", 100_000, {}],
    ["small batches, whose dictionaries grow", 5_000, { batchRows: 100 }],
    ["text as Utf8", 70_000, { text: "utf8", batchRows: 1_000 }],
    ["one chunk", 1e9, {}],
  ] as const)("gives the batches that the caller's thread gives: %s", async (_, size, more) => {
    const options: CsvOptions & Batching = { columns, ...more };
    const text = csv(20_000);
    const { answers } = await answersTo(text, size, options);
    const raws = rawsIn(answers);
    const one = csvTable(Buffer.from(text), options);
    const maker = new BatchMaker(columns, options);
    const [late, early] = [new BatchMaker(columns, options).table(raws), tableOf(raws.map((raw) => maker.batch(raw)))];
    expect(late.batches.map((batch) => batch.numRows)).toEqual(one.batches.map((batch) => batch.numRows));
    expect(String(late.schema)).toBe(String(one.schema));
    expect(textsOf(late)).toEqual(textsOf(one));
    expect(textsOf(early)).toEqual(textsOf(one));
    expect(answers.at(-1)).toEqual({ end: { offset: text.length, rows: 20_000, reports: [] } });
  });

  it("reads lines however their chunks are cut", async () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 12 }).map((text) => `"${text.replaceAll('"', '""')}"`),
      fc.stringMatching(/^[a-z0-9 .-]{1,40}$/),
    );
    const lines = fc.tuple(fc.uniqueArray(cell, { minLength: 2, maxLength: 6 }), fc.constantFrom("\n", "\r\n", ""));
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 40 }), fc.nat(20), async ([cells, end], size, rows) => {
        const row = `${cells.map((_, i) => i).join(",")}\n`;
        const text = cells.join(",") + end + (end === "" ? "" : row.repeat(rows));
        const names = [...csvRecords(text)][0].map(({ text }) => text);
        if (new Set(names).size < names.length || names.includes("")) return;
        const options = { columns: names.map((name) => ({ name, type: "String" })) };
        const { answers } = await answersTo(text, size, options);
        const table = csvTable(Buffer.from(text), options);
        expect(answers.at(-1)).toMatchObject({ end: { rows: table.numRows } });
        expect(textsOf(new BatchMaker(options.columns, {}).table(rawsIn(answers)))).toEqual(textsOf(table));
      }),
      { numRuns: 60 },
    );
  });

  it("says where each batch ended", async () => {
    const text = csv(1_000);
    const { answers } = await answersTo(text, 999_999, { columns, batchRows: 250 });
    const lines = text.split("\n");
    const ends = [250, 500, 750, 1_000].map((rows) => lines.slice(0, rows + 1).join("\n").length + 1);
    expect(answers.flatMap((answer) => ("batches" in answer ? [answer.offset] : []))).toEqual(ends);
  });

  it("says so where something does not fit, after the batches before it, and nothing more", async () => {
    const { answers } = await answersTo(`${csv(1_000)}T,n,nope,2024-02-29\n${csv(100)}`, 999, {
      columns,
      batchRows: 100,
    });
    expect(answers.filter((answer) => "batches" in answer)).toHaveLength(10);
    expect(answers.at(-1)).toEqual({ failed: true });
    expect(answers.filter((answer) => "failed" in answer)).toHaveLength(1);
  });

  it("says so too where the columns make no sense", async () => {
    const { answers } = await answersTo(csv(1), 999, { columns: [{ name: "ticker", type: "BigDecimal(0,9)" }] });
    expect(answers).toEqual([{ failed: true }]);
  });

  it("lets chunks in only as batches are taken", async () => {
    const text = csv(1_000);
    const size = Math.ceil(text.length / 40);
    const reading = await answersTo(text, size, { columns, batchRows: 100 }, 2);
    const batches = (): number => reading.answers.filter((answer) => "batches" in answer).length;
    expect(batches()).toBe(2);
    const before = reading.letIn();
    expect(before).toBeLessThan(30);
    for (let taken = 1; taken <= 10; taken++) {
      await reading.take();
      expect(batches()).toBe(Math.min(10, taken + 2));
    }
    expect(reading.letIn()).toBeGreaterThan(before);
    expect(reading.answers.at(-1)).toMatchObject({ end: { rows: 1_000 } });
  });
});

describe("an inflating thread", () => {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "T.zip");
  const rows = Array.from({ length: 700_000 }, (_, i) => `${(i * 2654435761) % 1e9},${i}\n`).join("");

  it("writes the file into the ring at the reader's pace, then the end", async () => {
    writeFileSync(path, zipBytes([{ name: "T.csv", data: rows }]));
    const { place } = await zipEntry(path);
    const ring = new ChunkRing();
    let inflated = false;
    const task: InflateTask = { kind: "zip", place: place as EntryPlace, limits: {} };
    const inflating = inflateTo({ task, ring: ring.memory }).then(() => {
      inflated = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(inflated).toBe(false);
    expect(Buffer.concat(await chunksIn(ring)).toString() === rows).toBe(true);
    await inflating;
  });

  it("inflates gzip too", async () => {
    const gzipped = join(folder, "T.csv.gz");
    writeFileSync(gzipped, gzipSync(rows));
    const ring = new ChunkRing();
    const inflating = inflateTo({ task: { kind: "gzip", path: gzipped, limits: {} }, ring: ring.memory });
    expect(Buffer.concat(await chunksIn(ring)).toString() === rows).toBe(true);
    await inflating;
  });

  it("writes a stored entry", async () => {
    const stored = join(folder, "stored.zip");
    writeFileSync(stored, zipBytes([{ name: "T.csv", data: rows, method: 0 }]));
    const ring = new ChunkRing();
    const task: InflateTask = { kind: "zip", place: (await zipEntry(stored)).place as EntryPlace, limits: {} };
    const inflating = inflateTo({ task, ring: ring.memory });
    expect(Buffer.concat(await chunksIn(ring)).toString() === rows).toBe(true);
    await inflating;
  });

  it("writes nothing of another file than was meant", async () => {
    const task: InflateTask = { kind: "zip", place: otherState((await zipEntry(path)).place), limits: {} };
    await expect(inflateTo({ task, ring: new ChunkRing().memory })).rejects.toThrow("changed");
  });

  const deflated = deflateRawSync(rows);
  it.each([
    ["a wrong checksum", { crc: 1 }],
    ["more bytes than declared", { size: rows.length - 1 }],
    ["fewer bytes than declared", { size: rows.length + 1 }],
    ["bytes after the compressed data", { raw: Buffer.concat([deflated, Buffer.from([0])]) }],
    ["truncated compressed data", { raw: deflated.subarray(0, -5) }],
    ["damaged compressed data", { raw: Buffer.from(deflated).fill(0xff, 1_000_000, 1_000_064) }],
    ["an archive in the archive", { data: zipBytes([{ name: "T.csv", data: rows }]) }],
    ["a size beyond the limits", { size: 2 ** 31 }],
  ])("refuses %s", async (_, made) => {
    const damaged = join(folder, "damaged.zip");
    writeFileSync(damaged, zipBytes([{ name: "T.csv", data: rows, ...made }]));
    const { place } = await zipEntry(damaged);
    const ring = new ChunkRing();
    const task: InflateTask = { kind: "zip", place: place as EntryPlace, limits: { maxSize: 2 ** 30 } };
    const inflating = inflateTo({ task, ring: ring.memory });
    inflating.catch(() => ring.close());
    await chunksIn(ring);
    await expect(inflating).rejects.toThrow();
  });
});

describe("a long archive", () => {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-"));
  const usual = THREADS.most;
  afterAll(() => {
    THREADS.most = usual;
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, "long.zip");
  const NOTE = Array.from({ length: 40 }, (_, i) => (i * 7919).toString(36)).join("-");
  const rows = 90_000;
  const text = csv(rows, NOTE);
  const zipped = (data: string): Buffer => Buffer.from(zipBytes([{ name: "T.csv", data }]));
  beforeAll(() => {
    THREADS.most = 2;
    expect(text.length).toBeGreaterThan(16_777_216);
    writeFileSync(path, zipped(text));
  });

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
    const bytes = zipped(text);
    expect((await zipTable(bytes, { columns })).numRows).toBe(rows);
    expect(bytes.equals(zipped(text))).toBe(true);
  });

  it("is read all the same where a process may have no threads", () => {
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
    writeFileSync(path, zipped(`${text}T,x,nope,2024-02-29\n`));
    const given: number[] = [];
    const reading = async (): Promise<void> => {
      const options = { columns, batchRows: 20_000 };
      for await (const batch of zipBatches(await zipEntry(path), () => options, way())) {
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
      const options = { columns, batchRows: 1_000 };
      for await (const _ of zipBatches(await zipEntry(path), () => options, { ...way(), signal: stop.signal })) {
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
    const archive = { kind: "zip", place: entry.place as EntryPlace, limits: {} } as const;
    const byThread: Uint8Array[] = [];
    const here: Uint8Array[] = [];
    const collect = async (chunks: AsyncIterable<Uint8Array>, to: Uint8Array[]): Promise<void> => {
      for await (const chunk of chunks) to.push(new Uint8Array(chunk));
    };
    const damaged = { name: "DataError", message: expect.stringMatching(/corrupt|checksum/) };
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
    const other = { ...archive, place: otherState(archive.place) };
    const right = await zipEntry(path);
    await collect(
      inflatedAhead(other, () => right.chunks()),
      byThread,
    );
    expect(Buffer.concat(byThread).toString() === text).toBe(true);
  });

  // Where batches are lent, a machine of one processor reads on one thread.
  const byThreads = availableParallelism() > 1 ? ways : ways.slice(0, 1);
  it.each(byThreads)("the threads read no directory, and the caller's thread no row: %s", async (_, way) => {
    const written = (bytes: Uint8Array): void => {
      writeFileSync(path, bytes);
      utimesSync(path, 1_700_000_000, 1_700_000_000);
    };
    written(zipped(text));
    const entry = await zipEntry(path);
    const bytes = zipped(text);
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
    writeFileSync(path, zipped(text));
  });

  it.each(ways)("an error of the choice ends the read: %s", async (_, way) => {
    const choose = async (firstCells: () => Promise<readonly string[]>): Promise<never> => {
      expect(await firstCells()).toEqual(columns.map(({ name }) => name));
      throw new Error(`not these: ${(await firstCells()).join(" ")}`);
    };
    const reading = async (): Promise<void> => {
      for await (const _ of zipBatches(await zipEntry(path), choose, way()));
    };
    await expect(reading()).rejects.toThrow("not these: ticker note close day");
  });

  it("takes columns that hold more than a thread can be sent", async () => {
    const more = columns.map((column) => ({ ...column, note: () => "?" }));
    expect((await zipTable(path, { columns: more })).numRows).toBe(rows);
  });

  it("does not keep a process alive whose iterator was left unfinished", () => {
    const script = `import("arrowbook").then(async ({ bulkFile }) => {
      const file = bulkFile(${JSON.stringify(path)}, { columns: ${JSON.stringify(columns)} });
      const batches = file.batches();
      process.stdout.write(String((await batches.next()).value.numRows));
    })`;
    const printed = execFileSync(process.execPath, ["-e", script], { cwd: packageRoot(), timeout: 120_000 });
    expect(printed.toString()).toBe("65536");
  });
});
