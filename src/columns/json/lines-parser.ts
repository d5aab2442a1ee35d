import { DataError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Batching, ReadOptions } from "../arrow/read-options.js";
import { BatchRows } from "../build/batch-rows.js";
import type { RawBatch, TextMode } from "../build/builder.js";
import { readCell } from "./cell.js";
import { LineBuffer } from "./line-buffer.js";
import { type MemberReader, readMembers } from "./line-members.js";

export interface LinesOptions extends ReadOptions {
  /** A member that is not declared is an error, or is dropped. */
  readonly onExtraMember?: "error" | "ignore";
}

/** Reads JSON lines, one object a line, into columns by the names of the members; a missing member is null. */
export class JsonLinesParser implements MemberReader {
  readonly batch: BatchRows;
  private readonly lines = new LineBuffer();
  private readonly keys: readonly Uint8Array[];
  private readonly numbers: ReadonlyMap<string, number>;
  /** For each column, the number of the row that it was last read in, from 1. */
  private readonly readIn: Float64Array;
  private readonly cell;
  /** The member that is expected next. */
  private next = 0;
  private last = false;

  constructor(
    columns: readonly ColumnSpec[],
    private readonly options: LinesOptions & Batching,
    modes: readonly (TextMode | undefined)[] | undefined,
  ) {
    this.batch = new BatchRows(columns, options, { modes });
    this.keys = columns.map(({ name }) => new TextEncoder().encode(name));
    this.numbers = new Map(columns.map(({ name }, i) => [name, i]));
    this.readIn = new Float64Array(columns.length);
    this.cell = { b: this.lines.b, end: 0, base: 0, policy: this.batch.policy };
    this.lines.row = options.firstRow ?? 0;
  }

  feed(chunk: Uint8Array): void {
    this.lines.feed(chunk);
    this.cell.b = this.lines.b;
    this.cell.base = this.lines.offsetOf(0);
  }

  finish(): void {
    this.last = true;
    this.lines.finish();
  }

  close(): void {}

  take(): RawBatch | undefined {
    const { batch, lines } = this;
    while (!batch.isFull && lines.next()) {
      batch.reserve();
      try {
        this.readLine();
      } catch (error) {
        throw lines.placed(error);
      }
    }
    if (batch.isFull) return batch.take(false);
    return this.last ? batch.takeLast() : undefined;
  }

  private readLine(): void {
    const { batch, lines, readIn } = this;
    const { builders, row } = batch;
    this.next = 0;
    if (!readMembers(lines.b, lines.start, lines.end, this)) return;
    const number = batch.policy.rowsBefore + row + 1;
    for (let k = 0; k < builders.length; k++) if (readIn[k] !== number) builders[k].setNull(row);
    batch.row++;
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
    const { batch, cell, readIn } = this;
    const column = batch.builders[member];
    const number = batch.policy.rowsBefore + batch.row + 1;
    if (readIn[member] === number) throw this.repeated(column.name, p);
    readIn[member] = number;
    this.next = member + 1;
    column.setValid(batch.row);
    cell.end = end;
    return readCell(cell, p, column, batch.row);
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
}
