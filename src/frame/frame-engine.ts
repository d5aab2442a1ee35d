import type { RecordBatch } from "../columns/arrow/arrow.js";
import type { Dialect } from "../engine/contract/dialect.js";
import type { Engine, LoadOptions, Rows, Stoppable, Verification } from "../engine/contract/engine.js";
import type { AnyRow } from "./cells/row-types.js";
import { Frame } from "./frame.js";

/** A SQL engine whose results are Frames; the contract is that of {@link Engine}. */
export interface FrameEngine {
  /** The SQL of the embedded service for this engine. */
  readonly dialect: Dialect;
  /**
   * Loads a Frame, an Arrow table or record batches (such as `service.table(…).batches()`) as the table `name`. A
   * failed or stopped load has no effect.
   */
  load(name: string, data: Frame | Rows, options?: LoadOptions): Promise<{ rows: number }>;
  /** Runs a statement with bound parameters (`$1`, `$2`, …) and returns its result as a Frame. */
  query<Row extends object = AnyRow>(
    sql: string,
    params?: readonly unknown[],
    options?: Stoppable,
  ): Promise<Frame<Row>>;
  /** The result as record batches of at most 65,536 rows, in bounded memory. */
  batches(sql: string, params?: readonly unknown[], options?: Stoppable): AsyncGenerator<RecordBatch>;
  /** The names of the tables, sorted. */
  tables(): Promise<string[]>;
  /** Compares the table `name` with the rows it was loaded from, by row count and by a digest of each column. */
  verify(name: string, source: Frame | Rows, options?: Stoppable): Promise<Verification>;
  /** Closes the engine. */
  close(): Promise<void>;
}

/** An engine whose results are Frames. */
export function frameEngine(engine: Engine): FrameEngine {
  return {
    dialect: engine.dialect,
    load: (name, data, options) => engine.load(name, data, options),
    query: async (sql, params, options) => Frame.from(await engine.query(sql, params, options)),
    batches: (sql, params, options) => engine.batches(sql, params, options),
    tables: () => engine.tables(),
    verify: (name, source, options) => engine.verify(name, source, options),
    close: () => engine.close(),
  };
}
