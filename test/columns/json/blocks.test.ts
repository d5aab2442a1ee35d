import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Batching, CellReport, ReadOptions } from "../../../src/columns/arrow/read-options.js";
import { RowBlocks } from "../../../src/columns/build/row-blocks.js";
import { jsonRows } from "../../../src/columns/json/reader.js";
import type { ColumnSpec } from "../../../src/spec/columns.js";
import { forAll } from "../../support/for-all.js";
import { longIt, runs } from "../../support/whole.js";
import { textsOf, utf8 } from "../rows.js";

// Pages are read by blocks in WebAssembly, and row by row by the grammar where there is no memory for them: both must
// give the same cells, the same reports and the same errors.

vi.resetModules();
vi.doMock("../../../src/columns/json/blocks.js", () => ({ JsonBlocks: { take: () => undefined } }));
const { jsonRows: byGrammar } = (await import(
  "../../../src/columns/json/reader.js"
)) as typeof import("../../../src/columns/json/reader.js");

/** Pages of so many bytes are read by blocks. */
const LONG = 16_384;
/** More bytes than the program reads at once. */
const CHUNK = 1_310_720;

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
const columns = types.map((type, i) => ({ name: `c${i}`, type }));

const maybe = <T>(cell: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(cell, { freq: 12 });
const digits = (most: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^-?[1-9][0-9]{0,${most - 1}}$`));
const decimal = (whole: number, scale: number): fc.Arbitrary<string> =>
  fc.tuple(digits(whole), fc.stringMatching(new RegExp(`^[0-9]{${scale}}$`))).map((parts) => parts.join("."));

const word = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("AAPL", "MSFT", "a", "exactly16 letters", "one with 16 text", "x".repeat(32)),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "x".repeat(33),
      'say "hi"',
      "\\",
      '\\"',
      "],[",
      "]],[[",
      "null",
      "two\nlines",
      "",
      "é",
      "日本語".repeat(4),
      "😀",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[ax\\",[\]]{0,60}$/) },
);
const row = fc.tuple(
  maybe(word),
  maybe(fc.constantFrom("2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2023-07-04")),
  maybe(fc.oneof(decimal(11, 4), fc.constantFrom("0.0000", "99999999999.9999", "-99999999999.9999"))),
  maybe(decimal(20, 18)),
  maybe(
    fc
      .double({ noDefaultInfinity: true, noNaN: true })
      .map((x) => (Number.isInteger(x) && Math.abs(x) < 1e21 ? `${Object.is(x, -0) ? "-0" : x}.0` : String(x))),
  ),
  maybe(fc.oneof(digits(18), fc.constantFrom("0", "9223372036854775807", "-9223372036854775808"))),
  maybe(fc.constantFrom("true", "false")),
  maybe(fc.constant("2024-02-29T12:30:00Z")),
  maybe(decimal(48, 2)),
);
type Cells = readonly (string | null)[];

/** Rows that are repeated until they are long enough, and no two copies alike. */
const long = (rows: readonly Cells[], size = LONG): Cells[] => {
  const all: Cells[] = [];
  for (let length = 0, turn = 0; length < size; turn++) {
    for (const [first, ...rest] of rows) {
      const copy = [first !== null && turn % 3 === 1 ? `${first}${turn}` : first, ...rest];
      all.push(copy);
      length += copy.join().length;
    }
  }
  return all;
};

/** How the cells of columns 2 to 6 are written: as numbers and literals, or in quotes. */
const literal = (cell: string | null, k: number, quoted: boolean): string =>
  cell === null ? "null" : k >= 2 && k !== 7 && !quoted ? cell : JSON.stringify(cell);

const pageOf = (rows: readonly Cells[], quoted = false, comma = ","): string =>
  `[${rows.map((cells) => `[${cells.map((cell, k) => literal(cell, k, quoted)).join(comma)}]`).join(comma)}]`;

interface Outcome {
  readonly rows?: (string | null)[][];
  readonly reports: readonly CellReport[];
  readonly error?: object;
}

const outcomeOf = (
  read: typeof byGrammar,
  bytes: Uint8Array,
  specs: readonly ColumnSpec[],
  o: ReadOptions,
): Outcome => {
  const reports: CellReport[] = [];
  try {
    const table = read({ bytes, start: 0, end: bytes.length }, specs, {
      ...o,
      onReport: (report) => reports.push(report),
    }).table();
    return { rows: textsOf(table), reports };
  } catch (error) {
    const { name, message, code, row: at, column, offset, value } = error as Record<string, unknown>;
    return { reports, error: { name, message, code, at, column, offset, value } };
  }
};

/** Reads the bytes by blocks and by the grammar, and expects the same. */
const bothWays = (bytes: Uint8Array, specs: readonly ColumnSpec[], options: ReadOptions & Batching = {}): Outcome => {
  const blocks = outcomeOf(jsonRows, bytes, specs, options);
  expect(blocks).toEqual(outcomeOf(byGrammar, bytes, specs, options));
  return blocks;
};

describe("pages read by blocks", () => {
  it("give the rows that were written, numbers in quotes or not, with white space or without", () => {
    forAll(
      { seed: 3, numRuns: runs(60) },
      fc.array(row, { minLength: 5, maxLength: 60 }),
      fc.boolean(),
      fc.constantFrom(",", ", ", ",  ", " ,\n"),
      fc.constantFrom<ReadOptions["text"]>("auto", "dictionary", "utf8"),
      fc.constantFrom(65_536, 300, 1_000),
      (some, quoted, comma, text, batchRows) => {
        const rows = long(some);
        const bytes = utf8(pageOf(rows, quoted, comma));
        const blocks = vi.spyOn(RowBlocks.prototype, "read");
        expect(bothWays(bytes, columns, { text, batchRows }).rows).toEqual(rows);
        expect(blocks).toHaveBeenCalled();
        blocks.mockRestore();
      },
    );
  });

  it("give the same rows, reports or error as the grammar when cells or bytes are changed", () => {
    const bytes = fc.constantFrom(...'",\n]}[\\.-0en \u0000é'.split(""), "],[", "]]", "0", "null", "01", '"a"', "1e5");
    const cell = fc.oneof(
      fc.constantFrom("null", "0", "-1.5", "1e2", "12345678901234567890.123456789", "true", '""', '"1"', '"\\u00e9"'),
      fc.constantFrom('"\\ud800"', '"\\x"', "[]", '{"a":1}', "01", "nul", '"2024-02-30"', "2024-02-29", '" 1"', "[1"),
      word.map((text) => JSON.stringify(text)),
    );
    const where = fc.double({ min: 0, max: 0.999, noNaN: true });
    const byteChange = fc.record({ where, drop: fc.nat({ max: 2 }), put: bytes });
    const cellChange = fc.record({ where, k: fc.nat({ max: types.length - 1 }), put: cell });
    const outcomes = { read: 0, reported: 0, refused: 0 };
    forAll(
      { seed: 5, numRuns: runs(400) },
      fc.array(row, { minLength: 5, maxLength: 30 }),
      fc.array(cellChange, { maxLength: 6 }),
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(byteChange, { minLength: 1, maxLength: 3 })),
      fc.constantFrom<ReadOptions>({}, { onBadCell: "null", onPrecisionLoss: "round" }),
      fc.constantFrom<ReadOptions["text"]>("auto", "dictionary", "utf8"),
      fc.constantFrom(",", ", "),
      (some, cells, changes, options, text, comma) => {
        const lines = long(some, 4 * LONG).map((texts) => texts.map((cell, k) => literal(cell, k, false)));
        for (const { where, k, put } of cells) lines[Math.floor(where * lines.length)][k] = put;
        let page = Buffer.from(`[${lines.map((texts) => `[${texts.join(comma)}]`).join(comma)}]`);
        for (const { where, drop, put } of changes) {
          const at = Math.floor(where * page.length);
          const added = put === "é" ? Buffer.from([0xe9]) : Buffer.from(put);
          page = Buffer.concat([page.subarray(0, at), added, page.subarray(at + drop)]);
        }
        const { rows, reports } = bothWays(page, columns, { ...options, text });
        outcomes[rows === undefined ? "refused" : reports.length > 0 ? "reported" : "read"]++;
      },
    );
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(runs(40, 0));
  });

  it("read any text of a number as the grammar does", () => {
    const kinds = ["BigDecimal(15,4)", "BigDecimal(4,2)", "BigDecimal(38,30)", "double", "Integer", "String", "Date"];
    const specs = kinds.map((type) => ({ name: type, type }));
    const plain = fc.stringMatching(/^-?(0|[1-9]\d{0,17})(\.\d{1,18})?$/);
    const odd = fc.oneof(
      fc.stringMatching(/^[-+]?\d{0,17}\.?\d{0,17}(e[-+]?\d{1,2})?$/),
      fc.stringMatching(/^[-+.\de]{0,18}$/),
      fc.constantFrom("00", "-0", "-00.5", "0.", ".", "-", "", "0e0", "true", "null", "nul", "2024-02-29", "0x1"),
    );
    forAll(
      { seed: 7, numRuns: runs(25) },
      fc.array(plain, { minLength: 100, maxLength: 100 }),
      odd,
      fc.boolean(),
      (texts, one, quoted) => {
        const written = (text: string): string => (quoted ? `"${text}"` : text);
        const lines = Array.from({ length: 1_500 }, (_, i) => kinds.map((_, k) => written(texts[(i + k * 37) % 100])));
        const options = { onBadCell: "null", onPrecisionLoss: "round" } as const;
        const page = (rows: readonly (readonly string[])[]): Uint8Array =>
          utf8(`[${rows.map((cells) => `[${cells.join()}]`).join()}]`);
        expect(bothWays(page(lines), specs, options).rows).toHaveLength(1_500);
        for (const [k, spec] of specs.entries()) {
          // Numbers of the column that fit, and one text that may be none.
          const alone = lines.flatMap((cells) => [[written("1")], [kinds[k] === "Date" ? '"2024-01-01"' : cells[k]]]);
          alone[2_000] = [written(one)];
          const bytes = page(alone);
          expect(bytes.length).toBeGreaterThan(LONG);
          bothWays(bytes, [spec], options);
        }
      },
    );
  });

  it("report the first wrong cell of the rows, not of the columns", () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => [`"t${i % 50}"`, `"2024-02-29"`, `${i}.5`]);
    rows[900][0] = '"\\ud800"';
    rows[20][2] = '"x"';
    const specs = [columns[0], columns[1], columns[2]];
    const page = utf8(`[${rows.map((cells) => `[${cells.join()}]`).join()}]`);
    expect(bothWays(page, specs).error).toMatchObject({ at: 20, column: "c2" });
  });

  it("refuse what separates rows wrongly, wherever it is", () => {
    const rows = Array.from({ length: 2_000 }, (_, i) => `["t${i % 50}",${i}]`);
    const specs = [columns[0], columns[5]];
    for (const gap of ["", " ", ",,", ":", "],", ",[", ",[[", "]],[[", ',""', ",null", ",1"]) {
      for (const at of [1, 63, 64, 65, 1_023, 1_024, 1_998]) {
        const page = utf8(`[${rows.slice(0, at).join()}${gap}${rows.slice(at).join()}]`);
        expect(bothWays(page, specs).error, `${gap} at ${at}`).toMatchObject({ name: "DataError" });
      }
    }
  });

  it("refuse what separates cells wrongly", () => {
    const specs = [columns[0], columns[5], columns[5]];
    for (const wrong of ["[", "]", ":", "", '"', ",,", "}", "{", "],["]) {
      for (const at of [1, 700, 1_999]) {
        const rows = Array.from({ length: 2_000 }, (_, i) => `["t${i % 50}"${i === at ? wrong : ","}${i},7]`);
        expect(bothWays(utf8(`[${rows.join()}]`), specs).error, wrong).toMatchObject({ name: "DataError" });
      }
    }
  });

  longIt("read pages of several chunks, and rows that do not fit into one", () => {
    const cells = (i: number): Cells => [
      i % 701 === 0 ? "long ".repeat(i) : ["plain", "a,b", 'say "hi"', "two\nlines", "é", "", null][i % 7],
      i % 5 === 0 ? null : "2024-02-29",
      `${i}.${String(i % 10_000).padStart(4, "0")}`,
      `${i}.${"123456789".repeat(2)}`,
      `${i}.5`,
      String(i),
      i % 2 === 0 ? "true" : "false",
      "2024-02-29T12:30:00Z",
      `${i}.25`,
    ];
    const rows = Array.from({ length: 20_000 }, (_, i) => cells(i));
    rows[12_000] = ["x".repeat(CHUNK + 10), ...rows[12_000].slice(1)];
    const page = utf8(pageOf(rows));
    expect(page.length).toBeGreaterThan(3 * CHUNK);
    for (const text of ["dictionary", "utf8"] as const) expect(bothWays(page, columns, { text }).rows).toEqual(rows);
  });

  it("number texts in order of first appearance, whether they are read alone or not", () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => [
      i % 11 === 0 ? `esc\\\\${i % 700}` : `t${(i * 7_919) % 5_000}`,
    ]);
    const page = utf8(`[${rows.map(([text]) => `["${text}"]`).join()}]`);
    const read = (by: typeof byGrammar) =>
      by({ bytes: page, start: 0, end: page.length }, [columns[0]], { text: "dictionary" })
        .batches()
        .map((batch) => {
          const [{ values, dictionary }] = batch.data.children;
          return { values, texts: [...(dictionary ?? [])] };
        });
    expect(read(jsonRows)).toEqual(read(byGrammar));
  });
});
