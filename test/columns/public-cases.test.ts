import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { vectorToNumbers, vectorToStrings } from "../../src/columns/arrow/vector-values.js";
import { csvTable } from "../../src/columns/csv/reader.js";
import { zipTable } from "../../src/columns/files/zip-file.js";
import { jsonRows } from "../../src/columns/json/reader.js";
import { DataError } from "../../src/errors/errors.js";
import { csvRow, DOUBLED, STANDARD_CSV, splitRow } from "../../src/format/csv.js";
import { readEnvelope } from "../../src/format/json-envelope.js";
import { cases, casesFolder, haveCases } from "../cases.js";
import { csvText } from "./csv-text.js";
import { textsOf, utf8 } from "./rows.js";

const file = (...path: string[]): Buffer => readFileSync(cases(path.join("/")));

it(`the public cases are ${haveCases ? "at hand" : "not at hand: the sets below are left out"}`, () => {
  expect(typeof casesFolder).toBe("string");
});

/** The rows of a CSV text as the grammar has them, or undefined where a row is malformed. */
const syntax = (bytes: Uint8Array, loose = false): string[][] | undefined => {
  const rows: string[][] = [];
  const row = csvRow();
  let p = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (p < bytes.length) {
    p = splitRow({ b: bytes, p, end: bytes.length }, true, row, {
      ...STANDARD_CSV,
      looseQuotes: loose ? "all" : "none",
    });
    if (p < 0) return undefined;
    const cells = Array.from({ length: row.count }, (_, i) => {
      const text = Buffer.from(bytes.subarray(row.starts[i], row.ends[i])).toString();
      return (row.flags[i] & DOUBLED) !== 0 ? text.replaceAll('""', '"') : text;
    });
    rows.push(cells);
  }
  return rows;
};

describe.runIf(haveCases)("csv-spectrum", () => {
  const names = haveCases ? readdirSync(cases("csv-spectrum/csvs")) : [];
  it.each(names)("%s", (name) => {
    const bytes = file("csv-spectrum/csvs", name);
    const parsed = JSON.parse(file("csv-spectrum/json", name.replace(".csv", ".json")).toString()) as unknown;
    const expected = (Array.isArray(parsed) ? parsed : [parsed]) as Record<string, string>[];
    const header = syntax(bytes)?.[0] ?? bytes.toString().split(/\r?\n/)[0].split(",");
    // A quote inside an unquoted cell is text only on demand.
    const lenient = { quotes: name === "location_coordinates.csv" };
    const columns = header.map((column) => ({ name: column, type: "String" }));
    const rows = textsOf(csvTable(bytes, { columns, lenient }));
    expect(rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [header[i], cell ?? ""])))).toEqual(expected);
  });
});

interface PapaCase {
  readonly description: string;
  readonly input: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly expected: {
    readonly data: string[][];
    readonly errors: readonly { readonly type: string; readonly code: string }[];
  };
  readonly disabled?: boolean;
  readonly __has_function?: boolean;
}

describe.runIf(haveCases)("papaparse's own cases", () => {
  const all = haveCases
    ? (JSON.parse(gunzipSync(file("papaparse/test-cases.json.gz")).toString()) as Record<string, readonly PapaCase[]>)
    : {};
  // Options of papaparse that this reader has by another name, or that change nothing here.
  const plain = ({ config = {}, disabled, __has_function }: PapaCase): boolean =>
    !disabled &&
    !__has_function &&
    Object.keys(config).every((key) => key === "newline" || (key === "delimiter" && config[key] === ","));
  const judged = [...(all["CORE_PARSER_TESTS"] ?? []), ...(all["PARSE_TESTS"] ?? [])].filter(plain);
  // papaparse looks for another delimiter, or keeps to the first kind of line end; this reader does neither.
  const another = [
    "Mixed slash n and slash r should choose first as precident",
    "Pipe delimiter is guessed correctly when mixed with comas",
    "Pipe delimiter is guessed correctly when first field are enclosed in quotes and contain delimiter characters",
    "Pipe delimiter is guessed correctly when some fields are enclosed in quotes and contain delimiter characters and escaoped quotes",
  ];
  const differs = ({ input, config, description }: PapaCase): boolean =>
    another.includes(description) ||
    config?.["newline"] !== undefined ||
    (/[|\t;\u001e\u001f]/.test(input) && !input.includes(","));
  // papaparse lets these pass; they are malformed by RFC 4180 and read the same way on demand
  // (`lenient: { quotes: true }`).
  const lenient =
    /^(?:Misplaced quotes|Quoted fields with spaces|Quoted field with whitespace around|Unquoted field with quotes)/;
  it("there are enough of them", () => {
    expect(judged.filter((test) => !differs(test)).length).toBeGreaterThan(70);
  });
  it.each(judged.filter((test) => !differs(test)).map((test) => [test.description, test] as const))("%s", (_, test) => {
    const strict = syntax(utf8(test.input));
    if (lenient.test(test.description)) expect(strict).toBeUndefined();
    const rows = lenient.test(test.description) ? syntax(utf8(test.input), true) : strict;
    const malformed = test.expected.errors.some((error) => error.type === "Quotes");
    if (malformed) {
      expect(rows).toBeUndefined();
      return;
    }
    // papaparse counts an empty row after the last line end.
    const data = test.expected.data.map((cells) => cells.map(String));
    const last = data.at(-1);
    if (/[\r\n]$/.test(test.input) && last?.length === 1 && last[0] === "") data.pop();
    if (test.input === "" && data.length === 1) data.pop();
    expect(rows).toEqual(data);
  });
});

