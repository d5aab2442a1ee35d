import type { DataError } from "../../errors/errors.js";
import {
  type CsvFault,
  type CsvSyntax,
  csvRow,
  DOUBLED,
  INCOMPLETE,
  MALFORMED,
  QUOTED,
  skipComment,
  splitRow,
  undouble,
} from "../../format/csv.js";
import { isUtf8, utf8Bytes, utf8Text } from "../../platform/node/bytes.js";
import { nullTextsOf, plainCellOf, syntaxOf } from "../arrow/csv-dialect.js";
import type { Batching, CsvOptions } from "../arrow/read-options.js";
import { BatchRows } from "../build/batch-rows.js";
import { INPUT } from "../build/block-layout.js";
import { type ColumnMemory, SpareMemory } from "../build/buffer-pool.js";
import { type ColumnBuilder, EmptyColumn, type RawBatch, SkippedColumn, type TextMode } from "../build/builder.js";
import { RowBlocks, type RowBytes } from "../build/row-blocks.js";
import { CELL_BAD, SKIPPED, TEXT } from "../build/types.js";
import { csvBlocks, nextSpecialLine } from "./block-syntax.js";
import { CsvHead } from "./head.js";
import type { HeaderNames } from "./header.js";
import { grammarFault, type RowFault, rowError, widthFault } from "./row-error.js";

const MAX_CELL = 16_777_216;
/** A row may be this many times as long as its longest cell. */
const CELLS_PER_ROW = 4;
const INITIAL_BUFFER = 4_096;
/** A row of at least this length is not rescanned for its end with every chunk. */
const LONG_ROW_BYTES = 65_536;
/** The fewest bytes for which blocks are faster. */
const MIN_BLOCK_BYTES = 1_024;

/** The start of a parser that does not begin at the start of the file. */
export interface CsvStart {
  /** Byte offset of the first row. */
  readonly offset: number;
  /** Column numbers in the order of the file's header (-1 for a skipped column), which has been read already. */
  readonly order?: readonly number[];
  readonly modes?: readonly (TextMode | undefined)[];
}

/**
 * Reads CSV bytes into columns: {@link CsvParser.feed} takes chunks of any size, {@link CsvParser.take} returns full
 * batches. Independent of Arrow, so that worker threads need not load it.
 */
export class CsvParser {
  readonly batch: BatchRows;
  /** Column numbers in the order of the file, once the header has been read. */
  order: readonly number[] | undefined;
  readonly syntax: CsvSyntax;
  /** Whether there may be comments or escapes, which only the grammar reads. */
  private readonly hasSpecialLines: boolean;
  /** The next position that may start such a line (stale if the cursor is beyond it); the end of complete lines. */
  private special = -1;
  private linesEnd = 0;
  private readonly head: CsvHead;
  /** The columns of a row, and those of rows as the last one: with or without an empty cell after them. */
  private columns: ColumnBuilder[] = [];
  private fields: ColumnBuilder[] = [];
  private absent: ColumnBuilder[] = [];
  readonly cursor: RowBytes;
  /** Byte offset of `cursor.b[0]` in the file. */
  base: number;
  /** Nothing follows the bytes of the cursor. */
  last = false;
  /** The buffer length below which the end of a long row is not searched for again. */
  private patience = 0;
  readonly row = csvRow();
  /** Memory of batches that are no longer used. */
  readonly spare = new SpareMemory();
  private readonly maxCell: number;
  private mayUseBlocks: boolean;
  private scratch: Uint8Array = new Uint8Array(0);
  private blocks: RowBlocks | undefined;
  /** The buffer is the input of a block reader, and its complete rows are valid UTF-8. */
  private byBlocks = false;

