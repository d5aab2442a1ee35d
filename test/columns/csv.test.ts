import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CellReport, CsvOptions } from "../../src/columns/arrow/read-options.js";
import { streamTable } from "../../src/columns/build/text-reader.js";
import { textRows } from "../../src/columns/build/text-rows.js";
import { csvReader, csvTable, csvTableReader } from "../../src/columns/csv/reader.js";
import { jsonRows } from "../../src/columns/json/reader.js";
import { DataError } from "../../src/errors/errors.js";
import { formatNumber } from "../../src/value/number.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll, forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { csvText } from "./csv-text.js";
import { chunked, streamed, textsOf, utf8 } from "./rows.js";

const prices: CsvOptions = {
  columns: columnSpecs({
    ticker: "String",
    date: "Date",
    close: "BigDecimal(15,4)",
    ratio: "double",
    volume: "BigDecimal(38,12)",
    wide: "BigDecimal(50,28)",
    count: "Integer",
    open: "Boolean",
    at: "DateTime",
    note: "json",
  }),
  warn: () => {},
};
const header = prices.columns.map((c) => c.name).join(",");

const readable = {
  text: fc.string({
    unit: fc.constantFrom("a", "B", " ", ",", '"', "\n", "\r", "é", "𝒳", "\0", "'", "\ufeff"),
    maxLength: 12,
  }),
  date: fc
    .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((d) => d.toISOString().slice(0, 10)),
  decimal: (precision: number, scale: number) =>
    fc.bigInt({ min: -(10n ** BigInt(precision)) + 1n, max: 10n ** BigInt(precision) - 1n }).map((n) => {
      const digits = (n < 0n ? -n : n).toString().padStart(scale + 1, "0");
      return `${n < 0n ? "-" : ""}${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}`;
    }),
  double: fc
    .double({ noNaN: true })
    .map((x) =>
      Object.is(x, -0)
        ? "-0.0"
        : Number.isInteger(x) && !String(x).includes("e") && Number.isFinite(x)
          ? `${x}.0`
          : String(x),
    ),
  integer: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  boolean: fc.boolean().map(String),
  instant: fc
    .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((d) => d.toISOString().replace(".000Z", "Z")),
};
const nullable = <T>(cell: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(cell, { freq: 4 });
const priceRow = fc.tuple(
  nullable(readable.text),
  nullable(readable.date),
  nullable(readable.decimal(15, 4)),
  nullable(readable.double),
  nullable(readable.decimal(38, 12)),
  nullable(readable.decimal(50, 28)),
  nullable(readable.integer),
  nullable(readable.boolean),
  nullable(readable.instant),
  nullable(readable.text),
);

describe("what was written is read", () => {
  it("for every type, chunked anywhere", async () => {
    await forAllAsync(
      { numRuns: runs(200), seed: 11 },
      fc.array(priceRow, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(1, 3, 65_536),
      async (rows, sizes, batchRows) => {
        const text = `${header}\n${csvText(rows)}`;
        expect(textsOf(csvTable(utf8(text), prices))).toEqual(rows);
        expect(await streamed(chunked(utf8(text), ...sizes), { ...prices, batchRows })).toEqual(rows);
      },
    );
  });

  it("every field in quotes, CRLF and CR", () => {
    forAll(
      { numRuns: runs(200), seed: 12 },
      fc.array(priceRow, { maxLength: 6 }),
      fc.constantFrom("\r\n", "\r", "\n"),
      (rows, end) => {
        const quoted = (cell: string | null): string => (cell === null ? "" : `"${cell.replaceAll('"', '""')}"`);
        const text = [header, ...rows.map((row) => row.map(quoted).join(","))].join(end);
        expect(textsOf(csvTable(utf8(text), prices))).toEqual(rows);
      },
    );
  });
});

it("every cut of a stream gives the same rows", async () => {
  const rows = [
    ["AAPL", "2024-02-29", "-12.3400", "0.1", "1.5", null, "-7", "true", "2017-11-10T00:18:07Z", 'a "b",\r\nc'],
    [null, null, null, null, null, null, null, null, null, null],
    [
      "",
      "1900-01-01",
      "99999999999.9999",
      "Infinity",
      "12345678901234567890123456.123456789012",
      "1",
      "5.0",
      "FALSE",
      "2017-11-10 00:18:07 UTC",
      "",
    ],
  ];
  for (const end of ["\n", "\r\n", "\r"]) {
    const bytes = utf8(`\ufeff${header}${end}${rows.map((row) => csvText([row]).replace(/\n$/, end)).join("")}`);
    const whole = textsOf(csvTable(bytes, prices));
    expect(whole.map((row) => row[3])).toEqual(["0.1", null, "Infinity"]);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await streamed([bytes.slice(0, cut), bytes.slice(cut)], prices)).toEqual(whole);
    }
  }
});

