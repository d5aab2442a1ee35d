import { COMMA, CR, LF, QUOTE } from "../format/csv.js";
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
  const repeated = dictionary.after(dictionary.lastBare, b, p);
  if (repeated >= 0 && repeated < end) {
    const c = b[repeated];
    if (c === COMMA || c === LF || c === CR) {
      column.words[row] = dictionary.lastBare;
      return repeated;
    }
  }
  let hash = HASH_SEED;
  let seen = 0;
  let q = p;
  for (; ; q++) {
    const c = b[q];
    if (c <= COMMA && (c === COMMA || c === LF || c === CR || c === QUOTE)) break;
    hash = Math.imul(hash ^ c, HASH_PRIME);
    seen |= c;
  }
  if (q === p || q >= end || b[q] === QUOTE || q - p > column.maxBytes) return -1;
  let i = dictionary.find(b, p, q, hash);
  if (i < 0) {
    if (seen >= 128 && invalidUtf8(b, p, q) >= 0) return -1;
    i = dictionary.add(b, p, q, hash);
  }
  dictionary.lastBare = i;
  column.words[row] = i;
  return q;
}

function readUtf8(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  let seen = 0;
  let q = p;
  for (; ; q++) {
    const c = b[q];
    if (c <= COMMA && (c === COMMA || c === LF || c === CR || c === QUOTE)) break;
    seen |= c;
  }
  if (q === p || q >= end || b[q] === QUOTE || q - p > column.maxBytes || (seen >= 128 && invalidUtf8(b, p, q) >= 0))
    return -1;
  column.appendText(row, b, p, q);
  return q;
}

/**
 * Reads quoted text whose first byte (after the quote) is at `p` into a row, doubled quotes undone.
 *
 * @returns the position of the closing quote, or -1 for anything unusual
 */
export function readQuotedText(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  const { dictionary } = column;
  const asDictionary = column.mode !== "utf8";
  if (asDictionary) {
    const repeated = dictionary.after(dictionary.lastQuoted, b, p);
    if (repeated > p && repeated + 1 < end && b[repeated] === QUOTE && b[repeated + 1] !== QUOTE) {
      column.words[row] = dictionary.lastQuoted;
      return repeated;
    }
  }
  let hash = HASH_SEED;
  let seen = 0;
  let q = p;
  for (; q < end; q++) {
    const c = b[q];
    if (c === QUOTE) break;
    hash = Math.imul(hash ^ c, HASH_PRIME);
    seen |= c;
  }
  // The byte after the quote must be at hand, or a doubled quote could be cut in two.
  if (q + 1 >= end || q - p > column.maxBytes) return -1;
  if (b[q + 1] === QUOTE) return readDoubled(b, p, q, end, seen, column, row);
  if ((seen >= 128 && invalidUtf8(b, p, q) >= 0) || (q === p && column.emptyIsNull)) return -1;
  if (asDictionary) {
    dictionary.lastQuoted = dictionary.take(b, p, q, hash);
    column.words[row] = dictionary.lastQuoted;
  } else column.appendText(row, b, p, q);
  return q;
}

/** {@link readQuotedText} from the first doubled quote on, which is at `from`. */
function readDoubled(
  b: Uint8Array,
  p: number,
  from: number,
  end: number,
  before: number,
  column: ColumnBuilder,
  row: number,
): number {
  let seen = before;
  let q = from;
  for (; q < end; q++) {
    const c = b[q];
    seen |= c;
    if (c !== QUOTE) continue;
    if (b[q + 1] !== QUOTE) break;
    q++;
  }
  if (q + 1 >= end || q - p > column.maxBytes || (seen >= 128 && invalidUtf8(b, p, q) >= 0)) return -1;
  column.setUndoubled(row, b, p, q);
  return q;
}
