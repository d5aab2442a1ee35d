import type { RecordBatch } from "./columns/arrow/arrow.js";
import { type DuckdbOptions, duckdbEngine } from "./engine/duckdb.js";
import type { LoadOptions, Rows } from "./engine/engine.js";
import type { AnyRow } from "./frame/cells/row-types.js";
import { Frame } from "./frame/frame.js";

export type { DuckdbOptions } from "./engine/duckdb.js";
export { duckdbEngine } from "./engine/duckdb.js";
export type { Engine, LoadOptions, Rows } from "./engine/engine.js";
export { quoteName } from "./engine/quote.js";

/** A SQL engine whose answers are Frames. */
export interface FrameEngine {
  /**
   * Loads a Frame, an Arrow table or record batches (such as `service.table(…).batches()`) as the table `name`. Nothing
   * of a failed load is seen.
   */
  load(name: string, data: Frame | Rows, options?: LoadOptions): Promise<{ rows: number }>;
  /** Runs a statement with bound parameters (`$1`, `$2`, …) and gives its answer as a Frame. */
  query<Row extends object = AnyRow>(sql: string, params?: readonly unknown[]): Promise<Frame<Row>>;
  /** The answer as record batches of at most 65,536 rows, in bounded memory. */
  batches(sql: string, params?: readonly unknown[]): AsyncGenerator<RecordBatch>;
  /** Ends the engine. */
  close(): Promise<void>;
}

/**
 * The embedded SQL engine: in memory, or on the database file `path`, which is made where there is none. Decimals,
 * dates and nulls come back as they went in; decimals wider than 38 digits are text with their type in the field's
 * metadata.
 *
 * @throws {FileError} DatabaseNotOpened when another process holds the file or the file is not a database
 *
 * @example
 * ```ts
 * import { type AnyRow, Frame } from "arrowbook";
 * import { duckdb } from "arrowbook/duckdb";
 * const engine = await duckdb();
 * const prices = Frame.fromRows([{ ticker: "A", close: 1.5 }], [
 *   { name: "ticker", type: "String" },
 *   { name: "close", type: "BigDecimal(15,4)" },
 * ]);
 * await engine.load("prices", prices);
 * const answer = await engine.query("SELECT ticker, max(close) AS top FROM prices GROUP BY ticker");
 * console.log([...answer.rows()]); // [{ ticker: "A", top: 1.5 }]
 * await engine.close();
 * ```
 */
export async function duckdb(path?: string, options?: DuckdbOptions): Promise<FrameEngine> {
  const engine = await duckdbEngine(path, options);
  return {
    load: (name, data, loadOptions) => engine.load(name, "table" in data ? data.table : data, loadOptions),
    query: async (sql, params) => Frame.from(await engine.query(sql, params)),
    batches: (sql, params) => engine.batches(sql, params),
    close: () => engine.close(),
  };
}
