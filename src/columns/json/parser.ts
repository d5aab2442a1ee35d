import { jsonError, skipJson, skipNumber, skipSpace, skipString, unescapeString } from "../../format/json.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { type Batching, READ_BATCH, type ReadOptions } from "../arrow/read-options.js";
import { CellPolicy } from "../build/bad-cells.js";
import { buildersFor, type ColumnBuilder, hasFull, type RawBatch, type TextMode } from "../build/builder.js";
import { wrongWidth } from "../build/from-text-rows.js";
import type { RowCursor } from "../build/row-cursor.js";
import { CELL_BAD, CELL_BAD_UTF8 } from "../build/types.js";
import { JsonBlocks } from "./blocks.js";
import { readPlainCell } from "./cell.js";

const QUOTE = 34;
const COMMA = 44;
const ZERO = 48;
const OPEN = 91;
const CLOSE = 93;
const N = 110;

/** The capacity reserved for the remaining rows, relative to the estimate, and at least. */
const HEADROOM = 1.03;
const MIN_MORE = 256;

/** The array of rows of a JSON reply, read into columns a batch at a time. */
export class JsonRowsParser {
  readonly policy: CellPolicy;
  private readonly builders: readonly ColumnBuilder[];
  private readonly batchRows: number;
  private readonly cursor: RowCursor;
  private readonly blocks: JsonBlocks | undefined;
  /** The start of the first row. */
  private readonly start: number;
  private batches = 0;
  private done = false;
  private scratch: Uint8Array = new Uint8Array(256);

  constructor(
    b: Uint8Array,
    start: number,
    end: number,
    columns: readonly ColumnSpec[],
    options: ReadOptions & Batching,
    modes: readonly (TextMode | undefined)[] | undefined,
  ) {
    this.builders = buildersFor(columns, options, modes, rowsWithin(b, start, end));
    this.policy = new CellPolicy(options);
    this.batchRows = options.batchRows ?? READ_BATCH.rows;
    if (b[start] !== OPEN) throw jsonError(b, start, end, '"["');
    const p = skipSpace(b, start + 1, end);
    const capacity = Math.min(this.batchRows, ...this.builders.map((builder) => builder.capacity));
    this.cursor = { b, p, end, fastEnd: end, row: 0, capacity };
    this.start = p;
    if (b[p] === CLOSE) this.finish();
    else if (columns.length > 0) this.blocks = JsonBlocks.take(b, p, end);
  }

  /** The next batch of at most `batchRows` rows; undefined when there are no more. */
  take(): RawBatch | undefined {
    const { cursor, blocks } = this;
    try {
      while (!this.done && cursor.row < this.batchRows && !hasFull(this.builders)) {
        if (cursor.row === cursor.capacity) this.grow();
        if (blocks?.read(cursor, this.builders)) continue;
        this.readRow();
        this.endOrNext();
      }
    } catch (error) {
      this.blocks?.close();
      throw error;
    }
    if (this.done) blocks?.close();
    if (cursor.row === 0 && this.batches > 0) return undefined;
    const rows = cursor.row;
    const columns = this.builders.map((builder) => builder.take(rows, this.done));
    this.policy.rowsBefore += rows;
    cursor.row = 0;
    this.batches++;
    return { rows, columns };
  }

  /** Reserves capacity for the remaining rows, estimated by the length of those read so far. */
  private grow(): void {
    const { cursor, policy, start } = this;
    const { p, end, row } = cursor;
    const more = Math.ceil(((end - p) / (p - start)) * (policy.rowsBefore + row) * HEADROOM) + MIN_MORE;
    cursor.capacity = Math.min(this.batchRows, row + more);
    for (const builder of this.builders) builder.reserve(cursor.capacity);
  }

  /** After a row: a comma and the next one, or the end of the rows. */
  private endOrNext(): void {
    const { cursor } = this;
    const { b, end } = cursor;
    const p = skipSpace(b, cursor.p, end);
    if (p < end && b[p] === COMMA) cursor.p = skipSpace(b, p + 1, end);
    else if (p < end && b[p] === CLOSE) {
      cursor.p = p;
      this.finish();
    } else throw jsonError(b, p, end, '"," or "]"');
  }

