import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import type { RecordBatch } from "../../src/columns/arrow/arrow.js";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import type { CsvDialect } from "../../src/columns/arrow/csv-dialect.js";
import { columnsOfCsv } from "../../src/columns/csv/infer.js";
import { csvTable, csvBatches as streamBatches } from "../../src/columns/csv/reader.js";
import { csvBatches, Frame } from "../../src/index.js";
import { cases, haveCases } from "../cases.js";
import { inBatches } from "../divided.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { chunked, textsOf, utf8 } from "./rows.js";

type Options = Parameters<typeof Frame.fromCSV>[1];

const names = (frame: Frame): string[] => frame.columns.map(({ name }) => name);

/** The cells of a file as text, null as null, with its columns taken from the header. */
const read = async (text: string | Uint8Array, options: Partial<Options> = {}): Promise<(string | null)[][]> => {
  const bytes = typeof text === "string" ? utf8(text) : text;
  return textsOf((await Frame.fromCSV(bytes, { columns: "header", ...options } as Options)).table);
};

describe("options of the dialect", () => {
  it("delimiter: a semicolon, a tab, a bar", async () => {
    for (const delimiter of [";", "\t", "|", "\x1f", " "]) {
      const text = `${["a", "b"].join(delimiter)}\n${["1,5", `"x${delimiter}y"`].join(delimiter)}\n`;
      expect(await read(text, { delimiter })).toEqual([["1,5", `x${delimiter}y`]]);
    }
  });

  it("quote: another character, or none", async () => {
    expect(await read("a,b\n'x,\"y',''\n", { quote: "'" })).toEqual([['x,"y', ""]]);
    expect(await read("a,b\n'it''s',2\n", { quote: "'" })).toEqual([["it's", "2"]]);
    expect(await read('a,b\n"x,y"\n', { quote: false })).toEqual([['"x', 'y"']]);
  });

  it("escape: before a quote or itself; doubled quotes still work", async () => {
    const text = 'a,b\n"x\\"y","c:\\\\d\\e"\n"q""r",s\n';
    expect(await read(text, { escape: "\\" })).toEqual([
      ['x"y', "c:\\d\\e"],
      ['q"r', "s"],
    ]);
  });

  it("comment: lines before the header and between rows, not in quotes", async () => {
    const text = '# made by x\n#\na,b\n1,2\n# 3,4\n"5\n#6",7\n#end';
    expect(await read(text, { comment: "#" })).toEqual([
      ["1", "2"],
      ["5\n#6", "7"],
    ]);
    expect(await read("//x\na\n/1\n", { comment: "//" })).toEqual([["/1"]]);
  });

  it("skipRows: lines before the header, whatever they hold", async () => {
    expect(await read('Prices, "2024\nx\na,b\n1,2\n', { skipRows: 2 })).toEqual([["1", "2"]]);
    expect(await read("x\r\na\r\n1\r\n", { skipRows: 1 })).toEqual([["1"]]);
  });

  it("byPosition: the declared columns in the order of the file", async () => {
    const columns = ["b", "x"].map((name) => ({ name, type: "Integer" }));
    const bytes = utf8("a,b\n1,2\n");
    const frame = await Frame.fromCSV(bytes, { columns, byPosition: true });
    expect([...frame.rows()]).toEqual([{ b: 1, x: 2 }]);
    for await (const { numRows } of csvBatches(bytes, { columns, byPosition: true })) expect(numRows).toBe(1);
    const few = { columns: columns.slice(0, 1), byPosition: true };
    await expect(Frame.fromCSV(bytes, few)).rejects.toMatchObject({ code: "UndeclaredColumn", column: "b" });
    const many = { columns: [...columns, { name: "y", type: "Integer" }], byPosition: true };
    await expect(Frame.fromCSV(bytes, many)).rejects.toMatchObject({ code: "MissingColumn", column: "y" });
    expect(await read(bytes, { ...few, lenient: { header: true } })).toEqual([["1"]]);
  });

  it("headerRows: several lines make one name", async () => {
    const frame = await Frame.fromCSV(utf8(",price,price\ndate,open,close\n2024-02-29,1,2\n"), {
      columns: "infer",
      headerRows: 2,
    });
    expect(frame.columns).toEqual([
      { name: "date", type: "Date" },
      { name: "price_open", type: "Integer" },
      { name: "price_close", type: "Integer" },
    ]);
  });

  it("nullValues: in columns of any type, also where they are values of it", async () => {
    const text = 'day,n,t\n2024-02-29,1,x\nNA,-999,NA\n-,"NA",y\n';
    const nullValues = ["NA", "-", "-999"];
    const expected = [
      ["2024-02-29", "1", "x"],
      [null, null, null],
      [null, null, "y"],
    ];
    for (const text_ of ["dictionary", "utf8"] as const) {
      const frame = await Frame.fromCSV(utf8(text), { columns: "infer", nullValues, text: text_ });
      expect(frame.columns.map(({ type }) => type)).toEqual(["Date", "Integer", "String"]);
      expect(textsOf(frame.table)).toEqual(expected);
      expect(frame.column("t").nullCount).toBe(1);
    }
    expect(await read("a\nNA\n", { nullValues: "NA" })).toEqual([[null]]);
  });

  it("trailingDelimiter: after rows, with or without one in the header", async () => {
    const rows = [
      ["1", "2"],
      ["3", null],
    ];
    expect(await read("a;b;\n1;2;\n3;;\n", { delimiter: ";", trailingDelimiter: true })).toEqual(rows);
    expect(await read("a,b\n1,2,\n3,,\n", { trailingDelimiter: true })).toEqual(rows);
    expect(await read("a,b,\n1,2\n3,\n", { trailingDelimiter: true })).toEqual(rows);
    await expect(read("a,b,\n1,2,x\n", { trailingDelimiter: true })).rejects.toMatchObject({ code: "LongRow", row: 0 });
    await expect(read("a,b\n1,2,\n")).rejects.toMatchObject({ code: "LongRow", line: 2 });
  });

  it("header: false names the columns by position", async () => {
    const frame = await Frame.fromCSV(utf8("1,x\n2,y\n"), { columns: "infer", header: false });
    expect(frame.columns).toEqual([
      { name: "column_1", type: "Integer" },
      { name: "column_2", type: "String" },
    ]);
    expect(names(await Frame.fromCSV(utf8(",a\n0,1\n"), { columns: "header" }))).toEqual(["column_1", "a"]);
  });

  it("encoding: UTF-16 in both orders, Latin-1 and Windows-1252", async () => {
    const text = "a,b\nZürich,50.25\n";
    const little = Buffer.from(text, "utf16le");
    const big = Buffer.from(little).swap16();
    const mark = (bytes: Buffer, ...start: number[]): Buffer => Buffer.concat([Buffer.from(start), bytes]);
    const expected = [["Zürich", "50.25"]];
    expect(await read(little, { encoding: "utf-16le" })).toEqual(expected);
    expect(await read(mark(little, 0xff, 0xfe), { encoding: "utf-16" })).toEqual(expected);
    expect(await read(mark(big, 0xfe, 0xff), { encoding: "utf-16" })).toEqual(expected);
    expect(await read(big, { encoding: "utf-16be" })).toEqual(expected);
    expect(await read(Buffer.from(text, "latin1"), { encoding: "latin1" })).toEqual(expected);
    expect(await read(Buffer.from([97, 10, 0x80, 10]), { encoding: "windows-1252" })).toEqual([["€"]]);
    await expect(read(Buffer.from(text, "latin1"))).rejects.toMatchObject({ code: "BadUtf8" });
    const odd = read(little.subarray(0, little.length - 1), { encoding: "utf-16le" });
    await expect(odd).rejects.toMatchObject({ code: "BadTextEncoding" });
  });

  it("an error names the line, the row, the column and the value", async () => {
    const text = '# x\nday;close\n2024-02-29;"1\n2"\n2024-03-01;x\n';
    const columns = columnSpecs({ day: "Date", close: "String" });
    const options = { delimiter: ";", comment: "#" } as const;
    expect((await Frame.fromCSV(utf8(text), { columns, ...options })).numRows).toBe(2);
    const wrong = columnSpecs({ day: "Date", close: "double" });
    await expect(
      Frame.fromCSV(utf8(text.replace("1\n2", "1.5")), { columns: wrong, ...options }),
    ).rejects.toMatchObject({
      code: "BadCell",
      row: 1,
      line: 4,
      column: "close",
      value: "x",
      message: expect.stringContaining("line 4"),
    });
  });

  it("refuses what cannot structure a file", async () => {
    const wrong = [{ delimiter: "" }, { delimiter: ", " }, { delimiter: "1" }, { quote: "a" }, { delimiter: '"' }];
    for (const options of [...wrong, { skipRows: -1 }, { headerRows: 0 }, { comment: "" }, { nullValues: 5 }]) {
      await expect(read("a\n1\n", options as Partial<Options>)).rejects.toMatchObject({ code: "BadArgument" });
    }
    await expect(read("a\n1\n", { encoding: "ebcdic" } as never)).rejects.toMatchObject({ code: "UnknownValue" });
    await expect(read("a\n1\n", { sep: ";" } as never)).rejects.toMatchObject({ code: "UnknownOption" });
    await expect(read("a;b\n1;2\n")).rejects.toMatchObject({ hint: expect.stringContaining('delimiter: ";"') });
  });
});

