import { type Data, DataType, Vector } from "../../columns/arrow/arrow.js";
import { missingCount, presentBits } from "../../columns/arrow/bits.js";
import { vectorToNumbers, vectorToStrings } from "../../columns/arrow/vector-values.js";
import { hashText, TextDictionary } from "../../columns/build/dictionary.js";
import { sameDictionary, takeVector } from "../../columns/table/take.js";
import { LargeMap } from "../../value/large-map.js";
import { joined } from "./pieces.js";

/**
 * Values encoded as small integers: across all vectors, codes are equal exactly if the values are. Nulls equal each
 * other, and NaN.
 */
export interface Codes {
  /** One array per vector with one code per row. */
  readonly rows: readonly Int32Array[];
  /** Codes are below this number; some may not occur. */
  readonly size: number;
}

/**
 * Encodes one or several vectors of the same type. The indices of a dictionary without repeated values are used
 * directly, without a copy.
 */
export function codesOf(vectors: readonly Vector[]): Codes {
  const direct = sharedIndices(vectors);
  if (direct !== undefined) return direct;
  const narrow = narrowCodes(vectors);
  if (narrow !== undefined) return narrow;
  if (vectors.some(({ type }) => DataType.isDictionary(type))) return entryCodes(vectors);
  return plainCodes(vectors) ?? textCodes(vectors);
}

/** The codes of the entries of all dictionaries, by row. */
function entryCodes(vectors: readonly Vector[]): Codes {
  const chunks = vectors.flatMap((vector) => vector.data.filter((data) => data.length > 0));
  const unlike: Data[] = [];
  for (const data of chunks) if (!unlike.some((other) => shareDictionary(data, other))) unlike.push(data);
  if (unlike.length === 0) return { rows: vectors.map(() => new Int32Array(0)), size: 0 };
  const dictionaries = unlike.map(({ dictionary }) => dictionary as Vector);
  const { rows: entries, size } = codesOf([...dictionaries, takeVector(dictionaries[0], Int32Array.of(-1))]);
  const [ofNull] = entries[unlike.length];
  const rows = vectors.map((vector) => {
    const codes = new Int32Array(vector.length).fill(ofNull);
    let at = 0;
    for (const data of vector.data as readonly Data[]) {
      const { values, length } = data;
      const own = entries[unlike.findIndex((other) => shareDictionary(data, other))];
      const nulls = data.nullCount > 0;
      for (let i = 0; i < length; i++, at++) if (!nulls || data.getValid(i)) codes[at] = own[Number(values[i])];
    }
    return codes;
  });
  return { rows, size };
}

/** The codes of values by their texts, as of decimals and booleans. */
function textCodes(vectors: readonly Vector[]): Codes {
  const seen = new LargeMap<string | null, number>();
  const rows = vectors.map((vector) =>
    Int32Array.from(vectorToStrings(vector), (text) => {
      const code = seen.get(text) ?? seen.size;
      if (code === seen.size) seen.set(text, code);
      return code;
    }),
  );
  return { rows, size: seen.size };
}

/** The dictionary indices of each chunk, if all chunks share a dictionary of distinct values and none is null. */
export function ownIndices(
  vector: Vector,
): { readonly pieces: readonly Int32Array[]; readonly size: number } | undefined {
  const chunks = vector.data.filter((data) => data.length > 0);
  const [first] = chunks;
  if (first === undefined || vector.nullCount > 0) return undefined;
  if (!DataType.isDictionary(first.type) || !(first.values instanceof Int32Array)) return undefined;
  if (!chunks.every((data) => shareDictionary(data, first))) return undefined;
  const dictionary = first.dictionary as Vector;
  if (!isDistinct(dictionary)) return undefined;
  const pieces = chunks.map((data) => (data.values as Int32Array).subarray(0, data.length));
  return { pieces, size: dictionary.length };
}

/** The dictionary indices of all vectors, where they share a dictionary as in {@link ownIndices}. */
function sharedIndices(vectors: readonly Vector[]): Codes | undefined {
  const all = vectors.map(ownIndices);
  const [first] = vectors[0].data.filter((data) => data.length > 0);
  const rows: Int32Array[] = [];
  for (const [v, own] of all.entries()) {
    const chunk = vectors[v].data.find((data) => data.length > 0);
    if (own === undefined || chunk === undefined || !shareDictionary(chunk, first)) return undefined;
    rows.push(joined(own.pieces, Int32Array));
  }
  return { rows, size: all[0]?.size ?? 0 };
}

const known = new WeakMap<Vector, boolean>();

