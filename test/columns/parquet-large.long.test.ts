import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import polars from "nodejs-polars";
import { beforeAll, describe, expect, it } from "vitest";
import type { Progress } from "../../src/columns/io/progress.js";
import { parquetBatches } from "../../src/frame/files/parquet-batches.js";
import { Frame } from "../../src/frame/frame.js";
import { packageRoot } from "../../src/package/package-root.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { footerOf } from "./parquet-footer.js";

const ROWS = 3_000_000;
let folder = "";
let path = "";
/** The same rows by another writer, many pages in each row group. */
let long = "";

/** Columns of about 200 MB as Arrow's buffers, in row groups of 122,880 rows. */
beforeAll(async () => {
  folder = temporaryFolder("parquet-large");
  path = join(folder, "large.parquet");
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "400MB" })).connect();
  await connection.run(`copy (select i::BIGINT n, (i * 7919 % 1000003 / 100)::DECIMAL(15, 4) price, (i * 3)::DECIMAL(30, 2) wide,
      i / 7 as ratio, 'text ' || (i * 7919 % 1000003) note from range(${ROWS}) t(i))
    to '${path}' (format parquet)`);
  connection.closeSync();
  long = join(folder, "long.parquet");
  polars.readParquet(path).writeParquet(long, { compression: "snappy" });
  expect((footerOf(await readFile(long))["field_4"] as unknown[]).length).toBeLessThan(16);
});

describe("a long file", () => {
  it.each(["of many row groups", "of another writer, with many pages"])(
    "%s is read in batches within bounded memory",
    (kind) => {
      const file = kind === "of another writer, with many pages" ? long : path;
      const script = `import("arrowbook").then(async ({ parquetBatches, Frame }) => {
      const path = ${JSON.stringify(file)};
      // Buffers are freed beside the collection, and counted as free a little later.
      const held = async () => {
        for (let i = 0; i < 2; i++) {
          gc();
          await new Promise((done) => setTimeout(done, 20));
        }
        return process.memoryUsage().arrayBuffers;
      };
      const before = await held();
      let [most, rows, count] = [0, 0, 0];
      for await (const batch of parquetBatches(path, { onProgress: false })) {
        rows += batch.numRows;
        if (count++ % 4 === 0) most = Math.max(most, (await held()) - before);
      }
      const frame = await Frame.fromParquet(path, { onProgress: false });
      process.stdout.write(JSON.stringify({ rows, most, all: frame.numRows, whole: frame.nbytes }));
    })`;
      const printed = execFileSync(process.execPath, ["--expose-gc", "-e", script], { cwd: packageRoot() }).toString();
      const { rows, all, most, whole } = JSON.parse(printed) as Record<string, number>;
      expect([rows, all]).toEqual([ROWS, ROWS]);
      // The whole table takes more, so that the measure can fail.
      expect(whole).toBeGreaterThan(180e6);
      expect(most).toBeLessThan(90e6);
    },
  );
});

describe("progress", () => {
  const rising = (events: readonly Progress[]): void => {
    expect(events.length).toBeGreaterThan(0);
    for (const [i, { phase, bytes = 0, total = 0 }] of events.entries()) {
      expect(phase).toBe("read");
      expect(bytes).toBeGreaterThanOrEqual(events[i - 1]?.bytes ?? 0);
      expect(bytes).toBeLessThanOrEqual(total);
      expect(total).toBe(events[0].total);
    }
    expect(events[events.length - 1]).toMatchObject({ done: true, bytes: events[0].total });
  };

  it("of a file, of its batches, and of a folder ends with all bytes", async () => {
    const parts = join(folder, "parts");
    await mkdir(parts);
    for (const name of ["a", "b"]) await copyFile(path, join(parts, `${name}.parquet`));
    const events: Progress[] = [];
    const onProgress = (event: Progress): void => void events.push(event);
    await Frame.fromParquet(path, { columns: ["n"], onProgress });
    expect(events[0].code).toBe(path);
    rising(events.splice(0));
    await Frame.fromParquet(parts, { columns: ["n"], onProgress });
    rising(events.splice(0));
    let rows = 0;
    for await (const batch of parquetBatches(pathToFileURL(path), { columns: ["n", "note"], onProgress }))
      rows += batch.numRows;
    expect(rows).toBe(ROWS);
    expect(events.at(-1)).toMatchObject({ rows: ROWS, done: true });
    rising(events);
  });
});
