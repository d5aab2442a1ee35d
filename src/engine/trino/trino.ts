import { type RecordBatch, Schema, Table } from "../../columns/arrow/arrow.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { tableOf } from "../../columns/table/conform.js";
import { refuseUnknown } from "../../errors/options.js";
import type { Stoppable } from "../contract/engine.js";
import { TrinoServer } from "./server.js";
import { type TrinoOptions, TrinoSession } from "./session.js";
import { withLiterals } from "./statement.js";

/** A Trino server whose results are Arrow. */
export interface TrinoEngine {
  /**
   * Runs a statement and returns its complete result, decimals and dates exact.
   *
   * @param params values for `$1`, `$2`, … in the statement
   * @throws {InputError} BadStatement, EngineAccess, UnsupportedType for arrays, maps and rows
   * @throws {DataError} EngineData for values that the statement cannot convert; BadCell
   * @throws {TransportError} Unreachable, ConnectionLost, EngineBusy
   */
  query(sql: string, params?: readonly unknown[], options?: Stoppable): Promise<Table>;
  /** The result as record batches, one page of the server in memory at a time. */
  batches(sql: string, params?: readonly unknown[], options?: Stoppable): AsyncGenerator<RecordBatch>;
}

/**
 * A Trino server for queries, over its HTTP protocol. Nothing is sent before the first query.
 *
 * @throws {InputError} BadAddress, BadArgument, UnknownOption
 */
export function trinoEngine(options: TrinoOptions): TrinoEngine {
  const server = new TrinoServer(new TrinoSession(options), options.retries ?? 5);
  return {
    async query(sql, params, queryOptions) {
      refuseUnknown(queryOptions, ["signal"], "query()");
      let schemaFound = new Schema([]);
      const all: RecordBatch[] = [];
      for await (const page of server.pages(withLiterals(sql, params), queryOptions?.signal)) {
        if (page.columns !== undefined && all.length === 0) schemaFound = schemaOf(page.columns);
        all.push(...page.batches);
      }
      return all.length === 0 ? new Table(schemaFound, []) : tableOf(all);
    },
    async *batches(sql, params, batchesOptions) {
      refuseUnknown(batchesOptions, ["signal"], "batches()");
      for await (const page of server.pages(withLiterals(sql, params), batchesOptions?.signal)) {
        yield* page.batches;
      }
    },
  };
}
