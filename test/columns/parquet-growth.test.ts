import { join } from "node:path";
import fc from "fast-check";
import type { SchemaElement } from "hyparquet-writer";
import { beforeAll, describe, expect, it } from "vitest";
import { parquetFileBatches, readParquet } from "../../src/columns/parquet/read/read.js";
import { duckdbEngine } from "../../src/engine/duckdb/duckdb.js";
import { Frame } from "../../src/frame/frame.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt, runs } from "../support/whole.js";
import { fileOfPages, type LeafPage } from "./parquet-pages.js";

let folder = "";
beforeAll(async () => {
  folder = temporaryFolder("parquet-growth");
});

const BOMB = { name: "DataError", code: "ParquetBomb" };
const SMALL = 2 ** 27;

/** `count` levels of 0 as one run. */
function zeros(count: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = count * 2; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    if (rest < 128) break;
  }
  return Uint8Array.from([...bytes, 0]);
}

type Type = "BOOLEAN" | "INT32" | "INT64" | "INT96" | "DOUBLE" | "BYTE_ARRAY";

/** A file of columns that are null in all of very many rows. */
function nulls(types: readonly Type[], rows: number): Uint8Array {
  const schema: SchemaElement[] = [
    { name: "root", num_children: types.length },
    ...types.map((type, i) => ({ name: `c${i}`, type, repetition_type: "OPTIONAL" as const })),
  ];
  const pages = types.map(
    (type, i): LeafPage => ({
      path: [`c${i}`],
      type,
      slots: rows,
      definitions: [],
      definitionBytes: zeros(rows),
      repetitions: [],
      maxDefinition: 1,
      maxRepetition: 0,
      values: new Uint8Array(0),
      nulls: rows,
      rows,
    }),
  );
  return fileOfPages({ schema, rows }, pages);
}

async function firstBatch(file: Uint8Array, options: object): Promise<number> {
  for await (const batch of parquetFileBatches(file, options)) return batch.numRows;
  return 0;
}

describe("a small file of very many rows", () => {
  it("is refused before it takes memory, whatever its columns are", async () => {
    await forAllAsync(
      runs(20, 5),
      fc.array(fc.constantFrom<Type>("BOOLEAN", "INT32", "INT64", "INT96", "DOUBLE", "BYTE_ARRAY"), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.integer({ min: 34_000_000, max: 2 ** 27 }),
      async (types, rows) => {
        const file = nulls(types, rows);
        expect(file.length).toBeLessThan(5_000);
        const before = process.memoryUsage().arrayBuffers;
        await expect(readParquet(file)).rejects.toMatchObject({ ...BOMB, hint: expect.stringContaining("maxRatio") });
        await expect(firstBatch(file, {})).rejects.toMatchObject(BOMB);
        await expect(readParquet(file, { maxRatio: 2 })).rejects.toMatchObject(BOMB);
        expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(SMALL / 4);
      },
    );
  });

  longIt("is read where the limit is raised, or few columns are read", async () => {
    const file = nulls(["INT64", "INT32", "INT32"], 20_000_000);
    await expect(firstBatch(file, {})).rejects.toMatchObject(BOMB);
    expect(await firstBatch(file, { columns: ["c1"], batchRows: 1000 })).toBe(1000);
    expect(await firstBatch(file, { maxRatio: 1e9, batchRows: 1000 })).toBe(1000);
    await expect(firstBatch(file, { maxRatio: 1e9, maxSize: 1e8 })).rejects.toMatchObject({
      ...BOMB,
      hint: expect.stringContaining("maxSize"),
    });
    await expect(firstBatch(file, { columns: ["c1"], maxSize: 1000 })).rejects.toMatchObject(BOMB);
  });

  it.each([{ maxRatio: 0 }, { maxSize: -1 }, { maxRatio: "9" }, { maxRatio: Number.NaN }])(
    "%o is refused as a limit",
    async (options) => {
      await expect(Frame.fromParquet(nulls(["INT32"], 10), options as object)).rejects.toMatchObject({
        code: "BadArgument",
      });
    },
  );
});

it("texts that the file holds once and a column in each row are counted", async () => {
  const engine = await duckdbEngine();
  const path = join(folder, "texts.parquet");
  await engine.query(
    `copy (select repeat('x', 2000) t, repeat('y', 2000)::BLOB b, [repeat('z', 2000)] l from range(100000)) to '${path}' (format parquet)`,
  );
  await engine.close();
  for (const options of [{ columns: ["b"] }, { columns: ["l"] }, { columns: ["t"], text: "utf8" as const }]) {
    await expect(readParquet(path, options), JSON.stringify(options)).rejects.toMatchObject(BOMB);
  }
  // A dictionary holds them once too.
  expect((await readParquet(path, { columns: ["t"] })).numRows).toBe(100_000);
});

longIt("columns of one value and rising numbers are read as ever", async () => {
  const path = join(folder, "even.parquet");
  const engine = await duckdbEngine();
  await engine.query(
    `copy (select 'USA' country, 1 one, i, true as flag, null::DOUBLE as nothing from range(2000000) t(i)) to '${path}' (format parquet, parquet_version v2)`,
  );
  await engine.close();
  expect((await readParquet(path)).numRows).toBe(2_000_000);
});
