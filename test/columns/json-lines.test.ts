import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { cellTexts } from "../../src/columns/arrow/cell-batch.js";
import { BatchMaker } from "../../src/columns/build/batch-maker.js";
import { JsonLinesParser } from "../../src/columns/json/lines-parser.js";
import { Frame, jsonLinesBatches } from "../../src/index.js";
import { plainNumber } from "../../src/value/json-number.js";
import { cases, haveCases } from "../cases.js";
import { spelt } from "../compute/model.js";
import { inBatches } from "../divided.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAll, forAllAsync } from "../support/for-all.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { runs } from "../support/whole.js";
import { chunked, textsOf, utf8 } from "./rows.js";

const lines = (...objects: string[]): Uint8Array => utf8(`${objects.join("\n")}\n`);
const read = async (...objects: string[]): Promise<Frame> => Frame.fromJSONLines(lines(...objects));

describe("types of all values", () => {
  it.each<[string, string[]]>([
    ["Integer", ["1", "-5", "null", "1e3", "-0"]],
    ["BigDecimal(4,2)", ["1.5", "50.25"]],
    ["BigDecimal(3,2)", ["1.50", "1"]],
    ["BigDecimal(6,5)", ["1.5e0", "1e-5"]],
    ["BigDecimal(20,0)", ["18446744073709551616"]],
    ["BigDecimal(21,20)", ["1.00000000000000000001"]],
    ["String", [`1${"0".repeat(76)}`]],
    ["double", ["1e-300", "1.5", "null", "-2", "1.7976931348623157e+308"]],
    ["double", ["5e-324"]],
    ["double", ["1e38"]],
    ["double", ["3.1e-38", "12.5"]],
    ["BigDecimal(38,0)", ["1e37"]],
    ["BigDecimal(39,0)", [`1${"0".repeat(38)}`]],
    ["String", ["1e-300", "9007199254740993"]],
    ["String", ["1e-300", "0.12345678901234567"]],
    ["String", ["1e300", '"1"']],
    ["String", ['"007"', '"1.5"']],
    ["String", ['"1"', "1"]],
    ["String", ["true", "1"]],
    ["String", ['"true"']],
    ["String", ["null"]],
    ["Boolean", ["true", "false", "null"]],
    ["Date", ['"2024-02-29"', "null"]],
    ["String", ['"2024-02-29"', '"x"']],
    ["DateTime", ['"2024-02-29T12:00:00Z"', '"2024-02-29T12:00:00.5Z"']],
  ])("%s: %j", async (type, values) => {
    const frame = await read(...values.map((value) => `{"a":${value}}`));
    expect(frame.columns).toEqual([{ name: "a", type }]);
    expect(frame.numRows).toBe(values.length);
    const texts = frame.column("a").toStrings();
    for (const [i, value] of values.entries()) {
      const parsed: unknown = JSON.parse(value);
      if (parsed === null) expect(texts[i]).toBeNull();
      else if (typeof parsed === "number") expect(Number(texts[i])).toBe(parsed + 0);
      else if (type !== "DateTime") expect(texts[i]).toBe(String(parsed));
    }
  });

  it("members in order of first appearance, missing ones null, empty lines skipped, CRLF and a byte order mark", async () => {
    const frame = await Frame.fromJSONLines(utf8('\ufeff{"a":1}\r\n\r\n { "b" : "x" , "a" : null } \r\n{}\r\n'));
    expect(frame.toArray()).toEqual([
      { a: 1, b: null },
      { a: null, b: "x" },
      { a: null, b: null },
    ]);
    expect(String(frame)).toContain("inferred types: a Integer, b String");
  });

  it("some may be declared, and all", async () => {
    const bytes = lines('{"a":1,"b":"1.50"}', '{"b":null}');
    expect((await Frame.fromJSONLines(bytes, { types: { a: "double" } })).columns[0].type).toBe("double");
    const columns = columnSpecs({ b: "BigDecimal(9,2)", a: "Integer" });
    const frame = await Frame.fromJSONLines(bytes, { columns, key: ["a"] });
    expect(textsOf(frame.table)).toEqual([
      ["1.50", "1"],
      [null, null],
    ]);
    expect(frame.key).toEqual(["a"]);
    const some = { columns: [columns[0]], onExtraMember: "ignore" } as const;
    expect(textsOf((await Frame.fromJSONLines(bytes, some)).table)).toEqual([["1.50"], [null]]);
  });
});

