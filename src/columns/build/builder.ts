import { undouble } from "../../format/csv.js";
import { type ColumnSpec, parseType, type TypeKind } from "../../spec/columns.js";
import { fastLimit } from "../../value/decimal.js";
import { BATCH_ROWS, type ReadOptions } from "../arrow/read-options.js";
import { SpareMemory, unsafeBytes } from "./buffer-pool.js";
import { type DictionaryValues, grown, hashText, TextDictionary } from "./dictionary.js";
import {
  type BufferKind,
  type CellTarget,
  type CellType,
  type CellWriter,
  cellType,
  type FastReader,
  SKIPPED_CELLS,
} from "./types.js";

/** How text is kept: `undecided` is a dictionary until the first batch ends. */
export type TextMode = "undecided" | "dictionary" | "utf8";

/** Below this many values in the first batch a text column stays a dictionary. */
const FEWEST_VALUES = 256;

/** Rows a builder has room for at first; it grows up to the rows of a batch. */
const FIRST_ROWS = 4_096;

/**
 * The finished buffers of one column of a batch. Arrow is put around them elsewhere, so that worker threads need none
 * of it.
 */
export interface RawColumn {
  readonly buffer: BufferKind;
  readonly nullCount: number;
  readonly validity?: Uint8Array;
  /** Days, dictionary numbers, offsets of text, or the 32-bit words of decimals, integers and timestamps. */
  readonly words: Int32Array;
  readonly floats?: Float64Array;
  /** Bits of booleans, or bytes of text. */
  readonly bytes?: Uint8Array;
  readonly dictionary?: DictionaryValues;
}

/** The finished buffers of one batch. */
export interface RawBatch {
  readonly rows: number;
  readonly columns: readonly RawColumn[];
  /** Takes the buffers back after use; none where they came from another thread. */
  readonly spare?: SpareMemory;
}

/** Where texts are unescaped before they are stored. */
let scratch: Uint8Array = new Uint8Array(256);

const NO_DICTIONARY = new TextDictionary();
const NO_WORDS = new Int32Array(0);
const NO_FLOATS = new Float64Array(0);
const NO_BYTES = new Uint8Array(0);

/**
 * One column while rows are read into it: typed buffers that the readers fill by row number. All columns have the same
 * shape, so that the loops over them stay fast; `buffer` says which of the buffers is in use.
 */
export class ColumnBuilder implements CellTarget {
  readonly name: string;
  readonly type: string;
  readonly kind: TypeKind;
  readonly reader: FastReader;
  readonly buffer: BufferKind;
  readonly write: CellWriter;
  readonly precision: number;
  readonly scale: number;
  /** Bound of unscaled values that the fast decimal reader stores. */
  readonly limit: number;
  /** Items a row takes in its buffer. */
  readonly stride: number;
  words: Int32Array = NO_WORDS;
  floats: Float64Array = NO_FLOATS;
  bits: Uint8Array = NO_BYTES;
  validity: Uint8Array = NO_BYTES;
  /** Whether a row of this batch was set to null. */
  anyNull = false;
  dictionary: TextDictionary;
  mode: TextMode;
  /** Empty text in quotes is null (`CsvOptions.emptyText`). */
  emptyIsNull = false;
  /** The bytes at hand are all ASCII, so that text needs no check. */
  ascii = false;
  /** Longest text the fast readers store. */
  maxBytes = 2 ** 30;
  /** Bytes of Utf8 text, and how many are used. */
  heap: Uint8Array = NO_BYTES;
  heapLength = 0;
  /** Bytes the next batch will probably need. */
  private heapHint = 1024;
  capacity = 0;

  constructor(
    column: ColumnSpec,
    options: Pick<ReadOptions, "decimals" | "text"> = {},
    mode?: TextMode,
    private readonly spare = new SpareMemory(),
    cells?: CellType,
  ) {
    const type = parseType(column.type);
    const { reader, buffer, stride, write } = cells ?? cellType(type, options.decimals);
    this.name = column.name;
    this.type = column.type;
    this.kind = type.kind;
    this.reader = reader;
    this.buffer = buffer;
    this.stride = stride;
    this.write = write;
    this.precision = type.precision ?? 19;
    this.scale = type.scale ?? 0;
    this.limit = fastLimit(Math.min(this.precision, 22));
    this.dictionary = buffer === "text" ? new TextDictionary() : NO_DICTIONARY;
    this.mode = mode ?? (type.kind === "unknown" ? "utf8" : TEXT_MODES[options.text ?? "auto"]);
  }

