import type { Engine, Stoppable } from "../engine/contract/engine.js";
import type { AnyRow } from "./cells/row-types.js";
import { Frame } from "./frame.js";

/** Queries whose results are Frames. */
interface FrameQueries {
  /** Runs a statement with bound parameters (`$1`, `$2`, …) and returns its result as a Frame. */
  query<Row extends object = AnyRow>(
    sql: string,
    params?: readonly unknown[],
    options?: Stoppable,
  ): Promise<Frame<Row>>;
}

/** An engine with Frames as results. */
export type WithFrames<Queried extends Pick<Engine, "query">> = Omit<Queried, "query"> & FrameQueries;

/** A SQL engine whose results are Frames; the contract is that of {@link Engine}. */
export interface FrameEngine extends WithFrames<Engine> {}

/** The engine itself, with Frames as results. */
export function frameEngine<Queried extends Pick<Engine, "query">>(engine: Queried): WithFrames<Queried> {
  return {
    ...engine,
    query: async (sql, params, options) => Frame.from(await engine.query(sql, params, options)),
  };
}
