import { CR, LF, QUOTE } from "../format/csv.js";
import { NO_DATE, readDate } from "../value/date.js";
import { readDecimal128, readInt64 } from "../value/decimal.js";
import { readFloat64 } from "../value/number.js";
import { type ColumnBuilder, DATE, DECIMAL128, FLOAT, INTEGER, TEXT } from "./builder.js";
import { readQuotedText, readText } from "./csv-fields.js";
import { CELL_OK, writeCell } from "./write-cell.js";

/** The bytes at hand and how far they are read. A fast reader moves `p` and `row` on, whole rows at a time. */
export interface CsvCursor {
  b: Uint8Array;
  p: number;
  /** End of the bytes; {@link PADDING} line feeds stand behind it, so that no loop over a cell needs to look for the end. */
  end: number;
  /** Fast reading stops here: after the last line feed. */
  fastEnd: number;
  /** The row of the batch to be read next, and how many rows there is room for. */
  row: number;
  capacity: number;
}

/** Line feeds behind the bytes. */
export const PADDING = 32;

const COMMA = 44;

/**
 * Reads rows as long as they are plain: each cell the way its column's fast reader knows, in quotes or not. It stops before the first row
 * that is anything else, which the caller reads by RFC 4180 and cell by cell.
 */
export function readPlainRows(cursor: CsvCursor, fields: readonly ColumnBuilder[]): void {
  const { b, end, fastEnd, capacity } = cursor;
  const width = fields.length;
  let start = cursor.p;
  let { row } = cursor;
  rows: while (start < fastEnd && row < capacity) {
    let p = start;
    for (let k = 0; k < width; k++) {
      const field = fields[k];
      const quoted = b[p] === QUOTE;
      if (quoted) p++;
      const q = readField(b, p, end, field, row, quoted);
      if (q >= 0) p = quoted ? q + 1 : q;
      else {
        const c = b[p];
        if (quoted || (c !== COMMA && c !== LF && c !== CR)) break rows;
        field.setNull(row);
      }
      if (quoted && b[q] !== QUOTE) break rows;
      const c = b[p++];
      if (k < width - 1) {
        if (c !== COMMA) break rows;
      } else if (c === CR) {
        if (b[p] === LF) p++;
        else if (p >= end) break rows;
      } else if (c !== LF) break rows;
    }
    if (p > end) break;
    start = p;
    row++;
  }
  cursor.p = start;
  cursor.row = row;
}

/** The cell whose text starts at `p`: the position after its text, or -1 where it is empty or unusual. */
function readField(b: Uint8Array, p: number, end: number, field: ColumnBuilder, row: number, quoted: boolean): number {
  switch (field.kind) {
    case TEXT:
      return quoted ? readQuotedText(b, p, end, field, row) : readText(b, p, end, field, row);
    case DATE: {
      const days = readDate(b, p);
      if (days === NO_DATE) return -1;
      field.words[row] = days;
      return p + 10;
    }
    case DECIMAL128:
      return readDecimal128(b, p, field.words, row * 4, field.precision, field.scale, field.limit);
    case FLOAT:
      return readFloat64(b, p, field.floats, row);
    case INTEGER:
      return readInt64(b, p, field.words, row * 2);
    default: {
      let q = p;
      while (q < end && b[q] !== COMMA && b[q] !== LF && b[q] !== CR && b[q] !== QUOTE) q++;
      return q > p && writeCell(field, row, b, p, q, false) === CELL_OK ? q : -1;
    }
  }
}
