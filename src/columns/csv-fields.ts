import { CR, LF, QUOTE } from "../format/csv.js";
import { invalidUtf8 } from "../format/json.js";
import type { ColumnBuilder } from "./builder.js";
import { HASH_PRIME, HASH_SEED } from "./dictionary.js";

/**
 * Reads the unquoted text at `p` into a row, up to a comma or line break.
 *
 * @returns the position of the comma or line break, or -1 for anything unusual: no text, a quote in it, bad UTF-8, the end of the bytes
 */
export function readText(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  if (column.mode === "utf8") return readUtf8(b, p, end, column, row);
  const { dictionary } = column;
  const { last, bytes, offsets } = dictionary;
  let q = p;
  if (dictionary.size > 0) {
    // Sorted columns repeat the value above.
    const to = offsets[last + 1];
    let r = offsets[last];
    while (r < to && b[q] === bytes[r]) {
      q++;
      r++;
    }
    const c = b[q];
    if (r === to && q > p && q < end && (c === 44 || c === LF || c === CR)) {
      column.words[row] = last;
      return q;
    }
  }
  let hash = HASH_SEED;
  let seen = 0;
  for (q = p; ; q++) {
    const c = b[q];
    if (c <= 44 && (c === 44 || c === LF || c === CR || c === QUOTE)) break;
    hash = Math.imul(hash ^ c, HASH_PRIME);
    seen |= c;
  }
  if (q === p || q >= end || b[q] === QUOTE) return -1;
  const found = dictionary.find(b, p, q, hash);
  if (found >= 0) column.words[row] = found;
  else {
    if (seen >= 128 && invalidUtf8(b, p, q) >= 0) return -1;
    column.words[row] = dictionary.add(b, p, q, hash);
  }
  return q;
}

function readUtf8(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  let seen = 0;
  let q = p;
  for (; ; q++) {
    const c = b[q];
    if (c <= 44 && (c === 44 || c === LF || c === CR || c === QUOTE)) break;
    seen |= c;
  }
  if (q === p || q >= end || b[q] === QUOTE || (seen >= 128 && invalidUtf8(b, p, q) >= 0)) return -1;
  column.appendText(row, b, p, q);
  return q;
}

/**
 * Reads quoted text whose first byte (after the quote) is at `p` into a row, doubled quotes undone.
 *
 * @returns the position of the closing quote, or -1 for anything unusual
 */
export function readQuotedText(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  let seen = 0;
  let doubled = false;
  let q = p;
  for (; q < end; q++) {
    const c = b[q];
    seen |= c;
    if (c === QUOTE) {
      if (b[q + 1] !== QUOTE) break;
      doubled = true;
      q++;
    }
  }
  // The byte after the quote must be at hand, or a doubled quote could be cut in two.
  if (q + 1 >= end || (seen >= 128 && invalidUtf8(b, p, q) >= 0)) return -1;
  if (q === p && column.emptyIsNull) return -1;
  if (!doubled) column.setText(row, b, p, q);
  else column.setUndoubled(row, b, p, q);
  return q;
}
