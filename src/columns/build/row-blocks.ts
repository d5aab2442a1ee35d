import { withMemory } from "../../wasm/compiled-module.js";
import type { BatchRows } from "./batch-rows.js";
import { aligned, blockLayout, INPUT, initialKnown, MARGIN, MIN_KNOWN } from "./block-layout.js";
import { AS_DECIMAL, AS_FLOAT, AS_INTEGER, type BlockProgram, blockProgram } from "./block-program.js";
import type { ColumnBuilder } from "./builder.js";
import { hashText, type TextDictionary } from "./dictionary.js";
import { hasNumberTable, numberTable } from "./number-table.js";
import { DATE, DECIMAL128, EXACT, FLOAT, INTEGER, SKIPPED, TEXT } from "./types.js";

const PAGE = 65_536;
/** Rows read one at a time after one that is not plain; doubled each time that the blocks since read fewer rows. */
const MIN_REST = 16;
const MAX_REST = 65_536;
/** A byte that valid UTF-8 does not contain. */
const NO_BYTE = 255;

/** The bytes that rows are read from, and the position of the next row. */
export interface RowBytes {
  b: Uint8Array;
  p: number;
  end: number;
  /** Rows that start at or after this position are not read in blocks. */
  fastEnd: number;
}

/** What differs between the formats whose rows are read in blocks. */
export interface BlockSyntax {
  /** The function of the program that finds where cells end. */
  readonly scan: "scan" | "scanJson";
  /** The byte between cells, and the one around text; -1 for none. */
  readonly delimiter: number;
  readonly quote: number;
  /** Marks that it finds in a row besides those that end cells: before the first cell, and after the last mark. */
  readonly before: number;
  readonly after: number;
  /**
   * Reads the cell from `from` to `to` exactly; false if the grammar must decide. It does not consult the policy for
   * bad cells.
   *
   * @param last whether the column is the last of the row
   */
  readonly readCell: (
    b: Uint8Array,
    from: number,
    to: number,
    field: ColumnBuilder,
    row: number,
    last: boolean,
  ) => boolean;
}

/** Released readers, and the largest memory with which one is kept. */
const idle: RowBlocks[] = [];
const MAX_IDLE = 2;
const MAX_IDLE_BYTES = 33_554_432;

/** Where the values of one column are written, and the input of its reader. */
interface Column {
  readonly field: ColumnBuilder;
  /** The mark before its cell, of the marks of a row. */
  readonly k: number;
  /** Address of the values of a block; the values as they are copied into the builder. */
  readonly out: number;
  readonly values: Int32Array | Float64Array;
  /** For numbers: the address of the table of factors. */
  readonly table: number;
  /** For text: the address of the table of known texts, its capacity, and the dictionary that numbers them. */
  readonly slots: number;
  known: number;
  dictionary?: TextDictionary;
}

/**
 * Reads plain rows of CSV or JSON in blocks, in WebAssembly: first it finds the ends of all cells, then it reads column
 * by column, sixteen bytes at a time. Cells that the program does not handle (unusual ones, types without a reader) are
 * read one at a time by {@link BlockSyntax.readCell}; the first row that is not plain ends the block.
 *
 * Addresses are byte offsets in the program's memory.
 */
export class RowBlocks {
  /** The bytes to be read. */
  input: Uint8Array;
  private readonly inputAt: number;
  private columns: readonly Column[] = [];
  private laidOut: readonly ColumnBuilder[] | undefined;
  /** Rows of a block, and marks of a row. */
  private rows = 0;
  private marks = 0;
  private endsAt = 0;
  private oddAt = 0;
  private notesAt = 0;
  private heapAt = 0;
  private mostKnown = MIN_KNOWN;
  /** Rows still to read one at a time, how many there will be after the next row that is not plain. */
  private resting = 0;
  private pause = MIN_REST;
  private readSinceRest = 0;
  private memory = new Uint8Array(0);
  private words = new Uint32Array(0);

  /** Constants of the program: reading one through its export is slow. */
  private readonly slotBytes: number;
  private readonly slotNumber: number;
  private readonly noteWords: number;

  private constructor(
    private readonly program: BlockProgram,
    private syntax: BlockSyntax,
  ) {
    this.use(syntax);
    this.slotBytes = program.SLOT_BYTES.value;
    this.slotNumber = program.SLOT_NUMBER.value;
    this.noteWords = program.NOTE_WORDS.value;
    this.inputAt = aligned(program.start()) + MARGIN;
    this.input = this.reserve(this.inputAt + INPUT + MARGIN);
  }

  /**
   * Creates or reuses a block reader, to be returned by {@link RowBlocks.release}; undefined if memory is exhausted.
   */
  static take(syntax: BlockSyntax): RowBlocks | undefined {
    const free = idle.pop();
    if (free !== undefined) {
      free.use(syntax);
      return free;
    }
    return withMemory(() => new RowBlocks(blockProgram(), syntax));
  }

