import { CR } from "../../format/csv.js";
import { withMemory } from "../../wasm/compiled-module.js";
import type { ColumnBuilder } from "../build/builder.js";
import { hashText, type TextDictionary } from "../build/dictionary.js";
import type { RowCursor } from "../build/row-cursor.js";
import { DATE, DECIMAL128, EXACT, FLOAT, INTEGER, SKIPPED, TEXT } from "../build/types.js";
import { readCsvCell } from "./plain-rows.js";
import { hasNumberTable, TABLE_BYTES, writeNumberTable } from "./wasm-factors.js";
import { AS_DECIMAL, AS_FLOAT, AS_INTEGER, type CsvProgram, csvProgram } from "./wasm-program.js";

/** Bytes read at a time, with room for the start of a row from those before. */
export const INPUT = 1_310_720;
/** Bytes around the input, and behind texts, that the program may touch. */
const MARGIN = 64;
/** Rows and cells of a block at most: what is written for one stays in the processor's cache. */
const BLOCK_ROWS = 1_024;
const BLOCK_CELLS = 32_768;
/** Cell ends that the program may write behind those of a block. */
const MORE_ENDS = 66;
/**
 * Texts of a column whose numbers are known without asking the dictionary: at first, at most, and at most of all
 * columns together.
 */
const FIRST_KNOWN = 256;
const MOST_KNOWN = 32_768;
const ALL_KNOWN = 262_144;
const FEWEST_KNOWN = 16;
const PAGE = 65_536;

/** Readers that were let go of, and the most memory one may have to be kept. */
const idle: CsvBlocks[] = [];
const MOST_IDLE = 2;
const MOST_HELD = 33_554_432;

/** Where one column's values are put, and what its reader needs. */
interface Column {
  readonly field: ColumnBuilder;
  /** Its place in the file. */
  readonly k: number;
  /** Address of the values of a block; the values as they go into the builder. */
  readonly out: number;
  readonly values: Int32Array | Float64Array;
  /** For numbers: address of the table of factors. */
  readonly table: number;
  /**
   * For text: address of the texts whose numbers are known, how many there is room for, and the dictionary that
   * numbered them.
   */
  readonly slots: number;
  known: number;
  dictionary?: TextDictionary;
}

/**
 * Reads plain rows of CSV by blocks, in WebAssembly: first where all cells end, then column by column, sixteen bytes at
 * a time. What the program leaves (unusual cells, types it has no reader for) is read one by one by
 * {@link readCsvCell}; the first row that is not plain ends the block. The rows it reads are those that
 * {@link readPlainRows} or the grammar would read (docs/decisions.md).
 *
 * Addresses are byte offsets in the program's memory.
 */
export class CsvBlocks {
  /** The address of the bytes to be read. */
  input: Uint8Array;
  private readonly inputAt: number;
  private columns: readonly Column[] = [];
  private laidOut: readonly ColumnBuilder[] | undefined;
  /** Rows of a block. */
  private rows = 0;
  private endsAt = 0;
  private oddAt = 0;
  private notesAt = 0;
  private heapAt = 0;
  private mostKnown = FEWEST_KNOWN;
  private memory = new Uint8Array(0);
  private words = new Uint32Array(0);

  private constructor(private readonly program: CsvProgram) {
    this.inputAt = aligned(program.start()) + MARGIN;
    this.input = this.reserve(this.inputAt + INPUT + MARGIN);
  }

  /**
   * A reader of blocks, to be returned by {@link CsvBlocks.release}; undefined where WebAssembly may not run or gets no
   * memory.
   */
  static take(): CsvBlocks | undefined {
    const free = idle.pop();
    if (free !== undefined) return free;
    return withMemory(() => {
      const program = csvProgram();
      return program && new CsvBlocks(program);
    });
  }

  /** Lets go of the reader: others may use it. */
  release(): void {
    this.laidOut = undefined;
    this.columns = [];
    if (idle.length < MOST_IDLE && this.memory.length <= MOST_HELD) idle.push(this);
  }