it("the batches of a table share buffers, however the lengths of its rows change", async () => {
  const columns = ["name", "note", "close", "ratio"].map((name, i) => ({
    name,
    type: ["String", "String", "BigDecimal(15,4)", "double"][i],
  }));
  const lines = Array.from({ length: 20_000 }, (_, i) => {
    const note = i % 7 === 0 ? "" : `${i} ${"é".repeat(i % 40)}${"x".repeat(i > 9_000 ? 300 : 0)}`;
    return `n${i % 11},${note},${i % 5 === 0 ? "" : i / 4},${i % 3 === 0 ? "" : i / 8}`;
  });
  for (const text of [lines.join("\n"), lines.toReversed().join("\n")]) {
    const bytes = utf8(`name,note,close,ratio\n${text}\n`);
    const options = { columns, batchRows: 500 };
    const table = csvTable(bytes, options);
    const known = await streamTable(csvTableReader(options, bytes.length), chunked(bytes, 70_000));
    const rows = textsOf(await streamTable(csvReader(options), chunked(bytes, 70_000)));
    expect(rows).toHaveLength(lines.length);
    expect(textsOf(table)).toEqual(rows);
    expect(textsOf(known)).toEqual(rows);
    const buffersOf = (i: number): number =>
      new Set(table.batches.map(({ data }) => (data.children[i].values as Uint8Array).buffer)).size;
    expect(buffersOf(2)).toBeLessThan(15);
    expect(buffersOf(3)).toBeLessThan(15);
  }
});

const one = (type: string, cell: string, options: Partial<CsvOptions> = {}): string | null =>
  textsOf(
    csvTable(utf8(`x,y\n${cell},1\n`), {
      columns: [
        { name: "x", type },
        { name: "y", type: "Integer" },
      ],
      ...options,
    }),
  )[0][0];

const failure = (run: () => unknown): DataError => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(DataError);
    return error as DataError;
  }
  throw new Error("nothing was thrown");
};

