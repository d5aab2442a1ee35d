import { utf8Bytes } from "../../platform/node/bytes.js";
import { type ServiceType, type TypeKind, unitDigits } from "../../spec/columns.js";
import { NO_DATE, readDate } from "../../value/date.js";
import {
  DECIMAL_BAD,
  DECIMAL_LOSS,
  DECIMAL_OK,
  DECIMAL_ROUNDED,
  DECIMAL_TOO_WIDE,
  DECIMAL128_DIGITS,
  type DecimalTarget,
  readDecimal,
} from "../../value/decimal.js";
import { isOverflow, readNumber } from "../../value/number.js";
import { invalidUtf8 } from "../../value/text.js";
import type { PlainCell } from "../../value/text-form.js";
import { readTime, storeTime } from "../../value/timestamp.js";
import type { ReadOptions } from "../arrow/read-options.js";

// How cells of each column type are read from bytes into buffers. Worker threads load this module, so it must not
// import Arrow; the Arrow side of the column types is columns/arrow/types.

/** Outcomes of reading one cell; the first five are those of {@link readDecimal}. */
export const CELL_OK = DECIMAL_OK;
export const CELL_BAD = DECIMAL_BAD;
export const CELL_TOO_WIDE = DECIMAL_TOO_WIDE;
export const CELL_LOSS = DECIMAL_LOSS;
export const CELL_ROUNDED = DECIMAL_ROUNDED;
export const CELL_BAD_UTF8 = 5;
/** An array or object of JSON. */
export const CELL_NESTED = 6;

/** The column that cells are written to; `round` is for all values that lose digits. */
export interface CellTarget extends DecimalTarget {
  readonly floats: Float64Array;
  readonly bits: Uint8Array;
  setText(row: number, b: Uint8Array, start: number, end: number): void;
}

/**
 * Reads all of `start` to `end` as the cell of a row. This is the exact path, for cells that the fast readers do not
 * handle. A value is stored only if the result is {@link CELL_OK} or {@link CELL_ROUNDED}.
 */
export type CellWriter = (column: CellTarget, row: number, b: Uint8Array, start: number, end: number) => number;

// The fast reader of a column, on which the loops over cells switch. Small integers, so that the comparison is one
// instruction.
export const TEXT = 0;
export const DATE = 1;
export const DECIMAL128 = 2;
export const FLOAT = 3;
export const INTEGER = 4;
/** None: every cell is read by the {@link CellWriter} of the type. */
export const EXACT = 5;
/** A column of the file that is not read. */
export const SKIPPED = 6;
export type FastReader =
  | typeof TEXT
  | typeof DATE
  | typeof DECIMAL128
  | typeof FLOAT
  | typeof INTEGER
  | typeof EXACT
  | typeof SKIPPED;

/** Where values are stored: 32-bit words, doubles, bits, or bytes of text behind dictionary indices or offsets. */
export type BufferKind = "words" | "floats" | "bits" | "text";

/** How the cells of a column type are read and stored. */
export interface CellType {
  readonly reader: FastReader;
  readonly buffer: BufferKind;
  /** Buffer items per row. */
  readonly stride: number;
  readonly write: CellWriter;
}

const text: CellType = { reader: TEXT, buffer: "text", stride: 1, write: writeText };

const TYPES: Readonly<Record<TypeKind, CellType>> = {
  text,
  date: { reader: DATE, buffer: "words", stride: 1, write: writeDate },
  datetime: { reader: EXACT, buffer: "words", stride: 2, write: writeTimestamp },
  decimal: { reader: DECIMAL128, buffer: "words", stride: 4, write: writeDecimal },
  integer: { reader: INTEGER, buffer: "words", stride: 2, write: writeInteger },
  double: { reader: FLOAT, buffer: "floats", stride: 1, write: writeDouble },
  boolean: { reader: EXACT, buffer: "bits", stride: 1, write: writeBoolean },
  unknown: text,
};

const DECIMAL256: CellType = { reader: EXACT, buffer: "words", stride: 8, write: writeDecimal };
/** Decimals read as doubles (`decimals: "float64"`). */
const DECIMAL_AS_DOUBLE: CellType = { ...TYPES.double, write: writeFinite };
/** A column of the file that is not read. */
export const SKIPPED_CELLS: CellType = { ...text, reader: SKIPPED, write: () => CELL_OK };

/** A column whose cells must be empty. */
export const NO_CELLS: CellType = { ...text, reader: EXACT, write: () => CELL_BAD };

/** How the cells of a column are read and stored. */
export function cellType({ kind, precision = 0 }: ServiceType, decimals: ReadOptions["decimals"]): CellType {
  if (kind !== "decimal") return TYPES[kind];
  if (decimals === "float64") return DECIMAL_AS_DOUBLE;
  return precision > DECIMAL128_DIGITS ? DECIMAL256 : TYPES.decimal;
}

