import { type RecordBatch, Schema, Table } from "../../columns/arrow/arrow.js";
import { cellTexts } from "../../columns/arrow/cell-batch.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { verifyRows } from "../contract/digest.js";
import type { Engine, Rows } from "../contract/engine.js";
import { engineClosed } from "../contract/statements.js";
import { clickhouseDialect } from "./dialect.js";
import { engineError, ServerError } from "./error.js";
import { type ClickhouseLoadOptions, load, prepareLoad } from "./load.js";
import { type ClickhouseOptions, targetOf } from "./options.js";
import { LOADING, planText, SHARD_ROWS } from "./plan.js";
import { openResult } from "./result.js";
import { connectServer, type Server } from "./server.js";
import { statement } from "./statement.js";

/** The oldest server: the first whose Arrow has all types, and which the client supports. */
const OLDEST = [24, 8] as const;

/** The engine of a ClickHouse server. */
export interface ClickhouseEngine extends Engine {
  load(name: string, data: Rows, options?: ClickhouseLoadOptions): Promise<{ rows: number }>;
  /**
   * The statements that `load` with these arguments would send, in order, without sending one that changes anything.
   * The names of staging tables differ from load to load.
   *
   * @param data as in `load`; of a stream without `schema` in the options, the first batch is read
   */
  explainLoad(name: string, data: Rows, options?: ClickhouseLoadOptions): Promise<string>;
}

/**
 * Connects to a ClickHouse server (24.8 or later) through the optional package `@clickhouse/client`.
 *
 * @param address such as `clickhouse://user:password@host:8123/database` or `https://host:8443`
 * @throws {InputError} MissingPackage without `@clickhouse/client`, BadAddress, EngineAccess, EngineTooOld
 * @throws {TransportError} Unreachable, Tls, Timeout
 */
export async function clickhouseEngine(address: string, options: ClickhouseOptions = {}): Promise<ClickhouseEngine> {
  const server = connectServer(targetOf(address, options));
  try {
    await checkVersion(server);
  } catch (error) {
    await server.close();
    throw engineError(error, "The ClickHouse server cannot be used");
  }
  return engineOn(server);
}

async function checkVersion(server: Server): Promise<void> {
  const { bytes } = await server.send({
    sql: "SELECT version() FORMAT TabSeparated",
    repeatable: true,
    isPlain: true,
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of bytes) parts.push(chunk);
  const text = Buffer.concat(parts).toString().trim();
  const [, year, month] = /^(\d+)\.(\d+)\./.exec(text) ?? [];
  if (year === undefined) throw new ServerError(text.slice(0, 200), undefined);
  if (Number(year) > OLDEST[0] || (Number(year) === OLDEST[0] && Number(month) >= OLDEST[1])) return;
  throw new InputError(`The server is ClickHouse ${text}.`, {
    code: "EngineTooOld",
    hint: `arrowbook needs ClickHouse ${OLDEST.join(".")} or later.`,
  });
}

function engineOn(server: Server): ClickhouseEngine {
  let closed = false;
  const whenOpen = (): void => {
    if (closed) throw engineClosed("clickhouse()");
  };
  /** Errors of the server as those of this package; an abort as its reason. */
  const settle = (error: unknown, what: string, signal: AbortSignal | undefined): unknown =>
    signal?.aborted ? signal.reason : engineError(error, what);

  async function* batches(
    sql: string,
    params: readonly unknown[] | undefined,
    signal: AbortSignal | undefined,
    onSchema?: (schema: Schema) => void,
  ): AsyncGenerator<RecordBatch> {
    const bound = statement(sql, params);
    let began = false;
    try {
      if (!bound.returnsRows) {
        await server.run({ sql: bound.sql, params: bound.params, signal, repeatable: false });
        return;
      }
      const result = await openResult(server, bound, signal);
      onSchema?.(result.schema);
      began = true;
      for await (const batch of result.batches()) {
        yield batch;
        signal?.throwIfAborted();
      }
    } catch (error) {
      const what = began ? "The statement failed during execution" : "The statement cannot be executed";
      throw settle(error, what, signal);
    }
  }
  const table = async (sql: string, params?: readonly unknown[], signal?: AbortSignal): Promise<Table> => {
    let schema = new Schema([]);
    const all: RecordBatch[] = [];
    for await (const batch of batches(sql, params, signal, (found) => (schema = found))) all.push(batch);
    return new Table(schema, all);
  };
  const ask = async (sql: string, params?: readonly unknown[]): Promise<string[][]> =>
    (await table(sql, params)).batches.flatMap((batch) =>
      [...cellTexts(batch)].map((cells) => cells.map((cell) => String(cell))),
    );

  const engine: ClickhouseEngine = {
    dialect: clickhouseDialect,
    async load(name, data, options = {}) {
      whenOpen();
      refuseUnknown(options, LOAD_OPTIONS, "load()");
      try {
        return await load(server, ask, name, data, options);
      } catch (error) {
        throw settle(error, `The rows for ${JSON.stringify(name)} could not be loaded`, options.signal);
      }
    },
    async explainLoad(name, data, options = {}) {
      whenOpen();
      refuseUnknown(options, LOAD_OPTIONS, "explainLoad()");
      const { plan } = await prepareLoad(server, ask, name, data, options);
      return planText(plan);
    },
    async query(sql, params, options) {
      whenOpen();
      refuseUnknown(options, ["signal"], "query()");
      return table(sql, params, options?.signal);
    },
    async *batches(sql, params, options) {
      whenOpen();
      refuseUnknown(options, ["signal", "mostRows", "allocate"], "batches()");
      yield* batches(sql, params, options?.signal);
    },
    async tables() {
      whenOpen();
      const names = await ask(
        `SELECT name FROM system.tables WHERE database = currentDatabase() AND NOT is_temporary
          AND NOT startsWith(name, '${LOADING}') AND NOT startsWith(name, '${SHARD_ROWS}')`,
      );
      return names.map(([name]) => name).sort();
    },
    verify: (name, source, options) => verifyRows(engine, name, source, options),
    async close() {
      if (closed) return;
      closed = true;
      await server.close();
    },
  };
  return engine;
}

const LOAD_OPTIONS = ["schema", "key", "mode", "signal", "shardBy", "orderBy"] as const;
