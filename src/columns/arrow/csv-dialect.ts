import { InputError } from "../../errors/errors.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { type CsvSyntax, STANDARD_CSV } from "../../format/csv.js";
import { type PlainCell, plainCell } from "../../value/text-form.js";

/** Deviations from strict CSV to accept; each is off by default. */
export interface CsvLeniency {
  /** Missing cells at the end of a row are null. */
  readonly shortRows?: boolean;
  /** Extra cells at the end of a row are dropped. */
  readonly longRows?: boolean;
  /** Empty lines are skipped. */
  readonly emptyLines?: boolean;
  /** A quote inside an unquoted cell is text, as is text after a closing quote. */
  readonly quotes?: boolean;
  /** Spaces and tabs around an unquoted cell are dropped. */
  readonly trim?: boolean;
  /** Invalid UTF-8 becomes U+FFFD. */
  readonly utf8?: boolean;
  /**
   * Undeclared columns of the header are dropped, missing declared columns are null, and letter case is ignored where
   * that is unambiguous. A header without any declared column is still an error.
   */
  readonly header?: boolean;
}

/** How a CSV file is written. The defaults are those of the service: commas, double quotes, one header line. */
export interface CsvDialect {
  /** `true`: the first line holds the column names; `"detect"`: it does if one of its cells is a declared name. */
  readonly header?: boolean | "detect";
  /** Header lines; default 1. The names of several lines are joined with `_`, empty ones left out. */
  readonly headerRows?: number;
  /** Lines before the header to skip, whatever they hold; default 0. */
  readonly skipRows?: number;
  /** The character between cells: `","` by default, `";"`, `"\t"`, `"|"`, or another one in ASCII. */
  readonly delimiter?: string;
  /** The character around cells; default `"`. `false`: none, so that quotes are text. Doubled within such a cell. */
  readonly quote?: string | false;
  /** A character that, within a quoted cell, makes a quote after it part of the cell, such as `"\\"`; default none. */
  readonly escape?: string;
  /** Lines that start with this, such as `"#"`, are skipped; default none. */
  readonly comment?: string;
  /** Cells that are null in every column, quoted or not, such as `["NA", "-"]`. Empty unquoted cells always are. */
  readonly nullValues?: string | readonly string[];
  /** Rows may end in a delimiter, with nothing after it. */
  readonly trailingDelimiter?: boolean;
  /** `quoted`: `""` is empty text and an unquoted empty cell null; `null`: both are null. */
  readonly emptyText?: "quoted" | "null";
  /** Deviations from the declared shape that are accepted; default none. */
  readonly lenient?: CsvLeniency;
  /** The decimal point of numbers; default `"."`. */
  readonly decimal?: string;
  /** What may separate groups of three digits before the point, such as `"."`; `" "` is any space; default nothing. */
  readonly thousands?: string;
  /** Numbers that end with `%` are hundredths: `12%` is 0.12. Columns where all do are inferred as numbers. */
  readonly percent?: boolean;
  /**
   * How dates and timestamps are written, such as `"dd.MM.yyyy"`, or `"%d/%m/%Y %H:%M"` with the directives of
   * `strftime`; of several patterns, the first that fits a cell. Timestamps are in UTC. Default: as in ISO 8601.
   */
  readonly dateFormat?: string | readonly string[];
}

/** How the numbers and dates of a dialect are written; undefined where as in the service's replies. */
export function plainCellOf({ dateFormat, decimal, thousands, percent }: CsvDialect): PlainCell | undefined {
  if (dateFormat === undefined && decimal === undefined && thousands === undefined && !percent) return undefined;
  return plainCell({ format: dateFormat, decimal, thousands, percent }, "some");
}

export const DIALECT: readonly (keyof CsvDialect)[] = [
  ...(["header", "headerRows", "skipRows", "delimiter", "quote", "escape", "comment"] as const),
  ...(["nullValues", "trailingDelimiter", "emptyText", "lenient"] as const),
  ...(["decimal", "thousands", "percent", "dateFormat"] as const),
];
const LENIENT: readonly (keyof CsvLeniency)[] = [
  ...(["shortRows", "longRows", "emptyLines", "quotes", "trim", "utf8", "header"] as const),
];

