import { NO_DATE, readDate } from "../../value/date.js";
import { exactDecimal128, longDecimal128, longDigits, POWERS, readInt64 } from "../../value/decimal.js";
import { longNumber, readFloat64 } from "../../value/number.js";
import { type ColumnBuilder, DATE, DECIMAL128, FLOAT, INTEGER, TEXT } from "../build/builder.js";
import type { RowCursor } from "../build/row-cursor.js";

/** Reads rows while they are plain and room is left; it stops before the first row that is not. */
export type RowsReader = (cursor: RowCursor, fields: readonly ColumnBuilder[], other: CellReader) => void;

/** Reads one cell at `p`, whatever it is: the position after it, or -1 to leave the whole row to the caller. */
export type CellReader = (b: Uint8Array, p: number, end: number, field: ColumnBuilder, row: number) => number;

/** The grammar around the cells, for {@link compileRows}. */
export interface RowDialect {
  /** Reader of the text after a quote, up to but without the quote that ends it. */
  readonly quotedText: CellReader;
  /** Code before the first cell: sets `p` from `start`, or leaves the loop. */
  readonly open: string;
  /** Code after each cell but the last: `q` is after the cell, `p` must become the next cell's start. */
  readonly next: string;
  /** Code after the last cell: `start` must become the next row's start. */
  readonly close: string;
  readonly helpers: Readonly<Record<string, unknown>>;
}

/** Readers that were made before start at full speed. */
const compiled = new WeakMap<RowDialect, Map<string, RowsReader>>();
const MOST_COMPILED = 100;

/** Columns of one function at most: V8 optimises none of more than 60 KB of its code, and a column takes about 0.6 KB. */
const GROUP = 48;

/**
 * A reader of straight-line code for these columns; `quoted` says which cells stand in quotes (others are read too, less fast).
 *
 * One loop over columns makes all columns share the branches of a reader, which the processor then foresees badly; written out per
 * schema, the same bytes take two thirds of the time (docs/decisions.md). The code is put together from column numbers, precisions and
 * scales alone, never from data.
 *
 * @returns undefined where code may not be generated
 */