  /** Whether `cursor` is over the input. */
  holds(cursor: RowCursor): boolean {
    return cursor.b === this.input;
  }

  /**
   * Reads rows while they are plain and room is left. The text must be valid UTF-8.
   *
   * @returns false, and nothing read, when there is no memory for so many columns
   */
  read(cursor: RowCursor, fields: readonly ColumnBuilder[]): boolean {
    if (this.laidOut !== fields) {
      if (withMemory(() => this.layOut(fields)) === undefined) return false;
      cursor.b = this.input;
    }
    while (cursor.p < cursor.fastEnd && cursor.row < cursor.capacity) {
      const wanted = Math.min(this.rows, cursor.capacity - cursor.row);
      const rows = this.readBlock(cursor, fields.length, wanted);
      if (rows === 0) break;
      cursor.row += rows;
      cursor.p = this.words[(this.endsAt >> 2) + rows * fields.length] - this.inputAt + 1;
      if (rows < wanted) break;
    }
    return true;
  }

  /** Reads at most `rows` rows into the columns, and leaves the cursor as it is. */
  private readBlock(cursor: RowCursor, width: number, rows: number): number {
    const { inputAt, endsAt, program } = this;
    const found = program.scan(inputAt + cursor.p, inputAt + cursor.fastEnd, width, rows, endsAt);
    if (found === 0) return 0;
    let read = found;
    for (const column of this.columns) read = this.readColumn(column, width, cursor, read);
    if (read < found) {
      // Nulls after the last row that counts are taken back.
      for (const { field } of this.columns) for (let i = found; i-- > read; ) field.setValid(cursor.row + i);
    }
    return read;
  }

  /** Reads one column of the `rows` rows at hand; how many of them are plain. */
  private readColumn(column: Column, width: number, cursor: RowCursor, rows: number): number {
    const { program, endsAt, oddAt } = this;
    const { field, k, out, table } = column;
    switch (field.reader) {
      case DECIMAL128:
      case INTEGER:
      case FLOAT: {
        const kind = field.reader === FLOAT ? AS_FLOAT : field.reader === INTEGER ? AS_INTEGER : AS_DECIMAL;
        const odd = program.numbers(endsAt, k, width, rows, kind, out, table, oddAt);
        put(column, cursor.row, rows);
        return this.readOdd(column, width, cursor, rows, odd);
      }
      case DATE: {
        const odd = program.dates(endsAt, k, width, rows, out, oddAt);
        put(column, cursor.row, rows);
        return this.readOdd(column, width, cursor, rows, odd);
      }
      case TEXT:
        if (field.mode === "utf8") return this.readLongTexts(column, width, cursor, rows);
        return this.readTexts(column, width, cursor, rows);
      case EXACT:
        for (let i = 0; i < rows; i++) if (!this.readCell(column, width, cursor, i)) return i;
        return rows;
      case SKIPPED:
        return rows;
    }
  }

  /** Reads the cells that the program has noted as odd; how many of the rows are plain. */
  private readOdd(column: Column, width: number, cursor: RowCursor, rows: number, odd: number): number {
    for (let j = 0; j < odd; j++) {
      const i = this.oddRow(j);
      if (!this.readCell(column, width, cursor, i)) return i;
    }
    return rows;
  }

  /** The row of the block that was noted as the `j`th odd one. */
  private oddRow(j: number): number {
    return this.words[(this.oddAt >> 2) + j];
  }

  /** Reads the cell of row `i` of the block by itself; false when the grammar must decide. */
  private readCell({ field, k }: Column, width: number, cursor: RowCursor, i: number): boolean {
    const cell = (this.endsAt >> 2) + i * width + k;
    const from = this.words[cell] + 1 - this.inputAt;
    const to = this.words[cell + 1] - this.inputAt;
    if (from === to) {
      field.setNull(cursor.row + i);
      return true;
    }
    const q = readCsvCell(this.input, from, cursor.end, field, cursor.row + i);
    return q === to || (q === to - 1 && k === width - 1 && this.input[q] === CR);
  }

