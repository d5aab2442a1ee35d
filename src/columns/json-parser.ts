import { invalidUtf8, jsonError, skipJson, skipNumber, skipSpace, skipString, unescapeString } from "../format/json.js";
import type { ColumnSpec } from "../spec/columns.js";
import { NO_DATE, readDate } from "../value/date.js";
import { readDecimal128, readInt64 } from "../value/decimal.js";
import { readFloat64 } from "../value/number.js";
import { buildersFor, type ColumnBuilder, DATE, DECIMAL128, FLOAT, INTEGER, TEXT, type TextMode } from "./builder.js";
import type { RawBatch } from "./csv-parser.js";
import { HASH_PRIME, HASH_SEED } from "./dictionary.js";
import { BATCH_ROWS, type ReadOptions } from "./options.js";
import { CellPolicy } from "./policy.js";
import { wrongWidth } from "./texts.js";
import { CELL_BAD, CELL_BAD_UTF8 } from "./write-cell.js";

const QUOTE = 34;
const COMMA = 44;
const ZERO = 48;
const OPEN = 91;
const BACKSLASH = 92;
const CLOSE = 93;
const N = 110;

/** The array of rows of a JSON reply, read into columns a batch at a time. */
export class JsonRowsParser {
  readonly policy: CellPolicy;
  private readonly builders: readonly ColumnBuilder[];
  private readonly batchRows: number;
  private capacity: number;
  private p: number;
  private row = 0;
  private batches = 0;
  private done = false;
  private scratch: Uint8Array = new Uint8Array(256);

  constructor(
    private readonly b: Uint8Array,
    start: number,
    private readonly end: number,
    columns: readonly ColumnSpec[],
    options: ReadOptions,
    modes: readonly (TextMode | undefined)[] | undefined,
  ) {
    this.builders = buildersFor(columns, options, modes);
    this.policy = new CellPolicy(options);
    this.batchRows = options.batchRows ?? BATCH_ROWS;
    this.capacity = this.builders[0]?.capacity ?? this.batchRows;
    if (b[start] !== OPEN) throw jsonError(b, start, end, '"["');
    this.p = skipSpace(b, start + 1, end);
    if (b[this.p] === CLOSE) this.finish();
  }

  /** The next batch of at most `batchRows` rows; undefined when there are no more. */
  take(): RawBatch | undefined {
    while (!this.done && this.row < this.batchRows) {
      if (this.row === this.capacity) this.grow();
      this.readRow();
    }
    if (this.row === 0 && this.batches > 0) return undefined;
    const rows = this.row;
    const columns = this.builders.map((builder) => builder.take(rows, this.done));
    this.policy.rowsBefore += rows;
    this.row = 0;
    this.batches++;
    return { rows, columns };
  }

  private grow(): void {
    this.capacity = Math.min(this.batchRows, this.capacity * 4);
    for (const builder of this.builders) builder.reserve(this.capacity);
  }

  private finish(): void {
    const { b, end } = this;
    this.p++;
    this.done = true;
    if (this.p !== end) throw jsonError(b, this.p, end, "the end of the rows");
  }

  /** Reads `[…]` at `p`, and the comma or the end of the rows after it. */
  private readRow(): void {
    const { b, end, builders } = this;
    let { p } = this;
    const start = p;
    if (b[p] !== OPEN || p >= end) throw jsonError(b, p, end, "a row");
    const width = builders.length;
    p = skipSpace(b, p + 1, end);
    if (b[p] === CLOSE && width > 0) throw this.wrongWidth(start);
    for (let k = 0; k < width; k++) {
      p = this.readCell(p, builders[k]);
      if (p >= end || (b[p] !== COMMA && b[p] !== CLOSE)) {
        p = skipSpace(b, p, end);
        if (p >= end || (b[p] !== COMMA && b[p] !== CLOSE)) throw jsonError(b, p, end, '"," or "]"');
      }
      if (b[p] === CLOSE ? k < width - 1 : k === width - 1) throw this.wrongWidth(start);
      p++;
      if (k < width - 1 && b[p] <= 32) p = skipSpace(b, p, end);
    }
    if (width === 0) {
      if (b[p] !== CLOSE) throw this.wrongWidth(start);
      p++;
    }
    this.row++;
    p = skipSpace(b, p, end);
    if (p < end && b[p] === COMMA) this.p = skipSpace(b, p + 1, end);
    else if (p < end && b[p] === CLOSE) {
      this.p = p;
      this.finish();
    } else throw jsonError(b, p, end, '"," or "]"');
  }

