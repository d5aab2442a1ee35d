import { isAscii, isUtf8 } from "node:buffer";
import { DataError, InputError } from "../../errors/errors.js";
import {
  type CsvFault,
  csvRow,
  DOUBLED,
  type FaultSlot,
  INCOMPLETE,
  MALFORMED,
  QUOTED,
  skipByteOrderMark,
  splitRow,
  undouble,
} from "../../format/csv.js";
import { refuseFormat, SIGNATURE_BYTES } from "../../format/signature.js";
import { BATCH_ROWS, type CsvOptions } from "../arrow/read-options.js";
import { CellPolicy } from "../build/bad-cells.js";
import { SpareMemory } from "../build/buffer-pool.js";
import { buildersFor, type ColumnBuilder, type RawBatch, SkippedColumn, type TextMode } from "../build/builder.js";
import type { RowCursor } from "../build/row-cursor.js";
import { CELL_BAD, SKIPPED, TEXT } from "../build/types.js";
import { isHeader, matchHeader } from "./header.js";
import { PADDING, readPlainRows } from "./plain-rows.js";
import { grammarFault, type RowFault, rowError } from "./row-error.js";
import { CsvBlocks, INPUT } from "./wasm-reader.js";

const MAX_CELL = 16_777_216;
/** A row may be this many times as long as its longest cell. */
const CELLS_PER_ROW = 4;
const FIRST_BUFFER = 4_096;
/** A longer row whose end is missing is not looked at again with every chunk. */
const LONG_ROW = 65_536;
/** Bytes at hand, and rows of a batch, from which on blocks pay. */
const BLOCKS_LEAST = 16_384;
const BLOCKS_ROWS = 256;
/**
 * Rows read one by one after one that is not plain, so that many such rows do not have whole blocks read without
 * effect.
 */
const REST_ROWS = 64;

/** Where a parser starts when it does not start at the start of a file. */
export interface CsvStart {
  /** Byte offset of the first row. */
  readonly offset: number;
  /** Column numbers in the order of the file's header (-1 for a column to leave out); the header is behind us. */
  readonly order?: readonly number[];
  readonly modes?: readonly (TextMode | undefined)[];
}

/**
 * CSV bytes in, columns out: {@link CsvParser.feed} takes chunks cut anywhere, {@link CsvParser.take} gives the batches
 * that are full. It does not depend on Arrow, so that worker threads load none of it.
 */
export class CsvParser {
  /** One builder a declared column, in their order. */
  readonly builders: readonly ColumnBuilder[];
  readonly policy: CellPolicy;
  /** Column numbers in the order of the file, once the header is read. */
  order: readonly number[] | undefined;
  private fields: ColumnBuilder[] = [];
  private absent: ColumnBuilder[] = [];
  private readonly cursor: RowCursor;
  /** Byte offset of `cursor.b[0]` in the file. */
  private base: number;
  private last = false;
  private ended = false;
  /** Do not look again for the end of a long row before this many bytes are at hand. */
  private patience = 0;
  private readonly spare = new SpareMemory();
  private readonly row = csvRow();
  private readonly slot: FaultSlot = {};
  private readonly batchRows: number;
  private readonly maxCell: number;
  /** Plain rows may be read without the grammar. */
  private readonly fast: boolean;
  private mayUseBlocks: boolean;
  private scratch: Uint8Array = new Uint8Array(0);
  private blocks: CsvBlocks | undefined;
  /** The bytes at hand are where a block reader needs them, and are valid UTF-8 as far as rows are complete. */
  private byBlocks = false;
  /** How many rows are left to read without blocks, after a row that was not plain. */
  private resting = 0;

