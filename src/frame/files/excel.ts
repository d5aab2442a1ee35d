import type { Table, Vector } from "../../columns/arrow/arrow.js";
import { namesOf } from "../../columns/arrow/column-names.js";
import { checkReadOptions, type ReadOptions } from "../../columns/arrow/read-options.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import { vectorToStrings } from "../../columns/arrow/vector-values.js";
import { textRows } from "../../columns/build/text-rows.js";
import { checkTyped, TypeGuess } from "../../columns/build/type-guess.js";
import { writeBlocks } from "../../columns/io/write-blocks.js";
import { DataError, hasCode, InputError, missingPackage } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { suggestion } from "../../errors/nearest.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { wholeFile } from "../../format/random-access.js";
import { zipEntries } from "../../format/zip.js";
import { latin1Text, utf8Bytes } from "../../platform/node/bytes.js";
import { readFile } from "../../platform/node/files.js";
import { type ColumnSpec, parseType } from "../../spec/columns.js";
import { significantDigits } from "../../value/json-number.js";
import { checkTypes, REMEDY, typesText } from "./csv-files.js";
import type { FileSources } from "./find-files.js";
import { type FilesRead, readFiles, UNION_OPTIONS } from "./many-files.js";
import type { UnionOptions } from "./union.js";

/** A cell of a worksheet as hucre reads and writes it. */
type Cell = string | number | boolean | Date | null;

/** The part of `hucre/xlsx` in use. */
interface ExcelModule {
  readXlsx(
    bytes: Uint8Array,
    options: { readonly sheets: (sheet: { readonly name: string }) => boolean },
  ): Promise<{ readonly sheets: readonly { readonly rows: readonly (readonly Cell[])[] }[] }>;
  writeXlsx(book: {
    readonly sheets: readonly {
      readonly name: string;
      readonly columns: readonly object[];
      readonly rows: readonly (readonly Cell[])[];
    }[];
  }): Promise<Uint8Array>;
}

/** How the worksheet of an Excel workbook is read. */
export interface ExcelReadOptions extends Pick<ReadOptions, "onBadCell" | "onPrecisionLoss" | "key">, UnionOptions {
  /** Name of the worksheet, or its position from 0; default the first one. */
  readonly sheet?: string | number;
  /** The cells to read, such as `"B3:F100"`; default all. */
  readonly range?: string;
  /** Whether the first row holds the column names; default true. Without them, names are `column_1`, …. */
  readonly header?: boolean;
  /** Service types of some columns by name, instead of those of their cells. */
  readonly types?: Readonly<Record<string, string>>;
}

/** How an Excel workbook is written. */
export interface ExcelWriteOptions {
  /** Name of the worksheet; default `Sheet1`. */
  readonly sheet?: string;
}

async function loadExcel(): Promise<ExcelModule> {
  try {
    // Not a literal, so that compilers do not look for the package.
    const name = "hucre/xlsx";
    return (await import(name)) as ExcelModule;
  } catch (cause) {
    throw missingPackage("Excel workbooks require the package hucre.", "hucre", cause);
  }
}

/** Digits of a number that Excel shows, and keeps of what is typed. */
const EXCEL_DIGITS = 15;
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;
const MOST_CHARACTERS = 32_767;
/** The first day that Excel and other programs count alike: Excel has a 29 February 1900. */
const FIRST_DAY = "1900-03-01";

/**
 * Writes the rows of a table as a worksheet: numbers, dates, timestamps and booleans as such; what Excel does not hold
 * exactly as text.
 *
 * @throws {InputError} MissingPackage, BadArgument for a table or name that Excel does not take
 * @throws {DataError} CellTooLong
 */
export async function writeExcel(table: Table, path: string, options: ExcelWriteOptions = {}): Promise<void> {
  refuseUnknown(options, ["sheet"], "toExcel()");
  const { sheet = "Sheet1" } = options;
  checkFits(table, sheet);
  const { writeXlsx } = await loadExcel();
  const specs = columnsOf(table.schema);
  const columns = specs.map((spec, at) => cellsOf(table.getChildAt(at) as Vector, spec));
  const rows: (readonly Cell[])[] = [namesOf(table)];
  for (let row = 0; row < table.numRows; row++) rows.push(columns.map((cells) => cells[row]));
  const formats = specs.map(({ type }) => ({ numFmt: formatOf(type) }));
  await writeBlocks(path, [await writeXlsx({ sheets: [{ name: sheet, columns: formats, rows }] })]);
}

function checkFits({ numRows, numCols }: Table, sheet: unknown): void {
  if (numRows >= MOST_ROWS || numCols > MOST_COLUMNS) {
    throw new InputError(`A worksheet has at most ${MOST_ROWS - 1} rows and ${MOST_COLUMNS} columns; got ${numRows}.`, {
      code: "BadArgument",
      hint: "Write parts, such as frame.slice(0, 1000000), or another format.",
    });
  }
  if (typeof sheet === "string" && /^(?!')[^[\]:*?/\\]{1,31}(?<!')$/.test(sheet)) return;
  throw new InputError(`The sheet of toExcel() must be a name that Excel takes; got ${shown(sheet)}.`, {
    code: "BadArgument",
    hint: "A name has 1 to 31 characters, none of []:*?/\\, and no apostrophe at its ends.",
  });
}

