import type { RecordBatch, Schema, Table } from "../columns/arrow/arrow.js";

/** Options of {@link Engine.load} besides the rows. */
export interface LoadOptions {
  /** Schema of the batches; needed only where an empty stream cannot show it. */
  readonly schema?: Schema;
  /**
   * The column that identifies a row, or several that do together: no nulls, no two rows alike. With `mode: "append"` a
   * row replaces the one with its key.
   */
  readonly key?: string | readonly string[];
  /**
   * `replace` (default) puts the new rows in the place of the old table once all of them are in; `append` adds to it.
   */
  readonly mode?: "replace" | "append";
}

/** Rows as an engine takes them: a whole table, or record batches one after another. */
export type Rows = Table | AsyncIterable<RecordBatch> | Iterable<RecordBatch>;

/**
 * The contract of a SQL engine: Arrow in, Arrow out. An embedded engine and a distributed one keep the same promises,
 * so that code written for one runs on the other as far as their SQL agrees.
 */
export interface Engine {
  /**
   * Loads rows as the table `name` (any string; quote it in SQL) and returns the row count. Nothing of a failed load is
   * seen: the old table, if any, stays.
   */
  load(name: string, data: Rows, options?: LoadOptions): Promise<{ rows: number }>;
  /** Runs a statement with bound parameters (`$1`, `$2`, …) and gives its whole answer. */
  query(sql: string, params?: readonly unknown[]): Promise<Table>;
  /** The answer of one statement as record batches of at most 65,536 rows, in bounded memory. */
  batches(sql: string, params?: readonly unknown[]): AsyncGenerator<RecordBatch>;
  /** Ends the engine; it takes no more calls. */
  close(): Promise<void>;
}
