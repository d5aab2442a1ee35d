import { type ColumnSpec, parseType, type TypeKind } from "../../spec/columns.js";
import type { PlainCell } from "../../value/text-form.js";
import { countBits } from "../arrow/bits.js";
import { type Batching, READ_BATCH, type ReadOptions } from "../arrow/read-options.js";
import { type ColumnMemory, type SpareMemory, unsafeBytes } from "./buffer-pool.js";
import { type DictionaryValues, hashText, TextDictionary } from "./dictionary.js";
import { TEXT_LIMIT, textTooLong } from "./text-limit.js";
import {
  type BufferKind,
  CELL_OK,
  type CellTarget,
  type CellType,
  type CellWriter,
  cellType,
  EXACT,
  type FastReader,
  NO_CELLS,
  plainCellType,
  SKIPPED_CELLS,
  TEXT,
} from "./types.js";

/** How text is stored: `undecided` is a dictionary until the first batch ends. */
export type TextMode = "undecided" | "dictionary" | "utf8";

/** With fewer values than this in the first batch, a text column stays a dictionary. */
const MIN_VALUES = 256;

/** Initial capacity of a builder, in rows; it grows up to the rows of a batch. */
const FIRST_ROWS = 4_096;

/**
 * The finished buffers of one column of a batch. Contains no Arrow objects, so that worker threads do not load the
 * library.
 */
export interface RawColumn {
  readonly buffer: BufferKind;
  readonly nullCount: number;
  readonly validity?: Uint8Array;
  /** Days, dictionary indices, text offsets, or the 32-bit words of decimals, integers and timestamps. */
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
  /** Returns the buffers to the pool after use; absent if they came from another thread. */
  readonly spare?: SpareMemory;
}

const FRESH: ColumnMemory = { take: unsafeBytes };

const NO_DICTIONARY = new TextDictionary();
const NO_WORDS = new Int32Array(0);
const NO_FLOATS = new Float64Array(0);
const NO_BYTES = new Uint8Array(0);

type CellOptions = Pick<ReadOptions, "decimals" | "text" | "onPrecisionLoss">;

/** How a column is read where that does not follow from its type. */
interface BuilderParts {
  readonly mode?: TextMode | undefined;
  readonly memory?: ColumnMemory | undefined;
  readonly cells?: CellType | undefined;
  readonly nullTexts?: readonly Uint8Array[] | undefined;
}