  private readTexts(column: Column, width: number, cursor: RowCursor, rows: number): number {
    const { program, endsAt, notesAt, oddAt } = this;
    const { field, k, out, slots } = column;
    const { dictionary, maxBytes } = field;
    const outgrown = dictionary.size * 2 > column.known && column.known < this.mostKnown;
    if (outgrown || column.dictionary !== dictionary) this.forget(column);
    const next = dictionary.size;
    const most = Math.min(maxBytes, INPUT);
    const mask = column.known - 1;
    const odd = program.texts(endsAt, k, width, rows, out, slots, mask, most, next, notesAt, oddAt);
    const added = program.added.value;
    if (added > 0) return this.addTexts(column, width, cursor, rows, next, added, odd);
    put(column, cursor.row, rows);
    return this.readOdd(column, width, cursor, rows, odd);
  }

  /** Forgets the texts whose numbers were known, and makes room for as many as the dictionary suggests. */
  private forget(column: Column): void {
    const { dictionary } = column.field;
    while (column.known < Math.min(dictionary.size * 4, this.mostKnown)) column.known *= 2;
    column.dictionary = dictionary;
    this.memory.fill(0, column.slots, column.slots + column.known * this.program.SLOT_BYTES.value);
  }

  /**
   * Asks the dictionary for the numbers of the texts that the program has numbered from `next` on, and reads the odd
   * cells: all in the order of the rows, so that texts are numbered as they first appear.
   */
  private addTexts(
    column: Column,
    width: number,
    cursor: RowCursor,
    rows: number,
    next: number,
    added: number,
    odd: number,
  ): number {
    const { memory, words } = this;
    const { field, k } = column;
    const numbers = new Int32Array(added);
    const oddValues = new Int32Array(odd);
    let read = rows;
    let i = 0;
    const addUpTo = (address: number): void => {
      for (; i < added && words[this.note(i) + 1] < address; i++) {
        const from = words[this.note(i) + 1];
        const to = from + words[this.note(i) + 2];
        numbers[i] = field.dictionary.take(memory, from, to, hashText(memory, from, to));
      }
    };
    for (let j = 0; j < odd && read === rows; j++) {
      const row = this.oddRow(j);
      addUpTo(words[(this.endsAt >> 2) + row * width + k]);
      if (this.readCell(column, width, cursor, row)) oddValues[j] = field.words[cursor.row + row];
      else read = row;
    }
    if (read === rows) addUpTo(Number.POSITIVE_INFINITY);
    // Texts after the last row that counts have no number yet: all are learnt again.
    else column.dictionary = undefined;
    this.renumber(column, read, next, numbers);
    put(column, cursor.row, read);
    for (let j = 0; j < odd && this.oddRow(j) < read; j++) field.words[cursor.row + this.oddRow(j)] = oddValues[j];
    return read;
  }

  /** 32-bit index at which the note on the `i`th new text begins: its slot, address and length. */
  private note(i: number): number {
    return (this.notesAt >> 2) + i * this.program.NOTE_WORDS.value;
  }

  /**
   * Puts the dictionary's numbers in place of those the program gave from `next` on, in `rows` values and in the slots.
   */
  private renumber({ values }: Column, rows: number, next: number, numbers: Int32Array): void {
    if (numbers.every((number, i) => number === next + i)) return;
    for (let row = 0; row < rows; row++) if (values[row] >= next) values[row] = numbers[values[row] - next];
    const { words, program } = this;
    for (let i = 0; i < numbers.length; i++) {
      const number = (words[this.note(i)] + program.SLOT_NUMBER.value) >> 2;
      // Unless the slot now holds another text.
      if (words[number] === next + i + 1) words[number] = numbers[i] + 1;
    }
  }

