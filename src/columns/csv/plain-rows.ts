import { CR, type CsvSyntax, LF } from "../../format/csv.js";
import { NO_DATE, readDate } from "../../value/date.js";
import type { ColumnBuilder } from "../build/builder.js";
import { readFastNumber } from "../build/fast-number.js";
import type { RowCursor } from "../build/row-cursor.js";
import { CELL_OK, DATE, TEXT } from "../build/types.js";
import { readQuotedText, readText } from "./plain-text.js";

/** Line feeds after the bytes of a cursor over CSV, as sentinels: loops over a cell need not check for the end. */
export const PADDING = 64;

/**
 * Reads the cell at `p` that the main loop did not handle: empty, unexpectedly quoted or unquoted, or of a type without
 * a fast reader. Returns the position after it, or -1 if the grammar must decide.
 */
export function readCsvCell(
  b: Uint8Array,
  p: number,
  end: number,
  field: ColumnBuilder,
  row: number,
  syntax: CsvSyntax,
): number {
  const c = b[p];
  if (c === syntax.quote) {
    const q = readField(b, p + 1, end, field, row, true, syntax);
    return q >= 0 && b[q] === syntax.quote ? q + 1 : -1;
  }
  if (c === syntax.delimiter || c === LF || c === CR) {
    field.setNull(row);
    return p;
  }
  return readField(b, p, end, field, row, false, syntax);
}

/**
 * Reads rows while they are plain (cells end at a delimiter, the last one at LF or CRLF) and there is room. Stops
 * before the first row that is not.
 */
export function readPlainRows(cursor: RowCursor, fields: readonly ColumnBuilder[], syntax: CsvSyntax): void {
  const { b, end, fastEnd, capacity } = cursor;
  const width = fields.length;
  let start = cursor.p;
  let { row } = cursor;
  rows: while (start < fastEnd && row < capacity) {
    let p = start;
    for (let k = 0; k < width; k++) {
      const q = readCsvCell(b, p, end, fields[k], row, syntax);
      if (q < 0) break rows;
      p = q + 1;
      if (k < width - 1) {
        if (b[q] !== syntax.delimiter) break rows;
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
 * Reads the cell at `p` with the fast reader of its column if possible. Returns the position after it (before a closing
 * quote), or -1 if the grammar must decide.
 */
function readField(
  b: Uint8Array,
  p: number,
  end: number,
  field: ColumnBuilder,
  row: number,
  quoted: boolean,
  syntax: CsvSyntax,
): number {
  if (field.reader === TEXT) {
    return quoted ? readQuotedText(b, p, end, field, row, syntax) : readText(b, p, end, field, row, syntax);
  }
  const fast = readFast(b, p, field, row);
  if (fast >= 0 && endsCell(b[fast], syntax)) return fast;
  // For example an exponent, `NaN`, or a type without a fast reader.
  let q = p;
  while (q < end && !endsCell(b[q], syntax)) q++;
  if (field.isNullText(b, p, q)) {
    field.setNull(row);
    return q;
  }
  return q > p && field.write(field, row, b, p, q, false) === CELL_OK ? q : -1;
}

function endsCell(c: number, { delimiter, quote }: CsvSyntax): boolean {
  return c === delimiter || c === LF || c === CR || c === quote;
}

function readFast(b: Uint8Array, p: number, field: ColumnBuilder, row: number): number {
  if (field.reader !== DATE) return readFastNumber(b, p, field, row);
  const days = readDate(b, p);
  if (days === NO_DATE) return -1;
  field.words[row] = days;
  return p + 10;
}
