import { type Data, DataType, type Decimal, type Table, type Vector } from "../arrow/arrow.js";
import { chunkReader } from "../arrow/cell-reader.js";
import type { Cell } from "../arrow/typed-readers.js";

/** One sort key: the column's position and its direction. */
export interface SortKey {
  readonly column: number;
  readonly descending?: boolean;
}

/**
 * The positions of the rows in sorted order: stable, keys in order of weight, nulls last in both directions and `NaN`
 * just before them. Numbers, decimals and dates compare exactly, text by code point.
 *
 * Every key becomes unsigned 32-bit integers that sort as the values do; then a radix sort runs from the least
 * significant to the most.
 */
export function sortedRows(table: Table, keys: readonly SortKey[]): Uint32Array {
  const rows = table.numRows;
  const order = new Uint32Array(rows);
  for (let i = 0; i < rows; i++) order[i] = i;
  let sorted: Sorted = {
    order,
    spare: new Uint32Array(rows),
    word: new Uint32Array(rows),
    spareWord: new Uint32Array(rows),
  };
  for (const { column, descending = false } of [...keys].reverse()) {
    const vector = table.getChildAt(column);
    if (vector === null) throw new RangeError(`no column ${column}`);
    for (const words of sortWords(vector, descending)) sorted = sortByWord(words, sorted);
  }
  return sorted.order;
}

/**
 * The order so far, and the key integers of the rows in that order: carried along, so that every pass reads memory in
 * sequence.
 */
interface Sorted {
  readonly order: Uint32Array;
  readonly spare: Uint32Array;
  readonly word: Uint32Array;
  readonly spareWord: Uint32Array;
}

/** Below this many rows, passes of 8 bits are cheaper than passes of 11, whose buckets still fit the fastest cache. */
const SMALL = 4_096;

/**
 * Sorts the rows by one 32-bit integer of the key, stable: a pass for each group of bits in which the integers differ.
 */
function sortByWord(words: Uint32Array, sorted: Sorted): Sorted {
  let differs = 0;
  for (let i = 1; i < words.length; i++) differs |= words[i] ^ words[0];
  if (differs === 0) return sorted;
  let { order, spare, word, spareWord } = sorted;
  for (let i = 0; i < order.length; i++) word[i] = words[order[i]];
  const bits = order.length < SMALL ? 8 : 11;
  const mask = (1 << bits) - 1;
  for (let shift = 0; shift < 32; shift += bits) {
    if (((differs >>> shift) & mask) === 0) continue;
    radixPass(order, word, spare, spareWord, shift, mask);
    [order, spare, word, spareWord] = [spare, order, spareWord, word];
  }
  return { order, spare, word, spareWord };
}

function radixPass(
  order: Uint32Array,
  word: Uint32Array,
  nextOrder: Uint32Array,
  nextWord: Uint32Array,
  shift: number,
  mask: number,
): void {
  const starts = new Uint32Array(mask + 2);
  for (let i = 0; i < word.length; i++) starts[((word[i] >>> shift) & mask) + 1]++;
  for (let b = 0; b <= mask; b++) starts[b + 1] += starts[b];
  for (let i = 0; i < word.length; i++) {
    const value = word[i];
    const to = starts[(value >>> shift) & mask]++;
    nextOrder[to] = order[i];
    nextWord[to] = value;
  }
}

/**
 * The 32-bit integers of one key, least significant first; the last one puts `NaN` and nulls behind everything else.
 */
function sortWords(vector: Vector, descending: boolean): Uint32Array[] {
  const words = valueWords(vector);
  const last = new Uint32Array(vector.length);
  let at = 0;
  let special = false;
  for (const data of vector.data) {
    const floats = DataType.isFloat(data.type) && data.type.precision !== 0 ? (data.values as Float64Array) : undefined;
    const nulls = data.nullCount > 0;
    for (let i = 0; i < data.length; i++, at++) {
      if (nulls && !data.getValid(i)) last[at] = 2;
      else if (floats !== undefined && Number.isNaN(floats[i])) last[at] = 1;
      if (last[at] !== 0) special = true;
    }
  }
  for (const word of words) {
    if (descending) for (let i = 0; i < word.length; i++) word[i] = ~word[i];
    if (special) for (let i = 0; i < word.length; i++) if (last[i] !== 0) word[i] = 0;
  }
  return special ? [...words, last] : words;
}

