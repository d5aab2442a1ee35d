import { CR } from "../format/csv.js";
import { type ColumnBuilder, DATE, DECIMAL128, FLOAT, INTEGER, SKIPPED, TEXT } from "./builder.js";
import { AS_DECIMAL, AS_FLOAT, AS_INTEGER, type CsvProgram, csvProgram } from "./csv-program.js";
import { readCsvCell } from "./csv-rows.js";
import { hashText, type TextDictionary } from "./dictionary.js";
import { hasNumberTable, TABLE_BYTES, writeNumberTable } from "./number-table.js";
import type { RowCursor } from "./row-cursor.js";

/** Bytes read at a time, with room for the start of a row from those before. */
export const INPUT = 1_310_720;
/** Bytes around the input that the program may read, whatever they are. */
const MARGIN = 64;
/** Rows and cells of a block at most: what is written for one stays in the processor's cache. */
const BLOCK_ROWS = 1_024;
const BLOCK_CELLS = 32_768;
/** Texts of a column whose numbers are known without asking the dictionary: at first, and at most where so many columns are text. */
const FEWEST_KNOWN = 256;
const MOST_KNOWN = 32_768;
const KNOWN_COLUMNS = 8;
const SLOT_BYTES = 64;
const SLOT_NUMBER = 36;
const PAGE = 65_536;

/** Readers that were let go of. */
const idle: CsvBlocks[] = [];
const MOST_IDLE = 2;
/** One with more memory is not kept. */
const MOST_HELD = 33_554_432;

/** Where one column's values are put and what its reader needs. */
interface Column {
  readonly field: ColumnBuilder;
  readonly k: number;
  /** The values of a block, in the words or floats of the builder, and their address. */
  readonly out: number;
  readonly values: Int32Array | Float64Array;
  readonly stride: number;
  /** For numbers: what to do by the place of the point. */
  readonly table: number;
  /** For text: the texts whose numbers are known, and in which dictionary. */
  readonly slots: number;
  known: number;
  dictionary?: TextDictionary;
}

/**
 * Reads plain rows of CSV by blocks, in WebAssembly: first where all cells end, then column by column, sixteen bytes at a time.
 * What the program leaves (unusual cells, types it has no reader for) is read one by one by {@link readCsvCell}; the first row that is
 * not plain ends the block. Nothing else is different from {@link readPlainRows} (docs/decisions.md).
 */
export class CsvBlocks {
  /** Where the bytes to be read must stand. */
  input: Uint8Array;
  private readonly at: number;
  private columns: readonly Column[] = [];
  private laidOut: readonly ColumnBuilder[] | undefined;
  private rows = 0;
  private odd = 0;
  private ends = 0;
  private fresh = 0;
  private heap = 0;
  private mostKnown = FEWEST_KNOWN;
  private memory = new Uint8Array(0);
  private words = new Uint32Array(0);

  private constructor(private readonly program: CsvProgram) {
    this.at = aligned(program.start()) + MARGIN;
    this.input = this.reserve(this.at + INPUT + MARGIN);
  }

