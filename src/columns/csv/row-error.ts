import type { CodeOf } from "../../errors/codes.js";
import { clip, DataError } from "../../errors/errors.js";
import type { CsvFault } from "../../format/csv.js";
import { utf8Text } from "../../platform/node/bytes.js";
import type { CsvLeniency } from "../arrow/csv-dialect.js";

export interface RowFault {
  readonly code: CodeOf<"DataError">;
  /** The predicate of the message: `has 3 of 4 cells`. */
  readonly what: string;
  readonly hint?: string;
  /** Offset in the current buffer; the start of the row if it is not known more precisely. */
  readonly at?: number;
  readonly column?: string;
}

/** Most bytes of a row that its error shows. */
const SHOWN = 400;

/**
 * The error for the row at `p` of the bytes `b`, which start at byte `base` of the file.
 *
 * @param row its number, undefined for the header line
 */
export function rowError(
  fault: RowFault,
  { b, p, end }: { readonly b: Uint8Array; readonly p: number; readonly end: number },
  base: number,
  row: number | undefined,
): DataError {
  const { code, what, hint, at = p, column } = fault;
  const offset = base + at;
  const line = b.subarray(p, Math.min(end, p + SHOWN));
  const stop = line.findIndex((c) => c === 10 || c === 13);
  const value = clip(utf8Text(stop < 0 ? line : line.subarray(0, stop)));
  const subject = row === undefined ? "The header line" : `Row ${row}`;
  return new DataError(`${subject} ${what} (byte ${offset}): ${JSON.stringify(value)}.`, {
    code,
    offset,
    value,
    ...(row !== undefined && { row }),
    ...(column !== undefined && { column }),
    ...(hint !== undefined && { hint }),
  });
}

/** The fault of a malformed cell, in the named column if it is known. */
export function grammarFault({ code, at, cell }: CsvFault, column: string | undefined): RowFault {
  const where = column === undefined ? `cell ${cell + 1}` : `column ${JSON.stringify(column)}`;
  switch (code) {
    case "UnterminatedQuote": {
      const hint = "Is the file truncated? Pass lenient: { quotes: true } to take the rest as text.";
      return { code, at, column, what: `has a quote that is never closed, in ${where}`, hint };
    }
    case "StrayQuote": {
      const hint = "Pass lenient: { quotes: true } to read such quotes as text.";
      return { code, at, column, what: `has a misplaced quote in ${where}`, hint };
    }
    case "TooManyColumns":
      return { code, at, column, what: `has more than ${cell} cells`, hint: "Is the file CSV?" };
  }
}

/** The fault of a row's number of cells; undefined if it is right or accepted. */
export function widthFault(count: number, width: number, lenient: CsvLeniency = {}): RowFault | undefined {
  if (count < width && !lenient.shortRows) {
    const hint = "Is the file truncated? Pass lenient: { shortRows: true } to fill such rows with null.";
    return { code: "ShortRow", what: `has ${count} of ${width} cells`, hint };
  }
  if (count > width && !lenient.longRows) {
    const hint = "A delimiter outside quotes? Pass lenient: { longRows: true } to drop the extra cells.";
    return { code: "LongRow", what: `has ${count} cells for ${width} columns`, hint };
  }
  return undefined;
}