interface PapaCase {
  readonly description: string;
  readonly input: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly expected: { readonly data: string[][]; readonly errors: readonly unknown[] };
  readonly disabled?: boolean;
  readonly __has_function?: boolean;
}

/** The options of a case of papaparse, if this reader has all of them. */
function optionsOf(config: Readonly<Record<string, unknown>>): Partial<Options> | undefined {
  const options: Record<string, unknown> = { header: false, emptyText: "quoted", lenient: { quotes: true } };
  for (const [name, value] of Object.entries(config)) {
    if (name === "delimiter" || name === "quoteChar" || name === "escapeChar") {
      if (typeof value !== "string" || value.length !== 1 || /[\w.\r\n]/.test(value)) return undefined;
      options[{ delimiter: "delimiter", quoteChar: "quote", escapeChar: "escape" }[name]] = value;
    } else if (name === "comments") {
      if (value === true) options["comment"] = "#";
      else if (typeof value === "string") options["comment"] = value;
      else if (value !== false) return undefined;
    } else if (name === "skipEmptyLines" && value === true) options["lenient"] = { quotes: true, emptyLines: true };
    else if (name === "skipFirstNLines" && (value as number) >= 0) options["skipRows"] = value;
    else if (name !== "newline" && !(name === "header" && value === false) && name !== "fastMode") return undefined;
  }
  return options as Partial<Options>;
}

