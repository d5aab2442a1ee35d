import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as fc from "fast-check";
import { writeXlsx } from "hucre/xlsx";
import { afterAll, describe, expect, it } from "vitest";
import { openPromise } from "yauzl";
import { ZipFile } from "yazl";
import { Frame } from "../../src/index.js";
import { textsOf } from "../columns/rows.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { longIt, runs } from "../support/whole.js";

/** SheetJS, which danfojs-node brings: another reader and writer of workbooks. */
const judge = "xlsx";
const sheetjs = createRequire(import.meta.url)(judge) as {
  read(bytes: Uint8Array, options: object): { SheetNames: string[]; Sheets: Record<string, object> };
  write(book: object, options: object): Buffer;
  utils: {
    sheet_to_json(sheet: object, options: object): unknown[][];
    aoa_to_sheet(rows: unknown[][], options?: object): object;
    book_new(): object;
    book_append_sheet(book: object, sheet: object, name: string): void;
  };
};

const folder = temporaryFolder("excel");
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = (): string => join(folder, `${files++}.xlsx`);

const columns = columnSpecs({
  name: "String",
  close: "BigDecimal(30,4)",
  x: "double",
  id: "Integer",
  day: "Date",
  at: "DateTime",
  fine: "DateTime(9)",
  ok: "Boolean",
});
const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]));

const frame = Frame.fromRows(
  [
    {
      name: "Ann",
      close: "50.25",
      x: 0.1,
      id: 7,
      day: "2024-02-29",
      at: "2024-02-29T09:30:00.125Z",
      fine: "2024-02-29T09:30:00.000000001Z",
      ok: true,
    },
    {
      name: "=1+1",
      close: "-12345678901234567890.1234",
      x: 1 / 3,
      id: "9223372036854775807",
      day: "1899-12-31",
      at: "1700-01-01T00:00:00Z",
      fine: "2024-02-29T09:30:00Z",
      ok: false,
    },
    { name: null, close: null, x: null, id: null, day: null, at: null, fine: null, ok: null },
    {
      name: "007",
      close: "1e3",
      x: 1e300,
      id: -1,
      day: "9999-12-31",
      at: "1900-03-01T00:00:00Z",
      fine: null,
      ok: true,
    },
  ],
  columns,
);

describe("toExcel() and fromExcel()", () => {
  it("numbers, dates and booleans are such, and what Excel does not hold is exact text", async () => {
    const path = newPath();
    await frame.toExcel(path, { sheet: "Prices" });
    const book = sheetjs.read(readFileSync(path), { cellDates: true, UTC: true });
    expect(book.SheetNames).toEqual(["Prices"]);
    const rows = sheetjs.utils.sheet_to_json(book.Sheets["Prices"], { header: 1, defval: null, raw: true, UTC: true });
    expect(rows[0]).toEqual(columns.map(({ name }) => name));
    const day = (text: string): Date => new Date(text);
    expect(rows[1]).toEqual([
      "Ann",
      50.25,
      0.1,
      7,
      day("2024-02-29"),
      day("2024-02-29T09:30:00.125Z"),
      "2024-02-29T09:30:00.000000001Z",
      true,
    ]);
    expect(rows[2]).toEqual([
      "=1+1",
      "-12345678901234567890.1234",
      1 / 3,
      "9223372036854775807",
      "1899-12-31",
      "1700-01-01T00:00:00Z",
      day("2024-02-29T09:30:00Z"),
      false,
    ]);
    expect(rows[3]).toEqual(columns.map(() => null));
    expect(rows[4]).toEqual(["007", 1000, 1e300, -1, day("9999-12-31"), day("1900-03-01"), null, true]);
    // No text is a formula.
    const sheet = await partOf(path, "xl/worksheets/sheet1.xml");
    expect(sheet).not.toContain("<f>");
    expect(sheet).toContain("<v>45351.395833333336</v>");
    const back = await Frame.fromExcel(path, { types });
    expect(textsOf(back.table)).toEqual(textsOf(frame.table));
  });

  it("without declared types, they are those of the cells", async () => {
    const path = newPath();
    await frame.toExcel(path);
    const back = await Frame.fromExcel(path);
    expect(back.columns.map(({ type }) => type)).toEqual([
      ...["String", "BigDecimal(24,4)", "double", "Integer", "Date", "DateTime", "DateTime(9)", "Boolean"],
    ]);
    expect(textsOf(back.table)).toEqual(textsOf(frame.table));
    expect(back.source?.inferred).toContain("close BigDecimal(24,4)");
  });
});

