import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { RawBatch } from "../../src/columns/build/builder.js";
import { csvReader, csvTable } from "../../src/columns/csv/reader.js";
import { packedRaws } from "../../src/columns/files/packed-csv.js";
import { readTask, threadReader } from "../../src/columns/workers/task.js";
import { BatchReceiver } from "../../src/columns/workers/transfer.js";
import { onThreads } from "../divided.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { textsOf } from "./rows.js";

const folder = temporaryFolder("held");

const columns = columnSpecs({ ticker: "String", close: "BigDecimal(15,4)" });
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

longIt("batches that are all kept arrive before the end where they are many, in their order", async () => {
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
  const part = {
    ...readTask(options, undefined),
    file: path,
    start: 0,
    end: statSync(path).size,
    last: true,
    order: [0, 1],
  };
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
