import { COMMA, CR, LF, QUOTE } from "../../format/csv.js";
import { invalidUtf8 } from "../../value/text.js";
import type { ColumnBuilder } from "../build/builder.js";
import { HASH_PRIME, HASH_SEED } from "../build/dictionary.js";

/**
 * Reads the unquoted text at `p` into a row, up to a comma or line break.
 *
 * @returns the position of the comma or line break, or -1 for anything unusual: no text, a quote in it, bad UTF-8, the
 *   end of the bytes
 */
export function readText(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  if (column.mode === "utf8") return readUtf8(b, p, end, column, row);
  const { dictionary } = column;
  const repeated = dictionary.after(dictionary.lastBare, b, p);
  if (repeated >= 0 && repeated < end) {
    const c = b[repeated];
    if (c === COMMA || c === LF || c === CR) {
      column.words[row] = dictionary.lastBare;
      return repeated;
    }
  }
  let hash = HASH_SEED;
  let q = p;
  for (; ; q++) {
    const c = b[q];
    if (c <= COMMA && (c === COMMA || c === LF || c === CR || c === QUOTE)) break;
    hash = Math.imul(hash ^ c, HASH_PRIME);
  }
  if (q === p || q >= end || b[q] === QUOTE || q - p > column.maxBytes) return -1;
  let i = dictionary.find(b, p, q, hash);
  if (i < 0) {
    if (!column.ascii && invalidUtf8(b, p, q) >= 0) return -1;
    i = dictionary.add(b, p, q, hash);
  }
  dictionary.lastBare = i;
  column.words[row] = i;
  return q;
}

/** Longer text is left to the exact reader, so that the fast ones need room for this much at most. */
const LONGEST = 65_536;

/** {@link readText} of a Utf8 column: one pass that looks for the end and copies. */
function readUtf8(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  const from = column.heapLength;
  const stop = Math.min(end, p + LONGEST);
  const heap = column.heapFor(LONGEST);
  let n = from;
  let q = p;
  for (; q < stop; q++) {
    const c = b[q];
    if (c <= COMMA && (c === COMMA || c === LF || c === CR || c === QUOTE)) break;
    heap[n++] = c;
  }
  if (n === from || q >= stop || b[q] === QUOTE || n - from > column.maxBytes) return -1;
  if (!column.ascii && invalidUtf8(heap, from, n) >= 0) return -1;
  column.endText(row, n);
  return q;
}

/**
 * Reads quoted text whose first byte (after the quote) is at `p` into a row, doubled quotes undone.
 *
 * @returns the position of the closing quote, or -1 for anything unusual
 */
export function readQuotedText(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  if (column.mode === "utf8") return readQuotedUtf8(b, p, end, column, row);
  const { dictionary } = column;
  const repeated = dictionary.after(dictionary.lastQuoted, b, p);
  if (repeated > p && repeated + 1 < end && b[repeated] === QUOTE && b[repeated + 1] !== QUOTE) {
    column.words[row] = dictionary.lastQuoted;
    return repeated;
  }
  let hash = HASH_SEED;
  let doubled = false;
  let q = p;
  for (; q < end; q++) {
    const c = b[q];
    if (c === QUOTE) {
      if (b[q + 1] !== QUOTE) break;
      doubled = true;
      q++;
    }
    hash = Math.imul(hash ^ c, HASH_PRIME);
  }
  // The byte after the quote must be at hand, or a doubled quote could be cut in two.
  if (q + 1 >= end || q - p > column.maxBytes || (q === p && column.emptyIsNull)) return -1;
  // What does not end the cell is for the grammar to judge: the dictionary keeps no text that may be none.
  const c = b[q + 1];
  if (c !== COMMA && c !== LF && c !== CR) return -1;
  if (!column.ascii && invalidUtf8(b, p, q) >= 0) return -1;
  if (doubled) column.setUndoubled(row, b, p, q);
  else {
    dictionary.lastQuoted = dictionary.take(b, p, q, hash);
    column.words[row] = dictionary.lastQuoted;
  }
  return q;
}

/** {@link readQuotedText} of a Utf8 column: one pass that looks for the end and copies. */
function readQuotedUtf8(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  const from = column.heapLength;
  const stop = Math.min(end, p + LONGEST);
  const heap = column.heapFor(LONGEST);
  let n = from;
  let q = p;
  for (; q < stop; q++) {
    const c = b[q];
    if (c === QUOTE) {
      if (b[q + 1] !== QUOTE) break;
      q++;
    }
    heap[n++] = c;
  }
  if (q >= stop || q + 1 >= end || q - p > column.maxBytes || (n === from && column.emptyIsNull)) return -1;
  if (!column.ascii && invalidUtf8(heap, from, n) >= 0) return -1;
  column.endText(row, n);
  return q;
}
