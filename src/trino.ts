import type { RecordBatch } from "./columns/arrow/arrow.js";
import type { Stoppable } from "./engine/contract/engine.js";
import { type TrinoOptions, trinoEngine } from "./engine/trino.js";
import type { AnyRow } from "./frame/cells/row-types.js";
import { Frame } from "./frame/frame.js";

export type { Stoppable } from "./engine/contract/engine.js";
export type { TrinoOptions } from "./engine/trino.js";

/** A Trino server for queries. */
export interface Trino {
  /**
   * Runs a statement and returns its result as a Frame, decimals and dates exact.
   *
   * @param params values for `$1`, `$2`, … in the statement
   * @throws {InputError} BadStatement, EngineAccess, UnsupportedType for arrays, maps and rows
   * @throws {DataError} EngineData for values that the statement cannot convert; BadCell
   * @throws {TransportError} Unreachable, ConnectionLost, EngineBusy
   */
  query<Row extends object = AnyRow>(
    sql: string,
    params?: readonly unknown[],
    options?: Stoppable,
  ): Promise<Frame<Row>>;
  /** The result as record batches, one page of the server in memory at a time. */
  batches(sql: string, params?: readonly unknown[], options?: Stoppable): AsyncGenerator<RecordBatch>;
}

/**
 * A Trino server, for queries only. A data delivery service may reply to SQL by this protocol: the host is the
 * service's, the user is the API key, and the catalog is `main`.
 *
 * @throws {InputError} BadAddress, BadArgument, UnknownOption
 *
 * @example
 * ```ts no-run
 * import { trino } from "arrowbook/trino";
 * const prices = await trino({ url: "https://data.example.com", user: "API_KEY" }).query(
 *   'SELECT ticker, date, close FROM "sharadar"."sep" WHERE ticker = $1',
 *   ["AAPL"],
 * );
 * ```
 */
export function trino(options: TrinoOptions): Trino {
  const engine = trinoEngine(options);
  return {
    query: async (sql, params, queryOptions) => Frame.from(await engine.query(sql, params, queryOptions)),
    batches: (sql, params, batchesOptions) => engine.batches(sql, params, batchesOptions),
  };
}
