import { DataError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { skipJson, skipNumber, skipString, unescapeString } from "../../format/json.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { type Batching, READ_BATCH, type ReadOptions } from "../arrow/read-options.js";
import { CellPolicy } from "../build/bad-cells.js";
import { buildersFor, type ColumnBuilder, hasFull, type RawBatch, type TextMode } from "../build/builder.js";
import { CELL_BAD_UTF8, CELL_NESTED } from "../build/types.js";
import { readPlainCell } from "./cell.js";
import { LineBuffer } from "./line-buffer.js";
import { type MemberReader, readMembers } from "./line-members.js";

const QUOTE = 34;
const MINUS = 45;
const ZERO = 48;
const OPEN_ARRAY = 91;
const N = 110;
const OPEN_OBJECT = 123;

/** How the lines are read. */
export interface LinesOptions extends ReadOptions {
  /** A member that is not declared is an error, or is dropped. */
  readonly onExtraMember?: "error" | "ignore";
}

/** Reads JSON lines, one object a line, into columns by the names of the members; a missing member is null. */
export class JsonLinesParser implements MemberReader {
  readonly policy: CellPolicy;
  private readonly lines = new LineBuffer();
  private readonly builders: readonly ColumnBuilder[];
  private readonly keys: readonly Uint8Array[];
  private readonly numbers: ReadonlyMap<string, number>;
  /** For each column, the number of the row that it was last read in, from 1. */
  private readonly readIn: Float64Array;
  private readonly batchRows: number;
  private readonly firstRow: number;
  private scratch: Uint8Array = new Uint8Array(256);
  private capacity: number;
  /** The row of the batch, and the member that is expected next. */
  private row = 0;
  private next = 0;
  private batches = 0;
  private last = false;

  constructor(
    columns: readonly ColumnSpec[],
    private readonly options: LinesOptions & Batching,
    modes: readonly (TextMode | undefined)[] | undefined,
  ) {
    this.builders = buildersFor(columns, options, modes);
    this.policy = new CellPolicy(options);
    this.batchRows = options.batchRows ?? READ_BATCH.rows;
    this.firstRow = options.firstRow ?? 0;
    this.capacity = Math.min(this.batchRows, ...this.builders.map(({ capacity }) => capacity));
    this.keys = columns.map(({ name }) => new TextEncoder().encode(name));
    this.numbers = new Map(columns.map(({ name }, i) => [name, i]));
    this.readIn = new Float64Array(columns.length);
    this.lines.row = this.firstRow;
  }

  feed(chunk: Uint8Array): void {
    this.lines.feed(chunk);
  }

  finish(): void {
    this.last = true;
    this.lines.finish();
  }

  close(): void {}

  take(): RawBatch | undefined {
    let isFull = false;
    while (this.row < this.batchRows && !isFull && this.lines.next()) {
      if (this.row === this.capacity) this.grow();
      try {
        this.readLine();
      } catch (error) {
        throw this.lines.placed(error);
      }
      isFull = hasFull(this.builders);
    }
    if (this.row === this.batchRows || isFull) return this.flush(false);
    if (!this.last || (this.row === 0 && this.batches > 0)) return undefined;
    return this.flush(true);
  }

  private readLine(): void {
    const { builders, lines, readIn, row } = this;
    this.next = 0;
    if (!readMembers(lines.b, lines.start, lines.end, this)) return;
    const number = this.policy.rowsBefore + row + 1;
    for (let k = 0; k < builders.length; k++) if (readIn[k] !== number) builders[k].setNull(row);
    this.row++;
    lines.row++;
  }

  expected(b: Uint8Array, from: number, to: number): number {
    const { keys, next } = this;
    if (next >= keys.length || keys[next].length !== to - from) return -1;
    const key = keys[next];
    for (let i = 0; i < key.length; i++) if (key[i] !== b[from + i]) return -1;
    return next;
  }

  named(name: string, position: number): number {
    const found = this.numbers.get(name);
    if (found !== undefined) return found;
    if (this.options.onExtraMember === "ignore") return -1;
    const { row } = this.lines;
    const offset = this.lines.offsetOf(position);
    const near = suggestion(name, [...this.numbers.keys()], "declared columns");
    throw new DataError(`Row ${row} has the member ${JSON.stringify(name)}, which is not declared (byte ${offset}).`, {
      code: "UndeclaredColumn",
      row,
      column: name,
      offset,
      hint: `${near} Declare it, or pass onExtraMember: "ignore".`.trim(),
    });
  }

  value(member: number, p: number, end: number): number {
    const { lines, readIn, row } = this;
    const column = this.builders[member];
    const number = this.policy.rowsBefore + row + 1;
    if (readIn[member] === number) throw this.repeated(column.name, p);
    readIn[member] = number;
    this.next = member + 1;
    column.setValid(row);
    const q = readPlainCell(lines.b, p, end, column, row);
    return q >= 0 ? q : this.readAnything(p, end, column);
  }

  /** Any value by the grammar, then exactly by the column's type. */
  private readAnything(p: number, end: number, column: ColumnBuilder): number {
    const { lines, policy, row } = this;
    const { b } = lines;
    const offset = lines.offsetOf(p);
    column.setValid(row);
    if (b[p] === QUOTE) return this.readString(p, end, column, offset);
    if (b[p] === MINUS || (b[p] ^ ZERO) <= 9) {
      const after = skipNumber(b, p, end);
      policy.write(column, row, b, p, after, offset);
      return after;
    }
    const after = skipJson(b, p, end);
    if (b[p] === OPEN_ARRAY || b[p] === OPEN_OBJECT) {
      policy.bad(column, row, Buffer.from(b.subarray(p, after)).toString(), offset, CELL_NESTED);
    } else if (b[p] === N) column.setNull(row);
    else policy.write(column, row, b, p, after, offset);
    return after;
  }

  private readString(p: number, end: number, column: ColumnBuilder, offset: number): number {
    const { policy, row } = this;
    const { b } = this.lines;
    const skipped = skipString(b, p, end);
    const after = skipped < 0 ? -skipped - 1 : skipped;
    if (skipped >= 0) policy.write(column, row, b, p + 1, after - 1, offset);
    else {
      if (this.scratch.length < after - p) this.scratch = new Uint8Array((after - p) * 2);
      const length = unescapeString(b, p + 1, after - 1, this.scratch);
      if (length < 0) policy.bad(column, row, Buffer.from(b.subarray(p, after)).toString(), offset, CELL_BAD_UTF8);
      else policy.write(column, row, this.scratch, 0, length, offset);
    }
    return after;
  }

  private repeated(name: string, position: number): DataError {
    const { row } = this.lines;
    const offset = this.lines.offsetOf(position);
    return new DataError(`Row ${row} has the member ${JSON.stringify(name)} twice (byte ${offset}).`, {
      code: "BadJson",
      row,
      column: name,
      offset,
      hint: "Names of members must differ within an object.",
    });
  }

  private grow(): void {
    this.capacity = Math.min(this.batchRows, Math.max(1, this.capacity) * 4);
    for (const builder of this.builders) builder.reserve(this.capacity);
  }

  private flush(final: boolean): RawBatch {
    const rows = this.row;
    const columns = this.builders.map((builder) => builder.take(rows, final));
    this.policy.rowsBefore += rows;
    this.row = 0;
    this.batches++;
    return { rows, columns };
  }
}
