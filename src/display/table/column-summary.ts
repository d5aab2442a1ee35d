import { type Data, DataType, Vector } from "../../columns/arrow/arrow.js";
import { chunkReader } from "../../columns/arrow/cell-reader.js";
import { sliceData } from "../../columns/arrow/record-batch.js";
import { columnType } from "../../columns/arrow/types.js";
import { cellText, vectorToNumbers } from "../../columns/arrow/vector-values.js";
import { isValid, validOf } from "../../columns/compute/chunks.js";
import { isText } from "../../columns/compute/texts.js";
import { big, exactType, isDays, unitsOf } from "../../columns/compute/units.js";
import { decimalDoubles } from "../../columns/table/decimal-doubles.js";
import { compareText } from "../../columns/table/sort.js";
import { takeVector } from "../../columns/table/take.js";

/** What a column holds. */
export interface ColumnSummary {
  /** Rows that were read: all of the column, or those of a sample. */
  readonly rows: number;
  /** Null and NaN. */
  readonly nulls: number;
  /** Different values; undefined for more than {@link MOST_DISTINCT}, and for nested and binary columns. */
  readonly distinct: number | undefined;
  /** The least and the greatest value; text by code point. */
  readonly range: readonly [least: string, greatest: string] | undefined;
  /** Numbers and times: how many values are in each of equal intervals of the range. */
  readonly bars: readonly number[] | undefined;
  /** Text: the most frequent values, the most frequent first; none where there are too many different ones. */
  readonly top: readonly (readonly [text: string, count: number])[] | undefined;
}

/** More different values are not counted: the table of them would outgrow the processor's cache. */
export const MOST_DISTINCT = 250_000;
/** Rows of a sample, evenly spaced. */
export const SAMPLE_ROWS = 10_000;
/** Rows read between two steps: a few milliseconds. */
const STEP_ROWS = 65_536;
const BARS = 20;
const MOST_TOP = 20;

/** Evenly spaced rows of a column; the column itself if it is not longer than a sample. */
export function sampleOf(vector: Vector): Vector {
  const { length } = vector;
  if (length <= SAMPLE_ROWS) return vector;
  return takeVector(
    vector,
    Uint32Array.from({ length: SAMPLE_ROWS }, (_, i) => Math.floor((i * length) / SAMPLE_ROWS)),
  );
}

/** The summary of a column, in one go. */
export function summaryOf(vector: Vector): ColumnSummary {
  const steps = summarySteps(vector);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Computes the summary of a column in steps of a few milliseconds. */
export function* summarySteps(vector: Vector): Generator<void, ColumnSummary> {
  const { scale } = columnType(vector.type);
  if (scale !== "text") return yield* valueSteps(vector);
  if (isText(vector.type) || DataType.isBool(vector.type)) return yield* textSteps(vector);
  const nulls = vector.nullCount;
  return { rows: vector.length, nulls, distinct: undefined, range: undefined, bars: undefined, top: undefined };
}

/** The chunks of a column in pieces, and the row that each begins at. */
function piecesOf(vector: Vector): { readonly piece: Data; readonly first: number }[] {
  const pieces: { piece: Data; first: number }[] = [];
  let row = 0;
  for (const data of vector.data as readonly Data[]) {
    for (let from = 0; from < data.length; from += STEP_ROWS) {
      const length = Math.min(STEP_ROWS, data.length - from);
      pieces.push({ piece: sliceData(data, from, length), first: row + from });
    }
    row += data.length;
  }
  return pieces;
}

function* valueSteps(vector: Vector): Generator<void, ColumnSummary> {
  const pieces = piecesOf(vector);
  const numbers: Float64Array[] = [];
  const seen = new Different(vector);
  const all = new Extent();
  // Bars are of finite values.
  const finite = new Extent();
  let nulls = 0;
  for (const { piece, first } of pieces) {
    const values = decimalDoubles([piece], piece.length) ?? vectorToNumbers(new Vector([piece]));
    numbers.push(values);
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (Number.isNaN(value)) nulls++;
      else {
        all.add(value, first + i);
        if (value - value === 0) finite.add(value, first + i);
      }
    }
    seen.add(piece, values);
    yield;
  }
  const bars = finite.isEmpty ? undefined : new Array<number>(BARS).fill(0);
  for (const [k, { piece, first }] of pieces.entries()) {
    const { integer } = chunkReader(piece);
    const values = numbers[k];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (bars !== undefined && value - value === 0) bars[Math.min(BARS - 1, Math.floor(finite.share(value) * BARS))]++;
      if (integer !== undefined && (value === all.low || value === all.high)) all.refine(value, first + i, integer(i));
    }
    yield;
  }
  const range = all.isEmpty ? undefined : all.rows.map((row) => cellText(vector, row) ?? "");
  return {
    rows: vector.length,
    nulls,
    distinct: seen.size,
    range: range && [range[0], range[1]],
    bars,
    top: undefined,
  };
}

/** The least and the greatest of numbers, and the rows that they are in. */
class Extent {
  low = Number.POSITIVE_INFINITY;
  high = Number.NEGATIVE_INFINITY;
  private lowRow = -1;
  private highRow = -1;
  private exactLow: bigint | undefined;
  private exactHigh: bigint | undefined;

  get isEmpty(): boolean {
    return this.lowRow === -1;
  }

  get rows(): readonly number[] {
    return [this.lowRow, this.highRow];
  }