  private use(syntax: BlockSyntax): void {
    this.syntax = syntax;
    this.resting = 0;
    this.pause = MIN_REST;
    this.readSinceRest = 0;
    this.program.setMarks(syntax.delimiter, syntax.quote < 0 ? NO_BYTE : syntax.quote);
  }

  /** Returns the reader for reuse by others. */
  release(): void {
    this.laidOut = undefined;
    this.columns = [];
    if (idle.length < MAX_IDLE && this.memory.length <= MAX_IDLE_BYTES) idle.push(this);
  }

  /** Whether the bytes are the input. */
  holds({ b }: RowBytes): boolean {
    return b === this.input;
  }

  /** Whether the next row is one of those that follow a row that was not plain, and are read one at a time. */
  isResting(): boolean {
    if (this.resting === 0) return false;
    this.resting--;
    return true;
  }

  /** Called when the next row is not plain: that one and some others are read one at a time. */
  rest(): void {
    this.pause = this.readSinceRest < this.pause ? Math.min(this.pause * 2, MAX_REST) : MIN_REST;
    this.resting = this.pause - 1;
    this.readSinceRest = 0;
  }

  /**
   * Reads rows while they are plain and there is room. The text must be valid UTF-8.
   *
   * @returns the number of rows; -1, with nothing read, if there is not enough memory for this many columns
   */
  read(bytes: RowBytes, batch: BatchRows, fields: readonly ColumnBuilder[]): number {
    if (this.laidOut !== fields) {
      if (withMemory(() => this.layOut(fields)) === undefined) return -1;
      bytes.b = this.input;
    }
    const before = batch.row;
    while (bytes.p < bytes.fastEnd && batch.row < batch.capacity) {
      const wanted = Math.min(this.rows, batch.capacity - batch.row);
      const rows = this.readBlock(bytes, batch.row, wanted);
      if (rows === 0) break;
      batch.row += rows;
      bytes.p = this.words[(this.endsAt >> 2) + rows * this.marks] - this.inputAt + 1;
      if (rows < wanted) break;
    }
    this.readSinceRest += batch.row - before;
    return batch.row - before;
  }

  /** Reads at most `rows` rows into the columns, from their row `first` on; returns their number. */
  private readBlock({ p, fastEnd }: RowBytes, first: number, rows: number): number {
    const { inputAt, program, syntax } = this;
    const found = program[syntax.scan](inputAt + p, inputAt + fastEnd, rows);
    if (found === 0) return 0;
    let read = found;
    for (const column of this.columns) read = this.readColumn(column, first, read);
    if (read < found) {
      // Undoes nulls after the last complete row.
      for (const { field } of this.columns) for (let i = found; i-- > read; ) field.setValid(first + i);
    }
    return read;
  }

  /** Reads one column of `rows` rows; returns how many of them are plain. */
  private readColumn(column: Column, first: number, rows: number): number {
    const { program } = this;
    const { field, k, out, table } = column;
    switch (field.reader) {
      case DECIMAL128:
      case INTEGER:
      case FLOAT: {
        const kind = field.reader === FLOAT ? AS_FLOAT : field.reader === INTEGER ? AS_INTEGER : AS_DECIMAL;
        const odd = program.numbers(k, rows, kind, out, table);
        storeBlock(column, first, rows);
        return this.readOdd(column, first, rows, odd);
      }
      case DATE: {
        const odd = program.dates(k, rows, out);
        storeBlock(column, first, rows);
        return this.readOdd(column, first, rows, odd);
      }
      case TEXT:
        if (field.mode === "utf8") return this.readLongTexts(column, first, rows);
        return this.readTexts(column, first, rows);
      case EXACT:
        for (let i = 0; i < rows; i++) if (!this.readCell(column, first, i)) return i;
        return rows;
      case SKIPPED:
        return rows;
    }
  }

  /** Reads the cells that the program left; returns how many of the rows are plain. */
  private readOdd(column: Column, first: number, rows: number, odd: number): number {
    for (let j = 0; j < odd; j++) {
      const i = this.oddRow(j);
      if (!this.readCell(column, first, i)) return i;
    }
    return rows;
  }

  /** The row of the `j`th cell that the program left. */
  private oddRow(j: number): number {
    return this.words[(this.oddAt >> 2) + j];
  }

  /** Reads the cell in row `i` of the block; false if the grammar must decide. */
  private readCell({ field, k }: Column, first: number, i: number): boolean {
    const { input, inputAt, marks, words } = this;
    const cell = (this.endsAt >> 2) + i * marks + k;
    const from = words[cell] + 1 - inputAt;
    const to = words[cell + 1] - inputAt;
    return this.syntax.readCell(input, from, to, field, first + i, k === marks - 1);
  }

  private readTexts(column: Column, first: number, rows: number): number {
    const { program, notesAt } = this;
    const { field, k, out, slots } = column;
    const { dictionary, maxBytes } = field;
    const outgrown = dictionary.size * 2 > column.known && column.known < this.mostKnown;
    if (outgrown || column.dictionary !== dictionary) this.forget(column);
    const next = dictionary.size;
    const most = Math.min(maxBytes, INPUT);
    const mask = column.known - 1;
    const odd = program.texts(k, rows, out, slots, mask, most, next, notesAt);
    if (program.added.value > 0) return this.addTexts(column, first, rows, next, odd);
    storeBlock(column, first, rows);
    return this.readOdd(column, first, rows, odd);
  }

