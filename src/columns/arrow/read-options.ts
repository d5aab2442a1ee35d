import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Schema } from "./arrow.js";
import { type CsvDialect, checkCsvDialect, DIALECT } from "./csv-dialect.js";
import { checkDeclaredTypes } from "./declared-types.js";

/** Cells of one column that were changed on reading: how, how often, and the first few. */
export interface CellReport {
  /** Name of the column. */
  readonly column: string;
  /** The column's service type. */
  readonly type: string;
  /**
   * `null`: bad cells became null (`onBadCell: "null"`); `rounded`: digits were dropped (`onPrecisionLoss: "round"`).
   */
  readonly what: "null" | "rounded";
  /** The number of cells concerned. */
  readonly count: number;
  /**
   * At most five, in reading order; `row` counts data rows from 0, `offset` counts bytes from the start of the reply or
   * file.
   */
  readonly examples: readonly { readonly row: number; readonly value: string; readonly offset: number }[];
}

/** How cells are read into columns; the same for CSV, JSON and XML. The first value of each option is the default. */
export interface ReadOptions {
  /** `exact`: `BigDecimal` becomes Decimal128 or Decimal256; `float64`: the nearest double. */
  readonly decimals?: "exact" | "float64";
  /** A cell that does not fit its type is an error, or becomes null and is counted in `onReport`. */
  readonly onBadCell?: "error" | "null";
  /**
   * Nonzero digits beyond the scale, or below a millisecond, are an error, or are rounded half to even and counted in
   * `onReport`; likewise a number beyond the largest double, which rounds to an infinity.
   */
  readonly onPrecisionLoss?: "error" | "round";
  /** Receives each distinct warning once; default `process.emitWarning`. */
  readonly warn?: (message: string) => void;
  /** Called at the end of a read, once per column and kind, if cells became null or were rounded. */
  readonly onReport?: (report: CellReport) => void;
  /** Names of the columns whose values together identify a row: the `key` of the frame. */
  readonly key?: readonly string[];
  /**
   * Text columns as `Dictionary<Utf8, Int32>` or `Utf8`; `auto` uses Utf8 if most values of a column differ in the
   * first batch.
   */
  readonly text?: "auto" | "dictionary" | "utf8";
  /** Row number at which messages and reports start counting; default 0. */
  readonly firstRow?: number;
  /**
   * Use the column types of this schema, such as that of an earlier page, so that the batches of all pages fit
   * together.
   */
  readonly schema?: Schema;
  /** Ends the read when it is aborted. */
  readonly signal?: AbortSignal;
}

/** How a CSV file or reply is read. */
export interface CsvOptions extends ReadOptions, CsvDialect {
  /**
   * Name and service type of each column; cells are matched to them by the names of the header, or by position without
   * a header.
   */
  readonly columns: readonly ColumnSpec[];
  /** Cells are matched to as many columns by position, whatever names the header has. */
  readonly byPosition?: boolean;
  /** Longest cell in bytes; default 16 MB (16,777,216). */
  readonly maxCellBytes?: number;
}

/** Reports how much of a file has been read. */
export interface OnBytes {
  /** Called after each batch with the bytes read and the total. */
  readonly onBytes?: (bytes: number, total: number) => void;
}

/** The number of rows per record batch. */
export const BATCH_ROWS = 65_536;

/** The number of rows per record batch of readers that are passed no other one. Tests lower it. */
export const READ_BATCH: { rows: number } = { rows: BATCH_ROWS };

/** What readers take from other parts of the library, beside the options of a caller. */
export interface Batching {
  /** Rows per record batch; default {@link READ_BATCH}. */
  readonly batchRows?: number;
  /** The file is one of several, and may lack columns whose types are declared. */
  readonly isPart?: boolean;
}

const READ: readonly (keyof ReadOptions)[] = [
  ...(["decimals", "onBadCell", "onPrecisionLoss", "warn", "onReport", "key"] as const),
  ...(["text", "firstRow", "schema", "signal"] as const),
];
/** The names of the options of CSV. */
export const CSV_OPTIONS: readonly (keyof CsvOptions)[] = [
  ...READ,
  ...DIALECT,
  "columns",
  "byPosition",
  "maxCellBytes",
];
const OPTION_VALUES = {
  decimals: ["exact", "float64"],
  onBadCell: ["error", "null"],
  onPrecisionLoss: ["error", "round"],
  text: ["auto", "dictionary", "utf8"],
} as const;

/**
 * @throws {InputError} UnknownOption for an unknown read option (`also` lists further allowed ones), UnknownValue for
 *   an unknown option value
 */
export function checkReadOptions(options: object | undefined, where: string, also: readonly string[] = []): void {
  refuseUnknown(options, [...READ, ...also], where);
  checkWords(options, OPTION_VALUES);
  checkKey((options as ReadOptions | undefined)?.key, undefined, where);
}

/** As {@link checkReadOptions}, for CSV; `columns` is required. */
export function checkCsvOptions(options: CsvOptions, where: string, also: readonly string[] = []): void {
  const { columns }: Partial<CsvOptions> = options ?? {};
  checkColumns(columns, where);
  refuseUnknown(options, [...CSV_OPTIONS, ...also], where);
  checkWords(options, OPTION_VALUES);
  checkCsvDialect(options, where);
  checkKey(options.key, options.columns, where);
}

/**
 * @throws {InputError} BadArgument for a key that is not a list of distinct names, UnknownColumn for a name that is not
 *   among `columns`, if these are known
 */
export function checkKey(key: unknown, columns: readonly ColumnSpec[] | undefined, where: string): void {
  if (key === undefined) return;
  const isList = Array.isArray(key) && key.every((name) => typeof name === "string");
  if (!isList || new Set(key).size !== key.length) {
    throw new InputError(`The key of ${where} must be a list of distinct column names; got ${shown(key)}.`, {
      code: "BadArgument",
      hint: 'Pass the names of the columns that identify a row: { key: ["ticker", "date"] }.',
    });
  }
  const names = columns?.map(({ name }) => name);
  const unknown = names && key.find((name) => !names.includes(name));
  if (names === undefined || unknown === undefined) return;
  throw new InputError(`The key of ${where} names ${JSON.stringify(unknown)}, which is not a column.`, {
    code: "UnknownColumn",
    column: unknown,
    hint: suggestion(unknown, names, "columns"),
  });
}

/** @throws {InputError} BadArgument for anything but an array of `{ name, type }`; UnknownType */
export function checkColumns(columns: unknown, where: string): void {
  const isSpec = (column: Partial<ColumnSpec> | null): boolean =>
    typeof column?.name === "string" && typeof column.type === "string";
  if (Array.isArray(columns) && columns.every(isSpec)) {
    checkDeclaredTypes(columns, where);
    return;
  }
  throw new InputError(
    columns === undefined ? `${where} needs columns.` : `The columns of ${where} must be an array of { name, type }.`,
    {
      code: "BadArgument",
      hint: `Pass a list such as [{ name: "date", type: "Date" }, { name: "close", type: "double" }]${where === "fromCSV()" ? ', or { columns: "infer" } to find types from the cells' : ""}.`,
    },
  );
}