  constructor(
    private readonly options: CsvOptions,
    start?: CsvStart,
  ) {
    this.builders = buildersFor(options.columns, options, start?.modes, undefined, this.spare);
    if (options.emptyText === "null") for (const builder of this.builders) builder.emptyIsNull = true;
    this.policy = new CellPolicy(options);
    this.batchRows = options.batchRows ?? BATCH_ROWS;
    if (!Number.isInteger(this.batchRows) || this.batchRows < 1) {
      throw new InputError(`batchRows is ${this.batchRows}, not a whole number above 0.`, { code: "BadArgument" });
    }
    this.maxCell = options.maxCellBytes ?? MAX_CELL;
    for (const builder of this.builders) builder.maxBytes = this.maxCell;
    const { trim = false, emptyLines = false } = options.lenient ?? {};
    this.fast = !trim && !(emptyLines && options.columns.length === 1);
    this.mayUseBlocks = this.fast && this.batchRows >= BLOCKS_ROWS;
    this.base = start?.offset ?? 0;
    this.cursor = { b: new Uint8Array(FIRST_BUFFER), p: 0, end: 0, fastEnd: 0, row: 0, capacity: 0 };
    this.cursor.capacity = this.builders[0]?.capacity ?? this.batchRows;
    if (start?.order !== undefined) this.useOrder(start.order);
  }

  /** Byte offset of the next row. */
  get offset(): number {
    return this.base + this.cursor.p;
  }

  /** Adds the next bytes. */
  feed(chunk: Uint8Array): void {
    const { cursor } = this;
    const kept = cursor.end - cursor.p;
    const needed = kept + chunk.length + PADDING;
    const b = this.blocksFor(needed)?.input ?? this.arrayFor(needed);
    if (b !== cursor.b) b.set(cursor.b.subarray(cursor.p, cursor.end));
    else if (kept > 0 && cursor.p > 0) b.copyWithin(0, cursor.p, cursor.end);
    cursor.b = b;
    this.base += cursor.p;
    cursor.p = 0;
    b.set(chunk, kept);
    cursor.end = kept + chunk.length;
    b.fill(10, cursor.end, cursor.end + PADDING);
    cursor.fastEnd = b.lastIndexOf(10, cursor.end - 1) + 1;
    const ascii = isAscii(b.subarray(0, cursor.end));
    for (const builder of this.builders) builder.ascii = ascii;
    this.byBlocks = this.blocks?.holds(cursor) === true && (ascii || isUtf8(b.subarray(0, cursor.fastEnd)));
  }

  /** The reader of blocks when `length` bytes are worth it and fit in. */
  private blocksFor(length: number): CsvBlocks | undefined {
    if (length > INPUT || !this.mayUseBlocks) return undefined;
    if (length >= BLOCKS_LEAST) this.blocks ??= CsvBlocks.take();
    return this.blocks;
  }

  /** A buffer of at least `length` bytes: the one in use when it is long enough and no block reader's. */
  private arrayFor(length: number): Uint8Array {
    const { b } = this.cursor;
    const own = !this.blocks?.holds(this.cursor);
    if (own && length <= b.length) return b;
    return new Uint8Array(Math.max(length, own && this.cursor.end > this.cursor.p ? b.length * 2 : 0));
  }

  /** Says that no bytes follow. */
  finish(): void {
    this.last = true;
    this.cursor.fastEnd = this.cursor.end;
  }

  /**
   * The next batch: full, or after {@link CsvParser.finish} the rest (without rows only when there is no batch before
   * it); undefined when more bytes are needed, and at the end.
   *
   * @throws {DataError} naming the row, the column where there is one, and the byte offset
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
    const { cursor } = this;
    if (!this.begin()) return undefined;
    while (cursor.row < this.batchRows && cursor.p < cursor.end) {
      if (cursor.row === cursor.capacity) this.grow();
      if (!this.last && cursor.end - cursor.p < this.patience) return undefined;
      if (this.fast && cursor.p < cursor.fastEnd && this.patience === 0) {
        const { row } = cursor;
        this.readPlain();
        if (cursor.row > row || cursor.p >= cursor.end) continue;
      }
      if (!this.readRow()) return undefined;
    }
    if (cursor.row === this.batchRows) return this.flush(false);
    const first = this.policy.rowsBefore === 0 && !this.ended;
    if (!this.last || (cursor.row === 0 && !first)) return undefined;
    this.ended = true;
    return this.flush(true);
  }

  /** The rows read since the last batch, as a batch. */
  rest(): RawBatch | undefined {
    const batch = this.cursor.row > 0 ? this.flush(true) : undefined;
    this.close();
    return batch;
  }

