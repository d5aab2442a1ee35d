import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { SpareMemory } from "../../src/columns/build/buffer-pool.js";
import type { RawBatch } from "../../src/columns/build/builder.js";
import { csvReader, csvTable } from "../../src/columns/csv/reader.js";
import { packedRaws } from "../../src/columns/files/packed-csv.js";
import { MemoryAhead, MemoryMaker } from "../../src/columns/workers/memory-ahead.js";
import { readTask, threadReader } from "../../src/columns/workers/task.js";
import { BatchReceiver } from "../../src/columns/workers/transfer.js";
import { onThreads } from "../divided.js";
import { textsOf } from "./rows.js";

const folder = mkdtempSync(join(tmpdir(), "arrowbook-held-"));
afterAll(() => rmSync(folder, { recursive: true }));

const columns = [
  { name: "ticker", type: "String" },
  { name: "close", type: "BigDecimal(15,4)" },
];
const csv = (rows: number): Buffer => {
  const lines = Array.from({ length: rows }, (_, i) => `T${i % 5_003},${i % 99_991}.25\n`);
  return Buffer.from(`ticker,close\n${lines.join("")}`);
};

describe("batches that are all kept", () => {
  it("are read again by the caller's thread, each once, where a thread fails after some of them", async () => {
    const text = csv(300_000);
    const path = join(folder, "damaged.csv.gz");
    const packed = gzipSync(text);
    packed[packed.length - 8] ^= 1;
    writeFileSync(path, packed);
    const seen: number[] = [];
    const onBytes = (bytes: number): void => void seen.push(bytes);
    const reader = csvReader({ columns });
    const file = {
      size: 33_554_432,
      async *chunks() {
        yield new Uint8Array(text);
      },
      task: { kind: "gzip", path, limits: {} } as const,
    };
    const raws: RawBatch[] = [];
    await onThreads(2, async () => {
      for await (const raw of packedRaws(file, reader, { onBytes }, Number.POSITIVE_INFINITY)) {
        raws.push(raw);
      }
    });
    expect(textsOf(reader.maker.table(raws))).toEqual(textsOf(csvTable(text, { columns })));
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });
});

it("batches that are all kept arrive before the end where they are many, in their order", async () => {
  const rows = 4_600_000;
  const path = join(folder, "long.csv");
  const line = (i: number): string => `${i % 10}.5,${i % 7}.25\n`;
  writeFileSync(
    path,
    Array.from({ length: 70 }, (_, i) => line(i))
      .join("")
      .repeat(rows / 70 + 1),
  );
  const doubles = ["x", "y"].map((name) => ({ name, type: "double" }));
  const { options } = csvReader({ columns: doubles, header: false }).parser;
  const part = { ...readTask(options, undefined), path, start: 0, end: statSync(path).size, last: true, order: [0, 1] };
  const receiver = new BatchReceiver();
  const arrived: number[] = [];
  const xs: number[] = [];
  await new Promise<void>((resolve, reject) => {
    threadReader((reply) => {
      if ("failed" in reply) reject(new Error("the thread failed"));
      if ("end" in reply) resolve();
      if (!("held" in reply)) return;
      const raws = [...receiver.batches(reply)];
      arrived.push(raws.length);
      for (const { columns } of raws) xs.push((columns[0].floats as Float64Array)[0]);
    })({ part });
  });
  expect(arrived.length).toBeGreaterThan(1);
  expect(Math.min(...arrived)).toBeGreaterThan(0);
  expect(xs[1]).toBe((65_536 % 10) + 0.5);
});

describe("memory from another thread", () => {
  it("is used for the lengths that were requested, and never twice", () => {
    const { port1, port2 } = new MessageChannel();
    const maker = new MemoryMaker(port2);
    const ahead = new MemoryAhead(port1);
    const arrived: ArrayBuffer[] = [];
    let made = 0;
    const memory = new SpareMemory();
    memory.source = {
      next(length) {
        const buffers = ahead.next(length);
        arrived.push(...buffers);
        return buffers;
      },
    };
    const lengths = [1_048_580, 262_148, 1_048_580];
    const used = new Set<ArrayBufferLike>();
    for (let round = 1; round <= 20; round++) {
      for (const length of lengths) {
        const bytes = memory.take(length);
        expect(bytes).toHaveLength(length);
        expect(used.has(bytes.buffer)).toBe(false);
        used.add(bytes.buffer);
      }
      // The other thread has time after every second round.
      while (round % 2 === 0 && maker.makeNext()) made++;
    }
    expect(made).toBeGreaterThan(20);
    memory.take(8);
    expect(arrived).toHaveLength(made);
    expect(new Set(arrived.map(({ byteLength }) => byteLength))).toEqual(new Set(lengths));
    expect(arrived.filter((buffer) => used.has(buffer)).length).toBeGreaterThan(10);
    expect(maker.makeNext()).toBe(false);
    port1.close();
  });

  it("is requested for a few batches at most while the other thread has no time", () => {
    const { port1, port2 } = new MessageChannel();
    const memory = new SpareMemory();
    memory.source = new MemoryAhead(port1);
    for (let i = 0; i < 200; i++) expect(memory.take(1_048_576)).toHaveLength(1_048_576);
    let requested = 0;
    for (let mail = receiveMessageOnPort(port2); mail !== undefined; mail = receiveMessageOnPort(port2)) {
      requested += (mail.message as number[]).reduce((sum, length) => sum + length, 0);
    }
    expect(requested).toBe(16_777_216);
    port1.close();
  });
});