describe.runIf(haveCases)("the cases of papaparse for its dialects", () => {
  const bytes = haveCases ? gunzipSync(readFileSync(cases("papaparse/test-cases.json.gz"))) : Buffer.from("{}");
  const sets = JSON.parse(bytes.toString()) as Readonly<Record<string, readonly PapaCase[]>>;
  const all = [...(sets["CORE_PARSER_TESTS"] ?? []), ...(sets["PARSE_TESTS"] ?? [])];
  const told = all.filter(({ config, expected, input, disabled, ...rest }) => {
    const widths = new Set(expected.data.map((row) => row.length));
    const isRegular = widths.size === 1 && expected.errors.length === 0 && !input.endsWith("\n\n");
    // This reader guesses no delimiter, and a file without a line is an error.
    if (rest.description.includes("guessed") || expected.data.every((row) => String(row) === "")) return false;
    return config !== undefined && optionsOf(config) !== undefined && isRegular && !disabled && !rest.__has_function;
  });

  it("are judged", () => expect(told.length).toBeGreaterThan(30));

  it.each(told.map((one) => [one.description, one] as const))("%s", async (_, { input, config = {}, expected }) => {
    // An unquoted empty line is a row of one null where there is one column.
    const rows = await read(input, optionsOf(config));
    expect(rows.map((cells) => cells.map((cell) => cell ?? ""))).toEqual(expected.data);
  });
});

