import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { CsvOptions } from "../../src/columns/arrow/read-options.js";
import { csvTable } from "../../src/columns/csv/reader.js";
import { DataError } from "../../src/errors/errors.js";
import { columnSpecs } from "../support/column-specs.js";
import { zipBytes } from "../zip/archive.js";
import { chunked, streamed, textsOf, utf8 } from "./rows.js";

const columns = columnSpecs({ a: "String", b: "Integer" });
type Rows = (string | null)[][];

/** Read in one piece and in pieces of one byte: the same rows, or the same error. */
const read = async (text: string | Uint8Array, options: Partial<CsvOptions> = {}): Promise<Rows> => {
  const bytes = typeof text === "string" ? utf8(text) : text;
  const all = { columns, ...options };
  const outcome = async (run: () => Rows | Promise<Rows>): Promise<unknown> => {
    try {
      return await run();
    } catch (error) {
      return error instanceof DataError ? [error.code, error.row, error.column, error.offset] : error;
    }
  };
  const whole = await outcome(() => textsOf(csvTable(bytes, all)));
  expect(await outcome(() => streamed(chunked(bytes, 1), all))).toEqual(whole);
  return textsOf(csvTable(bytes, all));
};

describe("line ends", () => {
  it.each([
    ["LF", "a,b\nx,1\ny,2\n"],
    ["CRLF", "a,b\r\nx,1\r\ny,2\r\n"],
    ["CR", "a,b\rx,1\ry,2\r"],
    ["mixed", "a,b\r\nx,1\ry,2\n"],
    ["none at the end", "a,b\nx,1\ny,2"],
    ["a byte order mark", "\ufeffa,b\nx,1\ny,2\n"],
    ["all in quotes", '"a","b"\n"x","1"\n"y","2"'],
  ])("%s", async (_, text) => {
    expect(await read(text)).toEqual([
      ["x", "1"],
      ["y", "2"],
    ]);
  });
});

describe("null and empty text", () => {
  it("stay apart", async () => {
    expect(await read('a,b\n"",1\n,\n')).toEqual([
      ["", "1"],
      [null, null],
    ]);
    expect(await read('a\n""\n\nx\n', { columns: [columns[0]] })).toEqual([[""], [null], ["x"]]);
  });

  it("are one where the service does not quote empty text", async () => {
    expect(await read('a,b\n"",1\n,\n', { emptyText: "null" })).toEqual([
      [null, "1"],
      [null, null],
    ]);
    expect(await read('a,b\nx,""\n', { emptyText: "null" })).toEqual([["x", null]]);
  });

  it("an empty text is not a number", async () => {
    await expect(read('a,b\nx,""\n')).rejects.toMatchObject({ code: "BadCell", row: 0, column: "b" });
  });
});

