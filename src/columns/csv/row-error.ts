import type { CodeOf } from "../../errors/codes.js";
import { clip, DataError } from "../../errors/errors.js";
import type { CsvFault } from "../../format/csv.js";

/** What is wrong with a row of CSV. */
export interface RowFault {
  readonly code: CodeOf<"DataError">;
  /** Follows the row's name: `has 3 of 4 cells`. */
  readonly what: string;
  readonly hint?: string;
  /** Where in the bytes at hand; the row's start where it is not known closer. */
  readonly at?: number;
  readonly column?: string;
}

/** Bytes of a row that its error shows. */
const SHOWN = 400;

/**
 * The error for the row that starts at `p` of the bytes `b`, which begin at byte `base` of the file.
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
  const value = clip(Buffer.from(stop < 0 ? line : line.subarray(0, stop)).toString());
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

/** A fault of the grammar, in the cell of this column where it is known. */
export function grammarFault({ code, at, cell }: CsvFault, column: string | undefined): RowFault {
  const where = column === undefined ? `cell ${cell + 1}` : `column ${JSON.stringify(column)}`;
  switch (code) {
    case "UnterminatedQuote": {
      const hint = "Is the text cut off? Pass lenient: { quotes: true } to take the rest as text.";
      return { code, at, column, what: `has a quote that is never closed, in ${where}`, hint };
    }
    case "StrayQuote": {
      const hint = "Pass lenient: { quotes: true } to take such quotes as text.";
      return { code, at, column, what: `has a quote at an odd place, in ${where}`, hint };
    }
    case "TooManyColumns":
      return { code, at, column, what: `has more than ${cell} cells`, hint: "Is it CSV at all?" };
  }
}
