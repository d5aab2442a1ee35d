import { invalidUtf8 } from "../../value/text.js";
import type { ColumnBuilder } from "../build/builder.js";
import { HASH_PRIME, HASH_SEED } from "../build/dictionary.js";

const QUOTE = 34;
const BACKSLASH = 92;

/** Text without escapes whose first byte is at `p`: stored, and the position of its closing quote; or -1. */
export function readJsonText(b: Uint8Array, p: number, end: number, column: ColumnBuilder, row: number): number {
  const { dictionary } = column;
  const repeated = dictionary.after(dictionary.lastQuoted, b, p);
  if (repeated >= 0 && repeated < end && b[repeated] === QUOTE) {
    column.words[row] = dictionary.lastQuoted;
    return repeated;
  }
  let hash = HASH_SEED;
  let seen = 0;
  let q = p;
  for (; q < end; q++) {
    const c = b[q];
    if (c === QUOTE || c === BACKSLASH || c < 32) break;
    hash = Math.imul(hash ^ c, HASH_PRIME);
    seen |= c;
  }
  if (q >= end || b[q] !== QUOTE || (seen >= 128 && invalidUtf8(b, p, q) >= 0)) return -1;
  if (column.mode === "utf8") column.appendText(row, b, p, q);
  else {
    dictionary.lastQuoted = dictionary.take(b, p, q, hash);
    column.words[row] = dictionary.lastQuoted;
  }
  return q;
}