function valueWords(vector: Vector): Uint32Array[] {
  const type = vector.type as DataType;
  if (DataType.isDecimal(type)) return decimalWords(vector, (type as Decimal).bitWidth / 32);
  if (DataType.isFloat(type) && type.precision === 2) return doubleWords(vector);
  if (DataType.isInt(type) && type.bitWidth === 64) return wideWords(vector, type.isSigned);
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return wideWords(vector, true);
  if (DataType.isDate(type) && type.unit === 1) return wideWords(vector, true);
  if (DataType.isTime(type) && type.bitWidth === 64) return wideWords(vector, true);
  if (DataType.isInt(type) || DataType.isDate(type) || DataType.isTime(type)) return narrowWords(vector);
  return [rankWords(vector)];
}

/**
 * Copies the 32-bit parts of every chunk, `words` for each value, into one array for each part, least significant
 * first.
 */
function splitWords(vector: Vector, words: number): Uint32Array[] {
  const out = Array.from({ length: words }, () => new Uint32Array(vector.length));
  let at = 0;
  for (const data of vector.data) {
    const raw = data.values as Uint32Array;
    const view = new Uint32Array(raw.buffer, raw.byteOffset, data.length * words);
    for (let w = 0; w < words; w++) for (let i = 0; i < data.length; i++) out[w][at + i] = view[i * words + w];
    at += data.length;
  }
  return out;
}

function decimalWords(vector: Vector, words: number): Uint32Array[] {
  const out = splitWords(vector, words);
  flipSign(out[words - 1]);
  return out;
}

function wideWords(vector: Vector, signed: boolean): Uint32Array[] {
  const out = splitWords(vector, 2);
  if (signed) flipSign(out[1]);
  return out;
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

/** IEEE 754 bits: a negative number has all its bits turned over, any other its sign only; -0 counts as 0. */
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

/**
 * Text, booleans and whatever else has an order of its own: each distinct value's place among the sorted distinct
 * values.
 */
function rankWords(vector: Vector): Uint32Array {
  const word = new Uint32Array(vector.length);
  const places = new Map<Cell, number>();
  let at = 0;
  for (const data of vector.data) {
    const ids = DataType.isDictionary(data.type) ? dictionaryIds(data, places) : valueIds(data, places);
    for (let i = 0; i < data.length; i++) word[at + i] = ids[i];
    at += data.length;
  }
  const sorted = [...places.keys()].sort(compareValues);
  const rank = new Uint32Array(sorted.length);
  for (const [i, value] of sorted.entries()) rank[places.get(value) as number] = i;
  for (let i = 0; i < word.length; i++) word[i] = rank[word[i]] ?? 0;
  return word;
}

function dictionaryIds(data: Data, places: Map<Cell, number>): Uint32Array {
  const map: number[] = [];
  for (const part of (data.dictionary as Vector).data) {
    const { valid, value } = chunkReader(part);
    for (let j = 0; j < part.length; j++) map.push(placeOf(valid(j) ? value(j) : null, places));
  }
  const ids = new Uint32Array(data.length);
  for (let i = 0; i < data.length; i++) ids[i] = map[Number(data.values[i])] ?? 0;
  return ids;
}

function valueIds(data: Data, places: Map<Cell, number>): Uint32Array {
  const { valid, value } = chunkReader(data);
  const ids = new Uint32Array(data.length);
  for (let i = 0; i < data.length; i++) if (valid(i)) ids[i] = placeOf(value(i), places);
  return ids;
}

function placeOf(key: Cell, places: Map<Cell, number>): number {
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

/** By code point, which is also the order of the UTF-8 bytes; `<` alone would put an emoji before U+FFFD. */
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