  /** Reads the header line, if the file has one; false when it is not all there yet. */
  begin(): boolean {
    return this.order !== undefined || this.readHeader();
  }

  /** Reads rows while they are plain. */
  private readPlain(): void {
    const { cursor, fields, blocks } = this;
    const { capacity, row } = cursor;
    if (blocks !== undefined && this.byBlocks && this.resting === 0 && fields.length > 0) {
      if (blocks.read(cursor, fields)) {
        if (cursor.p < cursor.fastEnd && cursor.row < capacity) this.resting = REST_ROWS;
        if (cursor.row > row) return;
      } else this.withoutBlocks();
    }
    if (this.resting > 0) cursor.capacity = Math.min(capacity, row + this.resting);
    readPlainRows(cursor, fields);
    cursor.capacity = capacity;
    this.resting = Math.max(0, this.resting - Math.max(1, cursor.row - row));
  }

  /** Reads without blocks from now on: there is no memory for them. The content of theirs is read there. */
  private withoutBlocks(): void {
    this.blocks = undefined;
    this.byBlocks = false;
    this.mayUseBlocks = false;
  }

  /** Lets go of what it holds: nothing more is read. Needed only where rows are not read to their end. */
  close(): void {
    if (this.blocks === undefined) return;
    if (this.blocks.holds(this.cursor)) this.cursor.b = new Uint8Array(0);
    this.blocks.release();
    this.blocks = undefined;
  }

  private grow(): void {
    const rows = Math.min(this.batchRows, this.cursor.capacity * 4);
    for (const builder of this.builders) builder.reserve(rows);
    this.cursor.capacity = rows;
  }

  private flush(final: boolean): RawBatch {
    const rows = this.cursor.row;
    for (const builder of this.absent) for (let row = 0; row < rows; row++) builder.setNull(row);
    const columns = this.builders.map((builder) => builder.take(rows, final));
    this.policy.rowsBefore += rows;
    this.cursor.row = 0;
    return { rows, columns, spare: this.spare };
  }

  private useOrder(order: readonly number[]): void {
    this.order = order;
    this.fields = order.map((i) => (i < 0 ? new SkippedColumn() : this.builders[i]));
    this.absent = this.builders.filter((_, i) => !order.includes(i));
  }

  private readHeader(): boolean {
    const { cursor, options } = this;
    const { header = true, columns, lenient = {} } = options;
    if (this.base === 0 && cursor.p === 0) {
      if (cursor.end < SIGNATURE_BYTES && !this.last) return false;
      refuseFormat(cursor.b.subarray(0, cursor.end), "CSV text in UTF-8");
      cursor.p = skipByteOrderMark(cursor.b.subarray(0, cursor.end));
    }
    const places = columns.map((_, i) => i);
    if (header === false) {
      this.useOrder(places);
      return true;
    }
    if (cursor.p >= cursor.end && this.last) {
      if (header === true) {
        throw new DataError("The CSV text is empty: not even a header line.", { code: "EmptyCsv", offset: this.base });
      }
      this.useOrder(places);
      return true;
    }
    const next = this.split();
    if (next === INCOMPLETE) return false;
    const names = Array.from({ length: this.row.count }, (_, i) => this.headerName(i));
    const loose = lenient.header === true;
    if (header === "detect" && !isHeader(names, columns, loose)) {
      this.useOrder(places);
      return true;
    }
    const invalid = names.indexOf(undefined);
    if (invalid >= 0) {
      const hint = "Find out the encoding, or pass lenient: { utf8: true }.";
      const what = `is not valid UTF-8 in cell ${invalid + 1}`;
      throw this.refused({ code: "BadUtf8", what, hint, at: this.row.starts[invalid] });
    }
    this.useOrder(matchHeader(names, columns, loose));
    cursor.p = next;
    return true;
  }