describe("cells that do not fit", () => {
  const bad: readonly (readonly [type: string, cell: string])[] = [
    ["Date", "2024-02-30"],
    ["Date", "2023-02-29"],
    ["Date", "1900-02-29"],
    ["Date", "0000-00-00"],
    ["Date", "0000-01-01"],
    ["Date", "2024-13-01"],
    ["Date", "2024-00-01"],
    ["Date", "2024-01-00"],
    ["Date", "10000-01-01"],
    ["Date", "2024-1-1"],
    ["Date", "2024/01/01"],
    ["Date", "2024-01-01T00:00:00Z"],
    ["Date", " 2024-01-01"],
    ["Date", "2024-01-0:"],
    ["BigDecimal(15,4)", "1.23456"],
    ["BigDecimal(15,4)", "100000000000"],
    ["BigDecimal(15,4)", "1e11"],
    ["BigDecimal(15,4)", "NaN"],
    ["BigDecimal(15,4)", "1,5"],
    ["BigDecimal(15,4)", "."],
    ["BigDecimal(15,4)", "1e"],
    ["BigDecimal(15,4)", "--1"],
    ["BigDecimal(15,4)", "1 "],
    ["BigDecimal(15,4)", "0x10"],
    ["BigDecimal(15,4)", "1.5e-7"],
    ["double", "abc"],
    ["double", "1_000"],
    ["double", "1e5x"],
    ["double", "nano"],
    ["Integer", "1.5"],
    ["Integer", "9223372036854775808"],
    ["Integer", "-9223372036854775809"],
    ["Boolean", "yes"],
    ["DateTime", "2017-11-10 00:18"],
    ["DateTime", "2017-11-10 24:00:00 UTC"],
    ["DateTime", "2017-02-30 00:00:00 UTC"],
    ["DateTime", "2017-11-10T00:18:07.1234Z"],
  ];
  it.each(bad)("%s refuses %s, naming row, column, value and byte", (type, cell) => {
    const quoted = cell.includes(",") ? `"${cell}"` : cell;
    const error = failure(() => one(type, quoted));
    expect(error).toMatchObject({ row: 0, column: "x", value: cell, offset: 4 });
    expect(error.message).toContain('Row 0, column "x"');
    expect(error.hint).toBeTruthy();
  });

  it("become null and are reported when asked", () => {
    const reports: CellReport[] = [];
    const text = "d,x\n2024-02-30,1\n2024-02-29,zz\n,3\n";
    const table = csvTable(utf8(text), {
      columns: columnSpecs({ d: "Date", x: "BigDecimal(5,2)" }),
      onBadCell: "null",
      onReport: (report) => reports.push(report),
    });
    expect(textsOf(table)).toEqual([
      [null, "1.00"],
      ["2024-02-29", null],
      [null, "3.00"],
    ]);
    expect(reports).toEqual([
      { column: "d", type: "Date", what: "null", count: 1, examples: [{ row: 0, value: "2024-02-30", offset: 4 }] },
      { column: "x", type: "BigDecimal(5,2)", what: "null", count: 1, examples: [{ row: 1, value: "zz", offset: 28 }] },
    ]);
  });

  it("are rounded half to even and reported when asked", () => {
    const reports: CellReport[] = [];
    const rounded = (cell: string): string | null =>
      one("BigDecimal(5,2)", cell, { onPrecisionLoss: "round", onReport: (report) => reports.push(report) });
    expect(
      ["1.005", "1.015", "1.0050001", "-1.005", "-1.0151", "0.004", "0.005", "0.0051", "1e-9", "5e-3"].map(rounded),
    ).toEqual(["1.00", "1.02", "1.01", "-1.00", "-1.02", "0.00", "0.00", "0.01", "0.00", "0.00"]);
    expect(reports).toHaveLength(10);
    expect(failure(() => rounded("999.995"))).toMatchObject({ code: "PrecisionLoss" });
    expect(rounded("999.99499")).toBe("999.99");
  });
});

