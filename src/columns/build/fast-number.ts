import { readDecimal128, readInt64 } from "../../value/decimal.js";
import { readFloat64 } from "../../value/number.js";
import type { ColumnBuilder } from "./builder.js";
import { DATE, DECIMAL128, EXACT, FLOAT, INTEGER, SKIPPED, TEXT } from "./types.js";

/**
 * Reads the plain number at `p` into a row, by the type of the column. Returns the position after it, or -1 if the
 * exact reader must decide. The caller checks the byte that follows.
 */
export function readFastNumber(b: Uint8Array, p: number, column: ColumnBuilder, row: number): number {
  switch (column.reader) {
    case DECIMAL128:
      return readDecimal128(b, p, column.words, row * 4, column.precision, column.scale, column.limit);
    case FLOAT:
      return readFloat64(b, p, column.floats, row);
    case INTEGER:
      return readInt64(b, p, column.words, row * 2);
    case TEXT:
    case DATE:
    case EXACT:
    case SKIPPED:
      return -1;
  }
}
