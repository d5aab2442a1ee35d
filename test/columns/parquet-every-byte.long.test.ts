import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { textRows } from "../../src/columns/build/text-rows.js";
import { readParquet } from "../../src/columns/parquet/read/read.js";
import { writeParquet } from "../../src/columns/parquet/write/write.js";
import { DataError } from "../../src/errors/errors.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { textsOf } from "./rows.js";

const CODECS = ["uncompressed", "snappy", "gzip", "brotli", "lz4", "zstd"] as const;
const SQL = `select i::BIGINT n, (i * 1.25)::DECIMAL(9, 2) price, 'key ' || (i % 2) as key, [i, null] as list,
  'ab'::BLOB as bytes from range(8) t(i)`;

let folder = "";
const files = new Map<string, Buffer>();

beforeAll(async () => {
  folder = temporaryFolder("every-byte");
  const connection = await (await DuckDBInstance.create()).connect();
  for (const codec of CODECS) {
    const path = join(folder, codec);
    await connection.run(`copy (${SQL}) to '${path}' (format parquet, codec ${codec})`);
    files.set(codec, await readFile(path));
  }
  connection.closeSync();
  const columns = columnSpecs({ n: "Integer", price: "BigDecimal(15,4)", key: "String" });
  const rows = Array.from({ length: 8 }, (_, i) => [String(i), `${i}.2500`, i === 3 ? null : `key ${i % 2}`]);
  await writeParquet(textRows(rows, columns).table().batches, join(folder, "own"));
  files.set("own", await readFile(join(folder, "own")));
});

/** The cells of a file as text; undefined where it is refused as a damaged or unsupported file. */
async function cellsOf(bytes: Uint8Array): Promise<string | undefined> {
  try {
    return JSON.stringify(textsOf(await readParquet(bytes, { warn() {} })));
  } catch (error) {
    expect(error).toBeInstanceOf(DataError);
    return undefined;
  }
}

const footerStart = (bytes: Buffer): number => bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);

describe.each([...CODECS, "own"])("a small file, %s", (name) => {
  it("cut at any byte is refused", async () => {
    const bytes = files.get(name) as Buffer;
    expect(await cellsOf(bytes)).toContain("key 1");
    for (let end = 0; end < bytes.length; end++)
      expect(await cellsOf(bytes.subarray(0, end)), `${end}`).toBe(undefined);
  });

  it.each([1, 0x80, 0xff])("with any byte changed by %i is refused or read, and comes to an end", async (change) => {
    const sound = files.get(name) as Buffer;
    const wanted = await cellsOf(sound);
    let refused = 0;
    for (let at = 0; at < sound.length; at++) {
      const bytes = Buffer.from(sound);
      bytes[at] ^= change;
      const cells = await cellsOf(bytes);
      if (cells === undefined) refused++;
      // Pages of our own files have checksums.
      else if (name === "own" && at < footerStart(sound)) expect(cells, `byte ${at}`).toBe(wanted);
    }
    expect(refused).toBeGreaterThan(sound.length / 10);
  });
});