describe("errors name row, line, column and value", () => {
  const refused = (text: string, options = {}) => Frame.fromJSONLines(utf8(text), options);
  it("of values that do not fit", async () => {
    const columns = [{ name: "close", type: "BigDecimal(9,2)" }];
    await expect(refused('{"close":1}\n\n{"close":1.555}\n', { columns })).rejects.toMatchObject({
      code: "PrecisionLoss",
      row: 1,
      line: 3,
      column: "close",
      value: "1.555",
      offset: 22,
    });
    await expect(
      refused('{"a":1}\n{"a":1,"b":2}\n', { columns: [{ name: "a", type: "Integer" }] }),
    ).rejects.toMatchObject({
      code: "UndeclaredColumn",
      row: 1,
      line: 2,
      column: "b",
    });
    await expect(refused('{"a":{"b":1}}\n')).rejects.toMatchObject({ code: "BadCell", row: 0, line: 1, column: "a" });
    await expect(refused('{"a":1,"a":2}\n')).rejects.toMatchObject({ code: "BadJson", row: 0, column: "a" });
    const nulls = await Frame.fromJSONLines(lines('{"a":[1]}', '{"a":2}'), { onBadCell: "null" });
    expect(nulls.column("a").toArray()).toEqual([null, 2]);
    expect(nulls.columns[0].type).toBe("Integer");
  });

  it.each([
    ['[{"a":1}]', "one object on each line"],
    ['{\n"a":1}', "one object on each line"],
    ['{"a":1} {"a":2}', "one object on each line"],
    ['{"a":01}', "one object on each line"],
    ["{'a':1}", "one object on each line"],
    ['{"a":1,}', "one object on each line"],
    ['{"a":NaN}', "one object on each line"],
    ['{"a"', "one object on each line"],
  ])("of lines that are not an object: %s", async (text, hint) => {
    await expect(refused(`{"a":1}\n${text}\n`)).rejects.toMatchObject({
      code: "BadJson",
      row: 1,
      line: 2,
      hint: expect.stringContaining(hint),
    });
  });

  it("of options and files", async () => {
    await expect(refused("")).rejects.toMatchObject({ code: "EmptyJsonLines" });
    await expect(refused("{}", { types: { a: "double" } })).rejects.toMatchObject({ code: "EmptyJsonLines" });
    await expect(refused('{"a":1}', { types: { b: "double" } })).rejects.toMatchObject({ code: "UnknownColumn" });
    await expect(refused('{"a":1}', { column: "infer" })).rejects.toMatchObject({ code: "UnknownOption" });
    await expect(refused('{"a":1}', { columns: "header" })).rejects.toMatchObject({ code: "UnknownValue" });
    await expect(refused('{"a":1}', { onExtraMember: "drop" })).rejects.toMatchObject({ code: "UnknownValue" });
    await expect(Frame.fromJSONLines(Buffer.from([123, 34, 255, 34, 58, 49, 125]))).rejects.toMatchObject({
      code: "BadUtf8",
    });
    await expect(Frame.fromJSONLines("/nowhere.jsonl")).rejects.toMatchObject({ code: "FileNotFound" });
  });
});

const columns = columnSpecs({
  t: "String",
  'a "b"\\': "Integer",
  é: "BigDecimal(38,4)",
  w: "BigDecimal(76,30)",
  x: "double",
  d: "Date",
  s: "DateTime",
  b: "Boolean",
});
const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 4 });
const digits = (n: number, scale: number) =>
  fc.bigInt({ min: -(10n ** BigInt(n)) + 1n, max: 10n ** BigInt(n) - 1n }).map((units) => spelt(units, scale));
const rows = fc.array(
  fc.tuple(
    nullable(fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "é", "😀", "\u2028", "/", "\t") })),
    nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
    nullable(digits(38, 4)),
    nullable(digits(76, 30)),
    nullable(fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => String(x + 0))),
    nullable(fc.constantFrom("2024-02-29", "0001-01-01", "9999-12-31")),
    nullable(fc.constantFrom("2024-02-29T12:00:00Z", "1969-12-31T23:59:59.999Z")),
    nullable(fc.constantFrom("true", "false")),
  ),
  { minLength: 1, maxLength: 8 },
);
const framed = (cells: readonly (readonly (string | null)[])[]): Frame =>
  Frame.fromRows(
    cells.map((row) => Object.fromEntries(row.map((cell, i) => [columns[i].name, cell]))),
    columns,
  );