  constructor(
    readonly options: CsvOptions & Batching,
    start?: CsvStart,
    memoryOfColumn: () => ColumnMemory = () => this.spare,
  ) {
    this.syntax = syntaxOf(options);
    this.hasSpecialLines = this.syntax.escape >= 0 || this.syntax.comment.length > 0;
    this.head = new CsvHead(this);
    const nullTexts = nullTextsOf(options);
    const plain = plainCellOf(options);
    this.batch = new BatchRows(options.columns, options, { modes: start?.modes, memoryOfColumn, nullTexts, plain });
    this.maxCell = options.maxCellBytes ?? MAX_CELL;
    for (const builder of this.batch.builders) {
      builder.emptyIsNull = options.emptyText === "null";
      builder.maxBytes = this.maxCell;
    }
    const { trim = false, emptyLines = false } = options.lenient ?? {};
    this.mayUseBlocks = !trim && !(emptyLines && options.columns.length === 1);
    this.base = start?.offset ?? 0;
    this.cursor = { b: new Uint8Array(INITIAL_BUFFER), p: 0, end: 0, fastEnd: 0 };
    if (start?.order !== undefined) this.useOrder(start.order);
  }

  /** The names in the header, once it has been read; undefined in a file without one. */
  get names(): HeaderNames | undefined {
    return this.head.names;
  }

  /** Byte offset of the next row. */
  get offset(): number {
    return this.base + this.cursor.p;
  }

  /** Appends the next bytes. */
  feed(chunk: Uint8Array): void {
    const { cursor } = this;
    const kept = cursor.end - cursor.p;
    // The chunk is copied to a multiple of 8: elsewhere, V8 copies memory that threads share byte by byte.
    const start = -kept & 7;
    const needed = start + kept + chunk.length;
    const b = this.blocksFor(needed)?.input ?? this.arrayFor(needed);
    if (b !== cursor.b) b.set(cursor.b.subarray(cursor.p, cursor.end), start);
    else if (kept > 0 && cursor.p !== start) b.copyWithin(start, cursor.p, cursor.end);
    cursor.b = b;
    this.base += cursor.p - start;
    cursor.p = start;
    b.set(chunk, start + kept);
    cursor.end = start + kept + chunk.length;
    cursor.fastEnd = Math.max(start, b.lastIndexOf(10, cursor.end - 1) + 1);
    this.linesEnd = cursor.fastEnd;
    this.special = -1;
    this.byBlocks = this.blocks?.holds(cursor) === true && isUtf8(b.subarray(start, cursor.fastEnd));
  }

  /** The block reader, if `length` bytes are worth it and fit in. */
  private blocksFor(length: number): RowBlocks | undefined {
    if (length > INPUT || !this.mayUseBlocks) return undefined;
    if (length >= MIN_BLOCK_BYTES) this.blocks ??= RowBlocks.take(csvBlocks(this.syntax));
    return this.blocks;
  }

  /**
   * A buffer of at least `length` bytes: the current one if it is long enough and does not belong to a block reader.
   */
  private arrayFor(length: number): Uint8Array {
    const { b } = this.cursor;
    const own = !this.blocks?.holds(this.cursor);
    if (own && length <= b.length) return b;
    return new Uint8Array(Math.max(length, own && this.cursor.end > this.cursor.p ? b.length * 2 : 0));
  }

  /** Signals the end of the input. */
  finish(): void {
    this.last = true;
    this.cursor.fastEnd = this.cursor.end;
    this.linesEnd = this.cursor.end;
    this.special = -1;
  }

