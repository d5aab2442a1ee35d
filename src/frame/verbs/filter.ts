import { InputError } from "../../errors/errors.js";
import { Column } from "../cells/column.js";
import { needList } from "../cells/given.js";

/** Which rows to keep: one truth value for each row. */
export type Mask = ArrayLike<boolean | number | null> | Column<boolean | null>;

/**
 * The positions of the rows that pass: a test of each row, or a truth value for each.
 *
 * @throws {InputError} DifferentLength, BadArgument
 */
export function passing<Row>(test: ((row: Row) => unknown) | Mask, rows: Iterable<Row>, numRows: number): Uint32Array {
  if (typeof test === "function") return positionsWhere(rows, numRows, test);
  needList(test, "filter()", "Give a test of a row, or a list with a truth value for each.");
  return positionsOf(test instanceof Column ? test.toArray() : test, numRows);
}

/**
 * The positions where `mask` is true; null and 0 are false.
 *
 * @throws {InputError} DifferentLength
 */
function positionsOf(mask: ArrayLike<boolean | number | null>, numRows: number): Uint32Array {
  if (mask.length !== numRows) {
    throw new InputError(`The mask has ${mask.length} values, the frame ${numRows} rows.`, { code: "DifferentLength" });
  }
  const positions = new Uint32Array(numRows);
  let count = 0;
  for (let i = 0; i < numRows; i++) if (mask[i]) positions[count++] = i;
  return positions.slice(0, count);
}

/** The positions of the rows that pass a test. */
function positionsWhere<Row>(rows: Iterable<Row>, numRows: number, test: (row: Row) => unknown): Uint32Array {
  const positions = new Uint32Array(numRows);
  let count = 0;
  let row = 0;
  for (const value of rows) {
    if (test(value)) positions[count++] = row;
    row++;
  }
  return positions.slice(0, count);
}