describe.runIf(haveCases)("number-parse", () => {
  const names = haveCases ? readdirSync(cases("number-parse")).filter((name) => name.endsWith(".txt")) : [];
  it.each(names)("%s: the exact bits", (name) => {
    const lines = file("number-parse", name).toString().trimEnd().split("\n");
    const texts = lines.map((line) => line.slice(31));
    const bits = lines.map((line) => line.slice(14, 30).toLowerCase());
    const read = (column: Float64Array): string[] => {
      const view = new DataView(new ArrayBuffer(8));
      return Array.from(column, (value) => {
        view.setFloat64(0, value);
        return view.getBigUint64(0).toString(16).padStart(16, "0");
      });
    };
    // Numbers beyond the largest double are infinite only on request.
    const columns = [{ name: "x", type: "double" }];
    const onPrecisionLoss = "round";
    const csv = csvTable(utf8(`x\n${texts.join("\n")}\n`), { columns, onPrecisionLoss });
    expect(read(vectorToNumbers(csv.getChildAt(0) as never))).toEqual(bits);
    const negative = csvTable(utf8(`x\n${texts.map((text) => `"-${text}"`).join("\n")}\n`), {
      columns,
      onPrecisionLoss,
    });
    expect(read(vectorToNumbers(negative.getChildAt(0) as never).map((x) => -x))).toEqual(bits);
    const inJson = texts
      .map((text, i) => [text, i] as const)
      .filter(([text]) => /^(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text));
    const json = utf8(`[${inJson.map(([text]) => `[${text}]`).join(",")}]`);
    const table = jsonRows({ bytes: json, start: 0, end: json.length }, columns, { onPrecisionLoss }).table();
    expect(read(vectorToNumbers(table.getChildAt(0) as never))).toEqual(inJson.map(([, i]) => bits[i]));
  });
});

describe.runIf(haveCases)("naughty strings", () => {
  it("round-trip code unit for code unit through CSV and JSON, as cells and as column names", () => {
    const strings = haveCases ? (JSON.parse(file("naughty-strings/blns.json").toString()) as string[]) : [];
    const csv = utf8(`x\n${csvText(strings.map((text) => [text]))}`);
    const column = (table: ReturnType<typeof csvTable>): unknown => vectorToStrings(table.getChildAt(0) as never);
    for (const text of ["dictionary", "utf8"] as const) {
      expect(column(csvTable(csv, { columns: [{ name: "x", type: "String" }], text }))).toEqual(strings);
      const json = utf8(JSON.stringify(strings.map((s) => [s])));
      expect(
        column(
          jsonRows({ bytes: json, start: 0, end: json.length }, [{ name: "x", type: "String" }], { text }).table(),
        ),
      ).toEqual(strings);
    }
    const columns = strings.map((name) => ({ name, type: "String" }));
    const wide = utf8(csvText([strings, strings]));
    const table = csvTable(wide, { columns });
    expect(table.schema.fields.map((field) => field.name)).toEqual(strings);
    expect(textsOf(table)).toEqual([strings]);
  });
});

describe.runIf(haveCases)("recorded answers of a real service", () => {
  const folder = "quandl-recorded/stock_calculator";
  const names = haveCases ? readdirSync(cases(folder)).filter((name) => name.endsWith(".http")) : [];
  it.each(names)("%s", (name) => {
    const text = file(folder, name).toString("latin1");
    const body = file(folder, name).subarray(text.indexOf("\r\n\r\n") + 4);
    const { value, rows } = readEnvelope(body, [["datatable", "data"]]);
    if (rows === undefined) {
      expect(value).toMatchObject({ quandl_error: { code: "QEAx01" } });
      return;
    }
    const { columns } = (value as { datatable: { columns: { name: string; type: string }[] } }).datatable;
    const table = jsonRows({ bytes: body, start: rows.start, end: rows.end }, columns).table();
    const literal = body.subarray(rows.start, rows.end).toString();
    const raw = JSON.parse(literal.replace(/(?<=[[,])-?\d[\d.eE+-]*/g, '"$&"')) as (string | null)[][];
    const same = (cell: string | null, i: number): string | null => {
      const scale = /\((\d+),(\d+)\)/.exec(columns[i].type);
      if (cell === null || scale === null) return cell;
      const [whole, fraction = ""] = cell.split(".");
      return `${whole}.${fraction.padEnd(Number(scale[2]), "0")}`;
    };
    expect(textsOf(table)).toEqual(raw.map((cells) => cells.map(same)));
  });

  it("a zipped table", async () => {
    const decimals = [
      "open",
      "high",
      "low",
      "close",
      "volume",
      "ex-dividend",
      "split_ratio",
      "adj_open",
      "adj_high",
      "adj_low",
      "adj_close",
      "adj_volume",
    ];
    const columns = [
      { name: "ticker", type: "String" },
      { name: "date", type: "Date" },
      ...decimals.map((name) => ({ name, type: "BigDecimal(34,12)" })),
    ];
    const table = await zipTable(cases("quandl-recorded/zipline/QUANDL_ARCHIVE.zip"), { columns });
    expect(table.numRows).toBe(916);
    const counts = new Map<string | null, number>();
    for (const [ticker] of textsOf(table)) counts.set(ticker, (counts.get(ticker) ?? 0) + 1);
    expect([...counts]).toEqual([
      ["AAPL", 252],
      ["BRK_A", 252],
      ["MSFT", 252],
      ["ZEN", 160],
    ]);
  });
});

it("a row that is malformed in the middle of many is found", () => {
  const text = `x,y\n${"a,1\n".repeat(1000)}"b,2\n${"a,1\n".repeat(1000)}`;
  const columns = ["x", "y"].map((name) => ({ name, type: "String" }));
  expect(() => csvTable(utf8(text), { columns })).toThrow(DataError);
  expect(() => csvTable(utf8(text), { columns })).toThrow("Row 1000 has a quote that is never closed");
});
