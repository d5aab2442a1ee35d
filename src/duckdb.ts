import { type DuckdbOptions, duckdbEngine } from "./engine/duckdb/duckdb.js";
import { type FrameEngine, frameEngine } from "./frame/frame-engine.js";

export type { Engine, LoadOptions, Rows, Stoppable, Verification } from "./engine/contract/engine.js";
export { quoteName } from "./engine/contract/statements.js";
export type { DuckdbOptions } from "./engine/duckdb/duckdb.js";
export { duckdbEngine } from "./engine/duckdb/duckdb.js";
export type { DuckdbWasm } from "./engine/duckdb/page-database.js";
export { useDuckDB } from "./engine/duckdb/page-database.js";
export type { FrameEngine } from "./frame/frame-engine.js";

/**
 * The embedded SQL engine: in memory, or on the database file `path`, which is created if missing. Decimals, dates and
 * nulls are stored exactly; decimals wider than 38 digits are text with their type in the field's metadata.
 *
 * @throws {FileError} DatabaseNotOpened if another process has the file open or it is not a database
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
  return frameEngine(await duckdbEngine(path, options));
}
