/** What `frame.sql()` calls of an `AsyncDuckDB` of `@duckdb/duckdb-wasm`. */
export interface DuckdbWasm {
  /** The options with which it was opened; those of `query` that cast results are refused. */
  readonly config: { readonly query?: object };
  /** Opens a connection and returns its number. */
  connectInternal(): Promise<number>;
  /** Closes a connection. */
  disconnect(connection: number): Promise<void>;
  /** The result of a statement as bytes of Arrow IPC. */
  runQuery(connection: number, text: string): Promise<Uint8Array>;
  /** Starts a statement; returns the schema of its result, or null if it is not there yet. */
  startPendingQuery(connection: number, text: string): Promise<Uint8Array | null>;
  /** Runs a statement a step further; returns as `startPendingQuery` does. */
  pollPendingQuery(connection: number): Promise<Uint8Array | null>;
  /** Ends a statement that was started. */
  cancelPendingQuery(connection: number): Promise<boolean>;
  /** The next bytes of a result: empty at its end, null if they are not there yet. */
  fetchQueryResults(connection: number): Promise<Uint8Array | null>;
  /** Makes a table of an Arrow IPC stream, whose memory it takes. */
  insertArrowFromIPCStream(
    connection: number,
    bytes: Uint8Array,
    options: { schema?: string; name: string; create?: boolean },
  ): Promise<void>;
}

let used: DuckdbWasm | undefined;

export const pageDatabase = (): DuckdbWasm | undefined => used;

/**
 * Runs later calls of `frame.sql()` in this database of `@duckdb/duckdb-wasm`, which stays yours to close; `undefined`
 * ends that. Each statement has connections and an in-memory database of its own, into which the tables are copied.
 *
 * @example
 * ```ts no-run
 * import { Frame } from "arrowbook";
 * import { useDuckDB } from "arrowbook/duckdb";
 * const db = new AsyncDuckDB(new VoidLogger(), new Worker(workerUrl)); // of @duckdb/duckdb-wasm
 * await db.instantiate(moduleUrl);
 * useDuckDB(db);
 * const top = await Frame.fromRows([{ a: 1 }]).sql("SELECT max(a) AS top FROM this");
 * ```
 */
export function useDuckDB(db: DuckdbWasm | undefined): void {
  used = db;
}
