import { CR, type CsvSyntax, LF } from "../../format/csv.js";
import { invalidUtf8 } from "../../value/text.js";
import type { ColumnBuilder } from "../build/builder.js";
import { HASH_PRIME, HASH_SEED } from "../build/dictionary.js";

/**
 * Reads the unquoted text at `p` into a row, up to a delimiter or line break.
 *
 * @returns the position of the delimiter or line break, or -1 for anything unusual: empty text, a quote, invalid UTF-8,
 *   or the end of the bytes
 */
export function readText(
  b: Uint8Array,
  p: number,
  end: number,
  column: ColumnBuilder,
  row: number,
  syntax: CsvSyntax,
): number {
  if (column.mode === "utf8") return readUtf8(b, p, end, column, row, syntax);
  const { delimiter, quote } = syntax;
  const { dictionary } = column;
  const repeated = dictionary.after(dictionary.lastBare, b, p);
  if (repeated >= 0 && repeated < end) {
    const c = b[repeated];
    if (c === delimiter || c === LF || c === CR) {
      column.words[row] = dictionary.lastBare;
      return repeated;
    }
  }
  let hash = HASH_SEED;
  let q = p;
  for (; ; q++) {
    const c = b[q];
    if (c === delimiter || c === LF || c === CR || c === quote) break;
    hash = Math.imul(hash ^ c, HASH_PRIME);
  }
  if (q === p || q >= end || b[q] === quote || q - p > column.maxBytes) return -1;
  let i = dictionary.find(b, p, q, hash);
  if (i < 0) {
    if (!column.ascii && invalidUtf8(b, p, q) >= 0) return -1;
    i = dictionary.add(b, p, q, hash);
  }
  dictionary.lastBare = i;
  column.words[row] = i;
  return q;
}

/** Longer text is left to the exact reader, which bounds the room that the fast ones need. */
const LONGEST = 65_536;

/** {@link readText} for a Utf8 column: scans and copies in one pass. */
function readUtf8(
  b: Uint8Array,
  p: number,
  end: number,
  column: ColumnBuilder,
  row: number,
  { delimiter, quote }: CsvSyntax,
): number {
  const from = column.heapLength;
  const stop = Math.min(end, p + LONGEST);
  const heap = column.heapFor(LONGEST);
  let n = from;
  let q = p;
  for (; q < stop; q++) {
    const c = b[q];
    if (c === delimiter || c === LF || c === CR || c === quote) break;
    heap[n++] = c;
  }
  if (n === from || q >= stop || b[q] === quote || n - from > column.maxBytes) return -1;
  if (!column.ascii && invalidUtf8(heap, from, n) >= 0) return -1;
  column.endText(row, n);
  return q;
}

/**
 * Reads the quoted text that starts at `p`, after the quote, into a row, with doubled quotes undone.
 *
 * @returns the position of the closing quote, or -1 for anything unusual
 */
export function readQuotedText(
  b: Uint8Array,
  p: number,
  end: number,
  column: ColumnBuilder,
  row: number,
  syntax: CsvSyntax,
): number {
  if (column.mode === "utf8") return readQuotedUtf8(b, p, end, column, row, syntax.quote);
  const { delimiter, quote } = syntax;
  const { dictionary } = column;
  const repeated = dictionary.after(dictionary.lastQuoted, b, p);
  if (repeated > p && repeated + 1 < end && b[repeated] === quote && b[repeated + 1] !== quote) {
    column.words[row] = dictionary.lastQuoted;
    return repeated;
  }
  let hash = HASH_SEED;
  let doubled = false;
  let q = p;
  for (; q < end; q++) {
    const c = b[q];
    if (c === quote) {
      if (b[q + 1] !== quote) break;
      doubled = true;
      q++;
    }
    hash = Math.imul(hash ^ c, HASH_PRIME);
  }
  // The byte after the quote must be available: a doubled quote may be split across chunks.
  if (q + 1 >= end || q - p > column.maxBytes || (q === p && column.emptyIsNull)) return -1;
  // If the byte does not end the cell, the grammar decides: text from a malformed cell must not enter the dictionary.
  const c = b[q + 1];
  if (c !== delimiter && c !== LF && c !== CR) return -1;
  if (!column.ascii && invalidUtf8(b, p, q) >= 0) return -1;
  if (doubled) column.setUndoubled(row, b, p, q, syntax);
  else {
    dictionary.lastQuoted = dictionary.take(b, p, q, hash);
    column.words[row] = dictionary.lastQuoted;
  }
  return q;
}

/** {@link readQuotedText} for a Utf8 column: scans and copies in one pass. */
function readQuotedUtf8(
  b: Uint8Array,
  p: number,
  end: number,
  column: ColumnBuilder,
  row: number,
  quote: number,
): number {
  const from = column.heapLength;
  const stop = Math.min(end, p + LONGEST);
  const heap = column.heapFor(LONGEST);
  let n = from;
  let q = p;
  for (; q < stop; q++) {
    const c = b[q];
    if (c === quote) {
      if (b[q + 1] !== quote) break;
      q++;
    }
    heap[n++] = c;
  }
  if (q >= stop || q + 1 >= end || q - p > column.maxBytes || (n === from && column.emptyIsNull)) return -1;
  if (!column.ascii && invalidUtf8(heap, from, n) >= 0) return -1;
  column.endText(row, n);
  return q;
}
