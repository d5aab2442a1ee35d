import { isUtf8 } from "node:buffer";
import { parse } from "csv-parse/sync";
import { cellTexts } from "../../../src/columns/arrow/cell-batch.js";
import type { Batching, CsvOptions } from "../../../src/columns/arrow/read-options.js";
import { csvBatches, csvTable } from "../../../src/columns/csv/reader.js";
import { ArrowbookError } from "../../../src/errors/errors.js";
import { columnSpecs } from "../../support/column-specs.js";
import { mutateBytes } from "../mutate.js";
import { mutateText, type Tokens } from "../mutate-text.js";
import { Random } from "../random.js";
import { strictRecords, strictValue } from "../strict-csv.js";
import type { FuzzTarget } from "../target.js";

/*
 * CSV files, held against a second reader: the same cells, or both refuse. Files above 1 KB are read by blocks in
 * WebAssembly, shorter ones and unusual rows by the grammar; every way is taken for the same bytes.
 */

type Cells = (string | null)[][];

const ALL = columnSpecs({
  t: "String",
  d: "Date",
  p: "BigDecimal(15,4)",
  x: "double",
  n: "Integer",
  u: "String",
  b: "Boolean",
  at: "DateTime",
  w: "BigDecimal(50,20)",
});

const VALUES: readonly (readonly string[])[] = [
  ["AAPL", "", '""', '"a,b"', '"say ""x"""', '"two\nlines"', "é🙂", "BRK B", '"q"', "0123"],
  ["2024-02-29", "1999-12-31", "", '"2000-01-01"', "9999-12-31", "0001-01-01"],
  ["1.5", "-12.3400", "", "99999999999.9999", "0.0", '"7"', "1.50000000", "1e3"],
  ["0.1", "-1.5e-7", "", "NaN", "123456789.125", '"0.30000000000000004"', "-0.0", "5"],
  ["0", "-1", "", "9223372036854775807", "-9223372036854775808", "12.0", "1234567890123"],
  ["x", "y", "", '"z"', "a long text of some thirty-two and more letters", '"\r\n"'],
  ["true", "false", "", "1", "0", "TRUE"],
  ["2017-11-10T00:18:07Z", "2017-11-10 00:18:07.120 UTC", "", "1969-12-31T23:59:59.999Z"],
  ["1.00000000000000000001", "-123456789012345678901234567890.5", "", "0"],
];

function file(
  width: number,
  rows: number,
  end = "\n",
  header = ALL.slice(0, width).map(({ name }) => name),
): Uint8Array {
  const places = header.map((name) => ALL.findIndex((column) => column.name === name));
  const lines = Array.from({ length: rows }, (_, i) =>
    places.map((k) => VALUES[k][(i * (k + 1) + (i >> 3)) % VALUES[k].length]).join(","),
  );
  return new TextEncoder().encode(`${[header.join(","), ...lines].join(end)}${end}`);
}

/** Plain rows, as a service writes them: what the blocks read. */
function plainFile(rows: number): Uint8Array {
  const lines = Array.from(
    { length: rows },
    (_, i) => `T${i % 37},2024-02-${10 + (i % 20)},${i}.${i % 9999},${i / 8},${i * 977},${i % 5 ? "x" : `note ${i}`}`,
  );
  return new TextEncoder().encode(`t,d,p,x,n,u\n${lines.join("\n")}\n`);
}

const corpus = (): Uint8Array[] => [
  file(1, 6),
  file(2, 8),
  file(6, 12),
  file(9, 12),
  file(9, 8, "\r\n"),
  file(6, 8, "\r"),
  file(6, 8, "\n", ["u", "x", "t", "n", "p", "d"]),
  new TextEncoder().encode(`\ufeff${Buffer.from(file(4, 5)).toString().trimEnd()}`),
  plainFile(500),
  file(6, 700),
  file(9, 400, "\r\n"),
];

const TOKENS: Tokens = {
  all: /"(?:[^"]|"")*"|[,\r\n]|[^",\r\n]+|"/g,
  value: /^(?:"[\s\S]*"|[^",\r\n]+)$/,
  words: [
    ...[",", "\n", "\r\n", "\r", '"', '""', '"""', ",,", "\n\n", '","', " ", "\t", ";", "\0", "\ufeff", "\u2028"],
    ...["t", "d", "a,b", "''", "\\", '"a"b', 'a"b', '"a""b"', '"a\nb"', '"', "é", "𝒳", "\ufffd", "=1+1"],
    ...[
      "1e400",
      "-1e400",
      "NaN",
      "Infinity",
      "nan",
      "0x1f",
      "1_000",
      "1.",
      ".5",
      "+1",
      "-",
      "--1",
      "1e",
      "1e5",
      "1E-3",
    ],
    ...["1e-400", "0e999999999999", "99999999999999999999", "9223372036854775808", "-9223372036854775809", "1.00001"],
    ...["12345678901.23456", "1.7976931348623159e308", "0.1234567890123456789", "00001", "1234567890123456.5", "-0"],
    ...[
      "2024-02-30",
      "2024-2-9",
      "0000-01-01",
      "24-02-29",
      "2024-02-29T00:00:00Z",
      "2017-11-10T24:00:00Z",
      "2017-11-10",
    ],
    ...[
      "true",
      "True",
      "yes",
      "null",
      "NULL",
      "N/A",
      "-12.34",
      "16.25",
      "12345.6789",
      "long".repeat(20),
      '"1.5"',
      '" 1"',
    ],
  ],
};

/** The rows that a strict reader has for all columns of `ALL` that the header names; undefined where it refuses. */
function judged(input: Uint8Array): { readonly columns: typeof ALL; readonly rows: Cells } | undefined {
  if (!isUtf8(input)) return undefined;
  const records = strictRecords(Buffer.from(input).toString());
  if (records === undefined || records.length === 0) return undefined;
  const [header, ...body] = records;
  const columns = header.map((name) => ALL.find((column) => column.name === name));
  if (new Set(header).size !== header.length || columns.includes(undefined)) return undefined;
  const rows: Cells = [];
  for (const record of body) {
    if (record.length !== header.length) return undefined;
    const cells = record.map((cell, k) => (cell === null ? null : strictValue(cell, columns[k]?.type ?? "")));
    if (cells.includes(undefined)) return undefined;
    rows.push(cells as (string | null)[]);
  }
  return { columns: columns as typeof ALL, rows };
}

/** Rows, or the error of this package; any other is thrown. */
async function outcome(read: () => Cells | Promise<Cells>): Promise<Cells | ArrowbookError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ArrowbookError) return error;
    throw error;
  }
}