  /** Clears the table of known texts and resizes it for the dictionary. */
  private forget(column: Column): void {
    const { dictionary } = column.field;
    while (column.known < Math.min(dictionary.size * 4, this.mostKnown)) column.known *= 2;
    column.dictionary = dictionary;
    this.memory.fill(0, column.slots, column.slots + column.known * this.slotBytes);
  }

  /**
   * Looks up the dictionary numbers of the texts that the program numbered from `next` on, and reads the cells that it
   * left, in row order: texts are numbered by first appearance.
   */
  private addTexts(column: Column, first: number, rows: number, next: number, odd: number): number {
    const { memory, program, words } = this;
    const { field, k } = column;
    const added = program.added.value;
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
      addUpTo(words[(this.endsAt >> 2) + row * this.marks + k]);
      if (this.readCell(column, first, row)) oddValues[j] = field.words[first + row];
      else read = row;
    }
    if (read === rows) addUpTo(Number.POSITIVE_INFINITY);
    // Texts after the last complete row have no number yet: the table is cleared.
    else column.dictionary = undefined;
    this.renumber(column, read, next, numbers);
    storeBlock(column, first, read);
    for (let j = 0; j < odd && this.oddRow(j) < read; j++) field.words[first + this.oddRow(j)] = oddValues[j];
    return read;
  }

  /** 32-bit index of the record of the `i`th new text: its slot, address and length. */
  private note(i: number): number {
    return (this.notesAt >> 2) + i * this.noteWords;
  }

  /**
   * Replaces the program's provisional numbers, `next` and above, with those of the dictionary in `rows` values and in
   * the slots.
   */
  private renumber({ values }: Column, rows: number, next: number, numbers: Int32Array): void {
    if (numbers.every((number, i) => number === next + i)) return;
    for (let row = 0; row < rows; row++) if (values[row] >= next) values[row] = numbers[values[row] - next];
    const { words, slotNumber } = this;
    for (let i = 0; i < numbers.length; i++) {
      const number = (words[this.note(i)] + slotNumber) >> 2;
      // Unless the slot now holds another text.
      if (words[number] === next + i + 1) words[number] = numbers[i] + 1;
    }
  }

  private readLongTexts({ field, k, out, values }: Column, first: number, rows: number): number {
    const { program, heapAt } = this;
    const { heapLength } = field;
    const most = Math.min(field.maxBytes, INPUT);
    const blank = !field.emptyIsNull;
    const nulls = program.longTexts(k, rows, out, heapAt, heapLength, most, blank);
    const read = program.read.value;
    if (read === 0) return 0;
    for (let j = 0; j < nulls; j++) field.setNull(first + this.oddRow(j));
    const length = values[read - 1] - heapLength;
    field.heapFor(length).set(this.memory.subarray(heapAt, heapAt + length), heapLength);
    field.words.set(values.subarray(0, read), first + 1);
    field.heapLength += length;
    return read;
  }

  /**
   * Divides the memory among the columns.
   *
   * @throws {RangeError} if memory is exhausted
   */
  private layOut(fields: readonly ColumnBuilder[]): true {
    const { memory } = this.program;
    const { before } = this.syntax;
    const { inputAt, slotBytes, noteWords } = this;
    const layout = blockLayout(fields, this.syntax, { inputAt, slotBytes, noteWords });
    const { places, rows, mostKnown } = layout;
    this.input = this.reserve(layout.end);
    const columns = fields.map((field, i): Column => {
      const { out, table, slots } = places[i];
      const Values = field.reader === FLOAT ? Float64Array : Int32Array;
      if (hasNumberTable(field)) this.memory.set(numberTable(field), table);
      const values = new Values(memory.buffer, out, rows * field.stride);
      return {
        field,
        k: before + i,
        out,
        values,
        table,
        slots,
        known: Math.min(initialKnown(field.capacity), mostKnown),
      };
    });
    this.columns = columns.filter(({ field }) => field.reader !== SKIPPED);
    this.rows = rows;
    this.marks = layout.marks;
    this.mostKnown = mostKnown;
    this.endsAt = layout.endsAt;
    this.oddAt = layout.oddAt;
    this.notesAt = layout.notesAt;
    this.heapAt = layout.heapAt;
    this.program.setPlaces(layout.endsAt, layout.marks, layout.oddAt);
    this.laidOut = fields;
    return true;
  }

  /**
   * Grows the memory to at least `length` bytes; keeps the input.
   *
   * @throws {RangeError} if memory is exhausted
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
function storeBlock({ field, values }: Column, row: number, rows: number): void {
  const { stride } = field;
  const length = rows * stride;
  const block = length === values.length ? values : values.subarray(0, length);
  (field.reader === FLOAT ? field.floats : field.words).set(block, row * stride);
}