/**
 * One column under construction: typed buffers that readers fill by row number. All columns have the same object shape,
 * so that the loops over them stay monomorphic; `buffer` says which buffer is in use.
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
  readonly round: boolean;
  /** Buffer items per row. */
  readonly stride: number;
  words: Int32Array = NO_WORDS;
  floats: Float64Array = NO_FLOATS;
  bits: Uint8Array = NO_BYTES;
  validity: Uint8Array = NO_BYTES;
  /** Whether a row of this batch is null. */
  anyNull = false;
  dictionary: TextDictionary;
  mode: TextMode;
  /** Quoted empty text is null (`CsvOptions.emptyText`). */
  emptyIsNull = false;
  /** Longest text that is read in blocks. */
  maxBytes = 2 ** 30;
  /** Bytes of Utf8 text, and how many are in use. */
  heap: Uint8Array = NO_BYTES;
  heapLength = 0;
  /** Estimated number of bytes of the next batch. */
  private heapHint = 1024;
  capacity = 0;

  private readonly memory: ColumnMemory;
  private readonly nullTexts: readonly Uint8Array[];

  constructor(column: ColumnSpec, options: CellOptions, parts: BuilderParts = {}) {
    const type = parseType(column.type);
    const { mode, memory = FRESH, cells = cellType(type, options.decimals), nullTexts = [] } = parts;
    const { reader, buffer, stride, write } = cells;
    this.memory = memory;
    this.nullTexts = nullTexts;
    this.name = column.name;
    this.type = column.type;
    this.kind = type.kind;
    this.reader = reader;
    this.buffer = buffer;
    this.stride = stride;
    this.write = write;
    this.precision = type.precision ?? 19;
    this.scale = type.scale ?? 0;
    this.round = options.onPrecisionLoss === "round";
    this.dictionary = buffer === "text" ? new TextDictionary() : NO_DICTIONARY;
    this.mode = mode ?? (type.kind === "unknown" ? "utf8" : TEXT_MODES[options.text ?? "auto"]);
  }

  /** Makes room for `rows` rows and keeps those read so far (as many as there was room for). */
  reserve(rows: number): void {
    if (rows <= this.capacity) return;
    const used = this.capacity;
    if (used === FIRST_ROWS && this.mode === "undecided" && this.buffer === "text") this.decideText(used, 0.9);
    this.capacity = rows;
    const validity = unsafeBytes((rows + 7) >> 3).fill(255);
    validity.set(this.validity);
    this.validity = validity;
    if (this.buffer === "floats") {
      const { buffer, byteOffset } = this.memory.take(rows * 8);
      const floats = new Float64Array(buffer, byteOffset, rows);
      floats.set(this.floats.subarray(0, used));
      this.floats = floats;
    } else if (this.buffer === "bits") {
      const bits = new Uint8Array((rows + 7) >> 3);
      bits.set(this.bits);
      this.bits = bits;
    } else {
      const length = rows * this.stride + 1;
      const { buffer, byteOffset } = this.memory.take(length * 4);
      const words = new Int32Array(buffer, byteOffset, length);
      words.set(this.words);
      if (this.words.length === 0) words[0] = 0;
      this.words = words;
    }
    if (this.buffer === "text" && this.mode === "utf8" && this.heap.length === 0)
      this.heap = this.memory.take(Math.max(rows * 8, this.heapHint));
  }

  setNull(row: number): void {
    this.validity[row >> 3] &= ~(1 << (row & 7));
    this.anyNull = true;
    if (this.buffer === "floats") this.floats[row] = 0;
    else if (this.buffer === "bits") this.bits[row >> 3] &= ~(1 << (row & 7));
    else if (this.buffer === "text" && this.mode === "utf8") this.words[row + 1] = this.heapLength;
    else for (let i = row * this.stride; i < (row + 1) * this.stride; i++) this.words[i] = 0;
  }

  /** Whether a cell is one of the texts that are null. */
  isNullText(b: Uint8Array, start: number, end: number): boolean {
    for (const text of this.nullTexts) if (isSame(text, b, start, end)) return true;
    return false;
  }

  /**
   * Undoes the null of a row that is read again. In Utf8 columns, the text of the row starts where the previous row
   * ends.
   */
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

  /** Stores text as Utf8, after the bytes of the previous row. */
  appendText(row: number, b: Uint8Array, start: number, end: number): void {
    const from = this.heapLength;
    const heap = this.heapFor(end - start);
    if (end - start < 48) for (let p = start, q = from; p < end; p++, q++) heap[q] = b[p];
    else heap.set(b.subarray(start, end), from);
    this.heapLength = from + end - start;
    this.words[row + 1] = this.heapLength;
  }

  /** The bytes of Utf8 text, with room for `more` after those in use. */
  heapFor(more: number): Uint8Array {
    const needed = this.heapLength + more;
    if (needed > this.heap.length) {
      if (needed > TEXT_LIMIT.bytes) throw textTooLong(needed);
      const heap = unsafeBytes(Math.max(needed, this.heap.length * 2));
      heap.set(this.heap.subarray(0, this.heapLength));
      this.heap = heap;
    }
    return this.heap;
  }

  /** Whether it holds half of the text that a chunk can. */
  get isFull(): boolean {
    const bytes = this.mode === "utf8" ? this.heapLength : this.dictionary.byteLength;
    return bytes > TEXT_LIMIT.bytes >> 1;
  }

  /** Returns the buffers of `rows` rows and resets the builder. `final`: no batch follows. */
  take(rows: number, final: boolean): RawColumn {
    if (this.buffer === "text" && this.nullTexts.length > 0) this.dropNullTexts(rows);
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
    if (this.dictionary.full || this.isFull) this.dictionary = new TextDictionary();
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

  /** Sets the rows to null whose text is. In Utf8 columns, the bytes stay behind the null. */
  private dropNullTexts(rows: number): void {
    const { dictionary, words, validity } = this;
    const isLong = this.mode === "utf8";
    const codes = this.nullTexts.map((text) => dictionary.find(text, 0, text.length, hashText(text, 0, text.length)));
    for (let row = 0; row < rows; row++) {
      if ((validity[row >> 3] & (1 << (row & 7))) === 0) continue;
      const isNull = isLong ? this.isNullText(this.heap, words[row], words[row + 1]) : codes.includes(words[row]);
      if (!isNull) continue;
      validity[row >> 3] &= ~(1 << (row & 7));
      this.anyNull = true;
      if (!isLong) words[row] = 0;
    }
  }

  /**
   * Switches a column of which more than `share` of the values differ to Utf8, including the rows read so far. Called
   * after the first 4,096 rows with a high share, and at the end of the first batch with a lower one.
   */
  private decideText(rows: number, share: number): void {
    const values = countBits(this.validity, rows);
    const { dictionary } = this;
    if (values < MIN_VALUES || dictionary.size <= values * share || this.isLongByRow(rows)) return;
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

  /** Whether the texts of the rows, of which some are the same, are too long for one chunk. */
  private isLongByRow(rows: number): boolean {
    const { offsets } = this.dictionary;
    let bytes = 0;
    for (let row = 0; row < rows; row++) bytes += offsets[this.words[row] + 1] - offsets[this.words[row]];
    return bytes > TEXT_LIMIT.bytes;
  }
}

/** Whether a batch should end before its next row, because a column holds so much text. */
export function hasFull(builders: readonly ColumnBuilder[]): boolean {
  for (let i = 0; i < builders.length; i++) if (builders[i].buffer === "text" && builders[i].isFull) return true;
  return false;
}

/** Placeholder for a column of the file that is not declared. */
export class SkippedColumn extends ColumnBuilder {
  constructor() {
    super({ name: "", type: "String" }, {}, { cells: SKIPPED_CELLS });
  }

  override setNull(): void {}
  override setValid(): void {}
}

/** The cells after the delimiter that ends a row: empty, or the grammar refuses the row. */
export class EmptyColumn extends ColumnBuilder {
  constructor() {
    super({ name: "", type: "String" }, {}, { cells: NO_CELLS });
  }

  override setNull(): void {}
  override setValid(): void {}
}

/** How the cells of a column are read that are written in another form; undefined where they are not. */
function plainCells(column: ColumnSpec, options: ReadOptions, plain: PlainCell | undefined): CellType | undefined {
  return plain && plainCellType(parseType(column.type), options.decimals, plain);
}

/** The null texts that are values of a type keep its cells from the fast readers. */
function cellsWithNulls(column: ColumnSpec, options: ReadOptions, nulls: readonly Uint8Array[]): CellType | undefined {
  if (nulls.length === 0) return undefined;
  const cells = cellType(parseType(column.type), options.decimals);
  if (cells.reader === TEXT) return undefined;
  const trial = new ColumnBuilder(column, { decimals: options.decimals });
  trial.reserve(1);
  const isValue = nulls.some((text) => trial.write(trial, 0, text, 0, text.length) === CELL_OK);
  return isValue ? { ...cells, reader: EXACT } : undefined;
}

function isSame(text: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) if (text[i] !== b[start + i]) return false;
  return true;
}