  private finish(): void {
    const { cursor } = this;
    cursor.p++;
    this.done = true;
    if (cursor.p !== cursor.end) throw jsonError(cursor.b, cursor.p, cursor.end, "the end of the rows");
  }

  /** Reads `[…]` at `p` cell by cell. */
  private readRow(): void {
    const { cursor, builders } = this;
    const { b, end, p: start } = cursor;
    const width = builders.length;
    for (const builder of builders) builder.setValid(cursor.row);
    if (b[start] !== OPEN || start >= end) throw jsonError(b, start, end, "a row");
    let p = skipSpace(b, start + 1, end);
    if ((b[p] === CLOSE) !== (width === 0)) throw this.wrongWidth(start);
    for (let k = 0; k < width; k++) {
      p = skipSpace(b, this.readCell(p, builders[k], cursor.row), end);
      if (p >= end || (b[p] !== COMMA && b[p] !== CLOSE)) throw jsonError(b, p, end, '"," or "]"');
      if ((b[p] === CLOSE) !== (k === width - 1)) throw this.wrongWidth(start);
      if (k < width - 1) p = skipSpace(b, p + 1, end);
    }
    cursor.p = p + 1;
    cursor.row++;
  }

  /** Reads the value at `p`; the position after it. */
  private readCell(p: number, column: ColumnBuilder, row: number): number {
    const { b, end } = this.cursor;
    const q = readPlainCell(b, p, end, column, row);
    return q >= 0 ? q : this.readAnything(p, column, row);
  }

  /** Any value by the grammar, then exactly by the column's type. */
  private readAnything(p: number, column: ColumnBuilder, row: number): number {
    const { b, end } = this.cursor;
    if (p >= end) throw jsonError(b, p, end, "a value");
    column.setValid(row);
    if (b[p] === QUOTE) return this.readEscaped(p, column, row);
    if (b[p] === 45 || (b[p] ^ ZERO) <= 9) {
      const after = skipNumber(b, p, end);
      this.policy.write(column, row, b, p, after, p);
      return after;
    }
    const after = skipJson(b, p, end);
    if (b[p] === OPEN || b[p] === 123) {
      this.policy.bad(column, row, Buffer.from(b.subarray(p, after)).toString(), p, CELL_BAD);
    } else if (b[p] === N) column.setNull(row);
    else this.policy.write(column, row, b, p, after, p);
    return after;
  }

  private readEscaped(p: number, column: ColumnBuilder, row: number): number {
    const { b, end } = this.cursor;
    const skipped = skipString(b, p, end);
    const after = skipped < 0 ? -skipped - 1 : skipped;
    if (skipped >= 0) {
      this.policy.write(column, row, b, p + 1, after - 1, p);
      return after;
    }
    if (this.scratch.length < after - p) this.scratch = new Uint8Array((after - p) * 2);
    const length = unescapeString(b, p + 1, after - 1, this.scratch);
    if (length < 0) {
      this.policy.bad(column, row, Buffer.from(b.subarray(p, after)).toString(), p, CELL_BAD_UTF8);
    } else this.policy.write(column, row, this.scratch, 0, length, p);
    return after;
  }

  private wrongWidth(start: number): Error {
    const { b, end, row } = this.cursor;
    let cells = 0;
    let p = skipSpace(b, start + 1, end);
    while (p < end && b[p] !== CLOSE) {
      p = skipSpace(b, skipJson(b, p, end), end);
      cells++;
      if (b[p] === COMMA) p = skipSpace(b, p + 1, end);
    }
    return wrongWidth(this.policy.rowNumber(row), cells, this.builders.length, start);
  }
}

/** About how many rows there are, if they are as long as the first. */
function rowsWithin(b: Uint8Array, start: number, end: number): number {
  const close = b.indexOf(CLOSE, start);
  return close < 0 || close >= end ? 1 : Math.ceil((end - start) / (close - start)) + 8;
}
