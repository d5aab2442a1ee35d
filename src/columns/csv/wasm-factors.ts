import { POWERS } from "../../value/decimal.js";
import type { ColumnBuilder } from "../build/builder.js";
import { DECIMAL128, FLOAT, INTEGER } from "../build/types.js";

/** Bytes of a table. */
export const TABLE_BYTES = 18 * 16;

const TWO_53 = 9_007_199_254_740_992n;
const MOST_INT64 = 2n ** 63n - 1n;

/**
 * What the `numbers` of the CSV program needs to know of a column: for a number of 16 characters with its point at
 * place `j` (16: without one) its factor, or divisor, and the most its digits may be, -1 where no such number is read;
 * then scale and precision.
 */
export function writeNumberTable({ reader, precision, scale }: ColumnBuilder, table: DataView): void {
  const ten = 10n ** BigInt(precision);
  const limit = ten <= MOST_INT64 ? ten - 1n : MOST_INT64;
  for (let j = 0; j <= 16; j++) {
    const fraction = j === 16 ? 0 : 15 - j;
    const zeros = scale - fraction;
    let factor = 1n;
    let most = -1n;
    if (reader === FLOAT) {
      table.setFloat64(j * 16, POWERS[fraction], true);
      most = TWO_53;
    } else if (reader === INTEGER) most = j === 16 ? MOST_INT64 : -1n;
    else if (zeros >= 0 && zeros <= 18) {
      factor = 10n ** BigInt(zeros);
      most = limit / factor;
    }
    if (reader !== FLOAT) table.setBigInt64(j * 16, factor, true);
    // A point with nothing behind it is for the exact reader to judge.
    table.setBigInt64(j * 16 + 8, j === 15 ? -1n : most, true);
  }
  table.setInt32(17 * 16, scale, true);
  table.setInt32(17 * 16 + 4, precision, true);
}

/** Whether the program reads such columns by a table. */
export function hasNumberTable({ reader }: ColumnBuilder): boolean {
  return reader === DECIMAL128 || reader === INTEGER || reader === FLOAT;
}
