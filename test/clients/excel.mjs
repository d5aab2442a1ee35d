// Excel workbooks: openpyxl and pandas read those of this package, and this package those of openpyxl.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("excel.py", import.meta.url));

const columns = [
  { name: "t", type: "String" },
  { name: "n", type: "BigDecimal(30,4)" },
  { name: "x", type: "double" },
  { name: "day", type: "Date" },
  { name: "at", type: "DateTime" },
  { name: "ok", type: "Boolean" },
];
const rows = [
  ["007", "50.2500", 0.1, "2024-02-29", "2024-02-29T09:30:00.125Z", true],
  ["=1+1", "12345678901234567890.1234", 1 / 3, "1900-03-01", "9999-12-31T23:59:59Z", false],
  ["é😀", null, null, null, null, null],
];
const READ = [
  ["007", 50.25, 0.1, "2024-02-29T00:00:00", "2024-02-29T09:30:00.125000", true],
  ["=1+1", "12345678901234567890.1234", 1 / 3, "1900-03-01T00:00:00", "9999-12-31T23:59:59", false],
  ["é😀", null, null, null, null, null],
];
const TYPES = ["Date", "DateTime", "BigDecimal(3,2)", "double", "String", "Boolean", "Integer"];
const CELLS = [
  ["2024-02-29", "2024-02-29T09:30:00.125Z", "7.00", "0.1", "007", "true", null],
  ["1904-01-02", "9999-12-31T23:59:59Z", "-1.25", String(1 / 3), "=text", "false", null],
  [null, null, null, null, null, null, "3"],
];

export async function compareExcel(python, { Frame }, check) {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-excel-"));
  try {
    const [ours, ...theirs] = ["ours.xlsx", "theirs.xlsx", "theirs-1904.xlsx"].map((name) => join(folder, name));
    const cells = rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])));
    await Frame.fromRows(cells, columns).toExcel(ours);
    const [openpyxl, pandas] = execFileSync(python, [script, ours, ...theirs], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const same = (what, found, expected) =>
      check(`Excel: ${what}`, JSON.stringify(found) === JSON.stringify(expected), JSON.stringify(found));
    same("what openpyxl reads", openpyxl, [columns.map(({ name }) => name), ...READ]);
    same("what pandas reads", pandas, READ);
    for (const path of theirs) {
      const frame = await Frame.fromExcel(path);
      const texts = frame.columns.map(({ name }) => frame.column(name).toStrings());
      same(
        `the types of ${path.slice(folder.length)}`,
        frame.columns.map(({ type }) => type),
        TYPES,
      );
      same(
        `the cells of ${path.slice(folder.length)}`,
        CELLS.map((_, row) => texts.map((column) => column[row])),
        CELLS,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
