import { POWERS } from "../../value/decimal.js";
import type { ColumnBuilder } from "./builder.js";
import { DECIMAL128, FLOAT, INTEGER } from "./types.js";

export const TABLE_BYTES = 18 * 16;

/** Tables by column type: making a few takes as long as reading a short page. */
const made = new Map<string, Uint8Array>();
const MAX_MADE = 256;

const TWO_53 = 9_007_199_254_740_992n;
const MOST_INT64 = 2n ** 63n - 1n;

/**
 * The table with which the `numbers` function of the program reads a column: for a number of 16 characters with its
 * point at position `j` (16: without one) the factor or divisor and the largest allowed value of the digits (-1 if such
 * numbers are not read); then scale and precision.
 */
export function numberTable(column: ColumnBuilder): Uint8Array {
  const { reader, precision, scale } = column;
  const key = `${reader} ${precision} ${scale}`;
  let table = made.get(key);
  if (table === undefined) {
    table = new Uint8Array(TABLE_BYTES);
    writeTable(column, new DataView(table.buffer));
    if (made.size >= MAX_MADE) made.clear();
    made.set(key, table);
  }
  return table;
}

function writeTable({ reader, precision, scale }: ColumnBuilder, table: DataView): void {
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
    // Numbers that end in a point are left to the exact reader.
    table.setBigInt64(j * 16 + 8, j === 15 ? -1n : most, true);
  }
  table.setInt32(17 * 16, scale, true);
  table.setInt32(17 * 16 + 4, precision, true);
}

/** Whether the program reads columns of this type by a table. */
export function hasNumberTable({ reader }: ColumnBuilder): boolean {
  return reader === DECIMAL128 || reader === INTEGER || reader === FLOAT;
}