describe("a header", () => {
  it("may have another order, odd names and a name twice", async () => {
    expect(await read("b,a\n1,x\n")).toEqual([["x", "1"]]);
    const odd = ["__proto__", "constructor", "toString", "", "a", "a"].map((name) => ({ name, type: "String" }));
    expect(await read('constructor,"",a,__proto__,toString,a\n1,2,3,4,5,6\n', { columns: odd })).toEqual([
      ["4", "1", "5", "2", "3", "6"],
    ]);
  });

  it.each([
    ["a,c\nx,1\n", "UndeclaredColumn", 'has the column "c"'],
    ["a\nx\n", "MissingColumn", 'lacks the column "b"'],
    ["a,b,a\nx,1,y\n", "UndeclaredColumn", "not declared so often"],
    ["A,b\nx,1\n", "UndeclaredColumn", 'Did you mean "a"?'],
    ["", "EmptyCsv", "empty"],
  ])("%j is refused: %s", async (text, code, message) => {
    await expect(read(text)).rejects.toMatchObject({ code });
    await expect(read(text)).rejects.toThrow(message);
  });

  it("may be missing, or be detected", async () => {
    expect(await read("x,1\n", { header: false })).toEqual([["x", "1"]]);
    expect(await read("x,1\n", { header: "detect" })).toEqual([["x", "1"]]);
    expect(await read("a,b\nx,1\n", { header: "detect" })).toEqual([["x", "1"]]);
    expect(await read("", { header: "detect" })).toEqual([]);
    expect(await read("a,b\n")).toEqual([]);
    expect(await read("a,b")).toEqual([]);
  });

  it("is detected by its names in any order; some of them are an error", async () => {
    const header = "detect";
    expect(await read("b,a\n1,x\n", { header })).toEqual([["x", "1"]]);
    const texts = ["n", "t"].map((name) => ({ name, type: "String" }));
    expect(await read("t,n\na,b\n", { header, columns: texts })).toEqual([["b", "a"]]);
    await expect(read("a,c\nx,1\n", { header })).rejects.toMatchObject({ code: "UndeclaredColumn", column: "c" });
    await expect(read("a\nx\n", { header })).rejects.toMatchObject({ code: "MissingColumn", column: "b" });
    await expect(read("a,c\nx,1\n", { header })).rejects.toMatchObject({
      hint: expect.stringContaining("header: false"),
    });
    expect(await read("B,x\n1,zzz\n", { header, lenient: { header: true } })).toEqual([[null, "1"]]);
    expect(await read("x,1\n", { header, lenient: { header: true } })).toEqual([["x", "1"]]);
  });

  it("is matched loosely on demand", async () => {
    const lenient = { header: true };
    expect(await read("B,x,A\n1,zzz,t\n", { lenient })).toEqual([["t", "1"]]);
  });

  it.each([
    ["t,m\nx,1\n", "none of the declared columns"],
    ['x\n"z"\n', "none of the declared columns"],
    ["a;b\n1;2\n", 'separated by ";"'],
    ["a\tb\n1\t2\n", "separated by a tab"],
    ["a|b\n1|2\n", 'separated by "|"'],
  ])("without a declared column is refused, leniently too: %j", async (text, message) => {
    for (const lenient of [{}, { header: true }]) {
      await expect(read(text, { lenient })).rejects.toMatchObject({ code: "UndeclaredColumn" });
      await expect(read(text, { lenient })).rejects.toThrow(message);
      await expect(read(text, { lenient })).rejects.not.toMatchObject({ hint: expect.stringContaining("lenient") });
    }
  });

  it("with bytes that are not UTF-8 matches no column", async () => {
    const bytes = Uint8Array.from([0x61, 0xff, ...utf8(",b\nx,1\n")]);
    const odd = [{ name: "a\ufffd", type: "String" }, columns[1]];
    await expect(read(bytes, { columns: odd })).rejects.toMatchObject({ code: "BadUtf8", offset: 0 });
    await expect(read(bytes, { columns: odd, header: "detect" })).rejects.toMatchObject({ code: "BadUtf8" });
    await expect(read(bytes, { columns: odd, lenient: { header: true } })).rejects.toMatchObject({ code: "BadUtf8" });
    expect(await read(bytes, { columns: odd, lenient: { utf8: true } })).toEqual([["x", "1"]]);
  });
});

describe("malformed rows", () => {
  it.each([
    ["a,b\nx\n", "ShortRow", { row: 0, offset: 4 }],
    ["a,b\nx,1\ny,2,3\n", "LongRow", { row: 1, offset: 8 }],
    ["a,b\nx,1\n\ny,2\n", "EmptyLine", { row: 1, offset: 8 }],
    ["a,b\nx,1\n\n", "EmptyLine", { row: 1 }],
    ['a,b\n"x,1\ny,2\n', "UnterminatedQuote", { row: 0, column: "a", offset: 4 }],
    ['a,b\nx"y,1\n', "StrayQuote", { row: 0, column: "a", offset: 5 }],
    ['a,b\n"x"y,1\n', "StrayQuote", { row: 0, column: "a" }],
    ['a,b\n "x",1\n', "StrayQuote", { row: 0, column: "a" }],
    ['"a,b\n', "UnterminatedQuote", {}],
  ])("%j: %s", async (text, code, where) => {
    await expect(read(text)).rejects.toMatchObject({ code, ...where, hint: expect.any(String) });
  });

  it("are taken on demand, each by its name", async () => {
    expect(await read("a,b\nx\n", { lenient: { shortRows: true } })).toEqual([["x", null]]);
    expect(await read("a,b\nx,1,2,3\n", { lenient: { longRows: true } })).toEqual([["x", "1"]]);
    expect(await read("a,b\n\nx,1\n\r\n\n", { lenient: { emptyLines: true } })).toEqual([["x", "1"]]);
    expect(await read("a\n\nx\n\n", { columns: [columns[0]], lenient: { emptyLines: true } })).toEqual([["x"]]);
    expect(await read(`a,b\nx"y,1\n"x"y",1\n`, { lenient: { quotes: true } })).toEqual([
      ['x"y', "1"],
      ['x"y', "1"],
    ]);
    expect(await read('a,b\nx,1\n"y', { lenient: { quotes: true, shortRows: true } })).toEqual([
      ["x", "1"],
      ["y", null],
    ]);
    expect(await read('a,b\n x\t, 1 \n" y ",2\n', { lenient: { trim: true } })).toEqual([
      ["x", "1"],
      [" y ", "2"],
    ]);
  });

  it("are the same in every row of a long file", () => {
    const text = `a,b\n${"x,1\n".repeat(70_000)}`;
    expect(() => csvTable(utf8(`${text}y\n`), { columns })).toThrow("Row 70000 has 1 of 2 cells (byte 280004)");
    expect(() => csvTable(utf8(`${text}y,z\n`), { columns })).toThrow(
      'Row 70000, column "b": "z" is not a valid Integer (byte 280006)',
    );
  });
});