  /** Cuts the row at hand; {@link INCOMPLETE} when it is not all there. */
  private split(): number {
    const { cursor, options, row, slot } = this;
    const length = cursor.end - cursor.p;
    const next = splitRow(cursor.b, cursor.p, cursor.end, this.last, options.lenient?.quotes === true, row, slot);
    if (next === MALFORMED) {
      const fault = slot.fault as CsvFault;
      throw this.refused(grammarFault(fault, this.fields[fault.cell]?.name));
    }
    if (next === INCOMPLETE) {
      if (length > this.maxCell * CELLS_PER_ROW) {
        throw this.refused({ code: "RowTooLong", what: `is longer than ${length} bytes` });
      }
      this.patience = length < LONG_ROW ? 0 : length * 2;
    } else this.patience = 0;
    return next;
  }

  /** The name in a cell of the header line; undefined where it is not valid UTF-8. */
  private headerName(i: number): string | undefined {
    const { b } = this.cursor;
    const { starts, ends, flags } = this.row;
    const { trim = false, utf8 = false } = this.options.lenient ?? {};
    const bytes = Buffer.from(b.buffer, b.byteOffset + starts[i], ends[i] - starts[i]);
    if (!utf8 && !isUtf8(bytes)) return undefined;
    const text = bytes.toString();
    if ((flags[i] & DOUBLED) !== 0) return text.replaceAll('""', '"');
    return trim && flags[i] === 0 ? text.replace(/^[ \t]+|[ \t]+$/g, "") : text;
  }

  /** Reads one row by the grammar and cell by cell; false when it is not all there. */
  private readRow(): boolean {
    const { cursor, fields, row } = this;
    const { lenient = {} } = this.options;
    // The fast reader may have set cells of this row to null at what only seemed its end.
    for (const field of fields) field.setValid(cursor.row);
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
    this.checkWidth();
    for (let k = 0; k < fields.length; k++) {
      if (k < row.count) this.writeField(fields[k], k);
      else fields[k].setNull(cursor.row);
    }
    cursor.p = next;
    cursor.row++;
    return true;
  }

  private checkWidth(): void {
    const { count } = this.row;
    const width = this.fields.length;
    const { shortRows = false, longRows = false } = this.options.lenient ?? {};
    if (count < width && !shortRows) {
      const hint = "Is the text cut off? Pass lenient: { shortRows: true } to fill such rows with null.";
      throw this.refused({ code: "ShortRow", what: `has ${count} of ${width} cells`, hint });
    }
    if (count > width && !longRows) {
      const hint = "A comma outside quotes? Pass lenient: { longRows: true } to drop what is too much.";
      throw this.refused({ code: "LongRow", what: `has ${count} cells for ${width} columns`, hint });
    }
  }

  private writeField(field: ColumnBuilder, k: number): void {
    // Skipped columns are not validated.
    if (field.reader === SKIPPED) return;
    const { b, row } = this.cursor;
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
      const length = undouble(b, start, end, this.scratch);
      this.policy.write(field, row, this.scratch, 0, length, offset);
    } else if (start === end && field.reader !== TEXT) this.policy.bad(field, row, "", offset, CELL_BAD);
    else this.policy.write(field, row, b, start, end, offset);
  }

  /** Text with U+FFFD for what is not UTF-8. */
  private writeRepaired(field: ColumnBuilder, start: number, end: number, flags: number): void {
    const { b, row } = this.cursor;
    const raw = Buffer.from(b.buffer, b.byteOffset + start, end - start).toString();
    const text = Buffer.from((flags & DOUBLED) !== 0 ? raw.replaceAll('""', '"') : raw);
    field.setText(row, new Uint8Array(text.buffer, text.byteOffset, text.length), 0, text.length);
  }

  private refused(fault: RowFault): DataError {
    const { cursor, base, order, policy } = this;
    return rowError(fault, cursor, base, order === undefined ? undefined : policy.rowNumber(cursor.row));
  }
}
