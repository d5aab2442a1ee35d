import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Batching, ReadOptions } from "../../src/columns/arrow/read-options.js";
import { textRows } from "../../src/columns/build/text-rows.js";
import { csvTable } from "../../src/columns/csv/reader.js";
import { tableFromIPCBytes } from "../../src/columns/ipc/read/read.js";
import { tableToIPCBytes } from "../../src/columns/ipc/stream.js";
import { jsonRows } from "../../src/columns/json/reader.js";
import { tableOf } from "../../src/columns/table/conform.js";
import { DataError } from "../../src/errors/errors.js";
import type { ColumnSpec } from "../../src/spec/columns.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { csvText } from "./csv-text.js";
import { textsOf, utf8 } from "./rows.js";

const columns: readonly ColumnSpec[] = columnSpecs({
  ticker: "String",
  date: "Date",
  close: "BigDecimal(34,12)",
  ratio: "double",
  count: "Integer",
  open: "Boolean",
  at: "DateTime",
});

const read = (
  text: string,
  specs: readonly ColumnSpec[] = columns,
  options: ReadOptions & Batching = {},
): (string | null)[][] => {
  const bytes = utf8(text);
  return textsOf(jsonRows({ bytes, start: 0, end: bytes.length }, specs, options).table());
};

const one = (type: string, literal: string, options?: ReadOptions): string | null =>
  read(
    `[[${literal}, 1]]`,
    [
      { name: "x", type },
      { name: "y", type: "Integer" },
    ],
    options,
  )[0][0];

it.each([
  ["String", '"a\\"b\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud835\\udcb3"', 'a"b\\/\b\f\n\r\té𝒳'],
  ["String", "1.50", "1.50"],
  ["String", "-0", "-0"],
  ["String", "true", "true"],
  ["String", '""', ""],
  ["BigDecimal(34,12)", "123456789012345678.123456789012", "123456789012345678.123456789012"],
  ["BigDecimal(34,12)", '"1.5"', "1.500000000000"],
  ["BigDecimal(34,12)", "1.5E+3", "1500.000000000000"],
  ["BigDecimal(34,12)", "1.5e-7", "0.000000150000"],
  ["BigDecimal(50,28)", "-1.5", "-1.5000000000000000000000000000"],
  ["double", "-0.0", "-0.0"],
  ["Integer", "9223372036854775807", "9223372036854775807"],
  ["Date", '"2024-02-29"', "2024-02-29"],
  ["Boolean", "false", "false"],
  ["DateTime", '"2017-11-10 00:18:07 UTC"', "2017-11-10T00:18:07Z"],
  ["Date", "null", null],
])("%s takes %s as %s", (type, literal, expected) => {
  expect(one(type, literal)).toBe(expected);
});

it.each([
  ["BigDecimal(34,12)", "[1]", "BadCell"],
  ["String", '{"a":1}', "BadCell"],
  ["Date", '"2024-02-30"', "BadCell"],
  ["Date", "20240229", "BadCell"],
  ["double", "true", "BadCell"],
  ["double", '""', "BadCell"],
  ["String", '"\\ud800"', "BadUtf8"],
  ["BigDecimal(3,1)", "1.25", "PrecisionLoss"],
  ["double", "1e400", "PrecisionLoss"],
  ["double", "01", "BadJson"],
  ["double", "-01.5", "BadJson"],
  ["double", "1.", "BadJson"],
  ["double", ".5", "BadJson"],
  ["double", "+1", "BadJson"],
  ["double", "NaN", "BadJson"],
  ["double", "1e", "BadJson"],
  ["double", "0x1", "BadJson"],
  ["String", "'a'", "BadJson"],
  ["String", '"a\tb"', "BadJson"],
  ["String", '"\\x"', "BadJson"],
  ["String", "nul", "BadJson"],
  ["String", "", "BadJson"],
])("%s refuses %s: %s", (type, literal, code) => {
  expect(() => one(type, literal)).toThrow(DataError);
  expect(() => one(type, literal)).toThrow(expect.objectContaining({ code }));
});