  /**
   * The next batch: a full one, or after {@link CsvParser.finish} the remaining rows (an empty batch only if there was
   * no other); undefined if more bytes are needed, and at the end.
   *
   * @throws {DataError} with the row, the column if known, and the byte offset
   */
  take(): RawBatch | undefined {
    try {
      const batch = this.nextBatch();
      if (batch === undefined && this.last) this.close();
      return batch;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  private nextBatch(): RawBatch | undefined {
    const { batch, cursor } = this;
    if (!this.begin()) return undefined;
    while (!batch.isFull && cursor.p < cursor.end) {
      batch.reserve();
      if (!this.last && cursor.end - cursor.p < this.patience) return undefined;
      if (this.hasSpecialLines) this.stopAtSpecialLine();
      if (!this.readBlocks() && !this.readRow()) return undefined;
    }
    if (batch.isFull) return this.taken(false);
    return this.last ? this.taken(true) : undefined;
  }

  /** Ends the blocks before the next line that only the grammar reads. */
  private stopAtSpecialLine(): void {
    const { cursor } = this;
    if (this.special < cursor.p) this.special = nextSpecialLine(cursor.b, cursor.p, cursor.end, this.syntax);
    cursor.fastEnd = Math.min(this.linesEnd, this.special);
  }

  /** Finishes the current batch with the rows read so far. */
  rest(): RawBatch | undefined {
    const batch = this.batch.row > 0 ? this.taken(true) : undefined;
    this.close();
    return batch;
  }

  /** Reads the header line, if the file has one; false if it is incomplete. */
  begin(): boolean {
    return this.order !== undefined || this.readHeader();
  }

  /** Reads rows by blocks until one is not plain; false if it read none. */
  private readBlocks(): boolean {
    const { batch, blocks, cursor, fields } = this;
    if (blocks === undefined || !this.byBlocks || this.patience > 0) return false;
    if (fields.length === 0 || cursor.p >= cursor.fastEnd || blocks.isResting()) return false;
    const rows = blocks.read(cursor, batch, fields);
    if (rows < 0) this.withoutBlocks();
    else if (cursor.p < cursor.fastEnd && batch.row < batch.capacity) blocks.rest();
    return rows > 0;
  }

  /** Stops using blocks because memory is exhausted. */
  private withoutBlocks(): void {
    this.blocks = undefined;
    this.byBlocks = false;
    this.mayUseBlocks = false;
  }

  /** Releases its resources: nothing more is read. Needed only if the rows are not read to the end. */
  close(): void {
    if (this.blocks === undefined) return;
    if (this.blocks.holds(this.cursor)) this.cursor.b = new Uint8Array(0);
    this.blocks.release();
    this.blocks = undefined;
  }

  private taken(final: boolean): RawBatch | undefined {
    const { absent, batch } = this;
    for (const builder of absent) for (let row = 0; row < batch.row; row++) builder.setNull(row);
    return final ? batch.takeLast(this.spare) : batch.take(false, this.spare);
  }

  private useOrder(order: readonly number[]): void {
    this.order = order;
    this.columns = order.map((i) => (i < 0 ? new SkippedColumn() : this.batch.builders[i]));
    this.fields = this.options.trailingDelimiter ? [...this.columns, new EmptyColumn()] : this.columns;
    this.absent = this.batch.builders.filter((_, i) => !order.includes(i));
  }

  private readHeader(): boolean {
    const order = this.head.read();
    if (order !== undefined) this.useOrder(order);
    return order !== undefined;
  }

  /** An estimate of how many batches follow the rows read so far, in an input of `size` bytes. */
  batchesLeft(size: number): number {
    const rows = this.batch.policy.rowsBefore + this.batch.row;
    return rows === 0 ? 1 : Math.ceil(((size / this.offset - 1) * rows) / this.batch.most);
  }

  /** The number of cells of the next row; undefined if it is incomplete or missing. */
  nextWidth(): number | undefined {
    const { cursor } = this;
    if (!this.head.skipComments() || cursor.p >= cursor.end || this.split() === INCOMPLETE) return undefined;
    const { count, starts, ends, flags } = this.row;
    const hasRest = count > 1 && starts[count - 1] === ends[count - 1] && flags[count - 1] === 0;
    return this.options.trailingDelimiter && hasRest ? count - 1 : count;
  }

  /** Splits the current row into cells; {@link INCOMPLETE} if its end is missing. */
  split(): number {
    const { cursor, row } = this;
    const length = cursor.end - cursor.p;
    const next = splitRow(cursor, this.last, row, this.syntax);
    if (next === MALFORMED) {
      const fault = row.fault as CsvFault;
      throw this.refused(grammarFault(fault, this.fields[fault.cell]?.name));
    }
    if (next === INCOMPLETE) {
      if (length > this.maxCell * CELLS_PER_ROW) {
        throw this.refused({ code: "RowTooLong", what: `is longer than ${length} bytes` });
      }
      this.patience = length < LONG_ROW_BYTES ? 0 : length * 2;
    } else this.patience = 0;
    return next;
  }

  /** Reads one row cell by cell with the full grammar; false if it is incomplete. */
  private readRow(): boolean {
    const { batch, cursor, columns: fields, row } = this;
    const { lenient = {} } = this.options;
    // Blocks may have set cells of this row to null before they found that it is not plain.
    for (const field of fields) field.setValid(batch.row);
    const after = skipComment(cursor.b, cursor.p, cursor.end, this.last, this.syntax);
    if (after !== cursor.p) {
      if (after !== INCOMPLETE) cursor.p = after;
      return after !== INCOMPLETE;
    }
    const next = this.split();
    if (next === INCOMPLETE) return false;
    const empty = row.count === 1 && row.starts[0] === row.ends[0] && row.flags[0] === 0;
    if (empty && (fields.length !== 1 || lenient.emptyLines)) {
      if (!lenient.emptyLines) {
        const hint = "Pass lenient: { emptyLines: true } to skip such lines.";
        throw this.refused({ code: "EmptyLine", what: "is an empty line", hint });
      }
      cursor.p = next;
      return true;
    }
    if (this.options.trailingDelimiter) this.dropEmptyLast();
    const fault = widthFault(row.count, fields.length, lenient);
    if (fault !== undefined) throw this.refused(fault);
    for (let k = 0; k < fields.length; k++) {
      if (k < row.count) this.writeField(fields[k], k);
      else fields[k].setNull(batch.row);
    }
    cursor.p = next;
    batch.row++;
    return true;
  }

  /** Drops the empty cell after the last column. The next rows are expected to be like this one. */
  private dropEmptyLast(): void {
    const { row, columns } = this;
    const k = columns.length;
    const isEmpty = row.count === k + 1 && row.starts[k] === row.ends[k] && (row.flags[k] & QUOTED) === 0;
    if (isEmpty) row.count = k;
    if (isEmpty !== this.fields.length > k) this.fields = isEmpty ? [...columns, new EmptyColumn()] : columns;
  }

  private writeField(field: ColumnBuilder, k: number): void {
    // Skipped columns are not validated.
    if (field.reader === SKIPPED) return;
    const { b } = this.cursor;
    const { policy, row } = this.batch;
    const { flags } = this.row;
    let start = this.row.starts[k];
    let end = this.row.ends[k];
    const quoted = (flags[k] & QUOTED) !== 0;
    const { lenient = {} } = this.options;
    const offset = this.base + start - (quoted ? 1 : 0);
    if (end - start > this.maxCell) {
      const what = `has a cell of ${end - start} bytes`;
      const hint = `The limit is ${this.maxCell}; pass maxCellBytes for more.`;
      throw this.refused({ code: "CellTooLong", what, hint });
    }
    if (lenient.trim && !quoted) {
      while (start < end && (b[start] === 32 || b[start] === 9)) start++;
      while (start < end && (b[end - 1] === 32 || b[end - 1] === 9)) end--;
    }
    if (start === end && (!quoted || field.emptyIsNull)) {
      field.setNull(row);
      return;
    }
    if (field.reader === TEXT && lenient.utf8) this.writeRepaired(field, start, end, flags[k]);
    else if ((flags[k] & DOUBLED) !== 0) {
      if (this.scratch.length < end - start) this.scratch = new Uint8Array((end - start) * 2);
      const length = undouble(b, start, end, this.scratch, this.syntax);
      policy.write(field, row, this.scratch, 0, length, offset);
    } else if (start === end && field.reader !== TEXT) policy.bad(field, row, "", offset, CELL_BAD);
    else policy.write(field, row, b, start, end, offset);
  }

  /** Decodes text with U+FFFD in place of invalid UTF-8. */
  private writeRepaired(field: ColumnBuilder, start: number, end: number, flags: number): void {
    const { b } = this.cursor;
    const raw = new Uint8Array(b.slice(start, end));
    const length = (flags & DOUBLED) !== 0 ? undouble(raw, 0, raw.length, raw, this.syntax) : raw.length;
    const text = utf8Bytes(utf8Text(raw, 0, length));
    field.setText(this.batch.row, new Uint8Array(text.buffer, text.byteOffset, text.length), 0, text.length);
  }

  refused(fault: RowFault): DataError {
    const { base, batch, cursor, order } = this;
    return rowError(fault, cursor, base, order === undefined ? undefined : batch.policy.rowNumber(batch.row));
  }
}