/** Whether the entries of a dictionary are distinct and not null; cached per dictionary. */
function isDistinct(dictionary: Vector): boolean {
  let distinct = known.get(dictionary);
  if (distinct === undefined) {
    const hasAll = missingCount(dictionary.data as readonly Data[]) === 0;
    const { rows, size } = codesOf([dictionary]);
    distinct = hasAll && !hasRepeats(rows[0], size);
    known.set(dictionary, distinct);
  }
  return distinct;
}

const shareDictionary = ({ dictionary: a }: Data, { dictionary: b }: Data): boolean =>
  a !== undefined && b !== undefined && sameDictionary(a, b);

/** Codes of plain text and of values of up to 64 bits, the next for null and NaN; undefined for other columns. */
function plainCodes(vectors: readonly Vector[]): Codes | undefined {
  const pairs = new PairCodes();
  const texts = new TextDictionary();
  const rows: Int32Array[] = [];
  for (const vector of vectors) {
    const codes = new Int32Array(vector.length).fill(-1);
    let at = 0;
    for (const data of vector.data as readonly Data[]) {
      const part = codes.subarray(at, at + data.length);
      if (DataType.isUtf8(data.type)) codeTexts(data, texts, part);
      else if (!codeWords(data, pairs, part)) return undefined;
      at += data.length;
    }
    rows.push(codes);
  }
  const size = Math.max(pairs.size, texts.size);
  if (!rows.some((codes) => codes.includes(-1))) return { rows, size };
  for (const codes of rows) for (let i = 0; i < codes.length; i++) if (codes[i] === -1) codes[i] = size;
  return { rows, size: size + 1 };
}

/** The codes of a chunk of text, by its bytes; those of nulls stay. */
function codeTexts(data: Data, texts: TextDictionary, codes: Int32Array): void {
  const nulls = data.nullCount > 0;
  const offsets = data.valueOffsets as Int32Array;
  const bytes = data.values as Uint8Array;
  for (let i = 0; i < codes.length; i++) {
    if (nulls && !data.getValid(i)) continue;
    const [start, end] = [offsets[i], offsets[i + 1]];
    codes[i] = texts.take(bytes, start, end, hashText(bytes, start, end));
  }
}

/** As {@link codeTexts}, by the halves of each value; false for other types. */
function codeWords(data: Data, pairs: PairCodes, codes: Int32Array): boolean {
  const words = wordsOf(data);
  if (words === undefined) return false;
  const present = presentBits(data);
  for (let i = 0; i < codes.length; i++) {
    if (present === undefined || (present[i >> 3] & (1 << (i & 7))) !== 0)
      codes[i] = pairs.code(words[2 * i], words[2 * i + 1]);
  }
  return true;
}

/** The halves of each value, which are equal exactly if the values are: those of 0 and -0 are. */
function wordsOf(data: Data): Int32Array | undefined {
  const { type, values, length } = data;
  if (DataType.isFloat(type)) {
    const doubles = vectorToNumbers(new Vector([data]));
    for (let i = 0; i < length; i++) if (doubles[i] === 0) doubles[i] = 0;
    return new Int32Array(doubles.buffer);
  }
  if (DataType.isTimestamp(type) || (DataType.isInt(type) && type.bitWidth === 64)) {
    const { buffer, byteOffset } = values as BigInt64Array;
    return new Int32Array(buffer, byteOffset, 2 * length);
  }
  if (!DataType.isInt(type) && !(DataType.isDate(type) && type.unit === 0)) return undefined;
  const words = new Int32Array(2 * length);
  for (let i = 0; i < length; i++) {
    words[2 * i] = (values as Int32Array)[i];
    words[2 * i + 1] = (values as Int32Array)[i] < 0 ? -1 : 0;
  }
  return words;
}

/** Entries of a table that is filled instead of a map: below four for each row it costs less. */
const tableSize = (rows: number): number => Math.max(65_536, 4 * rows);

/**
 * Codes of days and integers of 32 bits that are near one another: how far above the least each is, the next for null;
 * undefined for other columns.
 */
