import { skipSpace } from "../../format/json.js";
import { NO_DATE, readDate } from "../../value/date.js";
import { readDecimal128, readInt64 } from "../../value/decimal.js";
import { readFloat64 } from "../../value/number.js";
import type { ColumnBuilder } from "../build/builder.js";
import type { RowCursor } from "../build/row-cursor.js";
import { DATE, DECIMAL128, EXACT, FLOAT, INTEGER, SKIPPED, TEXT } from "../build/types.js";
import { readJsonText } from "./text.js";

/** Reads rows while they are plain and room is left; it stops before the first row that is not. */
export type RowsReader = (cursor: RowCursor, fields: readonly ColumnBuilder[], other: CellReader) => void;

/** Reads one cell at `p`, whatever it is: the position after it, or -1 to leave the whole row to the caller. */
export type CellReader = (b: Uint8Array, p: number, end: number, field: ColumnBuilder, row: number) => number;

/** Readers by their columns: one that was made before starts at full speed. */
const compiled = new Map<string, RowsReader>();
const MOST_COMPILED = 100;

/** Columns of one function at most: V8 optimises none of more than 60 KB of its code. */
const GROUP = 48;

/**
 * A reader of straight-line code for rows `[cell,cell],` of these columns, with white space anywhere between.
 *
 * One loop over columns makes all columns share the branches of a reader, which the processor then predicts badly;
 * written out per schema, the same bytes take two thirds of the time (docs/decisions.md). The code is put together from
 * column numbers, precisions and scales alone, never from data.
 *
 * @returns undefined where code may not be generated
 */
export function compileRows(fields: readonly ColumnBuilder[]): RowsReader | undefined {
  const key = fields.map(({ reader, precision, scale }) => `${reader} ${precision} ${scale}`).join();
  const known = compiled.get(key);
  if (known !== undefined) return known;
  try {
    const reader = fields.length > GROUP ? groupedRows(fields) : oneFunction(fields);
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(key, reader);
    return reader;
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

// `start` is the `[` of a row whose comma was read, or the `]` that ends the last row read: never a `[` that no comma
// precedes.

/** Code before the first cell of a row: `p` becomes its start. */
const OPEN = `if (b[p++] !== 91) break rows;
      if (b[p] <= 32) p = skipSpace(b, p, end);`;

/** Code after each cell but the last: `q` is after the cell, `p` becomes the next cell's start. */
const NEXT = `
      if (b[q] !== 44) q = skipSpace(b, q, end);
      if (b[q] !== 44) break rows;
      p = q + 1;
      if (b[p] <= 32) p = skipSpace(b, p, end);`;

/** Code after the last cell: `start` becomes the next row's start. */
const CLOSE = `
      if (b[q] !== 93) q = skipSpace(b, q, end);
      if (b[q] !== 93) break rows;
      row++;
      start = q;
      if (b[++q] !== 44) q = skipSpace(b, q, end);
      if (b[q] !== 44) break rows;
      q = skipSpace(b, q + 1, end);
      if (b[q] !== 91) break rows;
      start = q;`;

/** The function of this code and these parameters, with everything the code calls. */
function compiledFunction(parameters: string, code: string): unknown {
  const names = { readDate, readJsonText, skipSpace, readDecimal128, readFloat64, readInt64 };
  const make = new Function(...Object.keys(names), `return function readRows(${parameters}) {${code}}`);
  return make(...Object.values(names));
}

/** A loop over rows around the code of all cells. */
function oneFunction(fields: readonly ColumnBuilder[]): RowsReader {
  const code = `
    const { b, end, fastEnd, capacity } = cursor;
    ${arraysCode(fields)}
    let start = cursor.p, row = cursor.row;
    rows: while (start < fastEnd && row < capacity) {
      let p = start;
      ${OPEN}
      ${cellsCode(fields, CLOSE)}
    }
    cursor.p = start;
    cursor.row = row;`;
  return compiledFunction("cursor, fields, other", code) as RowsReader;
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
function groupedRows(fields: readonly ColumnBuilder[]): RowsReader {
  const groups: CellsReader[] = [];
  for (let from = 0; from < fields.length; from += GROUP) {
    const group = fields.slice(from, from + GROUP);
    const last = from + GROUP >= fields.length;
    const code = `
    ${arraysCode(group)}
    let start = -1;
    rows: {
      ${from === 0 ? OPEN : ""}
      ${cellsCode(group, last ? CLOSE : `${NEXT} start = p;`)}
    }
    return start;`;
    groups.push(compiledFunction("b, p, end, row, fields, other", code) as CellsReader);
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

function cellsCode(fields: readonly ColumnBuilder[], close: string): string {
  return fields.map((field, k) => `{${fieldCode(k, field)}${k < fields.length - 1 ? NEXT : close}}`).join("\n      ");
}

/**
 * Code of one cell: from `p` to `q`, the position after it. What the code leaves with a negative `q` is read by
 * `other`.
 */
function fieldCode(k: number, field: ColumnBuilder): string {
  return `
      let q = -1;${cellCode(k, field)}
      if (q < 0) {
        q = other(b, p, end, f${k}, row);
        if (q < 0) break rows;
      }`;
}

function cellCode(k: number, { reader, precision, scale, limit }: ColumnBuilder): string {
  switch (reader) {
    case TEXT:
      return quotedCode(`q = readJsonText(b, p + 1, end, f${k}, row);`);
    case DATE:
      return quotedCode(`
        const days = readDate(b, p + 1);
        if (days !== ${NO_DATE}) {
          q = p + 11;
          w${k}[row] = days;
        }`);
    case DECIMAL128:
      return numberCode(`readDecimal128(b, p, w${k}, row << 2, ${precision}, ${scale}, ${limit})`);
    case FLOAT:
      return numberCode(`readFloat64(b, p, v${k}, row)`);
    case INTEGER:
      return numberCode(`readInt64(b, p, w${k}, row << 1)`);
    case EXACT:
    case SKIPPED:
      return "";
  }
}

/** Code around that of a cell in quotes, which sets `q` to the closing quote. */
function quotedCode(code: string): string {
  return `
      if (b[p] === 34) {
        ${code}
        if (q >= 0) q = b[q] === 34 ? q + 1 : -1;
      }`;
}

/**
 * Code around that of a plain number, which sets `q` to the position after it. JSON has no needless zeros at the front;
 * what ends in an exponent is left.
 */
function numberCode(read: string): string {
  return `
      const first = b[p] === 45 ? p + 1 : p;
      if (b[first] !== 48 || (b[first + 1] ^ 48) > 9) {
        q = ${read};
        if (q >= 0 && (b[q] | 32) === 101) q = -1;
      }`;
}