  /** Makes room for `rows` rows, what was read so far (all rows there was room for) kept. */
  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    const used = this.capacity;
    if (used === FIRST_ROWS && this.mode === "undecided" && this.buffer === "text") this.decideText(used, 0.9);
    this.capacity = rows;
    const validity = unsafeBytes((rows + 7) >> 3).fill(255);
    validity.set(this.validity);
    this.validity = validity;
    if (this.buffer === "floats") {
      const floats = new Float64Array(this.spare.take(rows * 8).buffer, 0, rows);
      floats.set(this.floats.subarray(0, used));
      this.floats = floats;
    } else if (this.buffer === "bits") {
      const bits = new Uint8Array((rows + 7) >> 3);
      bits.set(this.bits);
      this.bits = bits;
    } else {
      const length = rows * this.stride + 1;
      const words = new Int32Array(this.spare.take(length * 4).buffer, 0, length);
      words.set(this.words);
      if (this.words.length === 0) words[0] = 0;
      this.words = words;
    }
    if (this.buffer === "text" && this.mode === "utf8" && this.heap.length === 0)
      this.heap = this.spare.take(Math.max(rows * 8, this.heapHint));
  }

  /** Sets a row to null. */
  setNull(row: number): void {
    this.validity[row >> 3] &= ~(1 << (row & 7));
    this.anyNull = true;
    if (this.buffer === "floats") this.floats[row] = 0;
    else if (this.buffer === "bits") this.bits[row >> 3] &= ~(1 << (row & 7));
    else if (this.buffer === "text" && this.mode === "utf8") this.words[row + 1] = this.heapLength;
    else for (let i = row * this.stride; i < (row + 1) * this.stride; i++) this.words[i] = 0;
  }

  /** Takes back a null of a row that is read again. In Utf8 the row's text starts where the last one ended. */
  setValid(row: number): void {
    this.validity[row >> 3] |= 1 << (row & 7);
    if (this.buffer === "text" && this.mode === "utf8") this.heapLength = this.words[row];
  }

  /** Stores valid UTF-8 as the text of a row. */
  setText(row: number, b: Uint8Array, start: number, end: number): void {
    if (this.mode === "utf8") this.appendText(row, b, start, end);
    else {
      this.words[row] = this.dictionary.take(b, start, end, hashText(b, start, end));
    }
  }

  /** Stores the text of a quoted CSV cell, each doubled quote once. */
  setUndoubled(row: number, b: Uint8Array, start: number, end: number): void {
    if (scratch.length < end - start) scratch = grown(scratch, end - start);
    const length = undouble(b, start, end, scratch);
    this.setText(row, scratch, 0, length);
  }

  /** Stores text as Utf8: the bytes after those of the row before. */
  appendText(row: number, b: Uint8Array, start: number, end: number): void {
    const from = this.heapLength;
    const heap = this.heapFor(end - start);
    if (end - start < 48) for (let p = start, q = from; p < end; p++, q++) heap[q] = b[p];
    else heap.set(b.subarray(start, end), from);
    this.endText(row, from + end - start);
  }

  /** The bytes of Utf8 text, with room for `more` after those used. */
  heapFor(more: number): Uint8Array {
    const needed = this.heapLength + more;
    if (needed > this.heap.length) {
      const heap = unsafeBytes(Math.max(needed, this.heap.length * 2));
      heap.set(this.heap.subarray(0, this.heapLength));
      this.heap = heap;
    }
    return this.heap;
  }

  /** Ends the text of a row whose bytes were put behind those used, up to `to`. */
  endText(row: number, to: number): void {
    this.heapLength = to;
    this.words[row + 1] = to;
  }

  /** The column's buffers of `rows` rows; the builder starts afresh. `final` says that no batch follows. */
  take(rows: number, final: boolean): RawColumn {
    const nullCount = this.anyNull ? rows - countBits(this.validity, rows) : 0;
    const validity = nullCount > 0 ? { validity: trimBits(this.validity, rows) } : {};
    if (this.buffer === "text" && this.mode === "undecided") {
      this.decideText(rows, 0.5);
      if (this.mode === "undecided") this.mode = "dictionary";
    }
    const raw = { buffer: this.buffer, nullCount, ...validity, ...this.buffers(rows) };
    const { capacity } = this;
    this.words = NO_WORDS;
    this.floats = NO_FLOATS;
    this.bits = NO_BYTES;
    this.validity = NO_BYTES;
    this.heapHint = this.heapLength > 0 ? Math.ceil(this.heapLength * 1.1) + 65_536 : 1024;
    this.heap = NO_BYTES;
    this.heapLength = 0;
    this.anyNull = false;
    this.capacity = 0;
    if (this.dictionary.full) this.dictionary = new TextDictionary();
    if (!final) this.reserve(capacity);
    return raw;
  }

  private buffers(rows: number): Pick<RawColumn, "words" | "floats" | "bytes" | "dictionary"> {
    switch (this.buffer) {
      case "floats":
        return { words: NO_WORDS, floats: fitted(this.floats, rows) };
      case "bits":
        return { words: NO_WORDS, bytes: this.bits.slice(0, (rows + 7) >> 3) };
      case "text":
        return this.mode === "utf8"
          ? { words: fitted(this.words, rows + 1), bytes: fitted(this.heap, this.heapLength) }
          : { words: fitted(this.words, rows), dictionary: this.dictionary };
      case "words":
        return { words: fitted(this.words, rows * this.stride) };
    }
  }

  /**
   * A column of which more than `share` of the values differ becomes Utf8, the rows read so far included. Asked after
   * the first 4,096 rows, where nearly all must differ, and at the end of the first batch, where most must.
   */
  private decideText(rows: number, share: number): void {
    const values = countBits(this.validity, rows);
    const { dictionary } = this;
    if (values < FEWEST_VALUES || dictionary.size <= values * share) return;
    this.mode = "utf8";
    const numbers = this.words;
    this.words = new Int32Array(unsafeBytes((this.capacity + 1) * 4).buffer);
    this.words[0] = 0;
    for (let row = 0; row < rows; row++) {
      if ((this.validity[row >> 3] & (1 << (row & 7))) === 0) this.words[row + 1] = this.heapLength;
      else {
        const i = numbers[row];
        this.appendText(row, dictionary.bytes, dictionary.offsets[i], dictionary.offsets[i + 1]);
      }
    }
    this.dictionary = new TextDictionary();
  }
}

