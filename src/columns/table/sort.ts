import { LargeMap } from "../../value/large-map.js";
import { type Data, DataType, type Decimal, type Table, Vector } from "../arrow/arrow.js";
import { presentBits } from "../arrow/bits.js";
import { chunkReader } from "../arrow/cell-reader.js";
import type { Cell } from "../arrow/typed-readers.js";
import { columnProgram } from "./column-program.js";

/** One sort key: the column's position and its direction. */
export interface SortKey {
  readonly column: number;
  readonly descending?: boolean;
}

/**
 * The positions of the rows in sorted order: stable, most significant key first, nulls and `NaN` last in both
 * directions. Numbers, decimals and dates compare exactly, text by code point.
 *
 * Every key is converted to unsigned 32-bit integers that sort as the values do; a radix sort then runs from the least
 * to the most significant.
 */
export function sortedRows(table: Table, keys: readonly SortKey[]): Uint32Array {
  let order: Uint32Array | undefined;
  for (const { column, descending = false } of [...keys].reverse()) {
    const vector = table.getChildAt(column);
    if (vector === null) throw new RangeError(`no column ${column}`);
    for (const words of sortWords(vector, descending)) order = sortByWord(words, order);
  }
  if (order === undefined) {
    order = new Uint32Array(table.numRows);
    for (let i = 0; i < order.length; i++) order[i] = i;
  }
  return order;
}

/** Below this many rows, passes of at most 8 bits are cheaper than of 11. */
const SMALL = 4_096;

/**
 * Sorts the rows of an order (by default all rows) stably by one 32-bit integer of the key, with one pass per group of
 * bits in which the integers differ. Key integers move with the rows, so that every pass reads memory sequentially.
 */
function sortByWord(words: Uint32Array, before: Uint32Array | undefined): Uint32Array | undefined {
  let differs = 0;
  for (let i = 1; i < words.length; i++) differs |= words[i] ^ words[0];
  if (differs === 0) return before;
  const { mask, shifts } = passesOver(differs, words.length < SMALL ? 8 : 11);
  let order = before;
  let word: Uint32Array = words;
  if (before !== undefined) {
    word = new Uint32Array(words.length);
    for (let i = 0; i < before.length; i++) word[i] = words[before[i]];
  }
  let spare: Uint32Array = new Uint32Array(words.length);
  let spareWord: Uint32Array = new Uint32Array(shifts.length === 1 ? 0 : words.length);
  for (const [k, shift] of shifts.entries()) {
    const isLast = k === shifts.length - 1;
    radixPass({ order, word }, spare, isLast ? undefined : spareWord, shift, mask);
    if (isLast) return spare;
    [order, spare] = [spare, order ?? new Uint32Array(words.length)];
    [word, spareWord] = [spareWord, word === words ? new Uint32Array(words.length) : word];
  }
  return order;
}

/** Passes over the bits in which integers differ, of equal width up to this many bits, for the fewest groups. */
function passesOver(differs: number, most: number): { readonly mask: number; readonly shifts: readonly number[] } {
  const lowest = 31 - Math.clz32(differs & -differs);
  const range = 32 - Math.clz32(differs) - lowest;
  const count = Math.ceil(range / most);
  const bits = Math.ceil(range / count);
  const mask = (1 << bits) - 1;
  const shifts = Array.from({ length: count }, (_, k) => lowest + k * bits);
  return { mask, shifts: shifts.filter((shift) => shift < 32 && ((differs >>> shift) & mask) !== 0) };
}

/** Where the rows with each group of bits begin in sorted order. */
function startsOf(word: Uint32Array, shift: number, mask: number): Uint32Array {
  const starts = new Uint32Array(mask + 2);
  for (let i = 0; i < word.length; i++) starts[((word[i] >>> shift) & mask) + 1]++;
  for (let b = 0; b <= mask; b++) starts[b + 1] += starts[b];
  return starts;
}

/** Rows in an order, by default their own, with the integer of the key of each. */
interface Keyed {
  readonly order: Uint32Array | undefined;
  readonly word: Uint32Array;
}

/** Moves rows to their places by a group of bits; the key integers as well, unless no pass reads them any more. */
function radixPass(
  { order, word }: Keyed,
  nextOrder: Uint32Array,
  nextWord: Uint32Array | undefined,
  shift: number,
  mask: number,
): void {
  const starts = startsOf(word, shift, mask);
  if (nextWord === undefined) {
    if (order === undefined) for (let i = 0; i < word.length; i++) nextOrder[starts[(word[i] >>> shift) & mask]++] = i;
    else for (let i = 0; i < word.length; i++) nextOrder[starts[(word[i] >>> shift) & mask]++] = order[i];
    return;
  }
  for (let i = 0; i < word.length; i++) {
    const value = word[i];
    const to = starts[(value >>> shift) & mask]++;
    nextOrder[to] = order === undefined ? i : order[i];
    nextWord[to] = value;
  }
}