describe("laws", () => {
  it("what is written is read back, digit by digit, and by JSON.parse as far as doubles go", async () => {
    await forAllAsync(runs(60), rows, async (cells) => {
      const frame = framed(cells);
      const text = frame.toJSONLines();
      const back = await Frame.fromJSONLines(utf8(text), { columns });
      expect(textsOf(back.table)).toEqual(textsOf(frame.table));
      const parsed = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(parsed.map((row) => row["t"])).toEqual(cells.map(([t]) => t));
      expect(parsed.map((row) => row["x"])).toEqual(frame.column("x").toArray());
      const inferred = await Frame.fromJSONLines(utf8(text));
      for (const name of ["é", "w"]) {
        const plain = (texts: readonly (string | null)[]) =>
          texts.map((t) => t?.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") ?? null);
        expect(plain(inferred.column(name).toStrings())).toEqual(plain(frame.column(name).toStrings()));
      }
    });
  });

  it("the sign of a zero is written and read", async () => {
    const columns = [{ name: "x", type: "double" }];
    const text = Frame.fromRows([{ x: -0 }, { x: 0 }], columns).toJSONLines();
    expect(text).toBe('{"x":-0}\n{"x":0}\n');
    const again = await Frame.fromJSONLines(utf8(text), { columns });
    expect(again.column("x").toArray()).toEqual([-0, 0]);
  });

  it("cuts of the bytes and batches change nothing", () => {
    forAll(
      runs(100),
      rows,
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 4 }),
      (cells, size, batchRows) => {
        const frame = framed(cells);
        const parser = new JsonLinesParser(columns, { batchRows }, undefined);
        const maker = new BatchMaker(columns, {});
        const found: (string | null)[][] = [];
        const drain = (): void => {
          for (let raw = parser.take(); raw !== undefined; raw = parser.take())
            found.push(...cellTexts(maker.batch(raw)));
        };
        for (const chunk of chunked(utf8(`\ufeff${frame.toJSONLines()}`), size, 1)) {
          parser.feed(chunk);
          drain();
        }
        parser.finish();
        drain();
        expect(found).toEqual(textsOf(frame.table));
      },
    );
  });

  it("a text truncated at any byte is an error or the rows before it", async () => {
    const text = framed([
      ["a\n", "5", "1.5", null, "0.1", "2024-02-29", null, "true"],
      ["", null, null, "1", null, null, null, null],
    ]).toJSONLines();
    const whole = textsOf((await Frame.fromJSONLines(utf8(text), { columns })).table);
    for (let end = 0; end < text.length; end++) {
      const found = await Frame.fromJSONLines(utf8(text.slice(0, end)), { columns }).then(
        (frame) => textsOf(frame.table),
        (error: { code: string }) => error.code,
      );
      if (typeof found === "string") expect(found).toBe("BadJson");
      else expect(whole.slice(0, found.length)).toEqual(found);
    }
  });

  it("plainNumber has the value of the number", () => {
    forAll(
      runs(100),
      fc.integer({ min: -99_999, max: 99_999 }),
      fc.nat(4),
      fc.integer({ min: -30, max: 30 }),
      (n, scale, power) => {
        const text = `${spelt(BigInt(n), scale)}e${power}`;
        const plain = plainNumber(text) ?? "";
        expect(Number(plain)).toBe(Number(text) + 0);
        expect(plain).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/);
      },
    );
  });
});

it("files: written in blocks, compressed, in batches", async () => {
  const folder = temporaryFolder("lines");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const frame = Frame.fromColumns({ n: Array.from({ length: 100_000 }, (_, i) => BigInt(i)), t: "x".repeat(20) });
  const path = join(folder, "rows.jsonl");
  await frame.toJSONLines(path);
  const bytes = readFileSync(path);
  expect(bytes.toString()).toBe(frame.toJSONLines());
  for (const source of [path, bytes, gzipSync(bytes)]) {
    const back = await Frame.fromJSONLines(source);
    expect(back.columns.map(({ type }) => type)).toEqual(["Integer", "String"]);
    expect(back.column("n").toBigInts()).toEqual(frame.column("n").toBigInts());
  }
  const sizes: number[] = [];
  await inBatches(60_000, async () => {
    for await (const batch of jsonLinesBatches(path)) sizes.push(batch.numRows);
  });
  expect(sizes).toEqual([60_000, 40_000]);
});

describe.runIf(haveCases)("the cases of JSONTestSuite as values", () => {
  const all = haveCases ? readdirSync(cases("json-nst/test_parsing")) : [];
  const texts = all
    .map((name) => [name, readFileSync(cases(`json-nst/test_parsing/${name}`))] as const)
    .filter(([name, bytes]) => !name.startsWith("i_") && !bytes.includes(10) && bytes.length < 10_000);

  it.each(texts)("%s", async (name, bytes) => {
    const line = Buffer.concat([Buffer.from('{"a":'), bytes, Buffer.from("}")]);
    const outcome = await Frame.fromJSONLines(line, { onBadCell: "null" }).then(
      ({ numRows }) => numRows,
      (error: { code: string }) => error.code,
    );
    if (name.startsWith("y_")) expect(outcome).toBe(1);
    else expect(["BadJson", "BadUtf8"]).toContain(outcome);
  });
});