/** What of a form the cells of a type have. */
const FORMS: Readonly<Partial<Record<TypeKind, "number" | "date" | "datetime">>> = {
  ...{ date: "date", datetime: "datetime", decimal: "number", integer: "number", double: "number" },
};

/** The same for cells that are written in another form; undefined for a type that the form says nothing about. */
export function plainCellType(
  type: ServiceType,
  decimals: ReadOptions["decimals"],
  plain: PlainCell,
): CellType | undefined {
  const form = FORMS[type.kind];
  const toPlain = form && plain[form];
  if (toPlain === undefined) return undefined;
  const cells = cellType(type, decimals);
  return {
    ...cells,
    reader: EXACT,
    write(column, row, b, start, end) {
      const length = toPlain(b, start, end);
      return length < 0 ? CELL_BAD : cells.write(column, row, plain.bytes, 0, length);
    },
  };
}

function writeText(column: CellTarget, row: number, b: Uint8Array, start: number, end: number): number {
  if (invalidUtf8(b, start, end) >= 0) return CELL_BAD_UTF8;
  column.setText(row, b, start, end);
  return CELL_OK;
}

function writeDate({ words }: CellTarget, row: number, b: Uint8Array, start: number, end: number): number {
  const days = end - start === 10 ? readDate(b, start) : NO_DATE;
  if (days === NO_DATE) return CELL_BAD;
  words[row] = days;
  return CELL_OK;
}

function writeDecimal(column: CellTarget, row: number, b: Uint8Array, start: number, end: number): number {
  return readDecimal(b, start, end, column, row);
}

function writeDouble({ floats, round }: CellTarget, row: number, b: Uint8Array, start: number, end: number): number {
  const value = readNumber(b, start, end);
  if (value === undefined) return CELL_BAD;
  const overflow = !Number.isFinite(value) && !Number.isNaN(value) && isOverflow(b, start);
  if (overflow && !round) return CELL_TOO_WIDE;
  floats[row] = value;
  return overflow ? CELL_ROUNDED : CELL_OK;
}

/** A decimal as a double: `NaN` and `Infinity` are not decimals. */
function writeFinite({ floats }: CellTarget, row: number, b: Uint8Array, start: number, end: number): number {
  const value = readNumber(b, start, end);
  if (value === undefined || Number.isNaN(value)) return CELL_BAD;
  if (!Number.isFinite(value)) return isOverflow(b, start) ? CELL_TOO_WIDE : CELL_BAD;
  floats[row] = value;
  return CELL_OK;
}

/** An integer of 64 bits, which may be one of 128 until its size is known. */
const integer = { words: new Int32Array(4), stride: 4, precision: 19, scale: 0, round: false };

function writeInteger({ words, round }: CellTarget, row: number, b: Uint8Array, start: number, end: number): number {
  const { words: wide } = integer;
  integer.round = round;
  const outcome = readDecimal(b, start, end, integer, 0);
  if (outcome !== CELL_OK && outcome !== CELL_ROUNDED) return outcome;
  const sign = wide[1] >> 31;
  if (wide[2] !== sign || wide[3] !== sign) return CELL_TOO_WIDE;
  words[row * 2] = wide[0];
  words[row * 2 + 1] = wide[1];
  return outcome;
}

/** The outcomes of storeTime as those of a cell. */
const TIME_OUTCOMES: readonly number[] = [CELL_OK, CELL_ROUNDED, CELL_LOSS, CELL_TOO_WIDE, CELL_BAD];

function writeTimestamp(
  { words, scale, round }: CellTarget,
  row: number,
  b: Uint8Array,
  start: number,
  end: number,
): number {
  if (!readTime(b, start, end)) return CELL_BAD;
  return TIME_OUTCOMES[storeTime(b, unitDigits(scale), round, words, row * 2)];
}

function writeBoolean({ bits }: CellTarget, row: number, b: Uint8Array, start: number, end: number): number {
  const truth = isWord(b, start, end, TRUE) || (end - start === 1 && b[start] === 49);
  if (!truth && !isWord(b, start, end, FALSE) && !(end - start === 1 && b[start] === 48)) return CELL_BAD;
  if (truth) bits[row >> 3] |= 1 << (row & 7);
  else bits[row >> 3] &= ~(1 << (row & 7));
  return CELL_OK;
}

const TRUE = utf8Bytes("true");
const FALSE = utf8Bytes("false");

/** Whether `start` to `end` spells `word` in any letter case; `word` is in lower case. */
function isWord(b: Uint8Array, start: number, end: number, word: Uint8Array): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if ((b[start + i] | 32) !== word[i]) return false;
  return true;
}