function narrowCodes(vectors: readonly Vector[]): Codes | undefined {
  const chunks = vectors.flatMap((vector) => vector.data as readonly Data[]);
  const isPlain = ({ type, values }: Data): boolean =>
    values instanceof Int32Array && (DataType.isInt(type) || (DataType.isDate(type) && type.unit === 0));
  if (!chunks.every(isPlain)) return undefined;
  let [least, most, count] = [2 ** 31, -(2 ** 31), 0];
  for (const { values, length } of chunks) {
    const days = values as Int32Array;
    for (let i = 0; i < length; i++) {
      if (days[i] < least) least = days[i];
      if (days[i] > most) most = days[i];
    }
    count += length;
  }
  const range = count === 0 ? 1 : most - least + 1;
  if (range > tableSize(count)) return undefined;
  const rows = vectors.map((vector) => {
    const codes = new Int32Array(vector.length);
    let at = 0;
    for (const data of vector.data as readonly Data[]) {
      const days = data.values as Int32Array;
      const nulls = data.nullCount > 0;
      for (let i = 0; i < data.length; i++) codes[at++] = nulls && !data.getValid(i) ? range : days[i] - least;
    }
    return codes;
  });
  return { rows, size: range + 1 };
}

/** The first row of each code, in order of appearance. */
export function firstsOf({ rows: [codes], size }: Codes): Int32Array {
  const seen = new Uint8Array(size);
  const firsts: number[] = [];
  for (let row = 0; row < codes.length; row++) {
    if (seen[codes[row]] === 1) continue;
    seen[codes[row]] = 1;
    firsts.push(row);
  }
  return Int32Array.from(firsts);
}

/** Whether a code, or a row number, occurs twice. */
export function hasRepeats(codes: Int32Array, size: number): boolean {
  const seen = new Uint8Array(size);
  for (let i = 0; i < codes.length; i++) {
    if (seen[codes[i]] === 1) return true;
    seen[codes[i]] = 1;
  }
  return false;
}

/** Codes of tuples: one number per combination of codes that occurs. */
export function combine(parts: readonly Codes[]): Codes {
  return parts.slice(1).reduce<Codes>(pair, parts[0]);
}

function pair(left: Codes, right: Codes): Codes {
  const count = left.rows.reduce((sum, { length }) => sum + length, 0);
  return left.size * right.size <= tableSize(count) ? pairInTable(left, right) : pairByHash(left, right);
}

function pairInTable(left: Codes, right: Codes): Codes {
  const codeOf = new Int32Array(left.size * right.size).fill(-1);
  let size = 0;
  const rows = left.rows.map((codes, part) => {
    const other = right.rows[part];
    const out = new Int32Array(codes.length);
    for (let i = 0; i < out.length; i++) {
      const key = codes[i] * right.size + other[i];
      if (codeOf[key] === -1) codeOf[key] = size++;
      out[i] = codeOf[key];
    }
    return out;
  });
  return { rows, size };
}

function pairByHash(left: Codes, right: Codes): Codes {
  const pairs = new PairCodes();
  const rows = left.rows.map((codes, part) => {
    const other = right.rows[part];
    const out = new Int32Array(codes.length);
    for (let i = 0; i < out.length; i++) out[i] = pairs.code(codes[i], other[i]);
    return out;
  });
  return { rows, size: pairs.size };
}

/** Initial capacity, in pairs. */
const LEAST = 1_024;

/**
 * Numbers pairs of 32-bit integers in order of first appearance, exactly and without a limit: a hash table with
 * open addressing.
 */
export class PairCodes {
  size = 0;
  private firsts = new Int32Array(LEAST);
  private seconds = new Int32Array(LEAST);
  /** Number + 1, or 0 for a free slot. The length is a power of two, at most half full. */
  private slots = new Int32Array(2 * LEAST);

  code(first: number, second: number): number {
    const { slots, firsts, seconds } = this;
    const mask = slots.length - 1;
    let slot = hash(first, second) & mask;
    for (let number = slots[slot] - 1; number >= 0; number = slots[slot] - 1) {
      if (firsts[number] === first && seconds[number] === second) return number;
      slot = (slot + 1) & mask;
    }
    const number = this.size++;
    if (number === firsts.length) this.grow();
    this.firsts[number] = first;
    this.seconds[number] = second;
    if (this.slots === slots) slots[slot] = number + 1;
    else this.place(number);
    return number;
  }

  private grow(): void {
    const [firsts, seconds] = [this.firsts, this.seconds];
    this.firsts = new Int32Array(firsts.length * 2);
    this.seconds = new Int32Array(firsts.length * 2);
    this.slots = new Int32Array(firsts.length * 4);
    this.firsts.set(firsts);
    this.seconds.set(seconds);
    for (let number = 0; number < firsts.length; number++) this.place(number);
  }

  private place(number: number): void {
    const mask = this.slots.length - 1;
    let slot = hash(this.firsts[number], this.seconds[number]) & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = number + 1;
  }
}

/** Of neighbouring integers, in either place, different low bits. */
function hash(first: number, second: number): number {
  const mixed = Math.imul(first ^ Math.imul(second ^ (second >>> 15), 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
