import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parquetFileBatches } from "../../src/columns/parquet/read/read.js";
import { Frame } from "../../src/frame/frame.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const COLUMNS = columnSpecs({
  day: "Date",
  count: "Integer",
  price: "BigDecimal(15,4)",
  wide: "BigDecimal(30,4)",
  text: "String",
});

/** Rows that no other file has. */
const rowsOf = (file: number) =>
  Array.from({ length: 5_000 }, (_, i) => ({
    day: new Date(86_400_000 * (i + file)),
    count: i % 50 === 0 ? null : i * 31 + file,
    price: `${i * 7 + file}.2500`,
    wide: `${i * 13 + file}.5000`,
    text: `T${(i + file) % 9}`,
  }));

it("files that are read at once, from paths or bytes, whole or in batches, keep to their own rows", async () => {
  const folder = temporaryFolder();
  const files = [0, 1, 2, 3].map((file) => ({ path: join(folder, `${file}.parquet`), rows: rowsOf(file) }));
  for (const { path, rows } of files) await Frame.fromRows(rows, COLUMNS).toParquet(path);
  const expected = files.map(({ rows }) => Frame.fromRows(rows, COLUMNS).toCSV());
  const inBatches = async (path: string): Promise<Frame> => {
    const frames: Frame[] = [];
    for await (const batch of parquetFileBatches(path, { batchRows: 700 }))
      frames.push(Frame.fromBatches(batch.schema, [batch]));
    return Frame.concat(frames);
  };
  const readers = [
    (path: string) => Frame.fromParquet(path),
    (path: string) => Frame.fromParquet(new Uint8Array(readFileSync(path))),
    inBatches,
  ];
  for (const read of readers) {
    const frames = await Promise.all(files.map(({ path }) => read(path)));
    expect(frames.map((frame) => frame.toCSV())).toEqual(expected);
  }
});