/**
 * The 32-bit integers of one key, least significant first; the last one sorts `NaN` and nulls after everything else.
 */
function sortWords(vector: Vector, descending: boolean): Uint32Array[] {
  const words = valueWords(vector, descending ? -1 : 0);
  const last = missingWord(vector);
  if (last === undefined) return words;
  for (const word of words) for (let i = 0; i < word.length; i++) if (last[i] !== 0) word[i] = 0;
  return [...words, last];
}

/** 1 for null and `NaN`; undefined if there are none. */
function missingWord(vector: Vector): Uint32Array | undefined {
  let last: Uint32Array | undefined;
  let at = 0;
  for (const data of vector.data as readonly Data[]) {
    const present = presentBits(data);
    if (present !== undefined) {
      last ??= new Uint32Array(vector.length);
      for (let i = 0; i < data.length; i++) last[at + i] = ((present[i >> 3] >> (i & 7)) & 1) ^ 1;
    }
    at += data.length;
  }
  return last;
}

/** `flip` inverts all bits (-1) or none (0). */
function valueWords(vector: Vector, flip: number): Uint32Array[] {
  const type = vector.type as DataType;
  if (DataType.isDecimal(type)) return wideWords(vector, (type as Decimal).bitWidth / 32, flip, true);
  if (DataType.isFloat(type) && type.precision === 2) return flipped(doubleWords(vector), flip);
  if (DataType.isInt(type) && type.bitWidth === 64) return wideWords(vector, 2, flip, type.isSigned);
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return wideWords(vector, 2, flip, true);
  if (DataType.isDate(type) && type.unit === 1) return wideWords(vector, 2, flip, true);
  if (DataType.isTime(type) && type.bitWidth === 64) return wideWords(vector, 2, flip, true);
  if (DataType.isInt(type) || DataType.isDate(type) || DataType.isTime(type)) return flipped(narrowWords(vector), flip);
  return flipped([DataType.isDictionary(type) ? entryWords(vector) : rankWords(vector)], flip);
}

function flipped(words: Uint32Array[], flip: number): Uint32Array[] {
  if (flip !== 0) for (const word of words) for (let i = 0; i < word.length; i++) word[i] ^= flip;
  return words;
}

/** Integers of `words` 32-bit integers each: an array for each in which they differ, least significant first. */
function wideWords(vector: Vector, words: number, flip: number, signed: boolean): Uint32Array[] {
  const views = vector.data.map((data) => {
    const { buffer, byteOffset } = data.values as Uint32Array;
    return new Uint32Array(buffer, byteOffset, data.length * words);
  });
  const narrow = words === 4 ? narrowIntegers(views, vector.length, flip ^ 0x80000000) : undefined;
  if (narrow !== undefined) return [narrow];
  const first = views.find((view) => view.length > 0);
  const out: Uint32Array[] = [];
  for (let w = 0; w < words; w++) {
    if (first === undefined || !views.some((view) => differs(view, w, words, first[w]))) continue;
    const word = new Uint32Array(vector.length);
    const mask = signed && w === words - 1 ? flip ^ 0x80000000 : flip;
    let at = 0;
    for (const view of views) for (let i = w; i < view.length; i += words) word[at++] = view[i] ^ mask;
    out.push(word);
  }
  return out;
}

/** Rows of one call of the program. */
const CALL = 8_192;

/** Integers of 128 bits as ones of 32, some bits inverted, if these hold them and there are many; else undefined. */
function narrowIntegers(views: readonly Uint32Array[], length: number, mask: number): Uint32Array | undefined {
  if (length < 2 * CALL) return undefined;
  const { run, memory, at } = columnProgram();
  const outAt = at + CALL * 16;
  const narrow = new Uint32Array(memory.buffer, outAt, CALL);
  const word = new Uint32Array(length);
  let row = 0;
  for (const view of views) {
    for (let from = 0; from < view.length; from += CALL * 4) {
      const part = view.subarray(from, from + CALL * 4);
      const count = part.length / 4;
      memory.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
      if (run.narrow(at, count, 4, outAt) < count) return undefined;
      for (let i = 0; i < count; i++) word[row++] = narrow[i] ^ mask;
    }
  }
  return word;
}