const TEXT_MODES = { auto: "undecided", dictionary: "dictionary", utf8: "utf8" } as const;

/** What a reader decides about its columns besides their types. */
export interface BuilderSettings {
  /** How text is stored in each column, where that is decided. */
  readonly modes?: readonly (TextMode | undefined)[] | undefined;
  /** Rows for which there is room at first. */
  readonly expected?: number;
  readonly memoryOfColumn?: (() => ColumnMemory) | undefined;
  readonly nullTexts?: readonly Uint8Array[];
  /** How numbers and dates are written, where that is not as the service does. */
  readonly plain?: PlainCell | undefined;
}

/**
 * Creates builders for columns with room for `expected` rows, text columns whose layout is not decided yet for at most
 * 4,096.
 */
export function buildersFor(
  columns: readonly ColumnSpec[],
  options: ReadOptions & Batching,
  { modes, expected = FIRST_ROWS, memoryOfColumn, nullTexts, plain }: BuilderSettings = {},
): ColumnBuilder[] {
  const rows = Math.min(expected, options.batchRows ?? READ_BATCH.rows);
  return columns.map((column, i) => {
    const cells = plainCells(column, options, plain) ?? cellsWithNulls(column, options, nullTexts ?? []);
    const builder = new ColumnBuilder(column, options, {
      mode: modes?.[i],
      memory: memoryOfColumn?.(),
      cells,
      nullTexts,
    });
    const isOpen = builder.buffer === "text" && builder.mode === "undecided";
    builder.reserve(isOpen ? Math.min(rows, FIRST_ROWS) : rows);
    return builder;
  });
}

/** The first `length` items: a view, or a copy if a view would keep much more memory alive. */
function fitted<T extends Int32Array | Float64Array | Uint8Array>(array: T, length: number): T {
  return (length * 2 < array.length ? array.slice(0, length) : array.subarray(0, length)) as T;
}

/** A copy of the first `length` bits with the bits after them cleared, so that equal columns have equal bytes. */
function trimBits(bits: Uint8Array, length: number): Uint8Array {
  const bytes = (length + 7) >> 3;
  const copy = bits.slice(0, bytes);
  if ((length & 7) !== 0) copy[bytes - 1] &= (1 << (length & 7)) - 1;
  return copy;
}
