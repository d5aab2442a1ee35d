import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import type { CellReport } from "../../src/columns/arrow/read-options.js";
import { parquetFileTable } from "../../src/columns/files/parquet-file.js";
import type { ParquetRead } from "../../src/columns/parquet/read/options.js";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { packageRoot } from "../../src/package/package-root.js";
import { onThreads } from "../divided.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { footerOf } from "./parquet-footer.js";
import { textsOf } from "./rows.js";

const built = existsSync(join(packageRoot(), "dist/cjs/worker.js"));

let folder = "";
const files: string[] = [];
/** Row groups of different sizes; text that repeats, that differs, and that differs late; times with microseconds. */
const sql = (from: number, to: number): string => `select i::BIGINT n, (i * 1.25)::DECIMAL(15, 4) price,
    case when i % 5 = 0 then null else i / 8 end ratio, date '2020-01-01' + (i / 10)::INTEGER as day, 'K' || (i % 90) as key,
    'note ' || i as note, case when i < 3000 then 'same' else 'other ' || i end as late, i % 3 = 0 as flag,
    timestamp '2020-01-01' + to_microseconds(i * 250) as "at", 'ab'::BLOB as bytes
  from range(${from}, ${to}) t(i)`;

beforeAll(async () => {
  folder = temporaryFolder("parquet-threads");
  const connection = await (await DuckDBInstance.create()).connect();
  await mkdir(join(folder, "parts"));
  const copy = (text: string, name: string, how: string) =>
    connection.run(`copy (${text}) to '${join(folder, name)}' (format parquet, ${how})`);
  await copy(sql(0, 12_000), "small.parquet", "row_group_size 2048");
  await copy(sql(0, 12_000), "uneven.parquet", "row_group_size 4096, codec zstd");
  await copy(sql(0, 7_000), "parts/a.parquet", "row_group_size 2048");
  await copy(sql(7_000, 12_000), "parts/b.parquet", "row_group_size 4096");
  connection.closeSync();
  files.push(...["small.parquet", "uneven.parquet", "parts"].map((name) => join(folder, name)));
});

interface Outcome {
  readonly rows?: (string | null)[][];
  readonly schema?: string;
  readonly error?: string;
  readonly reports: CellReport[];
  readonly total: number;
}

/** What a read gives; `shortest` 1 has every file split over threads. */
async function outcome(path: string, options: ParquetRead, shortest: number | undefined): Promise<Outcome> {
  const reports: CellReport[] = [];
  let last = 0;
  let total = 0;
  const all: ParquetRead = {
    ...options,
    onReport: (report) => reports.push(report),
    onBytes: (bytes, of) => {
      last = bytes;
      total = of;
    },
  };
  try {
    const table = shortest === undefined ? await readParquet(path, all) : await parquetFileTable(path, all, shortest);
    expect(last).toBe(total);
    return { rows: textsOf(table), schema: String(table.schema), reports, total };
  } catch (error) {
    return { error: String(error), reports: [], total: 0 };
  }
}

const choice = fc.record(
  {
    columns: fc.subarray(["n", "price", "ratio", "day", "key", "note", "late", "flag", "bytes"], { minLength: 1 }),
    where: fc.constantFrom<ParquetRead["where"]>(
      { n: { gte: 1_000, lt: 7_000 } },
      { key: ["K1", "K2"], flag: true },
      { n: { gte: 9_500 } },
      { day: { lt: "2019-01-01" } },
    ),
    text: fc.constantFrom("auto", "utf8", "dictionary"),
    decimals: fc.constantFrom("exact", "float64"),
    onPrecisionLoss: fc.constantFrom("round", "error"),
    batchRows: fc.constantFrom(999, 2_500, 4_096, 65_536),
    firstRow: fc.constantFrom(0, 17),
  },
  { requiredKeys: ["batchRows"] },
);

it("several threads read what one reads, and refuse it with the same message", async () => {
  expect(built).toBe(true);
  let refused = 0;
  await forAllAsync(
    { numRuns: runs(40), seed: 7 },
    fc.nat(files.length - 1),
    choice,
    fc.integer({ min: 2, max: 6 }),
    async (at, options, threads) => {
      const one = await outcome(files[at], options, undefined);
      expect(await onThreads(threads, () => outcome(files[at], options, 1))).toEqual(one);
      if (one.error !== undefined) refused++;
    },
  );
  expect(refused).toBeGreaterThan(runs(2, 0));
});

it("a damaged page in a later row group is named as on one thread", async () => {
  const bytes = await readFile(files[0]);
  const groups = footerOf(bytes)["field_4"] as Record<string, Record<string, Record<string, bigint>>[]>[];
  const at = Number(groups[4]["field_1"][1]["field_3"]["field_9"]);
  bytes.fill(255, at, at + 40);
  const path = join(folder, "damaged.parquet");
  await writeFile(path, bytes);
  const one = await outcome(path, { columns: ["n", "price"], batchRows: 999 }, undefined);
  expect(one.error).toContain('column "price" of row group 4');
  expect(await outcome(path, { columns: ["n", "price"], batchRows: 999 }, 1)).toEqual(one);
});

it("an abort ends the threads with its reason", async () => {
  const stop = new AbortController();
  const read = () =>
    parquetFileTable(
      files[0],
      {
        signal: stop.signal,
        batchRows: 999,
        onPrecisionLoss: "round",
        onBytes: () => stop.abort(new Error("enough")),
      },
      1,
    );
  await expect(onThreads(3, read)).rejects.toThrow("enough");
  await expect(parquetFileTable(files[0], { signal: stop.signal, batchRows: 999 }, 1)).rejects.toThrow("enough");
  // The threads that remain serve the next read.
  const next = await onThreads(3, () => parquetFileTable(files[0], { columns: ["n"], batchRows: 999 }, 1));
  expect(next.numRows).toBe(12_000);
});

it("the batches of a stretch share the memory of a column, each a part of its own", async () => {
  const table = await onThreads(2, () => parquetFileTable(files[0], { columns: ["price"], batchRows: 999 }, 1));
  const parts = table.batches.map((batch) => batch.data.children[0].values as Int32Array);
  // A stretch may end with a short batch, which is copied.
  const buffers = new Set(parts.map(({ buffer }) => buffer));
  expect(table.batches.length).toBeGreaterThan(10);
  expect(buffers.size).toBeLessThanOrEqual(4);
  for (const buffer of buffers) {
    const own = parts.filter((part) => part.buffer === buffer).sort((a, b) => a.byteOffset - b.byteOffset);
    for (const [i, part] of own.entries())
      expect(part.byteOffset + part.byteLength).toBeLessThanOrEqual(own[i + 1]?.byteOffset ?? buffer.byteLength);
  }
  expect(table.numRows).toBe(12_000);
});

it("a column of a table is in few large buffers, but not where conditions drop rows", async () => {
  const all = await readParquet(files[0], { columns: ["price", "day"], batchRows: 999 });
  for (const child of [0, 1]) {
    const buffers = all.batches.map((batch) => (batch.data.children[child].values as Int32Array).buffer);
    expect(new Set(buffers).size).toBeLessThanOrEqual(2);
  }
  const [price, day] = all.batches[0].data.children.map(({ values }) => (values as Int32Array).buffer);
  expect(price).not.toBe(day);
  const some = await readParquet(files[0], { columns: ["price"], where: { n: { gte: 0 } }, batchRows: 999 });
  const each = some.batches.map((batch) => (batch.data.children[0].values as Int32Array).buffer);
  expect(new Set(each).size).toBe(each.length);
});
