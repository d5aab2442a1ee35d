import { cellTexts } from "../../../src/columns/arrow/cell-batch.js";
import { READ_BATCH } from "../../../src/columns/arrow/read-options.js";
import { DataError } from "../../../src/errors/errors.js";
import { Frame } from "../../../src/index.js";
import { columnSpecs } from "../../support/column-specs.js";
import { mutateText, type Tokens } from "../mutate-text.js";
import type { FuzzTarget } from "../target.js";

/*
 * Pages of rows in JSON, held against JSON.parse: both refuse, or the cells are equal, or a cell does not fit its type.
 */

const COLUMNS = columnSpecs({ t: "String", d: "Date", x: "double", p: "BigDecimal(20,6)", n: "Integer", b: "Boolean" });

const CELLS: readonly (readonly unknown[])[] = [
  ["", "a", "é🙂", 'a"]],[["b', "\\", "\n", null, "null", "1.50", "]]", "a, b", "\u2028"],
  ["2024-02-29", "0001-01-01", "9999-12-31", null],
  [0, -0, 1.5, -12345.678, 1e21, 1e-7, null, 123456789012345680],
  [0, 1.5, -99999999999999, 0.000001, null, 123456.789],
  [0, 1, -1, 2147483648, 9007199254740991, null],
  [true, false, null],
];

/** Rows of so many cells, the values of each column in turn. */
const rowsOf = (count: number, width: number): unknown[][] =>
  Array.from({ length: count }, (_, row) =>
    Array.from({ length: width }, (_, k) => {
      const values = CELLS[k % CELLS.length];
      return values[(row + k) % values.length];
    }),
  );

const columnsOf = (width: number) =>
  Array.from({ length: width }, (_, k) => ({
    name: `${COLUMNS[k % COLUMNS.length].name}${k}`,
    type: COLUMNS[k % COLUMNS.length].type,
  }));

function page(rows: number, width: number, columnsFirst: boolean): object {
  const data = rowsOf(rows, width);
  const columns = columnsOf(width);
  return {
    datatable: columnsFirst ? { columns, data } : { data, columns },
    extra: [[1], { a: [] }],
    meta: { next_cursor_id: null },
  };
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function corpus(): Uint8Array[] {
  const ascii = JSON.stringify(page(12, 6, true)).replace(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  // Without brackets in texts the end of the rows is found by a search, and the rows are read once only.
  const plain = JSON.stringify(page(12, 6, false))
    .replaceAll("]],[[", "")
    .replaceAll('"]]"', '"x"');
  return [
    encode(plain),
    encode(
      JSON.stringify(page(20, 6, true))
        .replaceAll("]],[[", "")
        .replaceAll('"]]"', '"x"'),
    ),
    encode(JSON.stringify(page(12, 6, false))),
    encode(JSON.stringify(page(3, 2, true))),
    encode(JSON.stringify(page(5, 1, false))),
    encode(JSON.stringify(page(0, 3, false))),
    encode(JSON.stringify(page(4, 53, true))),
    // Long enough to be read by blocks.
    encode(JSON.stringify(page(400, 6, true))),
    encode(
      JSON.stringify(page(400, 6, false))
        .replaceAll("],[", "], [")
        .replaceAll(/,(?=[\d"nt-])/g, ", "),
    ),
    encode(JSON.stringify(page(6, 6, true), null, 2)),
    encode(`\ufeff ${JSON.stringify(page(4, 6, false), null, "\r\n\t")} `),
    encode(ascii),
  ];
}

const TOKENS: Tokens = {
  all: /"(?:[^"\\]|\\.)*"|[\][{},:]|[^\s"\][{},:]+|\s+|"/g,
  value: /^(?:"(?:[^"\\]|\\.)*"|[-\w.+]+)$/,
  words: [
    ...[
      "[",
      "]",
      "{",
      "}",
      ",",
      ":",
      '"',
      "]]",
      "[[",
      "],[",
      "][",
      "],",
      ",[",
      " ",
      "\n",
      "\u00a0",
      "\ufeff",
      "//",
      "\\",
    ],
    ...[
      "null",
      "nul",
      "true",
      "TRUE",
      "1",
      "-0",
      "-",
      "01",
      "1.",
      ".5",
      "1e5",
      "1E+2",
      "1e",
      "1e400",
      "NaN",
      "0x1",
      "1.50",
    ],
    ...['""', '"a"', '"\\u00e9"', '"\\ud83d\\ude42"', '"\\ud83d"', '"\\x"', '"\t"', '"]]"', '"data"', '"a\\""', "'a'"],
    ...[
      "[[]]",
      "[]",
      "{}",
      '{"a":1}',
      '"__proto__"',
      '"columns":[],',
      "12345678901234567890",
      "0.1234567",
      "2024-02-30",
    ],
    ...['"2024-02-29"', '"1.5"', '"true"', "false", "12.5", "-7", '"null"', '"String"', '"double"', '"Date"', "1e-7"],
  ],
};

interface Column {
  readonly type: string;
}

/** What the document says, as JSON.parse reads it; undefined where it is not JSON. */
function parsed(input: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(input)) as unknown };
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Shape {
  readonly data: readonly (readonly unknown[])[];
  readonly columns: readonly Column[];
  /** Everything about it is as the specification has it, so that a refusal needs a reason in the cells. */
  readonly sure: boolean;
}

