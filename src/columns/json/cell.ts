import { DataError } from "../../errors/errors.js";
import { skipJson, skipNumber, skipScalar, skipSpace, skipString, unescapeString } from "../../format/json.js";
import { utf8Text } from "../../platform/node/bytes.js";
import type { CellPolicy } from "../build/bad-cells.js";
import type { ColumnBuilder } from "../build/builder.js";
import { CELL_BAD_UTF8, CELL_NESTED, CELL_OK, TEXT } from "../build/types.js";

const QUOTE = 34;
const MINUS = 45;
const ZERO = 48;
const OPEN_ARRAY = 91;
const N = 110;
const OPEN_OBJECT = 123;

/** Buffer for unescaped text. */
let scratch: Uint8Array = new Uint8Array(256);

const isNull = (b: Uint8Array, p: number, end: number): boolean =>
  p + 4 <= end && b[p] === N && b[p + 1] === 117 && b[p + 2] === 108 && b[p + 3] === 108;

/** A JSON text, the column that its value is for, and what to do where it does not fit. */
export interface JsonCell {
  readonly b: Uint8Array;
  readonly end: number;
  /** Position of the first byte of `b` in the reply or file. */
  readonly base: number;
  readonly policy: CellPolicy;
}

/**
 * Reads the value at `p` by the grammar, and then exactly by the type of its column.
 *
 * @returns the position after it
 * @throws {DataError} BadJson, TruncatedJson; as {@link CellPolicy.write}
 */
export function readCell({ b, end, base, policy }: JsonCell, p: number, column: ColumnBuilder, row: number): number {
  if (b[p] === QUOTE) {
    const skipped = skipString(b, p, end);
    const after = skipped < 0 ? -skipped - 1 : skipped;
    if (skipped >= 0) {
      policy.write(column, row, b, p + 1, after - 1, base + p);
      return after;
    }
    const length = unescaped(b, p, after);
    if (length >= 0) policy.write(column, row, scratch, 0, length, base + p);
    else policy.bad(column, row, utf8Text(b, p, after), base + p, CELL_BAD_UTF8);
    return after;
  }
  if (b[p] === MINUS || (b[p] ^ ZERO) <= 9) {
    const after = skipNumber(b, p, end);
    policy.write(column, row, b, p, after, base + p);
    return after;
  }
  const after = skipJson(b, p, end);
  if (b[p] === N) column.setNull(row);
  else if (b[p] !== OPEN_ARRAY && b[p] !== OPEN_OBJECT) policy.write(column, row, b, p, after, base + p);
  else policy.bad(column, row, utf8Text(b, p, after), base + p, CELL_NESTED);
  return after;
}

/**
 * Reads the value from `from` to `to`, white space before it apart; false if it is not JSON or does not fit its column
 * exactly.
 */
export function readPlainCell(b: Uint8Array, from: number, to: number, column: ColumnBuilder, row: number): boolean {
  const p = skipSpace(b, from, to);
  if (isNull(b, p, to)) {
    column.setNull(row);
    return p + 4 === to;
  }
  try {
    if (b[p] !== QUOTE) return skipScalar(b, p, to) === to && stores(b, p, to, column, row);
    const skipped = skipString(b, p, to);
    if (skipped >= 0) return skipped === to && stores(b, p + 1, to - 1, column, row);
    if (-skipped - 1 !== to) return false;
    const length = unescaped(b, p, to);
    return length >= 0 && stores(scratch, 0, length, column, row);
  } catch (error) {
    if (error instanceof DataError) return false;
    throw error;
  }
}

/** Puts the text of the string from `from` to `to`, in quotes, into the buffer; -1 for a lone surrogate. */
function unescaped(b: Uint8Array, from: number, to: number): number {
  if (scratch.length < to - from) scratch = new Uint8Array((to - from) * 2);
  return unescapeString(b, from + 1, to - 1, scratch);
}

/** Stores a value if it fits; text is valid UTF-8 in a block. */
function stores(b: Uint8Array, from: number, to: number, column: ColumnBuilder, row: number): boolean {
  if (column.reader === TEXT) {
    column.setText(row, b, from, to);
    return true;
  }
  return column.write(column, row, b, from, to) === CELL_OK;
}
