import { COMMA, CR, LF, QUOTE } from "../../format/csv.js";
import { NO_DATE, readDate } from "../../value/date.js";
import type { ColumnBuilder } from "../build/builder.js";
import { readFastNumber } from "../build/fast-number.js";
import type { RowCursor } from "../build/row-cursor.js";
import { CELL_OK, DATE, TEXT } from "../build/types.js";
import { readQuotedText, readText } from "./plain-text.js";

/** Line feeds behind the bytes of a cursor over CSV, so that no loop over a cell needs to look for the end. */
export const PADDING = 64;

/**
 * The cell at `p` when it is not what was expected: empty, in quotes or not, or of a type without a fast reader. The
 * position after it, or -1 where the grammar must decide.
 */
export function readCsvCell(b: Uint8Array, p: number, end: number, field: ColumnBuilder, row: number): number {
  const c = b[p];
  if (c === QUOTE) {
    const q = readField(b, p + 1, end, field, row, true);
    return q >= 0 && b[q] === QUOTE ? q + 1 : -1;
  }
  if (c === COMMA || c === LF || c === CR) {
    field.setNull(row);
    return p;
  }
  return readField(b, p, end, field, row, false);
}

/**
 * Reads rows while they are plain (cells up to a comma, the last up to LF or CRLF) and room is left; it stops before
 * the first row that is not.
 */
export function readPlainRows(cursor: RowCursor, fields: readonly ColumnBuilder[]): void {
  const { b, end, fastEnd, capacity } = cursor;
  const width = fields.length;
  let start = cursor.p;
  let { row } = cursor;
  rows: while (start < fastEnd && row < capacity) {
    let p = start;
    for (let k = 0; k < width; k++) {
      const q = readCsvCell(b, p, end, fields[k], row);
      if (q < 0) break rows;
      p = q + 1;
      if (k < width - 1) {
        if (b[q] !== COMMA) break rows;
      } else if (b[q] === CR && b[p] === LF) p++;
      else if (b[q] !== LF) break rows;
    }
    if (p > end) break;
    start = p;
    row++;
  }
  cursor.p = start;
  cursor.row = row;
}

/**
 * The cell at `p`, by the column's fast reader where it can: the position after it (and before a closing quote), or -1
 * where it is unusual.
 */
function readField(b: Uint8Array, p: number, end: number, field: ColumnBuilder, row: number, quoted: boolean): number {
  if (field.reader === TEXT) return quoted ? readQuotedText(b, p, end, field, row) : readText(b, p, end, field, row);
  const fast = readFast(b, p, field, row);
  if (fast >= 0 && endsCell(b[fast])) return fast;
  // An exponent, a name such as NaN, a type without a fast reader.
  let q = p;
  while (q < end && !endsCell(b[q])) q++;
  return q > p && field.write(field, row, b, p, q, false) === CELL_OK ? q : -1;
}

function endsCell(c: number): boolean {
  return c === COMMA || c === LF || c === CR || c === QUOTE;
}

function readFast(b: Uint8Array, p: number, field: ColumnBuilder, row: number): number {
  if (field.reader !== DATE) return readFastNumber(b, p, field, row);
  const days = readDate(b, p);
  if (days === NO_DATE) return -1;
  field.words[row] = days;
  return p + 10;
}