  add(value: number, row: number): void {
    if (value < this.low || this.lowRow === -1) [this.low, this.lowRow] = [value, row];
    if (value > this.high || this.highRow === -1) [this.high, this.highRow] = [value, row];
  }

  /** Of values with one nearest double, the exact one that is the least or the greatest. */
  refine(value: number, row: number, exact: bigint): void {
    if (value === this.low && (this.exactLow === undefined || exact < this.exactLow)) {
      [this.exactLow, this.lowRow] = [exact, row];
    }
    if (value === this.high && (this.exactHigh === undefined || exact > this.exactHigh)) {
      [this.exactHigh, this.highRow] = [exact, row];
    }
  }

  /** Where a value is, from 0 to 1. Halves, as the difference of two doubles may be infinite. */
  share(value: number): number {
    const span = this.high / 2 - this.low / 2;
    return span > 0 ? (value / 2 - this.low / 2) / span : 0;
  }
}

/** Counts different numbers and times, by their 64 bits, up to {@link MOST_DISTINCT}. */
class Different {
  private readonly words: Int32Array;
  private readonly taken: Uint8Array;
  private readonly wide = new Set<bigint>();
  private readonly isWhole: boolean;
  private count = 0;

  constructor({ type, length }: Vector) {
    // At least half of the slots stay free.
    const slots = 2 ** Math.ceil(Math.log2(2 * Math.min(length, MOST_DISTINCT) + 2));
    this.words = new Int32Array(2 * slots);
    this.taken = new Uint8Array(slots);
    this.isWhole = exactType(type) !== undefined || DataType.isTimestamp(type) || isDays(type);
  }

  /** Undefined where there are more. */
  get size(): number | undefined {
    const size = this.count + this.wide.size;
    return size > MOST_DISTINCT ? undefined : size;
  }

  /** Adds a piece of a column, whose doubles are NaN in the rows without a value. */
  add(piece: Data, values: Float64Array): void {
    if (this.size === undefined) return;
    const units = this.isWhole ? unitsOf(piece) : { words: wordsOf(values), count: 2, step: 2 };
    const { words, count } = units;
    for (let i = 0; i < values.length && this.count <= MOST_DISTINCT; i++) {
      if (Number.isNaN(values[i])) continue;
      const at = i * count;
      const low = words[at];
      const high = count === 1 ? low >> 31 : words[at + 1];
      const sign = high >> 31;
      let isNarrow = true;
      for (let k = 2; k < count; k++) if (words[at + k] !== sign) isNarrow = false;
      if (isNarrow) this.addWords(low, high);
      else if (this.wide.size <= MOST_DISTINCT) this.wide.add(big(units, i));
    }
  }

  private addWords(low: number, high: number): void {
    const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
    let slot = (mixed ^ (mixed >>> 15)) & (this.taken.length - 1);
    while (this.taken[slot] !== 0) {
      if (this.words[2 * slot] === low && this.words[2 * slot + 1] === high) return;
      slot = (slot + 1) & (this.taken.length - 1);
    }
    this.taken[slot] = 1;
    this.words[2 * slot] = low;
    this.words[2 * slot + 1] = high;
    this.count++;
  }
}

/** The bits of doubles, with one zero. */
function wordsOf(values: Float64Array): Int32Array {
  const copy = values.map((value) => value + 0);
  return new Int32Array(copy.buffer);
}

function* textSteps(vector: Vector): Generator<void, ColumnSummary> {
  const texts = new Texts();
  const ofEntries = new Map<Vector, Int32Array>();
  let held = 0;
  for (const { piece } of piecesOf(vector)) {
    const valid = validOf(piece);
    const dictionary = piece.dictionary as Vector | undefined;
    const { text } = chunkReader(piece);
    const codes = piece.values as Int32Array;
    const entries = dictionary && (ofEntries.get(dictionary) ?? new Int32Array(dictionary.length));
    if (dictionary !== undefined && entries !== undefined) ofEntries.set(dictionary, entries);
    for (let i = 0; i < piece.length; i++) {
      if (!isValid(valid, i)) continue;
      held++;
      if (entries !== undefined) entries[Number(codes[i])]++;
      else texts.add(text(i), 1);
    }
    yield;
  }
  for (const [dictionary, entries] of ofEntries) {
    for (const { piece, first } of piecesOf(dictionary)) {
      const { text } = chunkReader(piece);
      for (let i = 0; i < piece.length; i++) if (entries[first + i] > 0) texts.add(text(i), entries[first + i]);
      yield;
    }
  }
  return { rows: vector.length, nulls: vector.length - held, bars: undefined, ...texts.summary() };
}

/** Counts texts, up to {@link MOST_DISTINCT} different ones. */
class Texts {
  private counts: Map<string, number> | undefined = new Map();

  add(text: string, count: number): void {
    if (this.counts === undefined) return;
    this.counts.set(text, (this.counts.get(text) ?? 0) + count);
    if (this.counts.size > MOST_DISTINCT) this.counts = undefined;
  }

  summary(): Pick<ColumnSummary, "distinct" | "range" | "top"> {
    const { counts } = this;
    if (counts === undefined) return { distinct: undefined, range: undefined, top: [] };
    let range: [string, string] | undefined;
    for (const text of counts.keys()) {
      range ??= [text, text];
      if (compareText(text, range[0]) < 0) range[0] = text;
      if (compareText(text, range[1]) > 0) range[1] = text;
    }
    const top = [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0])).slice(0, MOST_TOP);
    return { distinct: counts.size, range, top };
  }
}
