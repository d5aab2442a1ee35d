import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { streamTable } from "../../src/columns/build/text-reader.js";
import { csvReader } from "../../src/columns/csv/reader.js";
import { Frame } from "../../src/index.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const SPELLINGS: readonly (readonly [string, number])[] = [
  ...["inf", "+inf", "Inf", "INF", "Infinity", "infinity", "+Infinity"].map(
    (text) => [text, Number.POSITIVE_INFINITY] as const,
  ),
  ...["-inf", "-Inf", "-Infinity", "-INFINITY"].map((text) => [text, Number.NEGATIVE_INFINITY] as const),
  ...["nan", "NaN", "NAN", "-nan", "+NaN"].map((text) => [text, Number.NaN] as const),
];
const number = fc.oneof(
  fc.integer({ min: -99, max: 99 }).map((n): readonly [string, number] => [String(n), n]),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((x): readonly [string, number] => [String(x), x]),
);
const cell = fc.oneof({ weight: 3, arbitrary: number }, { weight: 2, arbitrary: fc.constantFrom(...SPELLINGS) });

describe("doubles by name", () => {
  it("are read as pandas, polars and pyarrow write them, in every reader and at every cut", async () => {
    await forAllAsync(
      { numRuns: runs(150), seed: 26 },
      fc.array(cell, { minLength: 1, maxLength: 60 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 90 }),
      async (cells, isQuoted, size) => {
        const quoted = (text: string): string => (isQuoted ? `"${text}"` : text);
        const csv = utf8(`x,s\n${cells.map(([text]) => `${quoted(text)},${text}\n`).join("")}`);
        const columns = columnSpecs({ x: "double", s: "String" });
        const expected = cells.map(([, value]) => value);
        const texts = cells.map(([text]) => text);
        const whole = Frame.fromCSV(csv, { columns });
        expect((await whole).column("x").toArray()).toEqual(expected);
        expect((await whole).column("s").toArray()).toEqual(texts);
        async function* chunks() {
          for (let at = 0; at < csv.length; at += size) yield csv.slice(at, at + size);
        }
        const cut = Frame.from(await streamTable(csvReader({ columns }), chunks()));
        expect(cut.column("x").toArray()).toEqual(expected);
        expect(cut.column("s").toArray()).toEqual(texts);
        const lines = utf8(cells.map(([text]) => `{"x":"${text}"}\n`).join(""));
        const json = await Frame.fromJSONLines(lines, { columns: [{ name: "x", type: "double" }] });
        expect(json.column("x").toArray()).toEqual(expected);
      },
    );
  });

  it("are read in long files, whose blocks are read by WebAssembly", async () => {
    const rows = Array.from({ length: 60_000 }, (_, i): readonly [string, number] =>
      i % 997 === 5 ? SPELLINGS[i % SPELLINGS.length] : [String(i / 8), i / 8],
    );
    const csv = utf8(`n,x\n${rows.map(([text], i) => `${i},${text}\n`).join("")}`);
    for (const options of [
      {
        columns: columnSpecs({ n: "Integer", x: "double" }),
      },
      { columns: "infer" as const, types: { x: "double" } },
    ]) {
      const frame = await Frame.fromCSV(csv, options as { columns: "infer" });
      expect(frame.column("x" as never).toNumbers()).toEqual(Float64Array.from(rows, ([, value]) => value));
      expect(frame.column("n" as never).get(59_999)).toBe(59_999);
    }
  });

  it("do not fit decimals, integers or longer names", async () => {
    for (const [type, text] of [
      ["BigDecimal(9,2)", "inf"],
      ["Integer", "nan"],
      ["double", "info"],
      ["double", "in"],
      ["double", "nano"],
      ["double", "inf inity"],
      ["double", "--inf"],
    ]) {
      const read = Frame.fromCSV(utf8(`x\n${text}\n`), { columns: [{ name: "x", type }] });
      await expect(read).rejects.toMatchObject({ code: "BadCell" });
    }
  });
});

describe("types that are inferred", () => {
  const inferred = async (cells: readonly string[]) => {
    const frame = await Frame.fromCSV(utf8(`x,y\n${cells.map((text) => `${text},1\n`).join("")}`), {
      columns: "infer",
    });
    return [frame.columns[0].type, frame.column("x").toArray()];
  };

  it.each<[string[], string, unknown[]]>([
    [["1.5", "inf", "-inf"], "double", [1.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    [["inf", "1"], "double", [Number.POSITIVE_INFINITY, 1]],
    [["0", "nan", ""], "double", [0, Number.NaN, null]],
    [["1", "NaN", "2.25"], "double", [1, Number.NaN, 2.25]],
    [["Infinity", "-0.1"], "double", [Number.POSITIVE_INFINITY, -0.1]],
    [
      ["0.1234567890123456", "-1234.567890123457", "inf"],
      "double",
      [0.1234567890123456, -1234.567890123457, Number.POSITIVE_INFINITY],
    ],
    // Names alone, names of people, and numbers that a double would change are text.
    [["inf", "nan"], "String", ["inf", "nan"]],
    [["Inf", "Nan", "Ann"], "String", ["Inf", "Nan", "Ann"]],
    [["Inf", "1"], "String", ["Inf", "1"]],
    [["inf", "1", "x"], "String", ["inf", "1", "x"]],
    [["inf", "2024-02-29"], "String", ["inf", "2024-02-29"]],
    [["true", "nan"], "String", ["true", "nan"]],
    [["nan", "true"], "String", ["nan", "true"]],
    [["12345678901234567", "nan"], "String", ["12345678901234567", "nan"]],
    [["0.12345678901234567890", "inf"], "String", ["0.12345678901234567890", "inf"]],
    [["inf", "0.30000000000000001"], "String", ["inf", "0.30000000000000001"]],
    [["0.30000000000000001", "inf"], "String", ["0.30000000000000001", "inf"]],
  ])("%j: %s", async (cells, type, values) => expect(await inferred(cells)).toEqual([type, values]));

  it("read back what was written", async () => {
    await forAllAsync(
      { numRuns: runs(100), seed: 27 },
      fc.array(
        fc.double({ min: -1e14, max: 1e14 }).filter((x) => !String(x).includes("e")),
        { minLength: 1, maxLength: 9 },
      ),
      fc.constantFrom("inf", "-inf", "nan", "NaN", "Infinity", "-Infinity"),
      fc.nat(),
      async (values, name, place) => {
        // A negative zero and whole numbers of doubles have another text as such: pandas writes 5.0.
        const texts = values.map((x) => (Object.is(x, -0) ? "0.0" : Number.isInteger(x) ? `${x}.0` : String(x)));
        texts.splice(place % (texts.length + 1), 0, name);
        const [type, cells] = (await inferred(texts)) as [string, number[]];
        expect(type).toBe("double");
        expect(cells.filter((x) => Number.isFinite(x))).toEqual(
          values.filter(Number.isFinite).map((x) => (Object.is(x, -0) ? 0 : x)),
        );
      },
    );
  });
});