export function compileRows(
  fields: readonly ColumnBuilder[],
  quoted: readonly boolean[],
  dialect: RowDialect,
): RowsReader | undefined {
  const key = fields.map((field, k) => `${field.kind} ${field.precision} ${field.scale} ${quoted[k]}`).join();
  const readers = compiled.get(dialect) ?? new Map<string, RowsReader>();
  compiled.set(dialect, readers);
  const known = readers.get(key);
  if (known !== undefined) return known;
  try {
    const reader = fields.length > GROUP ? groupedRows(fields, quoted, dialect) : oneFunction(fields, quoted, dialect);
    if (readers.size >= MOST_COMPILED) readers.clear();
    readers.set(key, reader);
    return reader;
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

/** Powers of ten that 32 bits hold. */
const TENS = Int32Array.from({ length: 10 }, (_, i) => 10 ** i);

/** The function of this code and these parameters, with everything the code calls. */
function compiledFunction(parameters: string, code: string, { quotedText, helpers }: RowDialect): unknown {
  const numbers = { TENS, readFloat64, longNumber, readInt64, exactDecimal128, longDecimal128, longDigits, POWERS };
  const names = { readDate, quotedText, ...numbers, ...helpers };
  const make = new Function(...Object.keys(names), `return function readRows(${parameters}) {${code}}`);
  return make(...Object.values(names));
}

/** A loop over rows around the code of all cells. */
function oneFunction(fields: readonly ColumnBuilder[], quoted: readonly boolean[], dialect: RowDialect): RowsReader {
  const code = `
    const { b, end, fastEnd, capacity } = cursor;
    ${arraysCode(fields)}
    let start = cursor.p, row = cursor.row;
    rows: while (start < fastEnd && row < capacity) {
      let p = start;
      ${dialect.open}
      ${cellsCode(fields, quoted, dialect, dialect.close)}
    }
    cursor.p = start;
    cursor.row = row;`;
  return compiledFunction("cursor, fields, other", code, dialect) as RowsReader;
}

/** Reads the cells of one row from `p` into some of the columns: where the next begins, or -1. */
type CellsReader = (
  b: Uint8Array,
  p: number,
  end: number,
  row: number,
  fields: readonly ColumnBuilder[],
  other: CellReader,
) => number;

/** A loop over rows that calls one function for each {@link GROUP} columns. */
function groupedRows(fields: readonly ColumnBuilder[], quoted: readonly boolean[], dialect: RowDialect): RowsReader {
  const groups: CellsReader[] = [];
  for (let from = 0; from < fields.length; from += GROUP) {
    const group = fields.slice(from, from + GROUP);
    const last = from + GROUP >= fields.length;
    const code = `
    ${arraysCode(group)}
    let start = -1;
    rows: {
      ${from === 0 ? dialect.open : ""}
      ${cellsCode(group, quoted.slice(from), dialect, last ? dialect.close : `${dialect.next} start = p;`)}
    }
    return start;`;
    groups.push(compiledFunction("b, p, end, row, fields, other", code, dialect) as CellsReader);
  }
  return (cursor, all, other) => {
    const { b, end, fastEnd, capacity } = cursor;
    const parts = groups.map((_, i) => all.slice(i * GROUP, (i + 1) * GROUP));
    while (cursor.p < fastEnd && cursor.row < capacity) {
      let { p } = cursor;
      for (let i = 0; i < groups.length && p >= 0; i++) p = groups[i](b, p, end, cursor.row, parts[i], other);
      if (p < 0) return;
      cursor.p = p;
      cursor.row++;
    }
  };
}

function arraysCode(fields: readonly ColumnBuilder[]): string {
  return fields.map((_, k) => `const f${k} = fields[${k}], w${k} = f${k}.words, v${k} = f${k}.floats;`).join("\n    ");
}

function cellsCode(
  fields: readonly ColumnBuilder[],
  quoted: readonly boolean[],
  dialect: RowDialect,
  close: string,
): string {
  const cells = fields.map((field, k) => {
    const after = k < fields.length - 1 ? dialect.next : close;
    return `{${fieldCode(k, field, quoted[k] === true)}${after}}`;
  });
  return cells.join("\n      ");
}

/** Code of one cell: from `p` to `q`, the position after it. */
function fieldCode(k: number, field: ColumnBuilder, quoted: boolean): string {
  const cell = cellCode(k, field);
  const read =
    field.kind === TEXT
      ? textCode(k)
      : quoted
        ? `if (b[p] === 34) {
        const from = p + 1;${cell}
        if (q >= 0) q = b[q] === 34 ? q + 1 : -1;
      }`
        : `const from = p;${cell}`;
  return `
      let q = -1;
      ${cell === "" && field.kind !== TEXT ? "" : read}
      if (q < 0) {
        q = other(b, p, end, f${k}, row);
        if (q < 0) break rows;
      }`;
}

/** Code that reads text in quotes. */
function textCode(k: number): string {
  return `if (b[p] === 34) {
        q = quotedText(b, p + 1, end, f${k}, row);
        if (q >= 0) q = b[q] === 34 ? q + 1 : -1;
      }`;
}

/** Code that reads the text of a cell at `from` into the row; `q` becomes the position after it, or stays or becomes -1. */
function cellCode(k: number, field: ColumnBuilder): string {
  switch (field.kind) {
    case DECIMAL128:
      return decimalCode(k, field);
    case FLOAT:
      return floatCode(k);
    case INTEGER:
      return integerCode(k);
    case DATE:
      return `
      const days = readDate(b, from);
      if (days !== ${NO_DATE}) {
        q = from + 10;
        w${k}[row] = days;
      }`;
    default:
      return "";
  }
}

/** Code that reads the digits at `from` into `m`, a point included; `digits` is 0 when there is no plain number without needless zeros. */
const DIGITS_CODE = `
      let m = 0, fraction = 0;
      q = from;
      let c = b[q] ^ 48;
      const negative = c === 29;
      if (negative) c = b[++q] ^ 48;
      const first = q;
      while (c <= 9) { m = Math.imul(m, 10) + c | 0; c = b[++q] ^ 48; }
      let digits = q - first;
      if (digits > 1 && b[first] === 48) digits = 0;
      if (c === 30) {
        c = b[++q] ^ 48;
        const point = q;
        while (c <= 9) { m = Math.imul(m, 10) + c | 0; c = b[++q] ^ 48; }
        fraction = q - point;
        digits = fraction === 0 || digits === 0 ? 0 : digits + fraction;
      }
      // An exponent: c is e or E.
      if ((c | 32) === 117) digits = 0;`;

function decimalCode(k: number, { precision, scale, limit }: ColumnBuilder): string {
  return `${DIGITS_CODE}
      const zeros = ${scale} - fraction;
      if (digits === 0) q = -1;
      else if (zeros >= 0 && digits + zeros <= ${Math.min(9, precision)}) {
        const whole = Math.imul(m, TENS[zeros]);
        const low = negative ? -whole | 0 : whole;
        const at = row << 2;
        const sign = low >> 31;
        w${k}[at] = low;
        w${k}[at + 1] = sign;
        w${k}[at + 2] = sign;
        w${k}[at + 3] = sign;
      } else if (digits > 15 && zeros >= 0 && digits + zeros <= ${precision}) {
        longDecimal128(b, first, digits, zeros, negative, w${k}, row << 2);
      } else {
        let scaled = digits > 15 || zeros < 0 ? NaN : (digits > 9 ? longDigits(b, first, q) : m) * POWERS[zeros];
        if (scaled < ${limit}) {
          if (negative) scaled = -scaled;
          const at = row << 2;
          const low = scaled | 0;
          const high = low === scaled ? low >> 31 : Math.floor(scaled / 4294967296) | 0;
          const sign = high >> 31;
          w${k}[at] = low;
          w${k}[at + 1] = high;
          w${k}[at + 2] = sign;
          w${k}[at + 3] = sign;
        } else q = exactDecimal128(b, from, q, w${k}, row << 2, ${precision}, ${scale});
      }`;
}

function floatCode(k: number): string {
  return `${DIGITS_CODE}
      if (digits === 0) q = -1;
      else if (digits > 18) q = readFloat64(b, from, v${k}, row);
      else {
        let value = 0;
        if (digits > 15) value = longNumber(b, first, q, fraction);
        else {
          const whole = digits > 9 ? longDigits(b, first, q) : m;
          value = fraction === 0 ? whole : whole / POWERS[fraction];
        }
        if (value === value) v${k}[row] = negative ? -value : value;
        else q = readFloat64(b, from, v${k}, row);
      }`;
}

function integerCode(k: number): string {
  return `${DIGITS_CODE}
      if (digits === 0) q = -1;
      else if (digits > 9 || fraction > 0) q = readInt64(b, from, w${k}, row << 1);
      else {
        const value = negative ? -m : m;
        w${k}[row << 1] = value;
        w${k}[(row << 1) + 1] = value >> 31;
      }`;
}
