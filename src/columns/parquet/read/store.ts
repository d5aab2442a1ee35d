import { isAscii } from "node:buffer";
import { FIRST_DAY, LAST_DAY } from "../../../value/date.js";
import { POWERS, unscaled } from "../../../value/decimal.js";
import { invalidUtf8 } from "../../../value/text.js";
import type { CellPolicy } from "../../build/bad-cells.js";
import {
  BOOLEAN,
  type ColumnBuilder,
  DATE,
  DECIMAL128,
  DECIMAL256,
  FLOAT,
  INSTANT,
  INTEGER,
  TEXT,
} from "../../build/builder.js";
import type { TextDictionary } from "../../build/dictionary.js";
import type { Range } from "./decode/decoders.js";
import type { Texts, Values } from "./decode/values.js";
import type { Leaf } from "./format/types.js";
import { doubleText, foreignType, integerText, serviceType, unitsPerMs, uuidText } from "./leaf-type.js";

const MS_PER_DAY = 86_400_000;
const WORD = 2 ** 32;

/** Rows of a page that go into rows of a builder. */
interface Rows {
  readonly values: Values;
  /** The first of the values of these rows. */
  readonly from: number;
  /** How many rows, and how many of them have a value. */
  readonly count: number;
  readonly present: number;
  /** For each row from `first` on whether it has a value; undefined where all have. */
  readonly valid: Uint8Array | undefined;
  readonly first: number;
  /** The builder's row of the first. */
  readonly row: number;
}

/** How values of a leaf get into a column. */
export interface Store {
  /** Words of 32 bits that the leaf's integers are wanted in. */
  readonly stride: number;
  /** Stores rows; those without a value become null. @throws {DataError} for a value that does not fit */
  put(rows: Rows): void;
}

/**
 * How values of a leaf are stored: as they are where leaf and column are of one kind, else by their text, as cells of
 * CSV are. What does not fit goes by its text too, so that one place decides what happens to it.
 */
export function storeOf(leaf: Leaf, builder: ColumnBuilder, policy: CellPolicy): Store {
  const byText = new TextStore(leaf, builder, policy);
  const type = serviceType(leaf);
  switch (builder.kind) {
    case DATE:
      if (type !== "Date") break;
      return new WordStore(builder, byText, 1, { least: FIRST_DAY, most: LAST_DAY });
    case INTEGER:
      if (type !== "Integer") break;
      return new WordStore(builder, byText, 2, undefined);
    case DECIMAL128:
    case DECIMAL256: {
      const { meaning } = leaf;
      if (meaning.kind === "decimal" ? meaning.scale !== builder.scale : type !== builder.type) break;
      return new WordStore(builder, byText, builder.stride, limitsOf(builder.precision));
    }
    case FLOAT:
      if (type === "double" && builder.notANumber) return new DoubleStore(builder);
      if (leaf.meaning.kind === "decimal" && !builder.notANumber) return new NearStore(leaf, builder, byText);
      break;
    case INSTANT:
      if (type !== "DateTime") break;
      if (leaf.type === "INT96") return byText;
      return new InstantStore(Number(unitsPerMs(leaf)), builder, byText);
    case BOOLEAN:
      if (type === "Boolean") return new BooleanStore(builder);
      break;
    case TEXT:
      if (leaf.meaning.kind === "text") return new StringStore(builder, byText, true);
      if (foreignType(leaf) !== undefined && leaf.meaning.kind === "bytes")
        return new StringStore(builder, byText, false);
      break;
  }
  return byText;
}

/** Sets the rows without a value to null. */
function putNulls({ valid, first, count, row }: Rows, builder: ColumnBuilder): void {
  if (valid === undefined) return;
  for (let i = 0; i < count; i++) if (valid[first + i] === 0) builder.setNull(row + i);
}

/** Words of 32 bits that hold any integer of a leaf. */
function wordsOf({ type, width, meaning }: Leaf): number {
  if (type === "INT32") return meaning.kind === "integer" && !meaning.signed ? 2 : 1;
  if (type === "INT96") return 4;
  if (type === "INT64") return meaning.kind === "integer" && !meaning.signed ? 4 : 2;
  if (type === "FIXED_LEN_BYTE_ARRAY" && width <= 8) return 2;
  return type === "FIXED_LEN_BYTE_ARRAY" && width <= 16 ? 4 : 8;
}

/** Decimals below a power of ten. Those about as large as it go by their text. */
function limitsOf(precision: number): Range {
  const below = 10 ** precision * (1 - 2 ** -50);
  return { least: -below, most: below };
}