function cellsOf(vector: Vector, { name, type }: ColumnSpec): Cell[] {
  const { kind } = parseType(type);
  const cellOf = CELLS[kind] ?? textCell;
  return vectorToStrings(vector).map((text, row) => {
    if (text !== null && text.length > MOST_CHARACTERS) {
      throw new DataError(`Row ${row}, column ${JSON.stringify(name)} has ${text.length} characters.`, {
        code: "CellTooLong",
        row,
        column: name,
        hint: `A cell of Excel holds ${MOST_CHARACTERS}: shorten the text, or write another format.`,
      });
    }
    return text === null ? null : cellOf(text);
  });
}

const textCell = (text: string): Cell => text;

/** A number of so many digits that Excel shows and keeps all of them. */
const exactNumber = (text: string): Cell => (digitsOf(text) <= EXCEL_DIGITS ? Number(text) : text);

const digitsOf = (text: string): number => significantDigits(text).split("e", 1)[0].length;

const isDay = (text: string): boolean => text.length === 10 && text >= FIRST_DAY;

const DAY = 86_400_000;

/** The number of days by which Excel counts, 25,569 of which are before 1970, rounded once. */
const serial = (text: string): number => (Date.parse(text) + 25_569 * DAY) / DAY;

const CELLS: Readonly<Record<string, (text: string) => Cell>> = {
  boolean: (text) => text === "true",
  integer: exactNumber,
  decimal: exactNumber,
  double: (text) => (Number.isFinite(Number(text)) ? Number(text) : text),
  date: (text) => (isDay(text) ? serial(text) : text),
  datetime: (text) => (isDay(text.slice(0, 10)) && /^.{19}(?:\.\d{3})?Z$/.test(text) ? serial(text) : text),
};

/** How Excel shows the cells of a type. */
function formatOf(type: string): string {
  const { kind, scale = 0 } = parseType(type);
  if (kind === "decimal") return scale === 0 ? "0" : `0.${"0".repeat(Math.min(scale, 30))}`;
  return { date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss", integer: "0", text: "@" }[kind as string] ?? "General";
}

/** Reads worksheets for `Frame.fromExcel`. */
export async function readExcel(sources: FileSources, options: ExcelReadOptions): Promise<FilesRead> {
  const where = "fromExcel()";
  checkReadOptions(options, where, ["sheet", "range", "header", "types", ...UNION_OPTIONS]);
  checkTypes(options.types, where);
  const kind = { where, what: "an Excel workbook", names: /\.xls[xm]$/i };
  const module = await loadExcel();
  const { table, source } = await readFiles(sources, kind, options, REMEDY, async (local, isPart) => {
    const isPath = typeof local === "string";
    const bytes = isPath ? await readFile(local).catch((error) => unread(local, error)) : await wholeFile(local);
    return tableOf(await rowsOf(module, bytes, options), options, isPart);
  });
  return { table, source: { code: "Excel", ...source, inferred: typesText(columnsOf(table.schema)) } };
}

const unread = (path: string, error: unknown): never => {
  throw fileError(path, "read", error);
};

async function rowsOf(
  { readXlsx }: ExcelModule,
  bytes: Uint8Array,
  { sheet = 0, range }: ExcelReadOptions,
): Promise<Rows> {
  const names: string[] = [];
  const isWanted = ({ name }: { readonly name: string }): boolean => {
    names.push(name);
    return sheet === name || sheet === names.length - 1;
  };
  const cut = cutterOf(range);
  const book = await checkTexts(bytes)
    .then(() => readXlsx(bytes, { sheets: isWanted }))
    .catch((cause) => {
      throw hasCode(cause, "BadExcel")
        ? cause
        : badExcel(cause instanceof Error ? cause.message : String(cause), cause);
    });
  if (book.sheets.length > 0) return cut(book.sheets[0].rows);
  throw new InputError(`The workbook has no sheet ${shown(sheet)}.`, {
    code: "BadArgument",
    hint: typeof sheet === "string" ? suggestion(sheet, names, "sheets") : `It has ${names.length}, from 0.`,
  });
}

/** Checks that the texts of a workbook are there if it declares them: without them, hucre reads empty cells. */
async function checkTexts(bytes: Uint8Array): Promise<void> {
  const entries = await zipEntries(bytes);
  const types = entries.find(({ name }) => name === "[Content_Types].xml");
  if (types === undefined) return;
  let text = "";
  for await (const block of types.chunks()) text += latin1Text(block);
  const part = /PartName="\/([^"]*sharedStrings\.xml)"/i.exec(text)?.[1];
  if (part === undefined || entries.some(({ name }) => name.toLowerCase() === part.toLowerCase())) return;
  throw badExcel(`it lacks its part ${part}`);
}

