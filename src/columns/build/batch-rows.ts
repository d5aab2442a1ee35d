import type { ColumnSpec } from "../../spec/columns.js";
import { type Batching, READ_BATCH, type ReadOptions } from "../arrow/read-options.js";
import { CellPolicy } from "./bad-cells.js";
import type { SpareMemory } from "./buffer-pool.js";
import { type BuilderSettings, buildersFor, type ColumnBuilder, hasFull, type RawBatch } from "./builder.js";

/** The batch that a reader of any text format fills row by row: its columns, and what happens to bad cells. */
export class BatchRows {
  /** One builder per declared column, in their order. */
  readonly builders: readonly ColumnBuilder[];
  readonly policy: CellPolicy;
  /** The most rows of a batch. */
  readonly most: number;
  /** The next row of the batch, and for how many there is room. */
  row = 0;
  capacity: number;
  private isFirst = true;

  constructor(columns: readonly ColumnSpec[], options: ReadOptions & Batching, settings: BuilderSettings = {}) {
    this.most = options.batchRows ?? READ_BATCH.rows;
    this.builders = buildersFor(columns, options, settings);
    this.policy = new CellPolicy(options);
    this.capacity = Math.min(this.most, ...this.builders.map(({ capacity }) => capacity));
  }

  /** Whether the batch ends before the next row. */
  get isFull(): boolean {
    return this.row === this.most || (this.row > 0 && hasFull(this.builders));
  }

  /** Makes room for the next row, and for as many as `rows` of the batch. */
  reserve(rows = this.capacity * 4): void {
    if (this.row < this.capacity) return;
    this.capacity = Math.min(this.most, Math.max(rows, this.row + 1));
    for (const builder of this.builders) builder.reserve(this.capacity);
  }

  /** The batch of the rows so far. `final`: no batch follows. */
  take(final: boolean, spare?: SpareMemory): RawBatch {
    const rows = this.row;
    const columns = this.builders.map((builder) => builder.take(rows, final));
    this.policy.rowsBefore += rows;
    this.row = 0;
    this.isFirst = false;
    return spare === undefined ? { rows, columns } : { rows, columns, spare };
  }

  /** The last batch, which has no rows only if there was no other; undefined if there is none left. */
  takeLast(spare?: SpareMemory): RawBatch | undefined {
    return this.row > 0 || this.isFirst ? this.take(true, spare) : undefined;
  }
}