/** A file inside a workbook. */
async function partOf(path: string, name: string): Promise<string> {
  const zip = await openPromise(path, { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue;
    const blocks: Buffer[] = [];
    for await (const block of await zip.openReadStreamPromise(entry)) blocks.push(block as Buffer);
    return Buffer.concat(blocks).toString();
  }
  return "";
}

/** A workbook of one sheet with these rows, as XML cells; style 1 is a date, style 2 a date with a time. */
async function workbook(sheet: string, is1904 = false): Promise<string> {
  const path = newPath();
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const packages = "http://schemas.openxmlformats.org/package/2006";
  const parts = {
    "[Content_Types].xml": `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr${is1904 ? ' date1904="1"' : ""}/><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": `<styleSheet xmlns="${main}"><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${main}"><sheetData>${sheet}</sheetData></worksheet>`,
  };
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(parts)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  mkdirSync(folder, { recursive: true });
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

const rowOf = (number: number, ...cells: string[]): string => `<row r="${number}">${cells.join("")}</row>`;
const named = (row: number, ...names: string[]): string =>
  rowOf(row, ...names.map((name, i) => `<c r="${"ABCDE"[i]}${row}" t="inlineStr"><is><t>${name}</t></is></c>`));
const dates = (style: number, ...serials: number[]): string =>
  named(1, "d") +
  serials.map((serial, i) => rowOf(i + 2, `<c r="A${i + 2}" s="${style}"><v>${serial}</v></c>`)).join("");

describe("workbooks of Excel", () => {
  it("dates of both date systems, and around Excel's 29 February 1900", async () => {
    const day = async (path: string): Promise<unknown[]> => (await Frame.fromExcel(path)).column("d").toArray();
    expect(await day(await workbook(dates(1, 1, 59, 61, 45351)))).toEqual([
      "1900-01-01",
      "1900-02-28",
      "1900-03-01",
      "2024-02-29",
    ]);
    expect(await day(await workbook(dates(1, 0, 43889), true))).toEqual(["1904-01-01", "2024-02-29"]);
    const times = await Frame.fromExcel(await workbook(dates(2, 45351.395833333336, 45352)));
    expect(times.columns).toEqual([{ name: "d", type: "DateTime" }]);
    expect(times.column("d").toStrings()).toEqual(["2024-02-29T09:30:00Z", "2024-03-01T00:00:00Z"]);
    const midnights = await workbook(dates(2, 45351));
    expect((await Frame.fromExcel(midnights)).columns[0].type).toBe("Date");
    expect((await Frame.fromExcel(midnights, { types: { d: "DateTime" } })).column("d").toStrings()).toEqual([
      "2024-02-29T00:00:00Z",
    ]);
  });

  it("numbers as typed, values of formulas, errors as null", async () => {
    const path = await workbook(
      named(1, "typed", "computed", "whole", "mixed", "x") +
        rowOf(
          2,
          '<c r="A2"><v>1.1000000000000001</v></c>',
          '<c r="B2"><f>1/3</f><v>0.33333333333333331</v></c>',
          '<c r="C2"><v>9007199254740991</v></c>',
          '<c r="D2"><v>1</v></c>',
          '<c r="E2" t="e"><v>#N/A</v></c>',
        ) +
        rowOf(
          3,
          '<c r="A3"><v>250</v></c>',
          '<c r="B3"><v>2</v></c>',
          '<c r="C3"><v>1</v></c>',
          '<c r="D3" t="b"><v>1</v></c>',
          '<c r="E3"><v>1.5</v></c>',
        ),
    );
    const read = await Frame.fromExcel(path);
    expect(read.columns.map(({ type }) => type)).toEqual([
      "BigDecimal(4,1)",
      "double",
      "Integer",
      "String",
      "BigDecimal(2,1)",
    ]);
    expect(textsOf(read.table)).toEqual([
      ["1.1", String(1 / 3), "9007199254740991", "1", null],
      ["250.0", "2.0", "1", "true", "1.5"],
    ]);
  });

  it("what SheetJS writes, by sheet, range, header and declared types", async () => {
    const book = sheetjs.utils.book_new();
    sheetjs.utils.book_append_sheet(book, sheetjs.utils.aoa_to_sheet([["x"], [1]]), "First");
    const rows = [
      ["Report"],
      [],
      ["id", "", "when"],
      ["7", 1.5, new Date("2024-02-29T00:00:00Z")],
      ["008", null, null],
      [],
    ];
    sheetjs.utils.book_append_sheet(book, sheetjs.utils.aoa_to_sheet(rows, { UTC: true }), "Data");
    const bytes = sheetjs.write(book, { type: "buffer", bookType: "xlsx" });
    const first = await Frame.fromExcel(bytes);
    expect([first.columns, first.source?.code]).toEqual([[{ name: "x", type: "Integer" }], "Excel"]);
    for (const sheet of ["Data", 1]) {
      const data = await Frame.fromExcel(bytes, { sheet, range: "A3:C6" });
      expect(data.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
        "id String",
        "column_2 BigDecimal(2,1)",
        "when Date",
      ]);
      expect(textsOf(data.table)).toEqual([
        ["7", "1.5", "2024-02-29"],
        ["008", null, null],
      ]);
    }
    const bare = await Frame.fromExcel(bytes, { sheet: "First", header: false });
    expect(bare.columns).toEqual([{ name: "column_1", type: "String" }]);
    const whole = Frame.fromExcel(bytes, {
      sheet: "Data",
      range: "A3:C6",
      types: { id: "Integer", column_2: "Integer" },
    });
    await expect(whole).rejects.toMatchObject({ code: "PrecisionLoss", row: 0, column: "column_2", value: "1.5" });
    const rounded = await Frame.fromExcel(bytes, {
      sheet: "Data",
      range: "A3:C6",
      types: { column_2: "Integer" },
      onPrecisionLoss: "round",
    });
    expect(rounded.column("column_2").toArray()).toEqual([2, null]);
    await expect(Frame.fromExcel(bytes, { sheet: "Dat" })).rejects.toMatchObject({
      code: "BadArgument",
      hint: 'Did you mean "Data"?',
    });
    await expect(Frame.fromExcel(bytes, { range: "A3" })).rejects.toMatchObject({ code: "BadArgument" });
    await expect(Frame.fromExcel(bytes, { sheet: 2 })).rejects.toMatchObject({ hint: "It has 2, from 0." });
    await expect(Frame.fromExcel(bytes, { types: { y: "Integer" } })).rejects.toMatchObject({ code: "UnknownColumn" });
  });

  it("several workbooks are one table", async () => {
    const at = join(folder, "many");
    mkdirSync(at);
    for (const month of ["1", "10", "2"])
      await Frame.fromColumns({ n: [month] }, { n: "Integer" }).toExcel(join(at, `${month}.xlsx`));
    expect((await Frame.fromExcel(at, { source: "file" })).toArray()).toEqual(
      ["1", "2", "10"].map((month) => ({ n: Number(month), file: `${month}.xlsx` })),
    );
  });

  it("an empty sheet, a table without rows, and files that are not workbooks", async () => {
    const empty = await writeXlsx({ sheets: [{ name: "A", rows: [] }] });
    expect((await Frame.fromExcel(empty)).shape).toEqual([0, 0]);
    const path = newPath();
    await frame.head(0).toExcel(path);
    expect((await Frame.fromExcel(path)).shape).toEqual([0, 8]);
    writeFileSync(path, "a,b\n1,2\n");
    await expect(Frame.fromExcel(path)).rejects.toMatchObject({ code: "BadExcel" });
    await expect(Frame.fromExcel(join(folder, "none.xlsx"))).rejects.toMatchObject({ code: "FileNotFound" });
    const bytes = Buffer.from(empty);
    for (let at = 0; at < bytes.length; at += 97) {
      await Frame.fromExcel(bytes.subarray(0, at)).then(
        () => expect.fail("a part of a workbook was read"),
        (error) => expect(error.code).toBe("BadExcel"),
      );
    }
    const texts = Frame.fromColumns({ t: ["x", "y"], n: [1, 2] });
    await texts.toExcel(path);
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += 13) {
      const damaged = Buffer.from(whole);
      damaged[at] ^= 1 << (at & 7);
      await Frame.fromExcel(damaged).then(
        (found) =>
          expect(textsOf(found.table)).toEqual([
            ["x", "1"],
            ["y", "2"],
          ]),
        (error) => expect(error.code).toBe("BadExcel"),
      );
    }
    // The name of the part with the texts in the directory.
    const damaged = Buffer.from(whole);
    damaged[whole.lastIndexOf("sharedStrings.xml")] ^= 1;
    await expect(Frame.fromExcel(damaged)).rejects.toMatchObject({
      code: "BadExcel",
      message: expect.stringContaining("sharedStrings"),
    });
    await expect(Frame.fromExcel(empty, { sheets: 1 } as never)).rejects.toMatchObject({ code: "UnknownOption" });
  });

  it("refuses what Excel does not hold", async () => {
    const long = Frame.fromColumns({ t: ["x".repeat(32_768)] });
    await expect(long.toExcel(newPath())).rejects.toMatchObject({ code: "CellTooLong", row: 0, column: "t" });
    const many = Frame.fromColumns({ t: new Float64Array(1_048_576) });
    await expect(many.toExcel(newPath())).rejects.toMatchObject({ code: "BadArgument" });
    await expect(frame.toExcel(newPath(), { sheet: "a/b" })).rejects.toMatchObject({ code: "BadArgument" });
  });
});

