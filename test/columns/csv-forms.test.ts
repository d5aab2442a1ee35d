import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CellReport } from "../../src/columns/arrow/read-options.js";
import { csvTable } from "../../src/columns/csv/reader.js";
import { type CsvFileOptions, csvBatches, Frame } from "../../src/index.js";
import { onThreads } from "../divided.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { chunked, streamed, textsOf, utf8 } from "./rows.js";

const EUROPE = { delimiter: ";", decimal: ",", thousands: ".", dateFormat: "dd.MM.yyyy" } as const;

/** The inferred type and the cells of a column of such texts. */
async function columnOf(cells: readonly string[], options: CsvFileOptions): Promise<[string, (string | null)[]]> {
  const text = Papa.unparse([["a", "b"], ...cells.map((cell) => [cell, "x"])], { delimiter: ";", newline: "\n" });
  const frame = await Frame.fromCSV(utf8(text), { delimiter: ";", ...options });
  return [frame.columns[0].type, frame.column(0).toStrings()];
}

it("a European export is read in one call", async () => {
  const text = 'Datum;Kunde;Betrag;Rabatt\r\n31.12.2024;007;"1.234,50";12,5%\r\n01.01.2025;Ö & Söhne;-80;\r\n';
  const options = { ...EUROPE, percent: true } as const;
  for (const bytes of [utf8(text), utf8(`\ufeff${text}`)]) {
    const frame = await Frame.fromCSV(bytes, options);
    expect(frame.columns.map(({ type }) => type)).toEqual(["Date", "String", "BigDecimal(6,2)", "BigDecimal(3,3)"]);
    expect(textsOf(frame.table)).toEqual([
      ["2024-12-31", "007", "1234.50", "0.125"],
      ["2025-01-01", "Ö & Söhne", "-80.00", null],
    ]);
  }
  const windows = await Frame.fromCSV(Buffer.from(text, "latin1"), { ...options, encoding: "windows-1252" });
  expect(windows.column("Kunde").get(1)).toBe("Ö & Söhne");
  const wide = Buffer.from(`\ufeff${text}`, "utf16le");
  expect(textsOf((await Frame.fromCSV(wide, { ...options, encoding: "utf-16" })).table)).toEqual(
    textsOf(windows.table),
  );
  await expect(Frame.fromCSV(wide, options)).rejects.toMatchObject({ hint: expect.stringContaining("utf-16") });
  const unnamed = Frame.fromCSV(Buffer.from(text, "latin1"), options);
  await expect(unnamed).rejects.toMatchObject({ code: "BadUtf8", hint: expect.stringContaining("windows-1252") });
});

describe("inferred types of numbers", () => {
  it.each<[CsvFileOptions, string, string[], (string | null)[]]>([
    [EUROPE, "BigDecimal(9,2)", ["1.234.567,5", "12", "1234,25"], ["1234567.50", "12.00", "1234.25"]],
    [EUROPE, "Integer", ["1.234", "-5", ""], ["1234", "-5", null]],
    [EUROPE, "String", ["1.5"], ["1.5"]],
    [EUROPE, "String", ["1.2345"], ["1.2345"]],
    [EUROPE, "String", ["0.123"], ["0.123"]],
    [EUROPE, "String", ["1.234.56"], ["1.234.56"]],
    [EUROPE, "String", ["1..234"], ["1..234"]],
    [EUROPE, "String", [".234"], [".234"]],
    [EUROPE, "String", ["1,234.5"], ["1,234.5"]],
    [EUROPE, "String", ["1,5,5"], ["1,5,5"]],
    [EUROPE, "String", ["007"], ["007"]],
    [EUROPE, "String", ["+1"], ["+1"]],
    [EUROPE, "String", ["1,5 "], ["1,5 "]],
    [EUROPE, "String", ["12%"], ["12%"]],
    [EUROPE, "double", ["1,5", "NaN", "-inf"], ["1.5", "NaN", "-Infinity"]],
    [{ decimal: "," }, "String", ["1.234,5"], ["1.234,5"]],
    [{ decimal: "," }, "BigDecimal(40,1)", [`${"9".repeat(39)},5`], [`${"9".repeat(39)}.5`]],
    [{ thousands: "'" }, "BigDecimal(6,2)", ["1'234.50"], ["1234.50"]],
    [{ thousands: "’" }, "Integer", ["1’234"], ["1234"]],
    [
      { thousands: " ", decimal: "," },
      "BigDecimal(5,1)",
      ["1 234,5", "1\u00a0234,5", "1\u202f234,5"],
      Array(3).fill("1234.5"),
    ],
    [{ percent: true }, "BigDecimal(4,3)", ["12.5%", "100 %", "-5\u00a0%"], ["0.125", "1.000", "-0.050"]],
    [{ percent: true }, "String", ["12.5%", "0.125"], ["12.5%", "0.125"]],
    [{ percent: true }, "String", ["%"], ["%"]],
    [{ percent: true }, "Integer", ["12"], ["12"]],
  ])("%j: %s of %j", async (options, type, cells, texts) => {
    expect(await columnOf(cells, options)).toEqual([type, texts]);
  });
});