/** Whether integers are within the limits: by their range where it is known. */
function areWithin(
  { least, most }: Range,
  values: Values & { readonly kind: "words" },
  from: number,
  count: number,
): boolean {
  const { words, stride, range } = values;
  if (range !== undefined) return range.least >= least && range.most <= most;
  for (let i = from * stride, end = (from + count) * stride; i < end; i += stride) {
    const near = nearOf(words, i, stride);
    if (!(near >= least && near <= most)) return false;
  }
  return true;
}

/** About the value of an integer. */
function nearOf(words: Int32Array, at: number, stride: number): number {
  let near = words[at + stride - 1];
  for (let k = stride - 2; k >= 0; k--) near = near * WORD + (words[at + k] >>> 0);
  return near;
}

/** Integers that are stored as they are. */
class WordStore implements Store {
  constructor(
    private readonly builder: ColumnBuilder,
    private readonly byText: Store,
    readonly stride: number,
    /** What the column takes, where it does not take all. */
    private readonly limits: Range | undefined,
  ) {}

  put(rows: Rows): void {
    const { values, from, count, present, valid, first, row } = rows;
    const { stride, builder, limits } = this;
    if (values.kind !== "words" || (limits !== undefined && !areWithin(limits, values, from, present))) {
      this.byText.put(rows);
      return;
    }
    const { words } = builder;
    if (valid === undefined) {
      words.set(values.words.subarray(from * stride, (from + count) * stride), row * stride);
      return;
    }
    let at = row * stride;
    let k = from * stride;
    for (let i = first; i < first + count; i++) {
      if (valid[i] === 1) for (let w = 0; w < stride; w++) words[at++] = values.words[k++];
      else for (let w = 0; w < stride; w++) words[at++] = 0;
    }
    putNulls(rows, builder);
  }
}

/** Stores one value after another into rows that have one. */
abstract class EachStore implements Store {
  abstract readonly stride: number;

  constructor(protected readonly builder: ColumnBuilder) {}

  put(rows: Rows): void {
    const { values, from, count, valid, first, row } = rows;
    this.begin(values);
    for (let i = 0, k = from; i < count; i++) {
      if (valid === undefined || valid[first + i] === 1) this.putOne(values, k++, row + i);
      else this.builder.setNull(row + i);
    }
  }

  protected begin(_values: Values): void {}

  protected abstract putOne(values: Values, k: number, row: number): void;
}

/** Values by their text, as cells of CSV are. */
class TextStore extends EachStore {
  readonly stride: number;
  private readonly integerText: (value: bigint) => string;
  private readonly isUuid: boolean;

  constructor(
    leaf: Leaf,
    builder: ColumnBuilder,
    private readonly policy: CellPolicy,
  ) {
    super(builder);
    this.stride = wordsOf(leaf);
    this.integerText = integerText(leaf);
    this.isUuid = leaf.meaning.kind === "uuid";
  }

  putOne(values: Values, k: number, row: number): void {
    const text = this.text(values, k);
    // Bytes that are text go as they are, so that those that are not UTF-8 are reported.
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    this.policy.write(
      this.builder,
      row,
      new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
      0,
      bytes.length,
      0,
    );
  }

  private text(values: Values, k: number): string | Uint8Array {
    switch (values.kind) {
      case "words":
        return this.integerText(unscaled(values.words, k * values.stride, values.stride));
      case "doubles":
        return doubleText(values.doubles[k]);
      case "booleans":
        return values.booleans[k] === 1 ? "true" : "false";
      case "texts": {
        const bytes = values.bytes.subarray(values.starts[k], values.ends[k]);
        return this.isUuid ? uuidText(bytes) : bytes;
      }
      case "numbered":
        return this.text(values.dictionary, values.numbers[k]);
    }
  }
}

class DoubleStore implements Store {
  readonly stride = 1;

  constructor(private readonly builder: ColumnBuilder) {}

  put(rows: Rows): void {
    const { values, from, count, valid, first, row } = rows;
    if (values.kind !== "doubles") return;
    const { floats } = this.builder;
    if (valid === undefined) floats.set(values.doubles.subarray(from, from + count), row);
    else {
      for (let i = 0, k = from; i < count; i++) floats[row + i] = valid[first + i] === 1 ? values.doubles[k++] : 0;
      putNulls(rows, this.builder);
    }
  }
}

/** Decimals as the nearest doubles: a quotient of two exact doubles is. Others go by their text. */
class NearStore extends EachStore {
  readonly stride: number;
  private readonly power: number;