const day = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
const rows = fc.array(
  fc.record({
    name: fc.option(
      fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
        .filter((text) => !/[\p{Cc}\ufffe\uffff]/u.test(text) && !/^#|_x/.test(text)),
    ),
    close: fc.option(fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }).map((units) => `${units}e-4`)),
    x: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0)),
    id: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    day: fc.option(day.map((date) => date.toISOString().slice(0, 10))),
    at: fc.option(day),
    ok: fc.option(fc.boolean()),
  }),
  { minLength: 1, maxLength: 10 },
);

it("what is written reads back, under its types", async () => {
  await forAllAsync(runs(40), rows, async (cells) => {
    const specs = columns.filter(({ name }) => name !== "fine");
    const given = Frame.fromRows([...cells, { ok: true }], specs);
    const path = newPath();
    await given.toExcel(path);
    const { fine: _, ...declared } = types;
    expect(textsOf((await Frame.fromExcel(path, { types: declared })).table)).toEqual(textsOf(given.table));
  });
});

it("empty text is text in a column declared as such, also in the last row", async () => {
  const types = { word: "String", count: "Integer" };
  const frame = Frame.fromColumns({ word: ["", "x", null, ""], count: [1, null, 2, null] }, types);
  const bytes = await writeXlsx({
    sheets: [
      {
        name: "A",
        rows: [
          ["word", "count"],
          ["", ""],
          [null, 3],
          ["", ""],
        ],
      },
    ],
  });
  const path = join(folder, "empty.xlsx");
  await frame.toExcel(path);
  expect((await Frame.fromExcel(path, { types })).toArray()).toEqual(frame.toArray());
  expect((await Frame.fromExcel(path)).column("word").toStrings()).toEqual([null, "x", null]);
  expect((await Frame.fromExcel(bytes, { types })).toArray()).toEqual([
    { word: "", count: null },
    { word: null, count: 3 },
    { word: "", count: null },
  ]);
});

it("a time of day is kept or refused, whatever the declared type, and corners of a range come in any order", async () => {
  const path = join(folder, "times.xlsx");
  const times = ["2024-01-02T10:11:12Z", "2024-01-03T00:00:00Z"];
  await Frame.fromColumns({ t: times }, { t: "DateTime" }).toExcel(path);
  const texts = await Frame.fromExcel(path, { types: { t: "String" } });
  expect(texts.column("t").toArray()).toEqual(["2024-01-02T10:11:12.000Z", "2024-01-03"]);
  await expect(Frame.fromExcel(path, { types: { t: "Date" } })).rejects.toMatchObject({ code: "BadCell", row: 0 });
  expect((await Frame.fromExcel(path, { range: "A3:A1" })).numRows).toBe(2);
});

longIt("has as many rows as a sheet may have", async () => {
  const path = join(folder, "long.xlsx");
  await Frame.fromColumns({ n: Array.from({ length: 150_000 }, (_, i) => i) }).toExcel(path);
  expect((await Frame.fromExcel(path)).numRows).toBe(150_000);
});