describe("inferred types of dates", () => {
  it.each<[string | string[], string, string[], (string | null)[]]>([
    ["dd.MM.yyyy", "Date", ["31.12.2024", "1.2.2024"], ["2024-12-31", "2024-02-01"]],
    ["%d/%m/%Y", "Date", ["31/12/2024", ""], ["2024-12-31", null]],
    ["MM/dd/yy", "Date", ["12/31/24"], ["2024-12-31"]],
    ["d. MMM yyyy", "Date", ["3. Mar 2024"], ["2024-03-03"]],
    ["yyyyMMdd", "String", ["2024-12-31"], ["2024-12-31"]],
    ["dd.MM.yyyy", "String", ["31.02.2024"], ["31.02.2024"]],
    ["dd.MM.yyyy", "String", ["31.12.2024", "2024-12-31"], ["31.12.2024", "2024-12-31"]],
    [["dd.MM.yyyy", "yyyy-MM-dd"], "Date", ["31.12.2024", "2024-12-31"], ["2024-12-31", "2024-12-31"]],
    ["dd.MM.yyyy HH:mm", "DateTime", ["31.12.2024 09:30"], ["2024-12-31T09:30:00Z"]],
    ["dd.MM.yyyy HH:mm:ss.SSS", "DateTime", ["31.12.2024 09:30:00.125"], ["2024-12-31T09:30:00.125Z"]],
    [
      "M/d/yyyy h:mm a",
      "DateTime",
      ["1/2/2024 3:04 PM", "1/2/2024 12:00 AM"],
      ["2024-01-02T15:04:00Z", "2024-01-02T00:00:00Z"],
    ],
    [
      ["dd.MM.yyyy", "dd.MM.yyyy HH:mm"],
      "String",
      ["31.12.2024", "31.12.2024 09:30"],
      ["31.12.2024", "31.12.2024 09:30"],
    ],
    ["yyyy'T'MM", "Date", ["2024T12"], ["2024-12-01"]],
  ])("%j: %s of %j", async (dateFormat, type, cells, texts) => {
    expect(await columnOf(cells, { dateFormat })).toEqual([type, texts]);
  });
});

describe("declared columns", () => {
  const columns = columnSpecs({
    day: "Date",
    at: "DateTime",
    n: "BigDecimal(8,3)",
    i: "Integer",
    x: "double",
    t: "String",
  });
  const options = { columns, ...EUROPE, percent: true, nullValues: "-" } as const;
  const head = "day;at;n;i;x;t\n";

  it("are read by the form, text stays as it is", async () => {
    const text = `${head}31.12.2024;31.12.2024;1.234,5;1.000;1,5E3;1.234,5\n-;-;-;-;-;-\n01.01.2025;;12,5%;200%;50%;12%\n`;
    expect(textsOf((await Frame.fromCSV(utf8(text), options)).table)).toEqual([
      ["2024-12-31", "2024-12-31T00:00:00Z", "1234.500", "1000", "1500.0", "1.234,5"],
      [null, null, null, null, null, null],
      ["2025-01-01", null, "0.125", "2", "0.5", "12%"],
    ]);
    const doubles = await Frame.fromCSV(utf8(text), { ...options, decimals: "float64" });
    expect(doubles.column("n").toNumbers()[0]).toBe(1234.5);
  });

  it("a cell of another form is an error that names it, or null and counted", async () => {
    const text = `${head}31.12.2024;;1,5;;;\n2025-01-01;;1.5;1,5;;\n`;
    await expect(Frame.fromCSV(utf8(text), options)).rejects.toMatchObject({
      ...{ code: "BadCell", row: 1, line: 3, column: "day", value: "2025-01-01", offset: 34 },
    });
    const reports: CellReport[] = [];
    const frame = await Frame.fromCSV(utf8(text), {
      ...options,
      onBadCell: "null",
      onPrecisionLoss: "round",
      onReport: (report) => reports.push(report),
    });
    expect(textsOf(frame.table)[1]).toEqual([null, null, null, "2", null, null]);
    expect(reports.map(({ column, what, examples }) => [column, what, examples[0].value])).toEqual([
      ["day", "null", "2025-01-01"],
      ["n", "null", "1.5"],
      ["i", "rounded", "1,5"],
    ]);
  });

  it("a file on threads and its batches have the same cells", async () => {
    const folder = temporaryFolder("forms");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "long.csv");
    const line = (i: number): string =>
      `${String((i % 28) + 1).padStart(2, "0")}.02.2024;;${i % 1000}.${String(i % 1000).padStart(3, "0")},5;;;${"x".repeat(90)}\n`;
    writeFileSync(path, head + Array.from({ length: 75_000 }, (_, i) => line(i + 1000)).join(""));
    const read = { ...options, onBadCell: "null", decimals: "float64" } as const;
    const [one, two] = [
      await onThreads(1, () => Frame.fromCSV(path, read)),
      await onThreads(2, () => Frame.fromCSV(path, read)),
    ];
    expect(two.head(70_000).tail(3).toArray()).toEqual(one.head(70_000).tail(3).toArray());
    expect(two.column("n").sum()).toBe(one.column("n").sum());
    expect([two.column("n").nullCount, two.column("day").nullCount]).toEqual([75, 0]);
    expect(one.column("n").toNumbers().slice(0, 3)).toEqual(Float64Array.of(Number.NaN, 1001.5, 2002.5));
  });

  it("refuses separators and patterns that mean nothing", async () => {
    const wrong = [
      { decimal: "" },
      { decimal: ",", thousands: "," },
      { thousands: "5" },
      { thousands: ".." },
      { decimal: 5 },
    ];
    for (const form of [
      ...wrong,
      { dateFormat: "DD.MM.YYYY" },
      { dateFormat: 5 },
      { dateFormat: "" },
      { percent: "yes" },
    ]) {
      await expect(Frame.fromCSV(utf8("a\n1\n"), form as CsvFileOptions)).rejects.toMatchObject({
        code: "BadArgument",
      });
    }
    expect(() => csvBatches(utf8("a\n1\n"), { decimal: "x" })).toThrow(
      expect.objectContaining({ code: "BadArgument" }),
    );
  });
});