it("takes white space anywhere and no row at all", () => {
  expect(
    read('[ [ "a" , "2024-01-01" , 1 , 2 , 3 , true , null ] \n, [null,null,null,null,null,null,null]\t]'),
  ).toHaveLength(2);
  expect(read("[]")).toEqual([]);
  expect(read(" [ ] ".trim())).toEqual([]);
});

it("names row and offset of rows that are too short, too long or no rows", () => {
  const two = [columns[0], columns[1]];
  expect(() => read('[["a","2024-01-01"],["b"]]', two)).toThrow("Row 1 has 1 cells for 2 columns (byte 20)");
  expect(() => read('[["a","2024-01-01",3]]', two)).toThrow("Row 0 has 3 cells for 2 columns");
  expect(() => read("[[]]", two)).toThrow("Row 0 has 0 cells");
  expect(() => read("[[1,2],]", two)).toThrow(DataError);
  expect(() => read('[{"a":1}]', two)).toThrow("a row");
});

it("refuses rows without a comma between them, wherever the fast reader stops", () => {
  const two: readonly ColumnSpec[] = columnSpecs({ t: "String", n: "Integer" });
  const wide = Array.from({ length: 60 }, (_, k) => ({ name: `c${k}`, type: "Integer" }));
  const row = `[${wide.map((_, k) => k).join(",")}]`;
  for (const gap of ["", " ", "\n", ",,", ":", "]"]) {
    for (const text of [`["a",1],["b",2]${gap}["c",3]`, `["a",1]${gap}["b",2]`, `["\\n",1.0]${gap}["b",2]`]) {
      for (const batchRows of [1, 2, 100]) expect(() => read(`[${text}]`, two, { batchRows })).toThrow(DataError);
    }
    expect(() => read(`[${row},${row}${gap}${row}]`, wide)).toThrow(DataError);
  }
});

it("refuses every cut", () => {
  const text = '[["a\\n","2024-01-01",1.5,2,3,true,"2017-11-10T00:18:07Z"],["é",null,null,-1e5,4,false,null]]';
  const bytes = utf8(text);
  for (let cut = 1; cut < bytes.length; cut++) {
    expect(() => jsonRows({ bytes: bytes.slice(0, cut), start: 0, end: cut }, columns).table()).toThrow(DataError);
  }
});

describe("three formats", () => {
  it("give equal IPC bytes", () => {
    const cell = {
      text: fc.option(fc.string({ unit: "binary-ascii", maxLength: 6 })),
      date: fc.option(fc.constantFrom("2024-02-29", "0001-01-01", "9999-12-31")),
      decimal: fc.option(fc.constantFrom("1.5", "-12345678901234567890.123456789012", "0", "1e3")),
      double: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => JSON.stringify(x))),
      integer: fc.option(fc.constantFrom("1", "-9223372036854775808")),
      boolean: fc.option(fc.constantFrom("true", "false")),
      instant: fc.option(fc.constantFrom("2017-11-10 00:18:07 UTC")),
    };
    const row = fc.tuple(cell.text, cell.date, cell.decimal, cell.double, cell.integer, cell.boolean, cell.instant);
    forAll({ seed: 5, numRuns: runs(200) }, fc.array(row, { maxLength: 5 }), (rows) => {
      const csv = csvTable(utf8(csvText(rows)), { columns, header: false });
      const literal = (text: string | null, i: number): string =>
        text === null ? "null" : [2, 3, 4, 5].includes(i) ? text : JSON.stringify(text);
      const json = utf8(`[${rows.map((cells) => `[${cells.map(literal).join(",")}]`).join(",")}]`);
      const table = jsonRows({ bytes: json, start: 0, end: json.length }, columns).table();
      const bytes = tableToIPCBytes(csv);
      expect(Buffer.compare(tableToIPCBytes(table), bytes)).toBe(0);
      expect(Buffer.compare(tableToIPCBytes(tableOf(textRows(rows, columns).batches())), bytes)).toBe(0);
      expect(textsOf(tableFromIPCBytes(bytes))).toEqual(textsOf(table));
    });
  });
});
