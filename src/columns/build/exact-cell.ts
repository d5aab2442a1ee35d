import { NO_DATE, readDate } from "../../value/date.js";
import {
  DECIMAL_BAD,
  DECIMAL_LOSS,
  DECIMAL_OK,
  DECIMAL_ROUNDED,
  DECIMAL_TOO_WIDE,
  readDecimal,
} from "../../value/decimal.js";
import { readInstant, TOO_FINE } from "../../value/instant.js";
import { isOverflow, readNumber } from "../../value/number.js";
import { invalidUtf8 } from "../../value/text.js";
import {
  BOOLEAN,
  type ColumnBuilder,
  DATE,
  DECIMAL128,
  DECIMAL256,
  FLOAT,
  INSTANT,
  INTEGER,
  SKIPPED,
} from "./builder.js";

/** How a cell fared; the first five are those of {@link readDecimal}. */
export const CELL_OK = DECIMAL_OK;
export const CELL_BAD = DECIMAL_BAD;
export const CELL_TOO_WIDE = DECIMAL_TOO_WIDE;
export const CELL_LOSS = DECIMAL_LOSS;
export const CELL_ROUNDED = DECIMAL_ROUNDED;
export const CELL_BAD_UTF8 = 5;

/**
 * Reads the whole of `start` to `end` as the cell of a row, by the column's type: the exact way, which every cell takes that the
 * fast readers leave. Only the outcomes `CELL_OK` and `CELL_ROUNDED` have stored a value.
 */
export function writeCell(
  column: ColumnBuilder,
  row: number,
  b: Uint8Array,
  start: number,
  end: number,
  round: boolean,
): number {
  switch (column.kind) {
    case DATE: {
      const days = end - start === 10 ? readDate(b, start) : NO_DATE;
      if (days === NO_DATE) return CELL_BAD;
      column.words[row] = days;
      return CELL_OK;
    }
    case DECIMAL128:
      return readDecimal(b, start, end, column.words, row * 4, 4, column.precision, column.scale, round);
    case DECIMAL256:
      return readDecimal(b, start, end, column.words, row * 8, 8, column.precision, column.scale, round);
    case FLOAT:
      return writeFloat(column, row, b, start, end, round);
    case INTEGER:
      return writeInteger(column, row, b, start, end, round);
    case INSTANT:
      return writeInstant(column, row, b, start, end, round);
    case BOOLEAN:
      return writeBoolean(column, row, b, start, end);
    case SKIPPED:
      return CELL_OK;
    default:
      if (invalidUtf8(b, start, end) >= 0) return CELL_BAD_UTF8;
      column.setText(row, b, start, end);
      return CELL_OK;
  }
}

function writeFloat(
  column: ColumnBuilder,
  row: number,
  b: Uint8Array,
  start: number,
  end: number,
  round: boolean,
): number {
  const value = readNumber(b, start, end);
  if (value === undefined) return CELL_BAD;
  const finite = Number.isFinite(value);
  const overflow = !finite && !Number.isNaN(value) && isOverflow(b, start);
  if (overflow && !(round && column.notANumber)) return CELL_TOO_WIDE;
  if (!finite && !column.notANumber) return CELL_BAD;
  column.floats[row] = value;
  return overflow ? CELL_ROUNDED : CELL_OK;
}

const wide = new Int32Array(4);

function writeInteger(
  column: ColumnBuilder,
  row: number,
  b: Uint8Array,
  start: number,
  end: number,
  round: boolean,
): number {
  const outcome = readDecimal(b, start, end, wide, 0, 4, 19, 0, round);
  if (outcome !== CELL_OK && outcome !== CELL_ROUNDED) return outcome;
  const sign = wide[1] >> 31;
  if (wide[2] !== sign || wide[3] !== sign) return CELL_TOO_WIDE;
  column.words[row * 2] = wide[0];
  column.words[row * 2 + 1] = wide[1];
  return outcome;
}

function writeInstant(
  column: ColumnBuilder,
  row: number,
  b: Uint8Array,
  start: number,
  end: number,
  round: boolean,
): number {
  let ms = readInstant(b, start, end);
  const tooFine = ms === TOO_FINE;
  if (tooFine) {
    if (!round) return CELL_LOSS;
    ms = readInstant(b, start, end, true);
  }
  if (Number.isNaN(ms)) return CELL_BAD;
  column.words[row * 2] = ms | 0;
  column.words[row * 2 + 1] = Math.floor(ms / 4_294_967_296) | 0;
  return tooFine ? CELL_ROUNDED : CELL_OK;
}

function writeBoolean(column: ColumnBuilder, row: number, b: Uint8Array, start: number, end: number): number {
  const truth = isWord(b, start, end, TRUE) || (end - start === 1 && b[start] === 49);
  if (!truth && !isWord(b, start, end, FALSE) && !(end - start === 1 && b[start] === 48)) return CELL_BAD;
  if (truth) column.bits[row >> 3] |= 1 << (row & 7);
  else column.bits[row >> 3] &= ~(1 << (row & 7));
  return CELL_OK;
}

const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");

/** Whether `start` to `end` is the word, which is in small letters, in any case. */
function isWord(b: Uint8Array, start: number, end: number, word: Uint8Array): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if ((b[start + i] | 32) !== word[i]) return false;
  return true;
}