it("cast takes no group of thousands that begins with 0", () => {
  const texts = Frame.fromColumns({ n: ["1.234", "0.123"] });
  const form = { decimal: ",", thousands: "." } as const;
  expect(() => texts.cast({ n: "Integer" }, form)).toThrow(expect.objectContaining({ code: "BadCell", row: 1 }));
  expect(
    texts
      .cast({ n: "Integer" }, { ...form, onBadCell: "null" })
      .column("n")
      .toStrings(),
  ).toEqual(["1234", null]);
});

/** A number as a European spreadsheet writes it, with or without points between thousands. */
function european(plain: string, isGrouped: boolean): string {
  const [whole, fraction] = plain.split(".");
  const grouped = isGrouped ? whole.replace(/\B(?=(?:\d{3})+$)/g, ".") : whole;
  return fraction === undefined ? grouped : `${grouped},${fraction}`;
}

const numbers = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 8 }))
  .map(([units, scale]) => {
    const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
    const sign = units < 0n ? "-" : "";
    return `${sign}${digits.slice(0, digits.length - scale)}${scale === 0 ? "" : `.${digits.slice(-scale)}`}`;
  });
const days = fc.date({ min: new Date("1900-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
const rows = fc.array(
  fc.record({
    n: fc.option(numbers),
    day: fc.option(days.map((day) => day.toISOString().slice(0, 10))),
    grouped: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

it("has the cells of the same file in plain form, however it is cut", async () => {
  await forAllAsync(runs(30), rows, fc.integer({ min: 1, max: 3000 }), async (cells, times) => {
    const plain = cells.map(({ n, day }) => [n ?? "", day ?? "", "x"]);
    const written = cells.map(({ n, day, grouped }) => [
      n === null ? "" : european(n, grouped),
      day === null ? "" : day.split("-").reverse().join("."),
      "x",
    ]);
    const text = (body: string[][], delimiter: string): Uint8Array =>
      utf8(`${Papa.unparse([["n", "day", "t"], ...body], { delimiter, newline: "\n" })}\n`);
    const expected = await Frame.fromCSV(text(plain, ","));
    const found = await Frame.fromCSV(text(written, ";"), EUROPE);
    expect(found.columns).toEqual(expected.columns);
    expect(textsOf(found.table)).toEqual(textsOf(expected.table));
    const declared = { ...EUROPE, columns: expected.columns };
    const bytes = text(written, ";");
    for (let at = 1; at < bytes.length; at++) {
      expect(await streamed([bytes.slice(0, at), bytes.slice(at)], declared)).toEqual(textsOf(expected.table));
    }
    expect(await streamed(chunked(bytes, 1), declared)).toEqual(textsOf(expected.table));
    const many = Array.from({ length: times % 400 }, () => written).flat();
    expect(csvTable(text(many, ";"), declared).numRows).toBe(many.length);
  });
});

it("equals read_csv of DuckDB, which sql() reaches", async () => {
  const folder = temporaryFolder("forms");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "umsatz.csv");
  const body = Array.from({ length: 300 }, (_, i) => {
    const cents = String(((i * 7_919_317) % 99_999_999) + 100);
    const day = new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10).split("-").reverse().join(".");
    return `${day};K${i};${i % 3 === 0 ? "-" : ""}${european(`${cents.slice(0, -2)}.${cents.slice(-2)}`, true)}`;
  });
  writeFileSync(path, `Datum;Kunde;Betrag\n${body.join("\n")}\n`);
  const own = await Frame.fromCSV(path, EUROPE);
  const theirs = await Frame.fromRows([{ a: 1 }]).sql(
    `select * from read_csv('${path}', delim = ';', decimal_separator = ',', thousands = '.', dateformat = '%d.%m.%Y',
      columns = { Datum: 'DATE', Kunde: 'VARCHAR', Betrag: 'DECIMAL(8,2)' })`,
  );
  expect(own.columns.map(({ type }) => type)).toEqual(["Date", "String", "BigDecimal(8,2)"]);
  expect(textsOf(theirs.table)).toEqual(textsOf(own.table));
});
