import type { RecordBatch, Schema, Table, Vector } from "../../columns/arrow/arrow.js";
import type { Dialect } from "./dialect.js";

/** Options of every call that can take long. */
export interface Stoppable {
  /** Stops the call on abort, also inside the engine; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of {@link Engine.load}. */
export interface LoadOptions extends Stoppable {
  /** Schema of the batches; required only for a stream that may be empty. */
  readonly schema?: Schema;
  /** The columns that together identify a row: unique and not null. */
  readonly key?: string | readonly string[];
  /**
   * `replace` (default) replaces the old table once all rows are loaded; `append` adds to it; `upsert` adds to it, and
   * a row replaces the one with its `key`. `append` with a key is `upsert`. A missing table is created in every mode.
   */
  readonly mode?: "replace" | "append" | "upsert";
}

/** Options of {@link Engine.batches}. */
interface BatchesOptions extends Stoppable {
  /** The most rows that the result of a query can have, if known: few are fetched at once. */
  readonly mostRows?: number;
  /** Memory for the values of the batches, which the caller reuses once it no longer reads them. May be ignored. */
  readonly allocate?: Allocate;
}

/**
 * Returns uninitialized memory of this many bytes, aligned to 8. The type is that of an array over memory of its
 * own, which TypeScript before 5.7 cannot name.
 */
export type Allocate = (bytes: number) => ReturnType<typeof Uint8Array.of>;

/** Rows to load: a table, the holder of one (such as a Frame), or record batches. */
export type Rows = Table | { readonly table: Table } | AsyncIterable<RecordBatch> | Iterable<RecordBatch>;

/** The result of {@link Engine.verify}. Digests are 16 hexadecimal digits; equal values have equal digests. */
export interface Verification {
  /** Whether the table has exactly the rows of the source. */
  readonly equal: boolean;
  /** Rows in the table. */
  readonly rows: number;
  /** Rows in the source. */
  readonly expectedRows: number;
  /** The columns of the source, in their order. */
  readonly columns: readonly VerifiedColumn[];
  /** Digests of whole rows: they differ if values of a column changed places. */
  readonly digest: string;
  /** The digest of the rows as they should be. */
  readonly expectedDigest: string;
}

/** One column of a {@link Verification}. */
export interface VerifiedColumn {
  readonly name: string;
  readonly equal: boolean;
  readonly digest: string;
  readonly expectedDigest: string;
}

/**
 * The contract of SQL engines, with Arrow on both sides. An embedded and a distributed engine behave alike, so that
 * code for one runs on the other as far as their SQL dialects agree.
 */
export interface Engine {
  /** The SQL of the embedded service for this engine. */
  readonly dialect: Dialect;
  /**
   * Loads rows as the table `name` (any string; quote it in SQL) and returns the row count. A failed or stopped load
   * has no effect: an existing table stays.
   *
   * @throws {InputError} NoSchema, NoColumns, UnknownColumn, UnsupportedType, WrongKey
   * @throws {DataError} EngineData for a repeated or null key and for values that the engine cannot store exactly,
   *   SchemaMismatch
   */
  load(name: string, data: Rows, options?: LoadOptions): Promise<{ rows: number }>;
  /** Runs a statement with bound parameters (`$1`, `$2`, …) and returns its complete result. */
  query(sql: string, params?: readonly unknown[], options?: Stoppable): Promise<Table>;
  /** The result of one statement as record batches of at most 65,536 rows, in bounded memory. */
  batches(sql: string, params?: readonly unknown[], options?: BatchesOptions): AsyncGenerator<RecordBatch>;
  /** The names of the tables, sorted. */
  tables(): Promise<string[]>;
  /**
   * Compares the table `name` with the rows it was loaded from: the row count, and digests that this package computes
   * over what `batches` reads back. The order of rows does not matter.
   *
   * @param source the same rows again; a stream is read to its end
   */
  verify(name: string, source: Rows, options?: Stoppable): Promise<Verification>;
  /** Closes the engine; later calls fail. */
  close(): Promise<void>;
}

/** Rows that a statement reads: only the columns that it uses are requested. */
export interface ScanSource {
  readonly schema: Schema;
  readonly numRows: number;
  /** A column of the rows, which may have to be copied for it. */
  column(at: number): Vector;
  /** The column of which {@link column} has the rows, with the same dictionary; never copied. */
  whole(at: number): Vector;
}
