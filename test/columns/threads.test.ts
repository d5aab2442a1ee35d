import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Batching, CellReport, CsvOptions } from "../../src/columns/arrow/read-options.js";
import { csvFileTable } from "../../src/columns/files/csv-file.js";
import { csvThreadsTable } from "../../src/columns/files/csv-threads.js";
import { blobFile } from "../../src/format/random-access.js";
import { packageRoot } from "../../src/package/package-root.js";
import { onThreads } from "../divided.js";
import { columnSpecs } from "../support/column-specs.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt } from "../support/whole.js";
import { textsOf } from "./rows.js";

const folder = temporaryFolder();
const path = join(folder, "rows.csv");
const built = existsSync(join(packageRoot(), "dist/cjs/worker.js"));

const columns = columnSpecs({ ticker: "String", note: "Text", close: "BigDecimal(15,4)", day: "Date" });
const line = (i: number, note: string): string =>
  `T${i % 500},${note},${i % 7 === 0 ? "" : `${i}.${String(i % 10_000).padStart(4, "0")}`},20${10 + (i % 80)}-02-${10 + (i % 18)}\n`;

/** Text of some length, so that few rows make a file worth splitting. */
const PLAIN = "plain text ".repeat(12);

const both = async (text: string, options: Partial<CsvOptions> & Batching = {}): Promise<void> => {
  writeFileSync(path, text);
  const reports: CellReport[][] = [[], []];
  const all = { columns, ...options };
  const reporting = (i: number) => ({ ...all, onReport: (report: CellReport) => reports[i].push(report) });
  const one = await onThreads(1, () => csvFileTable(path, reporting(0)));
  const many = await onThreads(3, () => csvThreadsTable(path, reporting(1)));
  expect(many !== undefined).toBe(built);
  if (many === undefined) return;
  expect(String(many.schema)).toBe(String(one.schema));
  expect(many.numRows).toBe(one.numRows);
  expect(textsOf(many)).toEqual(textsOf(one));
  expect(reports[1]).toEqual(reports[0]);
};

it("several threads read what one reads", async () => {
  const rows = Array.from({ length: 80_000 }, (_, i) => line(i, i % 3 ? PLAIN : `"a ""b"", ${PLAIN}"`));
  await both(`ticker,note,close,day\n${rows.join("")}`);
});

it("a file that is in memory as a Blob is read by threads too", async () => {
  const text = `ticker,note,close,day\n${Array.from({ length: 80_000 }, (_, i) => line(i, PLAIN)).join("")}`;
  const file = blobFile(new Blob([text]));
  const one = await onThreads(1, () => csvFileTable(file, { columns }));
  const many = await onThreads(3, () => csvThreadsTable(file, { columns }));
  expect(many !== undefined).toBe(built);
  if (many !== undefined) expect(textsOf(many)).toEqual(textsOf(one));
});

longIt("also where every border falls into a quoted cell", async () => {
  const note = `"${"line,1\n".repeat(40)}"`;
  const text = `close,day,ticker,note\r\n${Array.from({ length: 45_000 }, (_, i) => `${i}.5,2024-02-29,"T${i % 9}",${note}\r\n`).join("")}`;
  await both(text, { text: "utf8" });
});

longIt("and what did not fit, with the right rows", async () => {
  const rows = Array.from({ length: 80_000 }, (_, i) =>
    i % 20_000 === 19_999 ? line(i, PLAIN).replace(/20..-/, "1x99-") : line(i, PLAIN),
  );
  await both(`ticker,note,close,day\n${rows.join("")}`, { onBadCell: "null", batchRows: 1000 });
});

it("an error names its row in the file, whichever thread met it", async () => {
  const rows = Array.from({ length: 80_000 }, (_, i) => line(i, PLAIN));
  rows[70_000] = "T,x,nope,2024-02-29\n";
  writeFileSync(path, `ticker,note,close,day\n${rows.join("")}`);
  await expect(onThreads(4, () => csvFileTable(path, { columns }))).rejects.toThrow(
    'Row 70000, column "close": "nope"',
  );
});

longIt(
  "reads a part that began inside quotes again, and warns of nothing, with more threads than listeners may be",
  async () => {
    const note = `"${"x,y\n".repeat(400)}"`;
    const text = `ticker,note,close,day\n${Array.from({ length: 34_000 }, (_, i) => line(i, i % 3 === 0 ? note : PLAIN)).join("")}`;
    writeFileSync(path, text);
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const many = await onThreads(12, () => csvThreadsTable(path, { columns }));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect(many?.numRows).toBe(built ? 34_000 : undefined);
    expect(warnings).toEqual([]);
  },
);
