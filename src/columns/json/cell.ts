import { DataError } from "../../errors/errors.js";
import { skipScalar, skipSpace, skipString, unescapeString } from "../../format/json.js";
import { NO_DATE, readDate } from "../../value/date.js";
import type { ColumnBuilder } from "../build/builder.js";
import { readFastNumber } from "../build/fast-number.js";
import { CELL_OK, DATE, TEXT } from "../build/types.js";
import { readJsonText } from "./text.js";

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const CLOSE = 93;
const CLOSE_OBJECT = 125;
const N = 110;

/** Buffer for unescaped text. */
let scratch: Uint8Array = new Uint8Array(256);

/**
 * Reads the value at `p` if it is plain: text without escapes, a date, a number without an exponent, null. Returns the
 * position after it, or -1 if the grammar must decide.
 */
export function readPlainCell(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  const c = b[p];
  if (c === QUOTE) {
    if (column.reader === TEXT) {
      const q = readJsonText(b, p + 1, end, column, row);
      if (q >= 0) return q + 1;
    } else if (column.reader === DATE) {
      const days = readDate(b, p + 1);
      if (days !== NO_DATE && b[p + 11] === QUOTE && p + 11 < end) {
        column.words[row] = days;
        return p + 12;
      }
    }
  } else if (c === MINUS || (c ^ ZERO) <= 9) return readPlainNumber(b, p, end, column, row);
  else if (isNull(b, p) && p + 4 <= end) {
    column.setNull(row);
    return p + 4;
  }
  return -1;
}

/** A number by the column's fast reader, or -1. */
function readPlainNumber(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  // No leading zeros in JSON.
  const first = b[p] === MINUS ? p + 1 : p;
  if (b[first] === ZERO && (b[first + 1] ^ ZERO) <= 9) return -1;
  const q = readFastNumber(b, p, column, row);
  // What follows must end the number: an exponent, for one, is for the exact way.
  if (q < 0 || q >= end) return -1;
  return b[q] === COMMA || b[q] === CLOSE || b[q] === CLOSE_OBJECT || b[q] <= 32 ? q : -1;
}

function isNull(b: Uint8Array, p: number): boolean {
  return b[p] === N && b[p + 1] === 117 && b[p + 2] === 108 && b[p + 3] === 108;
}

/**
 * Reads the value from `from` to `to`, white space before it apart; false if it is not JSON or does not fit its column
 * exactly.
 *
 * @param end the end of the available bytes
 */
export function readWholeCell(
  b: Uint8Array,
  from: number,
  to: number,
  end: number,
  column: ColumnBuilder,
  row: number,
): boolean {
  const p = skipSpace(b, from, to);
  const q = readPlainCell(b, p, end, column, row);
  if (q >= 0) return q === to;
  try {
    if (b[p] === QUOTE) return readQuoted(b, p, to, column, row);
    return skipScalar(b, p, to) === to && !isNull(b, p) && stores(b, p, to, column, row);
  } catch (error) {
    if (error instanceof DataError) return false;
    throw error;
  }
}

/** @throws {DataError} where it is not a string */
function readQuoted(b: Uint8Array, from: number, to: number, column: ColumnBuilder, row: number): boolean {
  const skipped = skipString(b, from, to);
  if (skipped >= 0) return skipped === to && stores(b, from + 1, to - 1, column, row);
  if (-skipped - 1 !== to) return false;
  if (scratch.length < to - from) scratch = new Uint8Array((to - from) * 2);
  const length = unescapeString(b, from + 1, to - 1, scratch);
  return length >= 0 && stores(scratch, 0, length, column, row);
}

function stores(b: Uint8Array, from: number, to: number, column: ColumnBuilder, row: number): boolean {
  return column.write(column, row, b, from, to, false) === CELL_OK;
}