describe("bytes", () => {
  it("NUL is text", async () => {
    expect(await read("a,b\nx\0y,1\n")).toEqual([["x\0y", "1"]]);
    await expect(read("a,b\nx,1\0\n")).rejects.toMatchObject({ code: "BadCell", value: "1\0" });
  });

  it.each([
    [[0xff], 4],
    [[0xc3], 4],
    [[0xc0, 0x80], 4],
    [[0xed, 0xa0, 0x80], 4],
    [[0xf4, 0x90, 0x80, 0x80], 4],
    [[0x41, 0x80], 4],
  ])("%j is not UTF-8", async (cell, offset) => {
    for (const quote of [[], [34]]) {
      for (const text of ["dictionary", "utf8"] as const) {
        const bytes = Uint8Array.from([...utf8("a,b\n"), ...quote, ...cell, ...quote, ...utf8(",1\nz,2\n")]);
        await expect(read(bytes, { text })).rejects.toMatchObject({ code: "BadUtf8", row: 0, column: "a", offset });
        expect((await read(bytes, { text, lenient: { utf8: true } }))[0][0]).toContain("\ufffd");
        expect(await read(bytes, { text, onBadCell: "null" })).toEqual([
          [null, "1"],
          ["z", "2"],
        ]);
      }
    }
  });

  it.each([
    ["UTF-16", [0xff, 0xfe, 0x61, 0, 0x2c, 0, 0x62, 0], "UTF-8"],
    ["UTF-16", [0xff, 0xfe], "UTF-8"],
    ["UTF-16", [0xfe, 0xff, 0, 0x61], "UTF-8"],
    ["UTF-32", [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0], "UTF-8"],
    ["UTF-32", [0, 0, 0xfe, 0xff, 0, 0, 0, 0x61], "UTF-8"],
    ["gzip data", [...gzipSync("a,b\nx,1\n")], "gunzip"],
    ["a zip archive", [...zipBytes([{ name: "T.csv", data: "a,b\nx,1\n" }])], "Frame.fromZip("],
    ["zstd data", [0x28, 0xb5, 0x2f, 0xfd, 4, 0x48, 0, 0], "unzstd"],
    ["xz data", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4], "unxz"],
    ["a Parquet file", [...utf8("PAR1"), 0x15, 0, 0x15, 0], "Frame.fromParquet("],
    ["an Arrow file", [...utf8("ARROW1"), 0, 0, 0], "Frame.fromArrow("],
  ])("%s is refused by name: %j", async (name, bytes, hint) => {
    const refused = read(Uint8Array.from(bytes));
    await expect(refused).rejects.toMatchObject({ code: "WrongFormat", hint: expect.stringContaining(hint) });
    await expect(refused).rejects.toThrow(`got ${name.startsWith("UTF") ? `text in ${name}` : name}.`);
  });

  it("a column may be called like the start of a binary file", async () => {
    const named = (name: string) => ({ columns: [{ name, type: "String" }] });
    for (const name of ["PAR1", "PK", "ARROW1"]) expect(await read(`${name}\nx\n`, named(name))).toEqual([["x"]]);
  });

  it("a cell of 10 MB is read and one beyond the limit refused", async () => {
    const long = "é,\n".repeat(2_500_000);
    const bytes = utf8(`a,b\n"${long}",1\nz,2\n`);
    const rows = await streamed(chunked(bytes, 65_536), { columns });
    expect(rows.map((row) => row[0]?.length)).toEqual([long.length, 1]);
    await expect(streamed(chunked(bytes, 65_536), { columns, maxCellBytes: 1_000_000 })).rejects.toMatchObject({
      code: "RowTooLong",
    });
    const short = utf8(`a,b\n"${"x".repeat(2_000)}",1\n`);
    expect(() => csvTable(short, { columns, maxCellBytes: 1_000 })).toThrow(
      expect.objectContaining({ code: "CellTooLong" }),
    );
  });
});

it("text that holds commas and quotes is never taken for a repetition", async () => {
  const lines = ['"x,1",1', "x,1", '"x""",1', '"x",1', '"x,1",2', "x,1"];
  expect(await read(`a,b\n${lines.join("\n")}\n`)).toEqual([
    ["x,1", "1"],
    ["x", "1"],
    ['x"', "1"],
    ["x", "1"],
    ["x,1", "2"],
    ["x", "1"],
  ]);
  await expect(read('a,b\n"x""y",1\n"x"y",1\n')).rejects.toMatchObject({ code: "StrayQuote" });
});

it("a read stops when its signal says so", async () => {
  const signal = AbortSignal.abort();
  expect(() => csvTable(utf8("a,b\nx,1\n"), { columns, signal })).toThrow("abort");
  await expect(streamed([utf8("a,b\nx,1\n")], { columns, signal })).rejects.toThrow("abort");
});
