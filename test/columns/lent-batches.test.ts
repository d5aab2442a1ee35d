import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bulkFile } from "../../src/client/bulk/local-bulk-file.js";
import type { RecordBatch } from "../../src/columns/arrow/arrow.js";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import { LentBatches } from "../../src/columns/build/text-reader.js";
import { zipBatches } from "../../src/columns/files/zip-file.js";
import { zipEntry } from "../../src/format/zip.js";
import { Frame } from "../../src/frame/frame.js";
import { inBatches, onThreads } from "../divided.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { zipBytes } from "../zip/archive.js";
import { csvText } from "./csv-text.js";
import { textsOf } from "./rows.js";

const folder = temporaryFolder("lent");

const columns = columnSpecs({
  key: "String",
  text: "Text",
  day: "Date",
  price: "BigDecimal(15,4)",
  wide: "BigDecimal(50,10)",
  ratio: "double",
  count: "Integer",
  flag: "Boolean",
  at: "DateTime",
});
const ROWS = 20_000;

// Nulls come and go, texts are of very different lengths, so that memory of one batch hardly ever looks like that of
// the next.
const rows = Array.from({ length: ROWS }, (_, i) => {
  const cells = [
    `K${i % 37}`,
    `${"x".repeat((i * i) % (i % 5000 < 2500 ? 9 : 90))}${i}`,
    `20${10 + (i % 80)}-0${1 + (i % 9)}-1${i % 10}`,
    `${i % 3 === 0 ? "-" : ""}${i}.${1000 + (i % 9000)}`,
    `${i}${"9".repeat(i % 30)}.5`,
    `${i / 7}`,
    `${i * 1_000_003}`,
    i % 2 === 0 ? "true" : "false",
    "2024-02-29T12:00:00Z",
  ];
  return cells.map((cell, k) => ((i + k) % (1 + (Math.floor(i / 1000) % 11)) === 1 ? null : cell));
});
const zip = join(folder, "T.zip");
const header = columns.map(({ name }) => name);
writeFileSync(zip, zipBytes([{ name: "T.csv", data: csvText([header, ...rows]) }]));
const small = <T>(work: () => Promise<T>): Promise<T> => onThreads(1, () => inBatches(1000, work));

it("a lent batch holds its cells until it is returned, and its memory then holds later ones", async () => {
  const wanted = textsOf((await Frame.fromZip(zip, { columns })).table);
  const lent = new LentBatches();
  const held: RecordBatch[] = [];
  const buffers = new Set<unknown>();
  let from = 0;
  const batches = zipBatches(await zipEntry(zip), () => ({ columns, batchRows: 1000 }), { lent });
  for await (const batch of batches) {
    for (const { values } of batch.data.children) buffers.add((values as Uint8Array | undefined)?.buffer);
    held.push(batch);
    // Two at a time, as a writer holds them that waits for a whole group.
    if (held.length < 2) continue;
    for (const one of held.splice(0)) {
      expect([...cellTexts(one)]).toEqual(wanted.slice(from, from + one.numRows));
      from += one.numRows;
      lent.takeBack(one);
      lent.takeBack(one);
    }
  }
  expect(from).toBe(ROWS);
  // Of 20 batches with eight columns of values each.
  expect(buffers.size).toBeLessThan(80);
});

longIt("files written batch by batch hold the table's cells", async () => {
  const frame = await Frame.fromZip(zip, { columns });
  const file = bulkFile(zip, { columns });
  const path = (name: string) => join(folder, name);
  await small(() => file.toArrow(path("stream.arrows")));
  await small(() => file.toArrow(path("file.arrow"), { format: "file" }));
  await small(() => file.toParquet(path("T.parquet")));
  const wanted = textsOf(frame.table);
  expect(textsOf((await Frame.fromArrow(path("stream.arrows"))).table)).toEqual(wanted);
  expect(textsOf((await Frame.fromArrow(path("file.arrow"))).table)).toEqual(wanted);
  expect(textsOf((await Frame.fromParquet(path("T.parquet"))).table)).toEqual(wanted);
});