/** The rows and columns of a page; undefined where it has none, or rows of other widths. */
function shapeOf(value: unknown): Shape | undefined {
  if (!isObject(value) || !isObject(value["datatable"])) return undefined;
  const { data, columns } = value["datatable"];
  if (!Array.isArray(data) || !Array.isArray(columns)) return undefined;
  if (!columns.every((column) => isObject(column) && [column["name"], column["type"]].every(isText))) return undefined;
  if (!data.every((row) => Array.isArray(row) && row.length === columns.length)) return undefined;
  const known = columns.every(({ type }) => COLUMNS.some((column) => column.type === type));
  const { meta } = value;
  const next = isObject(meta) ? (meta["next_cursor_id"] ?? null) : undefined;
  const sure = known && (meta === undefined || next === null || isText(next));
  return { data: data as unknown[][], columns: columns as Column[], sure };
}

const isText = (value: unknown): value is string => typeof value === "string";

const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Whether a value certainly fits its column. */
function fits(value: unknown, { type }: Column): boolean {
  if (value === null) return true;
  switch (type) {
    case "String":
      return typeof value === "string" ? !HALF_PAIR.test(value) : typeof value !== "object";
    case "Date":
      return typeof value === "string" && CELLS[1].includes(value);
    case "double":
      return typeof value === "number" && Number.isFinite(value);
    case "Boolean":
      return typeof value === "boolean";
    case "Integer":
      return Number.isSafeInteger(value);
    default:
      // What JSON.parse calls 0 may have had digits: 1e-400.
      return (
        typeof value === "number" && value !== 0 && Math.abs(value) < 1e13 && /^-?\d+(\.\d{1,6})?$/.test(String(value))
      );
  }
}

/** Throws where the text of a cell is not the value that JSON.parse read. */
function compare(text: string | null, value: unknown, where: string): void {
  if (value === null ? text === null : text !== null && isSame(text, value)) return;
  throw new Error(`${where}: read ${JSON.stringify(text)}, JSON.parse has ${JSON.stringify(value)}`);
}

/** A number in quotes is read as its column's type, and 1 and 0 are truth values. */
function isSame(text: string, value: unknown): boolean {
  if (text === String(value)) return true;
  if (typeof value !== "number" && (typeof value !== "string" || value.trim() === "")) return false;
  return Number(text) === Number(value) || { "1": "true", "0": "false" }[String(value)] === text;
}

export const target: FuzzTarget = {
  name: "json",
  quick: 800,
  corpus,
  mutate: (input, random) => mutateText(input, TOKENS, random),
  check(input) {
    const truth = parsed(input);
    const shape = truth && shapeOf(truth.value);
    let rows: (string | null)[][];
    const usual = READ_BATCH.rows;
    READ_BATCH.rows = [1, 2, 5, 4096][input.length % 4];
    try {
      rows = Frame.fromJSON(input, { warn: () => undefined }).table.batches.flatMap((batch) => [...cellTexts(batch)]);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      const twice = error.message.includes("only once");
      if (shape?.sure && !twice && shape.data.every((row) => row.every((value, k) => fits(value, shape.columns[k]))))
        throw error;
      return "refused";
    } finally {
      READ_BATCH.rows = usual;
    }
    if (truth === undefined) throw new Error("it was read although it is not JSON");
    if (shape === undefined) throw new Error("it was read although its shape is wrong");
    if (rows.length !== shape.data.length) throw new Error(`${rows.length} rows instead of ${shape.data.length}`);
    for (const [i, row] of rows.entries())
      for (const [k, text] of row.entries()) compare(text, shape.data[i][k], `row ${i}, cell ${k}`);
    return "read";
  },
};