it.each([
  ["BigDecimal(15,4)", "1.5e-3", "0.0015"],
  ["BigDecimal(38,18)", "1.5e-7", "0.000000150000000000"],
  ["decimal", "1", "1.000000000000000000"],
  ["BigDecimal(15,4)", "1.50000000", "1.5000"],
  ["BigDecimal(20,0)", "24997274.0", "24997274"],
  ["BigDecimal(37,15)", "24997274.0", "24997274.000000000000000"],
  ["BigDecimal(15,4)", "+1", "1.0000"],
  ["BigDecimal(15,4)", ".5", "0.5000"],
  ["BigDecimal(15,4)", "5.", "5.0000"],
  ["BigDecimal(15,4)", "-0", "0.0000"],
  ["BigDecimal(15,4)", "0e999999999999999999", "0.0000"],
  ["BigDecimal(15,4)", `${"0".repeat(400)}1.25${"0".repeat(400)}`, "1.2500"],
  ["BigDecimal(76,38)", `${"9".repeat(38)}.${"9".repeat(38)}`, `${"9".repeat(38)}.${"9".repeat(38)}`],
  ["Date", "0001-01-01", "0001-01-01"],
  ["Date", "9999-12-31", "9999-12-31"],
  ["DateTime", "2017-11-10 00:18:07 +0000", "2017-11-10T00:18:07Z"],
  ["DateTime", "2017-11-10T02:18:07.120+02:00", "2017-11-10T00:18:07.120Z"],
  ["DATETIME", "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"],
  ["BigInt", "-9223372036854775808", "-9223372036854775808"],
  ["Integer", "12.0", "12"],
  ["FLOAT", "-Infinity", "-Infinity"],
  ["FLOAT", "1.7976931348623158e308", "1.7976931348623157e+308"],
  ["FLOAT", "1e-400", "0.0"],
  ["Double", "NaN", "NaN"],
  ["double", "0.30000000000000004", "0.30000000000000004"],
  ["mediumtext", "0123", "0123"],
  ["Boolean", "TRUE", "true"],
])("%s takes %s as %s", (type, cell, expected) => {
  expect(one(type, cell)).toBe(expected);
  expect(one(type, `"${cell}"`)).toBe(expected);
});

describe("a number beyond the largest double", () => {
  const spelt = fc.oneof(
    fc
      .tuple(fc.constantFrom("", "-"), fc.stringMatching(/^[1-9]\d?\.\d{1,18}$/), fc.integer({ min: 290, max: 320 }))
      .map(([sign, digits, exponent]) => `${sign}${digits}e${exponent}`),
    fc.stringMatching(/^-?[1-9]\d{300,315}(\.\d)?$/),
  );
  const readers: readonly ((text: string, options: Partial<CsvOptions>) => string | null)[] = [
    (text, options) => one("double", text, options),
    (text, options) => one("double", `"${text}"`, options),
    (text, options) => textsOf(textRows([[text]], [{ name: "x", type: "double" }], options).table())[0][0],
    (text, options) => {
      const bytes = utf8(`[[${text}]]`);
      return textsOf(
        jsonRows({ bytes, start: 0, end: bytes.length }, [{ name: "x", type: "double" }], options).table(),
      )[0][0];
    },
  ];

  it("is an error in every format, and any other number is read", () => {
    forAll({ numRuns: runs(2_000), seed: 13 }, spelt, fc.constantFrom(...readers), (text, read) => {
      if (Number.isFinite(Number(text))) expect(read(text, {})).toBe(formatNumber(Number(text)));
      else expect(failure(() => read(text, {}))).toMatchObject({ code: "PrecisionLoss", row: 0 });
    });
  });

  it("is an infinity on demand, and reported", () => {
    for (const read of readers) {
      const reports: CellReport[] = [];
      const onReport = (report: CellReport) => void reports.push(report);
      expect(read("-1e400", { onPrecisionLoss: "round", onReport })).toBe("-Infinity");
      expect(reports).toMatchObject([{ what: "rounded", count: 1, examples: [{ value: "-1e400" }] }]);
      expect(read("1e400", { onBadCell: "null" })).toBe(null);
    }
  });

  it("is never one in a decimal read as double", () => {
    const options = { decimals: "float64", onPrecisionLoss: "round" } as const;
    for (const text of ["1e400", "9".repeat(400)]) {
      expect(failure(() => one("BigDecimal(38,20)", text, options))).toMatchObject({ code: "PrecisionLoss" });
    }
  });
});

it("a decimal as double is the nearest one", () => {
  expect(one("BigDecimal(38,20)", "0.10000000000000000001", { decimals: "float64" })).toBe("0.1");
  expect(failure(() => one("BigDecimal(38,20)", "NaN", { decimals: "float64" }))).toMatchObject({ code: "BadCell" });
});
