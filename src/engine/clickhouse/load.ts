import { createHash, randomUUID } from "node:crypto";
import type { RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { DataError, FileError, InputError } from "../../errors/errors.js";
import { oneOf } from "../../errors/options.js";
import type { LoadOptions, Rows } from "../contract/engine.js";
import { checkAddedColumns, checkAddedKey, keyOf, openRows } from "../contract/rows.js";
import { blocks } from "./blocks.js";
import { isTransport, ServerError } from "./error.js";
import { LOADING, type LoadPlan, type LoadRequest, type Publish, planLoad } from "./plan.js";
import type { Server } from "./server.js";
import { quoteName } from "./statement.js";
import { columnType, plainType } from "./types.js";

/** Options of loading into ClickHouse. */
export interface ClickhouseLoadOptions extends LoadOptions {
  /** With a cluster: the columns whose values choose the shard of a row; they are part of the key. Default the key. */
  readonly shardBy?: string | readonly string[];
  /** The columns by which the rows of a table without a key are stored, and which have no nulls. */
  readonly orderBy?: string | readonly string[];
}

/** Runs a query of few rows as text cells. */
export type Ask = (sql: string, params?: readonly unknown[]) => Promise<string[][]>;

interface ExistingTable {
  readonly engine: string;
  readonly uuid: string;
  /** The shards' table behind a distributed one. */
  readonly shardRows: string | undefined;
  readonly columns: ReadonlyMap<string, string>;
  readonly key: readonly string[];
  /** The columns by which rows are stored if there is no key. */
  readonly orderBy: readonly string[];
  readonly isPartitioned: boolean;
}

interface PreparedLoad {
  readonly plan: LoadPlan;
  readonly batches: AsyncIterable<RecordBatch>;
  readonly schema: Schema;
  readonly key: readonly string[];
  readonly required: readonly string[];
  readonly publish: Publish;
  /**
   * How the rows are made visible if the table was made or dropped since: the same staging table, other statements.
   *
   * @throws {InputError} WrongKey, WrongTable if the rows cannot be added to a table that was made
   */
  again(): Promise<{ readonly plan: LoadPlan; readonly publish: Publish }>;
}

/**
 * Finds the statements of a load; nothing is changed yet.
 *
 * @throws {InputError} WrongKey, WrongTable, and those of the arguments
 */
export async function prepareLoad(
  server: Server,
  ask: Ask,
  name: string,
  data: Rows,
  options: ClickhouseLoadOptions,
): Promise<PreparedLoad> {
  const { mode = "replace", shardBy = [] } = options;
  oneOf(mode, ["replace", "append", "upsert"], "mode");
  const { schema, batches } = await openRows(JSON.stringify(name), data, options);
  const own = keyOf(schema, options);
  const ownOrder = [options.orderBy ?? []].flat();
  checkOrder(schema, own, ownOrder, server.target.cluster);
  const existing = await describe(ask, name);
  const adds = existing !== undefined && mode !== "replace";
  if (adds) checkTarget(name, existing, schema, own, server.target.cluster);
  const key = adds && own.length === 0 ? existing.key : own;
  const orderBy = adds ? existing.orderBy : ownOrder;
  const publish = publishOn(existing, mode);
  const [[database]] = await ask("SELECT currentDatabase() AS d");
  const request: LoadRequest = {
    database,
    name,
    schema,
    key,
    orderBy,
    shardBy: [shardBy].flat(),
    cluster: server.target.cluster,
    id: `${nameId(name)}_${randomUUID().replaceAll("-", "")}`,
    publish,
    shardRows: existing?.shardRows,
  };
  return {
    plan: planLoad(request),
    batches,
    schema,
    key,
    required: key.length > 0 ? key : orderBy,
    publish,
    async again() {
      const now = await describe(ask, name);
      const how = publishOn(now, mode);
      if (now !== undefined && how === "add") {
        if (key.length === 0) checkAddedKey(name, now.key, key);
        checkTarget(name, now, schema, key, server.target.cluster);
      }
      return { plan: planLoad({ ...request, publish: how, shardRows: now?.shardRows }), publish: how };
    },
  };
}

const publishOn = (existing: ExistingTable | undefined, mode: LoadOptions["mode"]): Publish => {
  if (existing === undefined) return "rename";
  return mode === "replace" ? "exchange" : "add";
};

/** @throws {InputError} UnknownColumn, BadArgument */
function checkOrder(
  schema: Schema,
  key: readonly string[],
  orderBy: readonly string[],
  cluster: string | undefined,
): void {
  keyOf(schema, { key: orderBy });
  if (orderBy.length === 0 || (key.length === 0 && cluster === undefined)) return;
  throw new InputError(
    `orderBy is for tables ${key.length === 0 ? "of one server; this engine has a cluster" : "without a key, by which rows are stored"}.`,
    { code: "BadArgument", hint: "Leave orderBy out." },
  );
}

/** Loads rows: into a table beside the old one, which then takes its place or is added to it in one step. */
export async function load(
  server: Server,
  ask: Ask,
  name: string,
  data: Rows,
  options: ClickhouseLoadOptions,
): Promise<{ rows: number }> {
  const { signal } = options;
  const prepared = await prepareLoad(server, ask, name, data, options);
  const { plan, batches, schema, key, required } = prepared;
  await dropAbandoned(server, ask, name);
  try {
    for (const sql of plan.create) await server.run({ sql, signal, repeatable: true });
    const rows = await insertAll(server, plan, blocks(batches, schema, required), signal);
    await checkCount(ask, plan, rows, key);
    signal?.throwIfAborted();
    await publishRows(server, ask, prepared);
    return { rows };
  } catch (error) {
    // The error that ended the load is the one to report.
    for (const sql of plan.undo) await server.run({ sql, repeatable: true }).catch(() => undefined);
    throw error;
  }
}

/** The part of a staging table's name that all loads of one table share; what follows it is the load's own. */
const nameId = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 16);

