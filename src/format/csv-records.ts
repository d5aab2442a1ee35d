import { DataError } from "../errors/errors.js";
import { joinedBytes, utf8Text } from "../platform/node/bytes.js";
import { skipByteOrderMark } from "../value/text.js";
import {
  type CsvFault,
  type CsvRow,
  csvRow,
  DOUBLED,
  INCOMPLETE,
  MALFORMED,
  QUOTED,
  STANDARD_CSV,
  splitRow,
  undouble,
} from "./csv.js";

/** A cell of a small CSV reply; `quoted` distinguishes empty text (`""`) from null. */
export interface CsvCell {
  readonly text: string;
  readonly quoted: boolean;
}

/** Quotes open only at the start of a cell. */
const SYNTAX = { ...STANDARD_CSV, looseQuotes: "bare" } as const;

/**
 * The records of a small CSV text (a metadata reply, spec 2; an error pair), one at a time; skips blank lines.
 *
 * @throws {DataError} BadCsv for an unclosed quote and for text after a closing quote
 */
export function* csvRecords(text: string): Generator<readonly CsvCell[]> {
  const bytes = new TextEncoder().encode(text);
  const row = csvRow();
  for (let p = skipByteOrderMark(bytes); p < bytes.length; ) {
    p = split(bytes, p, true, row);
    const cells = cellsOf(bytes, row);
    if (cells.length > 1 || cells[0].quoted || cells[0].text !== "") yield cells;
  }
}

/**
 * The cells of the first line, without a byte order mark, and where the line ends.
 *
 * @param last nothing follows the bytes
 * @returns undefined if the end of the line is missing; no cells for an empty line
 * @throws {DataError} BadCsv
 */
export function firstRecord(
  bytes: Uint8Array,
  last: boolean,
): { readonly cells: readonly string[]; readonly end: number } | undefined {
  const row = csvRow();
  const end = split(bytes, skipByteOrderMark(bytes), last, row);
  if (end === INCOMPLETE) return undefined;
  const cells = cellsOf(bytes, row);
  const isEmpty = cells.length === 1 && cells[0].text === "" && !cells[0].quoted;
  return { cells: isEmpty ? [] : cells.map(({ text }) => text), end };
}

function split(bytes: Uint8Array, p: number, last: boolean, row: CsvRow): number {
  const end = splitRow({ b: bytes, p, end: bytes.length }, last, row, SYNTAX);
  if (end === MALFORMED) throw bad(row.fault as CsvFault);
  return end;
}

function cellsOf(bytes: Uint8Array, { count, starts, ends, flags }: CsvRow): CsvCell[] {
  return Array.from({ length: count }, (_, i) => {
    const cell = new Uint8Array(bytes.subarray(starts[i], ends[i]));
    const length = (flags[i] & DOUBLED) === 0 ? cell.length : undouble(cell, 0, cell.length, cell, SYNTAX);
    return { text: utf8Text(cell, 0, length), quoted: (flags[i] & QUOTED) !== 0 };
  });
}

const WHAT: Readonly<Record<CsvFault["code"], string>> = {
  UnterminatedQuote: "an unclosed quote",
  StrayQuote: "text after a closing quote",
  TooManyColumns: "too many cells",
};

function bad({ code, at }: CsvFault): DataError {
  return new DataError(`The CSV text is malformed: ${WHAT[code]} at byte ${at}.`, { code: "BadCsv", offset: at });
}

/**
 * Formats a CSV cell: null as nothing, empty text as `""` (if `quoteEmpty`); other cells are quoted only if necessary.
 */
export function csvCell(text: string | null, quoteEmpty: boolean, delimiter = ","): string {
  if (text === null) return "";
  if (text === "") return quoteEmpty ? '""' : "";
  const isQuoted = delimiter === "," ? NEEDS_QUOTES.test(text) : text.includes(delimiter) || QUOTES.test(text);
  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A leading byte order mark must be quoted, or readers take it for that of the file. */
const QUOTES = /["\r\n]|^\ufeff/;
const NEEDS_QUOTES = /[",\r\n]|^\ufeff/;

/** The most bytes of a first line: an unclosed quote would keep the whole input in memory. */
const MOST_BYTES = 67_108_864;

/**
 * The cells of the first line of CSV chunks of any size; none where there are no bytes. Chunks after it are not read.
 *
 * @throws {DataError} RowTooLong beyond 64 MiB; BadCsv
 */
export async function firstCells(chunks: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const copies: Uint8Array[] = [];
  let length = 0;
  // The length from which the end of the line is searched for again, so that a long line is not for every chunk.
  let patience = 0;
  for await (const chunk of chunks) {
    copies.push(new Uint8Array(chunk));
    length += chunk.length;
    if (length >= patience) {
      const found = firstRecord(joinedBytes(copies), false);
      if (found !== undefined) return found.cells;
      patience = length < MOST_BYTES / 64 ? 0 : length * 2;
    }
    if (length > MOST_BYTES) {
      throw new DataError(`The first line of the CSV text is longer than ${MOST_BYTES} bytes.`, {
        code: "RowTooLong",
        row: 0,
        hint: "Check that its quotes are closed.",
      });
    }
  }
  return firstRecord(joinedBytes(copies), true)?.cells ?? [];
}
