import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetMetadata } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, expect, it } from "vitest";
import { readParquet } from "../../src/columns/parquet/read/read.js";

const folder = mkdtempSync(join(tmpdir(), "arrowbook-parquet-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Thrift's compact form of the member `type` of a column in the schema: BYTE_ARRAY and INT96. */
const BYTE_ARRAY = Buffer.from([0x15, 12]);
const INT96 = Buffer.from([0x15, 6]);

it("a column whose schema names another type than its pages is refused, not read as the type of its pages", async () => {
  const bytes = Buffer.from(
    parquetWriteBuffer({ columnData: [{ name: "a", data: ["x", "y", "x"], type: "BYTE_ARRAY" }] }),
  );
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  INT96.copy(bytes, bytes.indexOf(BYTE_ARRAY, footer));
  const { schema, row_groups } = parquetMetadata(new Uint8Array(bytes).buffer);
  expect([schema[1].type, row_groups[0].columns[0].meta_data?.type]).toEqual(["INT96", "BYTE_ARRAY"]);
  const path = join(folder, "types.parquet");
  writeFileSync(path, bytes);
  await expect(readParquet(path)).rejects.toMatchObject({
    name: "DataError",
    code: "BadParquet",
    message: expect.stringContaining("a column of type INT96 has pages of another type"),
  });
});