  private readLongTexts({ field, k, out, values }: Column, width: number, cursor: RowCursor, rows: number): number {
    const { program, endsAt, heapAt, oddAt } = this;
    const { heapLength } = field;
    const most = Math.min(field.maxBytes, INPUT);
    const blank = !field.emptyIsNull;
    const nulls = program.longTexts(endsAt, k, width, rows, out, heapAt, heapLength, most, blank, oddAt);
    const read = program.read.value;
    if (read === 0) return 0;
    for (let j = 0; j < nulls; j++) field.setNull(cursor.row + this.oddRow(j));
    const length = values[read - 1] - heapLength;
    field.heapFor(length).set(this.memory.subarray(heapAt, heapAt + length), heapLength);
    field.words.set(values.subarray(0, read), cursor.row + 1);
    field.heapLength += length;
    return read;
  }

  /**
   * Divides the memory among the columns.
   *
   * @throws {RangeError} without memory
   */
  private layOut(fields: readonly ColumnBuilder[]): true {
    const { SLOT_BYTES, NOTE_WORDS, memory } = this.program;
    const rows = Math.max(1, Math.min(BLOCK_ROWS, Math.floor(BLOCK_CELLS / fields.length)));
    const texts = fields.filter((field) => field.reader === TEXT).length;
    const mostKnown = Math.max(FEWEST_KNOWN, Math.min(MOST_KNOWN, 2 ** Math.floor(Math.log2(ALL_KNOWN / texts))));
    let end = this.inputAt + INPUT + MARGIN;
    const room = (bytes: number): number => {
      const from = aligned(end);
      end = from + bytes;
      return from;
    };
    const endsAt = room((rows * fields.length + MORE_ENDS) * 4);
    const oddAt = room(rows * 4);
    const notesAt = room(rows * NOTE_WORDS.value * 4);
    const heapAt = room(INPUT + MARGIN);
    const places = fields.map((field) => ({
      out: room(rows * Math.max(8, field.stride * 4)),
      table: hasNumberTable(field) ? room(TABLE_BYTES) : 0,
      slots: field.reader === TEXT ? room(mostKnown * SLOT_BYTES.value) : 0,
    }));
    this.input = this.reserve(end);
    const columns = fields.map((field, k): Column => {
      const { out, table, slots } = places[k];
      const Values = field.reader === FLOAT ? Float64Array : Int32Array;
      if (hasNumberTable(field)) writeNumberTable(field, new DataView(memory.buffer, table, TABLE_BYTES));
      const values = new Values(memory.buffer, out, rows * field.stride);
      return { field, k, out, values, table, slots, known: Math.min(FIRST_KNOWN, mostKnown) };
    });
    this.columns = columns.filter(({ field }) => field.reader !== SKIPPED);
    this.rows = rows;
    this.mostKnown = mostKnown;
    this.endsAt = endsAt;
    this.oddAt = oddAt;
    this.notesAt = notesAt;
    this.heapAt = heapAt;
    this.laidOut = fields;
    return true;
  }

  /**
   * Makes the memory at least `length` bytes long; the input in it.
   *
   * @throws {RangeError} without memory
   */
  private reserve(length: number): Uint8Array {
    const { memory } = this.program;
    const missing = Math.ceil((length - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    this.memory = new Uint8Array(memory.buffer);
    this.words = new Uint32Array(memory.buffer);
    return new Uint8Array(memory.buffer, this.inputAt, INPUT);
  }
}

/** Stores the values of a block, from the builder's row `row` on. */
function put({ field, values }: Column, row: number, rows: number): void {
  const { stride } = field;
  const length = rows * stride;
  const block = length === values.length ? values : values.subarray(0, length);
  (field.reader === FLOAT ? field.floats : field.words).set(block, row * stride);
}

/** The next address that is a multiple of 64. */
function aligned(address: number): number {
  return Math.ceil(address / 64) * 64;
}
