import { type ClickhouseEngine, clickhouseEngine } from "./engine/clickhouse/clickhouse.js";
import type { ClickhouseOptions } from "./engine/clickhouse/options.js";
import { frameEngine, type WithFrames } from "./frame/frame-engine.js";

export { type ClickhouseEngine, clickhouseEngine } from "./engine/clickhouse/clickhouse.js";
export type { ClickhouseLoadOptions } from "./engine/clickhouse/load.js";
export type { ClickhouseOptions } from "./engine/clickhouse/options.js";
export { quoteName } from "./engine/clickhouse/statement.js";
export type { Engine, LoadOptions, Rows, Stoppable, Verification } from "./engine/contract/engine.js";
export type { FrameEngine } from "./frame/frame-engine.js";

/** A ClickHouse server whose results are Frames. */
export interface ClickhouseFrameEngine extends WithFrames<ClickhouseEngine> {}

/**
 * A ClickHouse server (24.8 or later) as a SQL engine, through the optional package `@clickhouse/client`: the methods
 * are those of the embedded engine, and rows travel as Arrow in both directions.
 *
 * @param address such as `clickhouse://user:password@host:8123/database` or `https://host:8443`
 * @throws {InputError} MissingPackage without `@clickhouse/client`, BadAddress, EngineAccess, EngineTooOld
 * @throws {TransportError} Unreachable, Tls, Timeout
 *
 * @example
 * ```ts no-run
 * import { connect } from "arrowbook";
 * import { clickhouse } from "arrowbook/clickhouse";
 * const service = connect();
 * const engine = await clickhouse("clickhouse://default@localhost/prices");
 * await engine.load("sep", service.table("SHARADAR/SEP").batches(), { key: ["ticker", "date"] });
 * const frame = await engine.query("SELECT ticker, max(close) AS top FROM sep WHERE date >= $1 GROUP BY ticker", [
 *   "2024-01-01",
 * ]);
 * await engine.close();
 * ```
 */
export async function clickhouse(address: string, options?: ClickhouseOptions): Promise<ClickhouseFrameEngine> {
  return frameEngine(await clickhouseEngine(address, options));
}
