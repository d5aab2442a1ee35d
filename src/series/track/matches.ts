import type { Vector } from "../../columns/arrow/arrow.js";
import type { Codes } from "../core/codes.js";
import { refuseTooManyRows } from "../core/result-shape.js";
import { presentOf } from "./aggregate.js";
import { allRows, type Picks, picksByCode, picksOf } from "./picks.js";

/** The rows of a joined table. */
export interface Pairs {
  /** Row of the left table, −1 for none; undefined where they are all of its rows in order. */
  readonly left: Int32Array | undefined;
  /** Row of the right table, −1 for none. */
  readonly right: Picks;
  /** No left row has several partners. */
  readonly rightIsUnique: boolean;
}

/** The keys of two tables as codes, −1 where a part of the key is null, and the right rows of each code. */
interface Matches {
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly size: number;
}

/** Codes whose rows with a null (or NaN) in the key are −1: null equals nothing. */
export function matchesOf(
  { rows: [left, right], size }: Codes,
  [lefts, rights]: readonly [readonly Vector[], readonly Vector[]],
): Matches {
  return { left: withoutNulls(left, lefts), right: withoutNulls(right, rights), size };
}

function withoutNulls(codes: Int32Array, vectors: readonly Vector[]): Int32Array {
  let out = codes;
  for (const vector of vectors) {
    const present = presentOf(vector);
    if (present === undefined) continue;
    if (out === codes) out = codes.slice();
    for (let row = 0; row < out.length; row++) if (present[row] === 0) out[row] = -1;
  }
  return out;
}

type Kind = "inner" | "left" | "right" | "outer" | "semi" | "anti";

/** The pairs of rows that a join keeps; `method` is for messages. */
export function pairsOf({ left, right, size }: Matches, how: Kind, method: string): Pairs {
  if (how === "right") {
    const { left: rights, right: lefts } = pairsOf({ left: right, right: left, size }, "left", method);
    const all = rights === undefined ? allRows(right.length) : picksOf(rights, right.length);
    return { left: lefts.rows(), right: all, rightIsUnique: false };
  }
  const { starts, rows } = rowsByCode(right, size);
  let isUnique = true;
  for (let code = 0; code < size && isUnique; code++) isUnique = starts[code + 1] - starts[code] <= 1;
  if (how === "semi" || how === "anti") return kept(left, starts, how === "semi");
  if (isUnique && (how === "left" || how === "inner")) return single(left, starts, rows, how);
  const counts = new Int32Array(left.length);
  let total = 0;
  for (let i = 0; i < left.length; i++) {
    const found = left[i] === -1 ? 0 : starts[left[i] + 1] - starts[left[i]];
    counts[i] = found === 0 && how !== "inner" ? 1 : found;
    total += counts[i];
  }
  const alone = how === "outer" ? unmatched(left, right, size) : new Int32Array(0);
  refuseTooManyRows(total + alone.length, method);
  const lefts = new Int32Array(total + alone.length).fill(-1);
  const rights = new Int32Array(total + alone.length).fill(-1);
  for (let i = 0, at = 0; i < left.length; i++) {
    const start = left[i] === -1 ? 0 : starts[left[i]];
    const found = left[i] === -1 ? 0 : starts[left[i] + 1] - start;
    for (let k = 0; k < counts[i]; k++, at++) {
      lefts[at] = i;
      if (k < found) rights[at] = rows[start + k];
    }
  }
  rights.set(alone, total);
  return { left: lefts, right: picksOf(rights, right.length), rightIsUnique: isUnique };
}

/** Left rows, each once: those with a partner, or those without. */
function kept(left: Int32Array, starts: Int32Array, isWanted: boolean): Pairs {
  const rows = new Int32Array(left.length);
  let count = 0;
  for (let i = 0; i < left.length; i++) {
    const code = left[i];
    if ((code !== -1 && starts[code + 1] > starts[code]) === isWanted) rows[count++] = i;
  }
  return { left: rows.slice(0, count), right: picksOf(new Int32Array(0), 0), rightIsUnique: true };
}

/** Of a right table without repeats: at most one partner for each left row. */
function single(left: Int32Array, starts: Int32Array, rows: Int32Array, how: "left" | "inner"): Pairs {
  const rowOf = new Int32Array(starts.length - 1);
  for (let code = 0; code < rowOf.length; code++)
    rowOf[code] = starts[code + 1] > starts[code] ? rows[starts[code]] : -1;
  if (how === "left") return { left: undefined, right: picksByCode(left, rowOf), rightIsUnique: true };
  let count = 0;
  for (let i = 0; i < left.length; i++) if (left[i] !== -1 && rowOf[left[i]] !== -1) count++;
  if (count === left.length) return { left: undefined, right: picksByCode(left, rowOf), rightIsUnique: true };
  const lefts = new Int32Array(count);
  const codes = new Int32Array(count);
  for (let i = 0, at = 0; i < left.length; i++) {
    if (left[i] === -1 || rowOf[left[i]] === -1) continue;
    codes[at] = left[i];
    lefts[at++] = i;
  }
  return { left: lefts, right: picksByCode(codes, rowOf), rightIsUnique: true };
}

/** Right rows without a partner, in order. */
function unmatched(left: Int32Array, right: Int32Array, size: number): Int32Array {
  const occurs = new Uint8Array(size);
  for (let i = 0; i < left.length; i++) if (left[i] !== -1) occurs[left[i]] = 1;
  const rows: number[] = [];
  for (let i = 0; i < right.length; i++) if (right[i] === -1 || occurs[right[i]] === 0) rows.push(i);
  return Int32Array.from(rows);
}

/** Rows by code: those of code c are at `starts[c]` to `starts[c + 1]`. */
export interface Places {
  readonly starts: Int32Array;
  readonly rows: Int32Array;
}

/** The rows of each code; those of no code, -1, are left out. */
export function rowsByCode(codes: Int32Array, size: number): Places {
  const starts = new Int32Array(size + 1);
  for (let i = 0; i < codes.length; i++) if (codes[i] !== -1) starts[codes[i] + 1]++;
  for (let c = 0; c < size; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  const rows = new Int32Array(starts[size]);
  for (let i = 0; i < codes.length; i++) if (codes[i] !== -1) rows[next[codes[i]]++] = i;
  return { starts, rows };
}