  /** Reads the value at `p`; the position after it. */
  private readCell(p: number, column: ColumnBuilder): number {
    const { b, row } = this;
    const c = b[p];
    if (c === QUOTE) {
      if (column.kind === TEXT) {
        const q = this.readText(p, column);
        if (q >= 0) return q;
      } else if (column.kind === DATE) {
        const days = readDate(b, p + 1);
        if (days !== NO_DATE && b[p + 11] === QUOTE && p + 11 < this.end) {
          column.words[row] = days;
          return p + 12;
        }
      }
    } else if (c === 45 || (c ^ ZERO) <= 9) {
      const q = this.readNumber(p, column);
      if (q >= 0) return q;
    } else if (c === N && b[p + 1] === 117 && b[p + 2] === 108 && b[p + 3] === 108 && p + 4 <= this.end) {
      column.setNull(row);
      return p + 4;
    }
    return this.readAnything(p, column);
  }

  /** A number by the column's fast reader, or -1 where it is for {@link readAnything}. */
  private readNumber(p: number, column: ColumnBuilder): number {
    const { b, row, end } = this;
    // No leading zeros in JSON.
    const first = b[p] === 45 ? p + 1 : p;
    if (b[first] === ZERO && (b[first + 1] ^ ZERO) <= 9) return -1;
    let q = -1;
    switch (column.kind) {
      case DECIMAL128:
        q = readDecimal128(b, p, column.words, row * 4, column.precision, column.scale, column.limit);
        break;
      case FLOAT:
        q = readFloat64(b, p, column.floats, row);
        break;
      case INTEGER:
        q = readInt64(b, p, column.words, row * 2);
        break;
    }
    // What follows must end the number: an exponent, for one, is for the exact way.
    return q >= 0 && q < end && (b[q] === COMMA || b[q] === CLOSE || b[q] <= 32) ? q : -1;
  }

  /** Text without escapes, or -1. */
  private readText(p: number, column: ColumnBuilder): number {
    const { b, row, end } = this;
    const start = p + 1;
    const { dictionary } = column;
    if (column.mode !== "utf8" && dictionary.size > 0) {
      const { last, bytes, offsets } = dictionary;
      const to = offsets[last + 1];
      let q = start;
      let r = offsets[last];
      while (r < to && b[q] === bytes[r]) {
        q++;
        r++;
      }
      // The same bytes were stored before without escapes or control characters only if they hold none.
      if (r === to && b[q] === QUOTE && q < end && plain(b, start, q)) {
        column.words[row] = last;
        return q + 1;
      }
    }
    let hash = HASH_SEED;
    let seen = 0;
    let q = start;
    for (; q < end; q++) {
      const c = b[q];
      if (c === QUOTE || c === BACKSLASH || c < 32) break;
      hash = Math.imul(hash ^ c, HASH_PRIME);
      seen |= c;
    }
    if (q >= end || b[q] !== QUOTE || (seen >= 128 && invalidUtf8(b, start, q) >= 0)) return -1;
    if (column.mode === "utf8") column.appendText(row, b, start, q);
    else {
      const found = dictionary.find(b, start, q, hash);
      column.words[row] = found < 0 ? dictionary.add(b, start, q, hash) : found;
    }
    return q + 1;
  }

  /** Any value by the grammar, then exactly by the column's type. */
  private readAnything(p: number, column: ColumnBuilder): number {
    const { b, end, row } = this;
    if (p >= end) throw jsonError(b, p, end, "a value");
    column.setValid(row);
    if (b[p] === QUOTE) return this.readEscaped(p, column);
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

  private readEscaped(p: number, column: ColumnBuilder): number {
    const { b, end, row } = this;
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
    const { b, end, builders } = this;
    let cells = 0;
    let p = skipSpace(b, start + 1, end);
    while (p < end && b[p] !== CLOSE) {
      p = skipSpace(b, skipJson(b, p, end), end);
      cells++;
      if (b[p] === COMMA) p = skipSpace(b, p + 1, end);
    }
    return wrongWidth(this.policy.rowsBefore + this.row, cells, builders.length, start);
  }
}

/** Whether there is neither an escape nor a control character. */
function plain(b: Uint8Array, start: number, end: number): boolean {
  for (let p = start; p < end; p++) if (b[p] === BACKSLASH || b[p] < 32) return false;
  return true;
}
