import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Batching, CsvOptions } from "../../src/columns/arrow/read-options.js";
import { RowBlocks } from "../../src/columns/build/row-blocks.js";
import { csvTable } from "../../src/columns/csv/reader.js";
import { columnSpecs } from "../support/column-specs.js";
import { forAllAsync } from "../support/for-all.js";
import { longIt, runs } from "../support/whole.js";
import { csvText } from "./csv-text.js";
import { chunked, streamed, textsOf, utf8 } from "./rows.js";

// CSV is read by blocks in WebAssembly, and row by row by the grammar where there is no memory for them: both must give
// the same cells and the same errors.

const SHORT = 4_000;
const LONG = 16_384;

const types = [
  "String",
  "Date",
  "BigDecimal(15,4)",
  "BigDecimal(38,18)",
  "double",
  "Integer",
  "Boolean",
  "DateTime",
  "BigDecimal(50,2)",
];
const columns = types.map((type) => ({ name: type, type }));

const digits = (most: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[1-9][0-9]{0,${most - 1}}$`));
const maybe = <T>(cell: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(cell, { freq: 12 });
const signed = (cell: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.boolean(), cell).map(([negative, text]) => (negative ? `-${text}` : text));
const decimal = (whole: number, scale: number): fc.Arbitrary<string> =>
  signed(fc.tuple(digits(whole), fc.stringMatching(new RegExp(`^[0-9]{${scale}}$`))).map((parts) => parts.join(".")));

const word = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("AAPL", "MSFT", "a", "exactly16 letters", "one with 16 text", "x".repeat(32)),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "x".repeat(33),
      "a,b",
      'say "hi"',
      '"',
      "two\nlines",
      "cr\r\nlf",
      "",
      "é",
      "日本語".repeat(4),
    ),
  },
  { weight: 2, arbitrary: fc.string({ maxLength: 20 }) },
);
const day = fc
  .integer({ min: -719_162, max: 2_932_896 })
  .map((days) =>
    new Date(days * 86_400_000)
      .toISOString()
      .slice(-24, 10)
      .replace(/^\+\d\d/, ""),
  )
  .filter((text) => /^\d{4}-/.test(text));
const row = fc.tuple(
  maybe(word),
  maybe(fc.oneof(fc.constantFrom("2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"), day)),
  maybe(fc.oneof(decimal(11, 4), fc.constantFrom("0.0000", "99999999999.9999", "-99999999999.9999"))),
  maybe(decimal(20, 18)),
  maybe(
    fc
      .double({ noDefaultInfinity: true, noNaN: true })
      .map((x) => (Number.isInteger(x) && Math.abs(x) < 1e21 ? `${Object.is(x, -0) ? "-0" : x}.0` : String(x))),
  ),
  maybe(fc.oneof(signed(digits(18)), fc.constantFrom("0", "9223372036854775807", "-9223372036854775808"))),
  maybe(fc.constantFrom("true", "false")),
  maybe(fc.constant("2024-02-29T12:30:00Z")),
  maybe(decimal(48, 2)),
);

/** Rows that are repeated until they are long enough, and no two copies alike. */
const long = (rows: (string | null)[][]): (string | null)[][] => {
  const all: (string | null)[][] = [];
  for (let size = 0, turn = 0; size < LONG * 1.5; turn++) {
    for (const cells of rows) {
      const [first, ...rest] = cells;
      const copy = [first !== null && turn % 3 === 1 ? `${first}${turn}` : first, ...rest];
      all.push(copy);
      size += copy.join().length;
    }
  }
  return all;
};

const read = async (chunks: Iterable<Uint8Array>, options: CsvOptions): Promise<unknown> => {
  try {
    return await streamed(chunks, options);
  } catch (error) {
    const { message, code, row, column, offset } = error as Record<string, unknown>;
    // The length of a row that is abandoned depends on the chunks.
    return { code, row, column, offset, ...(code !== "RowTooLong" && { message }) };
  }
};

/** Reads the bytes whole by blocks and in short chunks by the grammar, and expects the same. */
const bothWays = async (bytes: Uint8Array, options: CsvOptions & Batching): Promise<unknown> => {
  const whole = await read([bytes], options);
  const blocks = vi.spyOn(RowBlocks, "take").mockReturnValue(undefined);
  try {
    expect(whole).toEqual(await read(chunked(bytes, SHORT), options));
    expect(blocks).toHaveBeenCalled();
  } finally {
    blocks.mockRestore();
  }
  return whole;
};

describe("blocks of rows", () => {
  it("give the rows that were written, in quotes or not, with any line end", async () => {
    await forAllAsync(
      { seed: 3, numRuns: runs(40) },
      fc.array(row, { minLength: 5, maxLength: 60 }),
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      fc.constantFrom<CsvOptions["text"]>("auto", "dictionary", "utf8"),
      fc.constantFrom(65_536, 300, 1_000),
      async (some, end, quoted, text, batchRows) => {
        const rows = long(some);
        const plain = csvText(rows);
        const every = (cells: (string | null)[]): string =>
          cells.map((cell) => (cell === null ? "" : `"${cell.replaceAll('"', '""')}"`)).join();
        const csv = quoted
          ? `${rows.map(every).join(end)}${end}`
          : plain.replaceAll(/\r?\n(?=(?:[^"]*"[^"]*")*[^"]*$)/g, end);
        const options = { columns, header: false, text, batchRows } as const;
        expect(await bothWays(utf8(csv), options)).toEqual(rows);
      },
    );
  });

  it("give the same rows or the same error as the grammar when bytes are damaged", async () => {
    const special = fc.constantFrom(...'",\n\r.-0e \u0000é'.split(""), "y".repeat(61));
    const change = fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat({ max: 2 }), special);
    await forAllAsync(
      { seed: 5, numRuns: runs(150) },
      fc.array(row, { minLength: 5, maxLength: 30 }),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      fc.constantFrom<CsvOptions>(
        {} as CsvOptions,
        { onBadCell: "null", onPrecisionLoss: "round" } as CsvOptions,
        { lenient: { quotes: true, shortRows: true, longRows: true, emptyLines: true } } as CsvOptions,
        { lenient: { utf8: true }, emptyText: "null", onBadCell: "null" } as CsvOptions,
        { maxCellBytes: 60 } as CsvOptions,
      ),
      fc.constantFrom<CsvOptions["text"]>("auto", "dictionary", "utf8"),
      async (some, changes, options, text) => {
        let csv = Buffer.from(csvText(long(some)));
        for (const [where, drop, put] of changes) {
          const at = Math.floor(where * csv.length);
          const bytes = put === "é" ? Buffer.from([0xe9]) : Buffer.from(put);
          csv = Buffer.concat([csv.subarray(0, at), bytes, csv.subarray(at + drop)]);
        }
        await bothWays(csv, { header: false, warn: () => {}, ...options, text, columns });
      },
    );
  });

  it("read any text of a number as the grammar does", async () => {
    const kinds = [
      "BigDecimal(15,4)",
      "BigDecimal(4,2)",
      "BigDecimal(9,0)",
      "BigDecimal(18,18)",
      "BigDecimal(38,30)",
      "double",
      "Integer",
    ];
    const numbers = kinds.map((type) => ({ name: type, type }));
    const text = fc.oneof(
      { weight: 6, arbitrary: fc.stringMatching(/^-?\d{1,10}(\.\d{1,10})?$/) },
      { weight: 1, arbitrary: fc.stringMatching(/^[-+]?\d{0,17}\.?\d{0,17}(e[-+]?\d{1,2})?$/) },
      { weight: 3, arbitrary: fc.stringMatching(/^-?\d{1,18}(\.\d{1,18})?$/) },
      { weight: 1, arbitrary: fc.stringMatching(/^[-+.\dexN ]{0,18}$/) },
    );
    await forAllAsync(
      { seed: 7, numRuns: runs(30) },
      fc.array(text, { minLength: 700, maxLength: 700 }),
      fc.constantFrom("", '"'),
      fc.boolean(),
      async (texts, quote, float64) => {
        const lines = Array.from({ length: texts.length * 2 }, (_, i) =>
          numbers.map((_, k) => `${quote}${texts[(i + k * 101) % texts.length]}${quote}`).join(),
        );
        const csv = utf8(`${lines.join("\n")}\n`);
        expect(csv.length).toBeGreaterThan(LONG);
        const options = { columns: numbers, header: false, onBadCell: "null", onPrecisionLoss: "round" } as const;
        await bothWays(csv, { ...options, decimals: float64 ? "float64" : "exact" });
      },
    );
  });

  it("read dates of every month, and refuse days that are none", async () => {
    const two = (n: number): string => String(n).padStart(2, "0");
    const years = [1, 4, 100, 400, 1900, 1999, 2000, 2023, 2024, 9999, 0];
    const texts = years.flatMap((y) =>
      Array.from({ length: 14 }, (_, m) =>
        Array.from({ length: 33 }, (_, d) => `${String(y).padStart(4, "0")}-${two(m)}-${two(d)}`),
      ).flat(),
    );
    const csv = utf8(`${texts.join("\n")}\n`);
    const options = { columns: [{ name: "d", type: "Date" }], header: false, onBadCell: "null" } as const;
    const days = (await bothWays(csv, options)) as (string | null)[][];
    const right = (text: string): boolean => {
      const time = Date.parse(`${text}T00:00:00Z`);
      return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) && !text.startsWith("0000");
    };
    expect(days.map(([day]) => day)).toEqual(texts.map((text) => (right(text) ? text : null)));
  });

  longIt("give the same rows wherever the bytes are cut", async () => {
    const cells = (i: number): (string | null)[] => [
      ["plain", "a,b", 'say "hi"', "two\nlines", "é", "", null][i % 7],
      i % 5 === 0 ? null : "2024-02-29",
      `${i}.${String(i % 10_000).padStart(4, "0")}`,
      `${i}.${"123456789".repeat(2)}`,
      `${i}.5`,
      String(i),
      i % 2 === 0 ? "true" : "false",
      "2024-02-29T12:30:00Z",
      `${i}.25`,
    ];
    const rows = Array.from({ length: 500 }, (_, i) => cells(i));
    const csv = utf8(csvText(rows).replaceAll("\n", "\r\n").replaceAll("two\r\nlines", "two\nlines"));
    expect(csv.length).toBeGreaterThan(2 * LONG + 1_000);
    for (let cut = LONG; cut < LONG + 1_000; cut++) {
      const halves = [csv.slice(0, cut), csv.slice(cut)];
      expect(await streamed(halves, { columns, header: false, batchRows: 300 })).toEqual(rows);
    }
  });

  it("find columns in the file's order, and skip undeclared ones", async () => {
    const rows = Array.from({ length: 2_000 }, (_, i) => [`t${i % 50}`, `${i}.25`, `"n, ${i % 7}"`, "2024-01-31"]);
    const csv = utf8(`ticker,close,note,date\n${rows.map((cells) => cells.join()).join("\n")}\n`);
    const declared = columnSpecs({ date: "Date", absent: "String", ticker: "String", close: "BigDecimal(12,2)" });
    const expected = rows.map(([ticker, close, , date]) => [date, null, ticker, close]);
    const table = csvTable(csv, { columns: declared, lenient: { header: true } });
    expect(textsOf(table)).toEqual(expected);
  });

  longIt("number more texts than are known by heart, in order of first appearance", () => {
    const texts = Array.from({ length: 120_000 }, (_, i) => `text ${(i * 7_919) % 50_000}`);
    const csv = utf8(texts.map((text, i) => `${text},${i}\n`).join(""));
    const both = columnSpecs({ text: "String", n: "Integer" });
    const table = csvTable(csv, { columns: both, header: false, text: "dictionary" });
    expect(textsOf(table).map(([text]) => text)).toEqual(texts);
    const numbers = table.batches.flatMap((batch) => [...(batch.data.children[0].values as Int32Array)]);
    const known = new Map<string, number>();
    for (const text of texts) if (!known.has(text)) known.set(text, known.size);
    expect(numbers).toEqual(texts.map((text) => known.get(text)));
    expect(table.batches[0].data.children[0].dictionary?.length).toBe(50_000);
  });

  it("keep to the longest cell that is wanted, in a column that is wanted", async () => {
    const rows = (cell: string): Uint8Array => utf8(`${cell}\n`.repeat(2_000));
    const one = [{ name: "s", type: "String" }];
    const both = [...one, { name: "t", type: "String" }];
    const short = `"${'""'.repeat(10)}${"x".repeat(45)}"`;
    for (const text of ["dictionary", "utf8"] as const) {
      const options = { columns: one, header: false, text } as const;
      const tooLong = { code: "CellTooLong", row: 0, column: undefined, offset: 0 };
      for (const cell of ["0123456789abcdefghij", '"0123456789abcdefghij"']) {
        expect(await bothWays(rows(cell), { ...options, maxCellBytes: 10 })).toMatchObject(tooLong);
      }
      expect(await bothWays(rows(short), { ...options, maxCellBytes: 60 })).toMatchObject(tooLong);
      expect(await bothWays(rows(short), { ...options, maxCellBytes: Number.POSITIVE_INFINITY })).toHaveLength(2_000);
      const wide = utf8(`s,x\n${`a,${short}\nb,""\n`.repeat(1_000)}`);
      expect(await bothWays(wide, { columns: one, lenient: { header: true }, text, maxCellBytes: 30 })).toHaveLength(
        2_000,
      );
      expect(await bothWays(rows(`a,${short}`), { columns: both, header: false, text })).toHaveLength(2_000);
    }
  });

  it("read long texts and rows that do not fit into a block", async () => {
    const rows = Array.from({ length: 40 }, (_, i) => [
      `${"lorem, ".repeat(i % 5 === 0 ? 30_000 : 40)}"${i}"\n`,
      i % 9 === 0 ? null : String(i),
    ]);
    const both = columnSpecs({ text: "String", n: "Integer" });
    for (const text of ["utf8", "dictionary"] as const) {
      const csv = utf8(csvText(rows));
      expect(await bothWays(csv, { columns: both, header: false, text, batchRows: 256 })).toEqual(rows);
    }
  });
});