  constructor(
    leaf: Leaf,
    builder: ColumnBuilder,
    private readonly byText: TextStore,
  ) {
    super(builder);
    this.stride = byText.stride;
    this.power = leaf.meaning.kind === "decimal" && leaf.meaning.scale <= 22 ? POWERS[leaf.meaning.scale] : Number.NaN;
  }

  putOne(values: Values, k: number, row: number): void {
    const near = values.kind === "words" ? nearOf(values.words, k * this.stride, this.stride) : Number.NaN;
    const value = Number.isSafeInteger(near) ? near / this.power : Number.NaN;
    if (Number.isNaN(value)) this.byText.putOne(values, k, row);
    else this.builder.floats[row] = value;
  }
}

const FIRST_MS = FIRST_DAY * MS_PER_DAY;
const END_MS = (LAST_DAY + 1) * MS_PER_DAY;

/** Timestamps in a unit of 64 bits as milliseconds; those with finer digits go by their text. */
class InstantStore extends EachStore {
  readonly stride = 2;

  constructor(
    private readonly perMs: number,
    builder: ColumnBuilder,
    private readonly byText: TextStore,
  ) {
    super(builder);
  }

  putOne(values: Values, k: number, row: number): void {
    const { words } = this.builder;
    if (values.kind !== "words") {
      this.byText.putOne(values, k, row);
      return;
    }
    const low = values.words[2 * k];
    const high = values.words[2 * k + 1];
    let ms = Math.floor((high * WORD + (low >>> 0)) / this.perMs);
    // The quotient is exact or one off; the lowest 32 bits of the remainder show which.
    let rest = (low - Math.imul(ms % WORD, this.perMs)) | 0;
    if (rest < 0) {
      ms--;
      rest += this.perMs;
    } else if (rest >= this.perMs) {
      ms++;
      rest -= this.perMs;
    }
    if (rest !== 0 || !(ms >= FIRST_MS && ms < END_MS)) this.byText.putOne(values, k, row);
    else {
      const upper = Math.floor(ms / WORD);
      words[2 * row] = ms - upper * WORD;
      words[2 * row + 1] = upper;
    }
  }
}

class BooleanStore extends EachStore {
  readonly stride = 1;

  putOne(values: Values, k: number, row: number): void {
    const { bits } = this.builder;
    if (values.kind === "booleans" && values.booleans[k] === 1) bits[row >> 3] |= 1 << (row & 7);
    else bits[row >> 3] &= ~(1 << (row & 7));
  }
}

/** Texts, or other bytes. */
class StringStore extends EachStore {
  readonly stride = 1;
  /** For the texts of a page's dictionary their numbers in the column's, -1 where not known yet. */
  private numbers = new Int32Array(0);
  private from: Texts | undefined;
  private to: TextDictionary | undefined;
  /** The bytes of the page need no check. */
  private isSound = false;

  constructor(
    builder: ColumnBuilder,
    private readonly byText: TextStore,
    private readonly mustBeUtf8: boolean,
  ) {
    super(builder);
  }

  protected override begin(values: Values): void {
    const texts = values.kind === "numbered" ? values.dictionary : values;
    if (texts.kind !== "texts") return;
    this.isSound = !this.mustBeUtf8 || isAscii(texts.bytes);
    if (values.kind === "numbered" && (this.from !== texts || this.to !== this.builder.dictionary)) {
      this.from = texts;
      this.to = this.builder.dictionary;
      this.numbers = new Int32Array(texts.starts.length).fill(-1);
    }
  }

  putOne(values: Values, k: number, row: number): void {
    if (values.kind === "texts") this.putText(values, values, k, k, row);
    else if (values.kind === "numbered") this.putNumbered(values, k, row);
    else this.byText.putOne(values, k, row);
  }

  private putNumbered(values: Values & { readonly kind: "numbered" }, k: number, row: number): void {
    const { builder, numbers } = this;
    const number = values.numbers[k];
    if (builder.mode !== "utf8" && numbers[number] >= 0) {
      builder.words[row] = numbers[number];
      return;
    }
    this.putText(values, values.dictionary, number, k, row);
    // A text that is not UTF-8 may have become null.
    const isThere = (builder.validity[row >> 3] & (1 << (row & 7))) !== 0;
    if (builder.mode !== "utf8" && isThere) numbers[number] = builder.words[row];
  }

  private putText(values: Values, { bytes, starts, ends }: Texts, at: number, k: number, row: number): void {
    const start = starts[at];
    const end = ends[at];
    if (this.isSound || invalidUtf8(bytes, start, end) < 0) this.builder.setText(row, bytes, start, end);
    else this.byText.putOne(values, k, row);
  }
}