const quiet = { warn: () => undefined };

const atOnce = (input: Uint8Array, options: CsvOptions) =>
  outcome(() => csvTable(input, options).batches.flatMap((batch) => [...cellTexts(batch)]));

const inChunks = (input: Uint8Array, options: CsvOptions, random: Random) =>
  outcome(async () => {
    const rows: Cells = [];
    for await (const batch of csvBatches(chunks(input, random), options)) rows.push(...cellTexts(batch));
    return rows;
  });

function* chunks(input: Uint8Array, random: Random): Generator<Uint8Array> {
  const longest = input.length > 4096 ? random.pick([500, 4096, 20_000]) : random.pick([1, 7, 100]);
  for (let at = 0; at < input.length; ) {
    const end = at + 1 + random.below(longest);
    yield input.slice(at, end);
    at = end;
  }
}

function shown(result: Cells | ArrowbookError): string {
  if (!(result instanceof ArrowbookError)) return JSON.stringify(result);
  // The message shows as much of the line as had arrived.
  const { code, row, column, offset } = result;
  return JSON.stringify({ code, row, column, offset });
}

function demandSame(found: string, expected: string, where: string): void {
  if (found === expected) return;
  const at = [...found].findIndex((char, i) => char !== expected[i]);
  const near = (text: string): string => text.slice(Math.max(0, at - 40), at + 80);
  throw new Error(`${where}: …${near(found)}… instead of …${near(expected)}…`);
}

/** Cells without a type are those of csv-parse, which is strict about quotes too. */
function compareWithCsvParse(input: Uint8Array, rows: Cells, order: readonly number[]): void {
  const [, ...records] = parse(Buffer.from(input), {
    bom: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_empty_lines: false,
  }) as string[][];
  const placed = records.map((record) => order.map((k) => record[k]));
  const texts = rows.map((row) => row.map((cell) => cell ?? ""));
  demandSame(JSON.stringify(texts), JSON.stringify(placed), "csv-parse");
}

export const target: FuzzTarget = {
  name: "csv",
  quick: 250,
  corpus,
  mutate: (input, random) => (random.oneIn(4) ? mutateBytes(input, random) : mutateText(input, TOKENS, random)),
  async check(input) {
    const random = new Random(input.reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, input.length));
    const truth = judged(input);
    const columns =
      truth === undefined ? ALL.slice(0, random.pick([2, 6, 9])) : random.oneIn(2) ? truth.columns : ordered(truth);
    const batchRows = random.pick(input.length > 4096 ? [300, 65_536] : [1, 5, 65_536]);
    const strict: CsvOptions & Batching = {
      columns,
      batchRows,
      text: random.pick(["auto", "dictionary", "utf8"]),
      ...quiet,
    };
    const rows = await atOnce(input, strict);
    demandSame(shown(await inChunks(input, strict, random)), shown(rows), "in chunks");
    if (truth !== undefined) {
      const order = columns.map((column) => truth.columns.indexOf(column));
      demandSame(shown(rows), JSON.stringify(truth.rows.map((row) => order.map((k) => row[k]))), "the second reader");
      const texts = await atOnce(input, { ...strict, columns: columns.map(({ name }) => ({ name, type: "String" })) });
      if (texts instanceof ArrowbookError) throw texts;
      compareWithCsvParse(input, texts, order);
    } else if (!(rows instanceof ArrowbookError)) {
      throw new Error(`read although the second reader refuses it: ${shown(rows).slice(0, 200)}`);
    }
    const lenient = {
      shortRows: random.oneIn(2),
      longRows: random.oneIn(2),
      emptyLines: random.oneIn(2),
      quotes: random.oneIn(2),
      trim: random.oneIn(2),
      utf8: random.oneIn(2),
      header: random.oneIn(2),
    };
    const header = random.pick([true, false, "detect"] as const);
    const onBadCell = random.pick(["error", "null"] as const);
    const loose: CsvOptions = { ...strict, lenient, header, onBadCell };
    demandSame(shown(await inChunks(input, loose, random)), shown(await atOnce(input, loose)), "lenient, in chunks");
    return rows instanceof ArrowbookError ? "refused" : "read";
  },
};

/** The declared columns in the order of `ALL`, not of the header. */
const ordered = ({ columns }: { readonly columns: typeof ALL }): typeof ALL =>
  ALL.filter((column) => columns.includes(column));