  /** A reader of blocks, to be given back by {@link CsvBlocks.release}; undefined where WebAssembly may not run. */
  static take(): CsvBlocks | undefined {
    const free = idle.pop();
    if (free !== undefined) return free;
    const program = csvProgram();
    return program && new CsvBlocks(program);
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

  /** Reads rows while they are plain and room is left, as {@link readPlainRows} does. The text must be valid UTF-8. */
  read(cursor: RowCursor, fields: readonly ColumnBuilder[]): void {
    if (this.laidOut !== fields) {
      this.layOut(fields);
      cursor.b = this.input;
    }
    while (cursor.p < cursor.fastEnd && cursor.row < cursor.capacity) {
      const wanted = Math.min(this.rows, cursor.capacity - cursor.row);
      const rows = this.readBlock(cursor, fields.length, wanted);
      if (rows === 0) return;
      cursor.row += rows;
      cursor.p = this.words[(this.ends >> 2) + rows * fields.length] - this.at + 1;
      if (rows < wanted && cursor.p < cursor.fastEnd) return;
    }
  }

  /** Reads at most `rows` rows into the columns, and leaves the cursor as it is. */
  private readBlock(cursor: RowCursor, width: number, rows: number): number {
    const { at, ends, program } = this;
    const found = program.scan(at + cursor.p, at + cursor.fastEnd, width, rows, ends);
    let read = found;
    if (read === 0) return 0;
    for (const column of this.columns) read = this.readColumn(column, width, cursor, read);
    if (read < found) {
      // Nulls after the last row that counts are taken back.
      for (const { field } of this.columns) for (let i = found; i-- > read; ) field.setValid(cursor.row + i);
    }
    return read;
  }

  /** Reads one column of the `rows` rows at hand; how many of them are plain. */
  private readColumn(column: Column, width: number, cursor: RowCursor, rows: number): number {
    const { program, ends } = this;
    const { field, k, out, table } = column;
    switch (field.kind) {
      case DECIMAL128:
      case INTEGER:
      case FLOAT: {
        const kind = field.kind === FLOAT ? AS_FLOAT : field.kind === INTEGER ? AS_INTEGER : AS_DECIMAL;
        const odd = program.numbers(ends, k, width, rows, kind, out, table, this.odd);
        put(column, cursor.row, rows);
        return this.readOdd(column, width, cursor, rows, odd);
      }
      case DATE: {
        const odd = program.dates(ends, k, width, rows, out, this.odd);
        put(column, cursor.row, rows);
        return this.readOdd(column, width, cursor, rows, odd);
      }
      case TEXT:
        if (field.mode === "utf8") return this.readLongTexts(column, width, cursor, rows);
        return this.readTexts(column, width, cursor, rows);
      default:
        for (let i = 0; i < rows; i++) if (!this.readCell(column, width, cursor, i)) return i;
        return rows;
    }
  }

  /** Reads the cells that the program has noted as odd; how many of the rows are plain. */
  private readOdd(column: Column, width: number, cursor: RowCursor, rows: number, odd: number): number {
    const from = this.odd >> 2;
    for (let i = from; i < from + odd; i++) {
      const row = this.words[i];
      if (!this.readCell(column, width, cursor, row)) return row;
    }
    return rows;
  }

  /** Reads the cell of row `i` of the block by itself; false when only the grammar can tell. */
  private readCell({ field, k }: Column, width: number, cursor: RowCursor, i: number): boolean {
    const cell = (this.ends >> 2) + i * width + k;
    const from = this.words[cell] + 1 - this.at;
    const to = this.words[cell + 1] - this.at;
    if (from === to) {
      field.setNull(cursor.row + i);
      return true;
    }
    const q = readCsvCell(this.input, from, cursor.end, field, cursor.row + i);
    return q === to || (q === to - 1 && k === width - 1 && this.input[q] === CR);
  }

  private readTexts(column: Column, width: number, cursor: RowCursor, rows: number): number {
    const { program, ends, odd } = this;
    const { field, k, out, slots } = column;
    const { dictionary } = field;
    const full = dictionary.size * 2 > column.known && column.known < this.mostKnown;
    if (full || column.dictionary !== dictionary) {
      while (column.known < Math.min(dictionary.size * 4, this.mostKnown)) column.known *= 2;
      column.dictionary = dictionary;
      this.memory.fill(0, slots, slots + column.known * SLOT_BYTES);
    }
    const next = dictionary.size;
    const noted = program.texts(ends, k, width, rows, out, slots, column.known - 1, next, this.fresh, odd);
    const added = program.added.value;
    if (added > 0) return this.addTexts(column, width, cursor, rows, next, noted);
    put(column, cursor.row, rows);
    return this.readOdd(column, width, cursor, rows, noted);
  }

  /**
   * Asks the dictionary for the numbers of the texts that the program has numbered from `next` on, and reads the odd cells: all in the order
   * of the rows, so that texts are numbered as they first appear.
   */
  private addTexts(
    column: Column,
    width: number,
    cursor: RowCursor,
    rows: number,
    next: number,
    noted: number,
  ): number {
    const { memory, words } = this;
    const { field, k } = column;
    const numbers = new Int32Array(this.program.added.value);
    const odd = new Int32Array(noted);
    let read = rows;
    let i = 0;
    const addUpTo = (address: number): void => {
      for (let note = (this.fresh >> 2) + i * 3; i < numbers.length && words[note + 1] < address; note += 3) {
        const from = words[note + 1];
        const to = from + words[note + 2];
        numbers[i++] = field.dictionary.take(memory, from, to, hashText(memory, from, to));
      }
    };
    for (let j = 0; j < noted && read === rows; j++) {
      const row = words[(this.odd >> 2) + j];
      addUpTo(words[(this.ends >> 2) + row * width + k]);
      if (this.readCell(column, width, cursor, row)) odd[j] = field.words[cursor.row + row];
      else read = row;
    }
    if (read === rows) addUpTo(Number.POSITIVE_INFINITY);
    // Texts after the last row that counts have no number yet: all are learnt anew.
    else column.dictionary = undefined;
    this.renumber(column, next, numbers);
    put(column, cursor.row, read);
    for (let j = 0; j < noted; j++) {
      const row = words[(this.odd >> 2) + j];
      if (row < read) field.words[cursor.row + row] = odd[j];
    }
    return read;
  }

  /** Puts the dictionary's numbers in place of those the program gave from `next` on. */
  private renumber({ values }: Column, next: number, numbers: Int32Array): void {
    if (numbers.every((number, i) => number === next + i)) return;
    for (let row = 0; row < values.length; row++) {
      if (values[row] >= next) values[row] = numbers[values[row] - next];
    }
    const { words } = this;
    for (let i = 0, note = this.fresh >> 2; i < numbers.length; i++, note += 3) {
      const number = (words[note] + SLOT_NUMBER) >> 2;
      // Unless the slot has been given to another text.
      if (words[number] === next + i + 1) words[number] = numbers[i] + 1;
    }
  }

  private readLongTexts({ field, k, out, values }: Column, width: number, cursor: RowCursor, rows: number): number {
    const { program, ends, heap, odd } = this;
    const { heapLength, maxBytes } = field;
    const blank = !field.emptyIsNull;
    const nulls = program.longTexts(ends, k, width, rows, out, heap, heapLength, maxBytes, blank, odd);
    const read = program.added.value;
    if (read === 0) return 0;
    for (let i = odd >> 2; i < (odd >> 2) + nulls; i++) field.setNull(cursor.row + this.words[i]);
    const length = values[read - 1] - heapLength;
    field.heapFor(length).set(this.memory.subarray(heap, heap + length), heapLength);
    field.words.set(values.subarray(0, read), cursor.row + 1);
    field.heapLength += length;
    return read;
  }

  /** Divides the memory among the columns. */
  private layOut(fields: readonly ColumnBuilder[]): void {
    this.rows = Math.max(1, Math.min(BLOCK_ROWS, Math.floor(BLOCK_CELLS / fields.length)));
    const { rows } = this;
    let end = this.at + INPUT + MARGIN;
    const room = (bytes: number): number => {
      const from = aligned(end);
      end = from + bytes;
      return from;
    };
    this.ends = room((rows * fields.length + 66) * 4);
    this.odd = room(rows * 4);
    this.fresh = room(rows * 12);
    this.heap = room(INPUT + MARGIN);
    const texts = fields.filter((field) => field.kind === TEXT).length;
    this.mostKnown = Math.max(FEWEST_KNOWN, MOST_KNOWN >> Math.max(0, Math.ceil(Math.log2(texts / KNOWN_COLUMNS))));
    const places = fields.map((field) => ({
      stride: field.kind === FLOAT ? 1 : field.stride,
      out: room(rows * Math.max(8, field.stride * 4)),
      table: hasNumberTable(field) ? room(TABLE_BYTES) : 0,
      slots: field.kind === TEXT ? room(this.mostKnown * SLOT_BYTES) : 0,
    }));
    this.input = this.reserve(end);
    const { buffer } = this.program.memory;
    const columns = fields.map((field, k): Column => {
      const { stride, out, table, slots } = places[k];
      const Values = field.kind === FLOAT ? Float64Array : Int32Array;
      if (hasNumberTable(field)) writeNumberTable(field, new DataView(buffer, table, TABLE_BYTES));
      return {
        field,
        k,
        out,
        values: new Values(buffer, out, rows * stride),
        stride,
        table,
        slots,
        known: FEWEST_KNOWN,
      };
    });
    this.columns = columns.filter(({ field }) => field.kind !== SKIPPED);
    this.laidOut = fields;
  }

  /** Makes the memory at least `length` bytes long; the input in it. */
  private reserve(length: number): Uint8Array {
    const { memory } = this.program;
    const missing = Math.ceil((length - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    this.memory = new Uint8Array(memory.buffer);
    this.words = new Uint32Array(memory.buffer);
    return new Uint8Array(memory.buffer, this.at, INPUT);
  }
}

/** Stores the values of a block, from the builder's row `row` on. */
function put({ field, values, stride }: Column, row: number, rows: number): void {
  const length = rows * stride;
  const block = length === values.length ? values : values.subarray(0, length);
  (field.kind === FLOAT ? field.floats : field.words).set(block, row * stride);
}

/** The next address that is a multiple of 64. */
function aligned(address: number): number {
  return Math.ceil(address / 64) * 64;
}