/**
 * Drops the staging tables of loads of this table whose process was killed: those that are old, and have no new rows. A
 * user who may not see or drop them loads without this.
 */
async function dropAbandoned(server: Server, ask: Ask, name: string): Promise<void> {
  const { cluster, abandonedAfter } = server.target;
  if (cluster !== undefined) return;
  const since = `now() - toIntervalSecond(${abandonedAfter})`;
  const found = ask(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, $1)
      AND metadata_modification_time < ${since} AND name NOT IN (SELECT table FROM system.parts
        WHERE database = currentDatabase() AND active AND modification_time >= ${since})`,
    [`${LOADING}${nameId(name)}_`],
  );
  for (const [table] of await found.catch(() => [])) {
    const sql = `DROP TABLE IF EXISTS ${quoteName(table)} SYNC`;
    await server.run({ sql, repeatable: true }).catch(() => undefined);
  }
}

async function insertAll(
  server: Server,
  plan: LoadPlan,
  source: AsyncIterable<{ readonly rows: number; readonly bytes: Uint8Array }>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let rows = 0;
  let number = 0;
  for await (const block of source) {
    const settings = {
      // A block that is sent again has the same token, and the server has stored it once.
      insert_deduplicate: 1,
      insert_deduplication_token: `${plan.staging}:${number++}`,
      async_insert: 0,
      distributed_foreground_insert: 1,
      input_format_null_as_default: 0,
      // One block of the table for each request: stored whole or not at all.
      max_insert_block_size: 1 << 24,
      min_insert_block_size_rows: 1 << 24,
      min_insert_block_size_bytes: 0,
    };
    await server.run({ sql: plan.insert, body: block.bytes, settings, signal, repeatable: true });
    rows += block.rows;
  }
  return rows;
}

async function checkCount(ask: Ask, plan: LoadPlan, rows: number, key: readonly string[]): Promise<void> {
  const [[count]] = await ask(plan.count);
  if (Number(count) === rows) return;
  if (key.length > 0 && Number(count) < rows) {
    throw new DataError(`${rows - Number(count)} of ${rows} rows repeat the key ${key.join(", ")} of another row.`, {
      code: "EngineData",
      hint: "Remove repeated rows, or pass all columns that identify a row.",
    });
  }
  throw new FileError(`${rows} rows were sent, and the server stored ${count}.`, { code: "EngineFailed" });
}

/** Tables that were made or dropped while a load waited to publish its rows: more than this many are an error. */
const MOST_CHANGES = 10;

/**
 * Makes the rows visible. An exchange must not happen twice: after a lost connection the server is asked whether it
 * happened. Loads of one table that run at once are published one after the other.
 */
async function publishRows(server: Server, ask: Ask, prepared: PreparedLoad): Promise<void> {
  let { plan, publish } = prepared;
  const uuidOf = async (table: string): Promise<string | undefined> => (await describe(ask, table))?.uuid;
  const staged = await uuidOf(plan.stagingName);
  for (let attempt = 0, changes = 0; ; ) {
    try {
      // What has been moved is gone from the staging table: moving again adds nothing.
      await server.run({ sql: plan.publish, repeatable: publish === "add" });
      break;
    } catch (error) {
      const isLost = isTransport(error);
      const isChanged = error instanceof ServerError && (error.number === EXISTS || error.number === UNKNOWN);
      if (!isLost && !isChanged) throw error;
      if (publish !== "add" && (await uuidOf(plan.stagingName)) !== staged) break;
      if (isLost ? attempt++ >= server.target.retries : changes++ >= MOST_CHANGES) throw error;
      if (isChanged) ({ plan, publish } = await prepared.again());
    }
  }
  // The load has happened, even if the old rows cannot be removed.
  for (const sql of plan.drop) await server.run({ sql, repeatable: true }).catch(() => undefined);
}

/** The server's numbers of errors for a table that exists already, and one that does not. */
const EXISTS = 57;
const UNKNOWN = 60;

async function describe(ask: Ask, name: string): Promise<ExistingTable | undefined> {
  const [found] = await ask(
    `SELECT engine, toString(uuid) AS id, partition_key, engine_full FROM system.tables
      WHERE database = currentDatabase() AND name = $1`,
    [name],
  );
  if (found === undefined) return undefined;
  const [engine, uuid, partition, full] = found;
  const shardRows = /^Distributed\('(?:[^'\\]|\\.)*', '(?:[^'\\]|\\.)*', '((?:[^'\\]|\\.)*)'/.exec(full)?.[1];
  const hasKey = shardRows !== undefined || engine.startsWith("Replacing");
  const columns = await ask(
    `SELECT name, type, is_in_sorting_key FROM system.columns
      WHERE database = currentDatabase() AND table = $1 ORDER BY position`,
    [shardRows ?? name],
  );
  const sorted = columns.filter(([, , isSorted]) => isSorted === "1").map(([column]) => column);
  return {
    engine,
    uuid,
    shardRows,
    columns: new Map(columns.map(([column, type]) => [column, type])),
    key: hasKey ? sorted : [],
    orderBy: hasKey ? [] : sorted,
    isPartitioned: partition !== "",
  };
}

/** Checks that rows can be added to a table: it was made by a load, with this key, and its columns have these types. */
function checkTarget(
  name: string,
  { engine, columns, key, isPartitioned, shardRows }: ExistingTable,
  schema: Schema,
  own: readonly string[],
  cluster: string | undefined,
): void {
  const shown = JSON.stringify(name);
  const isOurs = cluster === undefined ? /^(?:Replacing)?MergeTree$/.test(engine) : shardRows !== undefined;
  if (!isOurs || isPartitioned) {
    const kind = isPartitioned ? "partitioned" : `of the engine ${engine}`;
    throw new InputError(`The table ${shown} is ${kind}; rows are only added to tables that load() made.`, {
      code: "WrongTable",
      hint: 'Load into another table, and add its rows with INSERT INTO … SELECT, or pass mode: "replace".',
    });
  }
  if (own.length > 0) checkAddedKey(name, key, own);
  const added = new Map(
    schema.fields.map((field) => [field.name, { column: field.name, type: plainType(columnType(field, false)) }]),
  );
  const stored = new Map([...columns].map(([column, type]) => [column, { column, type: plainType(type) }]));
  checkAddedColumns({ engine: "ClickHouse", table: name, stored, added });
}