const badExcel = (reason: string, cause?: unknown): DataError =>
  new DataError(`The workbook cannot be read: ${reason.replace(/\.$/, "")}.`, {
    code: "BadExcel",
    hint: "Save it again as .xlsx; it must not be encrypted.",
    ...(cause !== undefined && { cause }),
  });

type Rows = readonly (readonly Cell[])[];

/** @throws {InputError} BadArgument */
function cutterOf(range: string | undefined): (rows: Rows) => Rows {
  if (range === undefined) return (rows) => rows;
  const found = /^([A-Z]{1,3})([1-9]\d{0,6}):([A-Z]{1,3})([1-9]\d{0,6})$/i.exec(range);
  if (found === null) {
    throw new InputError(`The range of fromExcel() must be two cells; got ${shown(range)}.`, {
      code: "BadArgument",
      hint: 'Pass the first and the last cell: "B3:F100".',
    });
  }
  const [, left, top, right, bottom] = found;
  // The corners may come in any order, as in Excel.
  const [firstRow, lastRow] = [Number(top), Number(bottom)].sort((a, b) => a - b);
  const [first, last] = [columnNumber(left), columnNumber(right)].sort((a, b) => a - b);
  return (rows) => rows.slice(firstRow - 1, lastRow).map((row) => row.slice(first - 1, last));
}

/** From 1: `A` is 1, `AA` is 27. */
const columnNumber = (letters: string): number =>
  [...letters.toUpperCase()].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/** What Excel shows for a formula without a value. */
const NO_VALUE = /^#(?:N\/A|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|NULL!)$/;

function tableOf(
  sheet: Rows,
  { header = true, types = {}, onBadCell, onPrecisionLoss, key }: ExcelReadOptions,
  isPart: boolean,
): Table {
  const isEmpty = (cell: Cell | undefined): boolean =>
    cell === undefined || cell === null || cell === "" || (typeof cell === "string" && NO_VALUE.test(cell));
  const width = sheet.reduce((most, row) => Math.max(most, row.findLastIndex((cell) => !isEmpty(cell)) + 1), 0);
  const head = header ? (sheet[0] ?? []) : [];
  const names = Array.from({ length: width }, (_, i) => (isEmpty(head[i]) ? `column_${i + 1}` : plainText(head[i])));
  if (!isPart) checkTyped(types, names, "a column of the sheet");
  const declared = names.map((name) => (Object.hasOwn(types, name) ? types[name] : undefined));
  const isText = declared.map((type) => type !== undefined && parseType(type).kind === "text");
  const isNull = (cell: Cell | undefined, i: number): boolean => isEmpty(cell) && !(cell === "" && isText[i]);
  const rows = sheet.slice(header ? 1 : 0);
  while (rows.length > 0 && rows[rows.length - 1].every(isNull)) rows.pop();
  const columns = names.map((_, i) => rows.map((row) => (isNull(row[i], i) ? null : row[i])));
  const texts = columns.map((column, i) => textsOf(column, declared[i]));
  const specs = names.map((name, i) => ({ name, type: declared[i] ?? typeOf(columns[i], texts[i]) }));
  const cells = function* (): Generator<(string | null)[]> {
    for (let row = 0; row < rows.length; row++) yield texts.map((column) => column[row]);
  };
  return textRows(cells(), specs, { onBadCell, onPrecisionLoss, key }).table();
}

const isMidnight = (cell: Cell): boolean => !(cell instanceof Date) || cell.getTime() % DAY === 0;

/**
 * The cells of a column as text: dates without a time where it is midnight, unless another cell of a column without a
 * declared type has a time, or all are to have one.
 */
function textsOf(cells: readonly Cell[], declared: string | undefined): (string | null)[] {
  const areTimes = declared === undefined ? !cells.every(isMidnight) : parseType(declared).kind === "datetime";
  return cells.map((cell) => {
    if (cell === null) return null;
    return cell instanceof Date && (areTimes || !isMidnight(cell)) ? cell.toISOString() : plainText(cell);
  });
}

const plainText = (cell: Cell): string => (cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell));

/**
 * The type of cells: text where all are text; otherwise the type of what they say, where numbers of more digits than
 * Excel shows were computed and are doubles.
 */
function typeOf(cells: readonly Cell[], texts: readonly (string | null)[]): string {
  const filled = cells.filter((cell) => cell !== null);
  if (filled.every((cell) => typeof cell === "string")) return "String";
  const guess = new TypeGuess();
  for (const text of texts) {
    if (text === null) continue;
    const bytes = utf8Bytes(text);
    guess.add(bytes, 0, bytes.length);
  }
  const numbers = filled.filter((cell) => typeof cell === "number");
  const areTyped = numbers.every((cell) => !/e/.test(String(cell)) && digitsOf(String(cell)) <= EXCEL_DIGITS);
  const isExact = areTyped || numbers.every(Number.isSafeInteger);
  return !isExact && numbers.length === filled.length ? "double" : guess.type;
}
