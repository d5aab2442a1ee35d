import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Schema } from "./arrow.js";

/** Cells of one column that did not come through as written: what happened, how often, and the first few. */
export interface CellReport {
  readonly column: string;
  /** The column's service type. */
  readonly type: string;
  /** `null`: bad cells set to null (`onBadCell: "null"`); `rounded`: digits cut off (`onPrecisionLoss: "round"`). */
  readonly what: "null" | "rounded";
  readonly count: number;
  /**
   * At most five, in reading order; `row` counts data rows from 0, `offset` bytes from the start of the reply or file.
   */
  readonly examples: readonly { readonly row: number; readonly value: string; readonly offset: number }[];
}

/** How cells become columns; the same for CSV, JSON and XML. The first value named is the default. */
export interface ReadOptions {
  /** `exact`: `BigDecimal` becomes Decimal128 or Decimal256; `float64`: the nearest double. */
  readonly decimals?: "exact" | "float64";
  /** A cell that does not fit its type is an error, or null and counted in `onReport`. */
  readonly onBadCell?: "error" | "null";
  /**
   * Digits beyond the scale (zeros are none) or below a millisecond are an error, or rounded half to even and counted
   * in `onReport`; likewise a number beyond the largest double, which rounds to an infinity.
   */
  readonly onPrecisionLoss?: "error" | "round";
  /** Takes each warning once; default `process.emitWarning`. */
  readonly warn?: (message: string) => void;
  /** Called once per column and kind at the end of a read in which cells became null or were rounded. */
  readonly onReport?: (report: CellReport) => void;
  /** Names of the columns whose values together identify a row: the `key` of the frame. */
  readonly key?: readonly string[];
  /** Rows of a record batch; default 65,536. */
  readonly batchRows?: number;
  /**
   * Threads for a long file: a CSV file is split over them, that of an archive is inflated on one and parsed on
   * another. Default one for each core; `1`: the caller's alone.
   */
  readonly threads?: number;
  /**
   * Text columns as `Dictionary<Utf8, Int32>` or `Utf8`; `auto` takes Utf8 for a column whose values mostly differ in
   * the first batch.
   */
  readonly text?: "auto" | "dictionary" | "utf8";
  /** Number of the first row in messages and reports, for rows that follow others; default 0. */
  readonly firstRow?: number;
  /**
   * Take the column types of this schema, that of an earlier page of the same rows, so that the batches of all pages
   * fit together.
   */
  readonly schema?: Schema;
  readonly signal?: AbortSignal;
}

/** Departures from strict CSV, each off unless named. */
export interface CsvLeniency {
  /** Cells missing at the end of a row are null. */
  readonly shortRows?: boolean;
  /** Cells beyond the last column are dropped. */
  readonly longRows?: boolean;
  /** Empty lines are skipped. */
  readonly emptyLines?: boolean;
  /** A quote inside an unquoted cell is text, and so is what follows a closing quote. */
  readonly quotes?: boolean;
  /** Spaces and tabs around an unquoted cell are dropped. */
  readonly trim?: boolean;
  /** Invalid UTF-8 becomes U+FFFD. */
  readonly utf8?: boolean;
  /**
   * Undeclared columns of the header are dropped, declared ones it lacks are null, letter case is ignored where that is
   * unambiguous. A header without any declared column is still an error.
   */
  readonly header?: boolean;
}

/** How a CSV file or reply is read. */
export interface CsvOptions extends ReadOptions {
  /**
   * Name and service type of each column; cells are matched to them by the header's names, or by place without a
   * header.
   */
  readonly columns: readonly ColumnSpec[];
  /** `true`: the first line holds the column names; `"detect"`: it does where one of its cells is a declared name. */
  readonly header?: boolean | "detect";
  /** `quoted`: `""` is empty text and an unquoted empty cell null; `null`: both are null. */
  readonly emptyText?: "quoted" | "null";
  readonly lenient?: CsvLeniency;
  /** Longest cell in bytes; default 16 MB (16,777,216). */
  readonly maxCellBytes?: number;
}

/** For those who show how far a read of a CSV file has come. */
export interface OnBytes {
  /** Called after each batch with the bytes read and the total. */
  readonly onBytes?: (bytes: number, total: number) => void;
}

/** Rows of a record batch by default. */
export const BATCH_ROWS = 65_536;

const READ: readonly (keyof ReadOptions)[] = [
  ...(["decimals", "onBadCell", "onPrecisionLoss", "warn", "onReport", "key"] as const),
  ...(["batchRows", "threads", "text", "firstRow", "schema", "signal"] as const),
];
const CSV: readonly (keyof CsvOptions)[] = [...READ, "columns", "header", "emptyText", "lenient", "maxCellBytes"];
const LENIENT: readonly (keyof CsvLeniency)[] = [
  ...(["shortRows", "longRows", "emptyLines", "quotes", "trim", "utf8", "header"] as const),
];
const WORDS = {
  decimals: ["exact", "float64"],
  onBadCell: ["error", "null"],
  onPrecisionLoss: ["error", "round"],
  text: ["auto", "dictionary", "utf8"],
} as const;

/** @throws {InputError} for an unknown option of a read (`also` names further ones), or an unknown option value */
export function checkReadOptions(options: object | undefined, where: string, also: readonly string[] = []): void {
  refuseUnknown(options, [...READ, ...also], where);
  checkWords(options, WORDS);
  checkKey((options as ReadOptions | undefined)?.key, undefined, where);
}

/** As {@link checkReadOptions}, for CSV; the columns must be there. */
export function checkCsvOptions(options: CsvOptions, where: string, also: readonly string[] = []): void {
  const { columns }: Partial<CsvOptions> = options ?? {};
  checkColumns(columns, where);
  refuseUnknown(options, [...CSV, ...also], where);
  checkWords(options, WORDS);
  checkCsvDialect(options, where);
  checkKey(options.key, options.columns, where);
}

/**
 * @throws {InputError} for a key that is not a list of different names, and for a name that is not among `columns`
 *   where these are known
 */
export function checkKey(key: unknown, columns: readonly ColumnSpec[] | undefined, where: string): void {
  if (key === undefined) return;
  const isList = Array.isArray(key) && key.every((name) => typeof name === "string");
  if (!isList || new Set(key).size !== key.length) {
    throw new InputError(`The key of ${where} must be a list of different column names; got ${shown(key)}.`, {
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

/** @throws {InputError} for an unknown value of `header`, `emptyText` or `lenient` */
export function checkCsvDialect(options: Pick<CsvOptions, "header" | "emptyText" | "lenient">, where: string): void {
  const { header, emptyText, lenient } = options;
  checkWords({ emptyText }, { emptyText: ["quoted", "null"] });
  if (typeof header !== "boolean") checkWords({ header }, { header: ["detect"] });
  refuseUnknown(lenient, LENIENT, `${where} lenient`);
}

/** @throws {InputError} BadArgument for anything but an array of `{ name, type }` */
export function checkColumns(columns: unknown, where: string): void {
  const isSpec = (column: Partial<ColumnSpec> | null): boolean =>
    typeof column?.name === "string" && typeof column.type === "string";
  if (Array.isArray(columns) && columns.every(isSpec)) return;
  throw new InputError(
    columns === undefined ? `${where} needs columns.` : `The columns of ${where} must be an array of { name, type }.`,
    {
      code: "BadArgument",
      hint: 'Give a list such as [{ name: "date", type: "Date" }, { name: "close", type: "double" }].',
    },
  );
}