/** Takes the place of a column of a file that is not declared. */
export class SkippedColumn extends ColumnBuilder {
  constructor() {
    super({ name: "", type: "String" }, undefined, undefined, undefined, SKIPPED_CELLS);
  }

  override setNull(): void {}
  override setValid(): void {}
}

const TEXT_MODES = { auto: "undecided", dictionary: "dictionary", utf8: "utf8" } as const;

/** Builders for columns, with room for `expected` rows, at most 4,096 at first; `spare` is the buffer pool. */
export function buildersFor(
  columns: readonly ColumnSpec[],
  options: ReadOptions,
  modes?: readonly (TextMode | undefined)[],
  expected = FIRST_ROWS,
  spare?: SpareMemory,
): ColumnBuilder[] {
  const rows = Math.min(expected, FIRST_ROWS, options.batchRows ?? BATCH_ROWS);
  return columns.map((column, i) => {
    const builder = new ColumnBuilder(column, options, modes?.[i], spare);
    builder.reserve(rows);
    return builder;
  });
}

/** The first `length` items: a view, or a copy where the view would keep much more memory alive. */
function fitted<T extends Int32Array | Float64Array | Uint8Array>(array: T, length: number): T {
  return (length * 2 < array.length ? array.slice(0, length) : array.subarray(0, length)) as T;
}

/** How many of the first `length` bits are set. */
function countBits(bits: Uint8Array, length: number): number {
  let count = 0;
  const whole = length >> 3;
  for (let i = 0; i < whole; i++) count += BITS[bits[i]];
  return (length & 7) === 0 ? count : count + BITS[bits[whole] & ((1 << (length & 7)) - 1)];
}

const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

/** The first `length` bits in bytes of their own, those after them cleared so that equal columns have equal bytes. */
function trimBits(bits: Uint8Array, length: number): Uint8Array {
  const bytes = (length + 7) >> 3;
  const copy = bits.slice(0, bytes);
  if ((length & 7) !== 0) copy[bytes - 1] &= (1 << (length & 7)) - 1;
  return copy;
}