describe("against papaparse", () => {
  const dialects = fc.record({
    delimiter: fc.constantFrom(",", ";", "\t", "|", " ", "^"),
    quote: fc.constantFrom('"', "'", "`"),
    newline: fc.constantFrom("\n", "\r\n", "\r"),
  });
  const cell = fc.string({
    unit: fc.constantFrom("a", "é", "😀", "0", ",", ";", "\t", "|", '"', "'", "`", "\n", " ", "#"),
  });
  const tables = fc
    .integer({ min: 1, max: 5 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }));

  it("reads what it writes, in one piece, in chunks, and by blocks", async () => {
    await forAllAsync(
      { numRuns: runs(60), examples: [[[[""]], { delimiter: ",", quote: '"', newline: "\n" }, 1, false]] },
      tables,
      dialects,
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      async (rows, dialect, size, all) => {
        const { delimiter, quote, newline } = dialect;
        const header = rows[0].map((_, i) => `c${i}`);
        // So many rows that they are read by blocks.
        const many = Array.from({ length: all ? 2000 : 1 }, () => rows).flat();
        const unparsed = Papa.unparse([header, ...many], { delimiter, quoteChar: quote, newline, quotes: all });
        // A last row of one empty cell is only there if its line ends; papaparse reads another row after that.
        const written = unparsed + newline;
        const options: CsvDialect = { delimiter, quote, emptyText: "quoted", lenient: { quotes: false } };
        const columns = header.map((name) => ({ name, type: "String" }));
        const parsed = Papa.parse<string[]>(written, { delimiter, quoteChar: quote, newline }).data.slice(1, -1);
        const texts = (cells: (string | null)[][]): string[][] => cells.map((row) => row.map((text) => text ?? ""));
        expect(texts(textsOf(csvTable(utf8(written), { columns, ...options })))).toEqual(parsed);
        if (all) return;
        const streamed: (string | null)[][] = [];
        for await (const batch of streamBatches(chunked(utf8(written), size, 1), { columns, ...options })) {
          streamed.push(...cellTexts(batch));
        }
        expect(texts(streamed)).toEqual(parsed);
      },
    );
  });

  it("a line without anything is a row of one column, and an error of several", async () => {
    expect(await read("a\n\nx\n\n")).toEqual([[null], ["x"], [null]]);
    expect(await read("a\n")).toEqual([]);
    expect(await read("a\n\nx\n\n", { lenient: { emptyLines: true } })).toEqual([["x"]]);
    await expect(read("a,b\n\nx,y\n")).rejects.toMatchObject({ code: "EmptyLine", line: 2 });
  });

  it("reads escapes and comments alike in one piece and in chunks", async () => {
    const lines = fc.array(
      fc.oneof(
        fc.constantFrom("# x,y", "#", "1,2", '"#",2', '"a\\"b",2', '"\\\\",2', '"a\n#b",2', 'x,"1""2"', '# "', "a\\,b"),
      ),
      { maxLength: 12 },
    );
    await forAllAsync(
      runs(25),
      lines,
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      async (body, size, end) => {
        const text = ["a,b", ...body].join(end) + end;
        const columns = ["a", "b"].map((name) => ({ name, type: "String" }));
        const options = { columns, comment: "#", escape: "\\" };
        const whole = textsOf(csvTable(utf8(text), options));
        expect(whole.length).toBe(body.filter((line) => !line.startsWith("#")).length);
        const many = ["a,b", ...Array.from({ length: 4000 }, () => body).flat()].join(end) + end;
        const long = textsOf(csvTable(utf8(many), options));
        expect(long.slice(0, whole.length)).toEqual(whole);
        expect(long.length).toBe(whole.length * 4000);
        const streamed: (string | null)[][] = [];
        for await (const batch of streamBatches(chunked(utf8(text), size, 2), options))
          streamed.push(...cellTexts(batch));
        expect(streamed).toEqual(whole);
      },
    );
  });
});

it("batches of a file with inferred types are those of the frame", async () => {
  const text = `id;close\n${Array.from({ length: 500 }, (_, i) => `${i};${(i / 4).toFixed(2)}`).join("\n")}\n`;
  const options = { columns: "infer", delimiter: ";" } as const;
  const batches: RecordBatch[] = [];
  await inBatches(300, async () => {
    for await (const batch of csvBatches(utf8(text), options)) batches.push(batch);
  });
  expect(batches.map(({ numRows }) => numRows)).toEqual([300, 200]);
  const frame = await Frame.fromCSV(utf8(text), options);
  expect(batches.flatMap((batch) => [...cellTexts(batch)])).toEqual(textsOf(frame.table));
  async function* chunks() {
    yield* chunked(utf8(text), 7);
  }
  expect(await columnsOfCsv(chunks, options)).toEqual(frame.columns);
});