function differs(view: Uint32Array, from: number, step: number, value: number): boolean {
  for (let i = from; i < view.length; i += step) if (view[i] !== value) return true;
  return false;
}

function narrowWords(vector: Vector): Uint32Array[] {
  const word = new Uint32Array(vector.length);
  let at = 0;
  for (const data of vector.data) {
    const values = data.values as Int32Array;
    for (let i = 0; i < data.length; i++) word[at++] = values[i];
  }
  const type = vector.type as DataType;
  if (!DataType.isInt(type) || type.isSigned) flipSign(word);
  return [word];
}

const flipSign = (word: Uint32Array): void => {
  for (let i = 0; i < word.length; i++) word[i] ^= 0x80000000;
};

/** IEEE 754 bits with all bits of negative numbers inverted, and only the sign bit of others; -0 counts as 0. */
function doubleWords(vector: Vector): Uint32Array[] {
  const values = new Float64Array(vector.length);
  let at = 0;
  for (const data of vector.data) {
    values.set((data.values as Float64Array).subarray(0, data.length), at);
    at += data.length;
  }
  for (let i = 0; i < values.length; i++) if (values[i] === 0) values[i] = 0;
  const bits = new Uint32Array(values.buffer);
  const low = new Uint32Array(values.length);
  const high = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const top = bits[2 * i + 1];
    const negative = top >>> 31 === 1;
    low[i] = negative ? ~bits[2 * i] : bits[2 * i];
    high[i] = negative ? ~top : top ^ 0x80000000;
  }
  return [low, high];
}

/** Dictionaries: the rank of each entry among the sorted distinct entries of all of them. */
function entryWords(vector: Vector): Uint32Array {
  const starts = new Map<Vector, number>();
  let length = 0;
  for (const { dictionary } of vector.data) {
    if (dictionary == null || starts.has(dictionary)) continue;
    starts.set(dictionary, length);
    length += dictionary.length;
  }
  const word = new Uint32Array(vector.length);
  if (length === 0) return word;
  const rank = ranksOf(new Vector([...starts.keys()].flatMap(({ data }) => data)));
  let at = 0;
  for (const { dictionary, length, values } of vector.data) {
    const start = starts.get(dictionary as Vector) as number;
    for (let i = 0; i < length; i++) word[at++] = rank[start + Number(values[i])] ?? 0;
  }
  return word;
}

/** For each value, how many distinct ones come before it. */
function ranksOf(vector: Vector): Uint32Array {
  const words = sortWords(vector, false);
  let order: Uint32Array | undefined;
  for (const word of words) order = sortByWord(word, order);
  const rank = new Uint32Array(vector.length);
  if (order === undefined) return rank;
  for (let i = 1; i < order.length; i++) {
    const [before, at] = [order[i - 1], order[i]];
    rank[at] = rank[before] + (words.some((word) => word[at] !== word[before]) ? 1 : 0);
  }
  return rank;
}

/** Text, booleans and other types: the rank of each value among the sorted distinct values. */
function rankWords(vector: Vector): Uint32Array {
  const word = new Uint32Array(vector.length);
  const places = new LargeMap<Cell, number>();
  let at = 0;
  for (const data of vector.data) {
    word.set(valueIds(data, places), at);
    at += data.length;
  }
  const sorted = [...places.keys()].sort(compareValues);
  const rank = new Uint32Array(sorted.length);
  for (const [i, value] of sorted.entries()) rank[places.get(value) as number] = i;
  for (let i = 0; i < word.length; i++) word[i] = rank[word[i]] ?? 0;
  return word;
}

function valueIds(data: Data, places: LargeMap<Cell, number>): Uint32Array {
  const { valid, value } = chunkReader(data);
  const ids = new Uint32Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const cell = valid(i) ? value(i) : Number.NaN;
    if (!Number.isNaN(cell)) ids[i] = placeOf(cell, places);
  }
  return ids;
}

function placeOf(key: Cell, places: LargeMap<Cell, number>): number {
  let place = places.get(key);
  if (place === undefined) {
    place = places.size;
    places.set(key, place);
  }
  return place;
}

function compareValues(a: Cell, b: Cell): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}

/** Compares by code point, which is also the order of the UTF-8 bytes; `<` would sort an emoji before U+FFFD. */
export function compareText(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    if (x >= 0xd800 && y >= 0xd800) {
      x = x >= 0xe000 ? x - 0x800 : x + 0x2000;
      y = y >= 0xe000 ? y - 0x800 : y + 0x2000;
    }
    return x - y;
  }
  return a.length - b.length;
}
