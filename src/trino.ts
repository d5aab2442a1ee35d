import type { TrinoOptions } from "./engine/trino/session.js";
import { type TrinoEngine, trinoEngine } from "./engine/trino/trino.js";
import { frameEngine, type WithFrames } from "./frame/frame-engine.js";

export type { Stoppable } from "./engine/contract/engine.js";
export type { TrinoOptions } from "./engine/trino/session.js";

/** A Trino server for queries, whose results are Frames. */
export interface Trino extends WithFrames<TrinoEngine> {}

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
  return frameEngine(trinoEngine(options));
}