/** The bytes of the syntax that a dialect describes. */
export function syntaxOf(dialect: CsvDialect): CsvSyntax {
  const { delimiter, quote, comment, lenient } = dialect;
  const around = quote === false ? -1 : (quote?.charCodeAt(0) ?? STANDARD_CSV.quote);
  const before = dialect.escape?.charCodeAt(0) ?? -1;
  return {
    delimiter: delimiter?.charCodeAt(0) ?? STANDARD_CSV.delimiter,
    quote: around,
    escape: before === around ? -1 : before,
    comment: new TextEncoder().encode(comment ?? ""),
    looseQuotes: lenient?.quotes === true ? "all" : "none",
  };
}

export function nullTextsOf({ nullValues = [] }: CsvDialect): readonly Uint8Array[] {
  const encoder = new TextEncoder();
  return (typeof nullValues === "string" ? [nullValues] : nullValues).map((text) => encoder.encode(text));
}

/**
 * @throws {InputError} BadArgument for anything but one character of ASCII as a delimiter, quote or escape, for two of
 *   them that are equal, for counts of lines that are not whole numbers; UnknownValue for an unknown option value
 */
export function checkCsvDialect(options: CsvDialect, where: string): void {
  const {
    header,
    headerRows = 1,
    skipRows = 0,
    emptyText,
    lenient,
    nullValues = [],
    percent,
    dateFormat = [],
  } = options;
  checkWords({ emptyText }, { emptyText: ["quoted", "null"] });
  if (typeof header !== "boolean") checkWords({ header }, { header: ["detect"] });
  refuseUnknown(lenient, LENIENT, `${where} lenient`);
  checkCharacters(options, where);
  if (!Number.isInteger(skipRows) || skipRows < 0) throw bad("skipRows", where, "a number of lines", skipRows);
  if (!Number.isInteger(headerRows) || headerRows < 1) {
    throw bad("headerRows", where, "a number of lines, 1 or more", headerRows, "A file without one: header: false.");
  }
  if (headerRows > 1 && (header === false || header === "detect")) {
    throw bad("headerRows", where, "1 where header is not true", headerRows);
  }
  if (!isTexts(nullValues)) throw bad("nullValues", where, "a string or an array of strings", nullValues);
  if (percent !== undefined && typeof percent !== "boolean") throw bad("percent", where, "true or false", percent);
  if (!isTexts(dateFormat)) throw bad("dateFormat", where, "a pattern or an array of patterns", dateFormat);
  plainCellOf(options);
}

const isTexts = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.every((text) => typeof text === "string"));

/** Whether a value is one character that may structure a file: ASCII, and not part of numbers, names or line ends. */
const isStructural = (value: unknown): boolean =>
  typeof value === "string" && value.length === 1 && value > "\0" && value < "\x7f" && !/[\w.+\r\n-]/.test(value);

function checkCharacters(options: CsvDialect, where: string): void {
  const { delimiter = ",", quote = '"', escape: before, comment } = options;
  const characters = { delimiter, ...(quote !== false && { quote }), ...(before !== undefined && { escape: before }) };
  for (const [name, value] of Object.entries(characters)) {
    if (isStructural(value)) continue;
    const hint = 'Such as ",", ";", "\\t" or "|"; not a letter, digit, point, sign or line break.';
    throw bad(name, where, "one character of ASCII", value, hint);
  }
  if (delimiter === quote || delimiter === before) {
    throw bad("delimiter", where, "another character than quote and escape", delimiter);
  }
  if (before !== undefined && quote === false) throw bad("escape", where, "a quote to escape", before);
  if (comment === undefined) return;
  if (typeof comment === "string" && comment !== "" && !/[\r\n]/.test(comment) && comment[0] !== quote) return;
  throw bad("comment", where, "the start of a line other than a quote", comment);
}

function bad(name: string, where: string, expected: string, value: unknown, hint?: string): InputError {
  return new InputError(`The option ${name} of ${where} expects ${expected}; got ${shown(value)}.`, {
    code: "BadArgument",
    ...(hint !== undefined && { hint }),
  });
}
