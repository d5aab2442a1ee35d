import { jsonError, skipJson, skipSpace } from "../../format/json.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Batching, ReadOptions } from "../arrow/read-options.js";
import { BatchRows } from "../build/batch-rows.js";
import type { RawBatch, TextMode } from "../build/builder.js";
import type { RowBytes } from "../build/row-blocks.js";
import { wrongWidth } from "../build/text-rows.js";
import { JsonBlocks } from "./blocks.js";
import { type JsonCell, readCell } from "./cell.js";

const COMMA = 44;
const OPEN = 91;
const CLOSE = 93;

/** The capacity reserved for the remaining rows, relative to the estimate, and at least. */
const HEADROOM = 1.03;
const MIN_MORE = 256;

/** An array of rows in JSON: the offset of its `[`, and the offset after its `]`. */
export interface JsonRowsRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** The array of rows of a JSON reply, read into columns a batch at a time. */
export class JsonRowsParser {
  readonly batch: BatchRows;
  private readonly page: RowBytes;
  private readonly cell: JsonCell;
  private readonly blocks: JsonBlocks | undefined;
  /** The start of the first row. */
  private readonly start: number;
  private done = false;

  constructor(
    { bytes: b, start, end }: JsonRowsRange,
    columns: readonly ColumnSpec[],
    options: ReadOptions & Batching,
    modes: readonly (TextMode | undefined)[] | undefined,
  ) {
    this.batch = new BatchRows(columns, options, { modes, expected: rowsWithin(b, start, end) });
    if (b[start] !== OPEN) throw jsonError(b, start, end, '"["');
    const p = skipSpace(b, start + 1, end);
    this.page = { b, p, end, fastEnd: end };
    this.cell = { b, end, base: 0, policy: this.batch.policy };
    this.start = p;
    if (b[p] === CLOSE) this.finish();
    else if (columns.length > 0) this.blocks = JsonBlocks.take(b, p, end);
  }

  /** The next batch of at most `batchRows` rows; undefined when there are no more. */
  take(): RawBatch | undefined {
    const { batch, blocks, page } = this;
    try {
      while (!this.done && !batch.isFull) {
        if (batch.row === batch.capacity) batch.reserve(this.estimate());
        if (blocks?.read(page, batch)) continue;
        this.readRow();
        this.endOrNext();
      }
    } catch (error) {
      blocks?.close();
      throw error;
    }
    if (!this.done) return batch.take(false);
    blocks?.close();
    return batch.takeLast();
  }

  /** An estimate of the rows of the batch, by the length of those read so far. */
  private estimate(): number {
    const { batch, page, start } = this;
    const rows = batch.policy.rowsBefore + batch.row;
    return batch.row + Math.ceil(((page.end - page.p) / (page.p - start)) * rows * HEADROOM) + MIN_MORE;
  }

  /** After a row: a comma and the next one, or the end of the rows. */
  private endOrNext(): void {
    const { page } = this;
    const { b, end } = page;
    const p = skipSpace(b, page.p, end);
    if (p < end && b[p] === COMMA) page.p = skipSpace(b, p + 1, end);
    else if (p < end && b[p] === CLOSE) {
      page.p = p;
      this.finish();
    } else throw jsonError(b, p, end, '"," or "]"');
  }

  private finish(): void {
    const { page } = this;
    page.p++;
    this.done = true;
    if (page.p !== page.end) throw jsonError(page.b, page.p, page.end, "the end of the rows");
  }

  /** Reads `[…]` at the position cell by cell. */
  private readRow(): void {
    const { batch, cell, page } = this;
    const { builders, row } = batch;
    const { b, end, p: start } = page;
    const width = builders.length;
    for (const builder of builders) builder.setValid(row);
    if (b[start] !== OPEN || start >= end) throw jsonError(b, start, end, "a row");
    let p = skipSpace(b, start + 1, end);
    if ((b[p] === CLOSE) !== (width === 0)) throw this.wrongWidth(start);
    for (let k = 0; k < width; k++) {
      if (p >= end) throw jsonError(b, p, end, "a value");
      p = skipSpace(b, readCell(cell, p, builders[k], row), end);
      if (p >= end || (b[p] !== COMMA && b[p] !== CLOSE)) throw jsonError(b, p, end, '"," or "]"');
      if ((b[p] === CLOSE) !== (k === width - 1)) throw this.wrongWidth(start);
      if (k < width - 1) p = skipSpace(b, p + 1, end);
    }
    page.p = p + 1;
    batch.row++;
  }

  private wrongWidth(start: number): Error {
    const { b, end } = this.page;
    let cells = 0;
    let p = skipSpace(b, start + 1, end);
    while (p < end && b[p] !== CLOSE) {
      p = skipSpace(b, skipJson(b, p, end), end);
      cells++;
      if (b[p] === COMMA) p = skipSpace(b, p + 1, end);
    }
    const { builders, policy, row } = this.batch;
    return wrongWidth(policy.rowNumber(row), cells, builders.length, start);
  }
}

/** About how many rows there are, if they are as long as the first. */
function rowsWithin(b: Uint8Array, start: number, end: number): number {
  const close = b.indexOf(CLOSE, start);
  return close < 0 || close >= end ? 1 : Math.ceil((end - start) / (close - start)) + 8;
}
