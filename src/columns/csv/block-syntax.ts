import { CR, type CsvSyntax, LF, undouble } from "../../format/csv.js";
import { indexOfBytes } from "../../platform/node/bytes.js";
import type { ColumnBuilder } from "../build/builder.js";
import type { BlockSyntax } from "../build/row-blocks.js";
import { CELL_OK, TEXT } from "../build/types.js";

/** CSV by blocks: the rows are those that the grammar would read (docs/decisions.md). */
export function csvBlocks(syntax: CsvSyntax): BlockSyntax {
  let scratch: Uint8Array = new Uint8Array(256);
  return {
    scan: "scan",
    delimiter: syntax.delimiter,
    quote: syntax.quote,
    before: 0,
    after: 0,
    readCell(b, from, to, field, row, last) {
      const end = last && to > from && b[to - 1] === CR ? to - 1 : to;
      if (from === end) {
        field.setNull(row);
        return true;
      }
      if (end - from > field.maxBytes) return false;
      if (b[from] !== syntax.quote) return isBare(b, from, end, syntax) && stores(b, from, end, field, row);
      const close = end - 1;
      const quotes = close > from && b[close] === syntax.quote ? innerQuotes(b, from + 1, close, syntax.quote) : -1;
      if (quotes < 0 || (close === from + 1 && field.emptyIsNull)) return false;
      if (quotes === 0) return stores(b, from + 1, close, field, row);
      if (scratch.length < close - from) scratch = new Uint8Array((close - from) * 2);
      return stores(scratch, 0, undouble(b, from + 1, close, scratch, syntax), field, row);
    },
  };
}

/** Stores a cell if it fits; text is valid UTF-8 in a block. */
function stores(b: Uint8Array, from: number, to: number, field: ColumnBuilder, row: number): boolean {
  if (field.reader === TEXT) {
    field.setText(row, b, from, to);
    return true;
  }
  if (!field.isNullText(b, from, to)) return field.write(field, row, b, from, to) === CELL_OK;
  field.setNull(row);
  return true;
}

/** Whether bytes have nothing that ends a cell, and no quote. */
function isBare(b: Uint8Array, from: number, to: number, { delimiter, quote }: CsvSyntax): boolean {
  for (let p = from; p < to; p++) {
    const c = b[p];
    if (c === delimiter || c === quote || c === LF || c === CR) return false;
  }
  return true;
}

/** How many quotes there are, each of them doubled; -1 if one is not. */
function innerQuotes(b: Uint8Array, from: number, to: number, quote: number): number {
  let found = 0;
  for (let p = from; p < to; p++) {
    if (b[p] !== quote) continue;
    if (++p >= to || b[p] !== quote) return -1;
    found++;
  }
  return found;
}

/**
 * The first position from `from`, where a row starts, at which a line may start that only the grammar reads: a comment,
 * or one with an escape. `end` if there is none.
 */
export function nextSpecialLine(b: Uint8Array, from: number, end: number, syntax: CsvSyntax): number {
  const { comment } = syntax;
  let next = end;
  const bytes = b.subarray(0, end);
  if (comment.length > 0) {
    if (comment.every((byte, i) => bytes[from + i] === byte)) return from;
    const found = indexOfBytes(bytes, Uint8Array.of(LF, ...comment), from);
    if (found >= 0) next = found + 1;
  }
  const escaped = syntax.escape < 0 ? -1 : bytes.indexOf(syntax.escape, from);
  if (escaped >= 0) next = Math.min(next, Math.max(from, bytes.lastIndexOf(LF, escaped) + 1));
  return next;
}
