import { resolve } from "node:path";
import type { DuckDBConnection, DuckDBInstance, DuckDBResult, DuckDBValue } from "@duckdb/node-api";
import { type RecordBatch, Schema, Table } from "../columns/arrow/arrow.js";
import { FileError, InputError } from "../errors/errors.js";
import { checkWords, refuseUnknown } from "../errors/options.js";
import { engineError, engineReason } from "./duckdb-error.js";
import { CHUNK_ROWS, loadRows } from "./duckdb-load.js";
import { batchBuilder } from "./duckdb-read.js";
import { outColumn } from "./duckdb-types.js";
import type { Engine } from "./engine.js";
import { quoteName } from "./quote.js";

/** Limits of the embedded engine; left out, it takes every core and most of the memory. */
export interface DuckdbOptions {
  readonly threads?: number;
  /** As the engine writes it: `512MB`, `4GB`. */
  readonly memoryLimit?: string;
}

/** Rows of one batch of an answer, at most. */
const BATCH_ROWS = 65_536;

type Api = typeof import("@duckdb/node-api");

/** Service types of columns that the engine holds as text, by table and column. */
type WideColumns = Map<string, ReadonlyMap<string, string>>;

/**
 * Opens the embedded engine: in memory, or on the database file `path`, which is made where there is none. `query`
 * keeps one connection, so that settings and temporary tables last from call to call; each `batches` has its own.
 * Decimals wider than 38 digits are held as text, and an answer that passes such a column on says so in the field's
 * metadata.
 *
 * Throws `DatabaseNotOpened` when another process holds the file or the file is not a database.
 */
export async function duckdbEngine(path?: string, options: DuckdbOptions = {}): Promise<Engine> {
  refuseUnknown(options, ["threads", "memoryLimit"], "The engine");
  const api = await import("@duckdb/node-api");
  const release = claim(path);
  const instance = await openInstance(api, path, options).catch((error) => {
    release();
    throw error;
  });
  const main = await connect(instance);
  const wide: WideColumns = path === undefined ? new Map() : await readWideColumns(main);
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  let loads = 0;
  const whenOpen = (): void => {
    if (closed) throw new InputError("The engine has been closed.", { code: "EngineClosed" });
  };

  return {
    async load(name, data, loadOptions = {}) {
      whenOpen();
      refuseUnknown(loadOptions, ["schema", "key", "mode"], "load()");
      checkWords(loadOptions, { mode: ["replace", "append"] });
      const staging = `arrowbook_load_${++loads}`;
      const own = await connect(instance);
      try {
        const loaded = await loadRows(api, own, { name, staging, data, options: loadOptions });
        if (loaded.wide.size > 0) wide.set(name, loaded.wide);
        else if (loadOptions.mode !== "append") wide.delete(name);
        return { rows: loaded.rows };
      } catch (error) {
        await own.run("ROLLBACK").catch(() => undefined);
        await own.run(`DROP TABLE IF EXISTS ${quoteName(staging)}`);
        throw engineError(error, `The rows for ${JSON.stringify(name)} could not be loaded`);
      } finally {
        own.closeSync();
      }
    },
    async query(sql, params) {
      whenOpen();
      // One at a time: a statement would end the answer of the one before it on the same connection.
      const turn = last.then(() => wholeAnswer(main, sql, params, wide));
      last = turn.catch(() => undefined);
      return turn;
    },
    async *batches(sql, params) {
      whenOpen();
      const own = await connect(instance);
      try {
        yield* (await answer(own, sql, params, wide)).batches();
      } finally {
        own.closeSync();
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      await last;
      main.closeSync();
      instance.closeSync();
      release();
    },
  };
}

const OPEN = Symbol.for("arrowbook.engine.open");

/** The file system keeps other processes out of a database file, but not a second engine of this one. */
function claim(path: string | undefined): () => void {
  if (path === undefined) return () => undefined;
  const shared = globalThis as { [OPEN]?: Set<string> };
  shared[OPEN] ??= new Set();
  const open = shared[OPEN];
  const file = resolve(path);
  if (open.has(file)) {
    throw new FileError(`The database ${JSON.stringify(path)} is open in this process already.`, {
      code: "DatabaseNotOpened",
      hint: "Use the engine that has it open, or close() that one first.",
    });
  }
  open.add(file);
  return () => open.delete(file);
}

async function openInstance(api: Api, path: string | undefined, options: DuckdbOptions): Promise<DuckDBInstance> {
  const config: Record<string, string> = {};
  if (options.threads !== undefined) config["threads"] = String(options.threads);
  if (options.memoryLimit !== undefined) config["memory_limit"] = options.memoryLimit;
  try {
    return await api.DuckDBInstance.create(path ?? ":memory:", config);
  } catch (cause) {
    throw new FileError(
      `The database ${JSON.stringify(path ?? ":memory:")} could not be opened: ${engineReason(cause)}`,
      {
        code: "DatabaseNotOpened",
        hint: "Close the other process that has it open, or give another path.",
        cause,
      },
    );
  }
}

/** A connection whose timestamps are UTC, whatever the time zone of the machine. */
async function connect(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const own = await instance.connect();
  await own.run("SET TimeZone = 'UTC'");
  return own;
}

/** A database file remembers wide columns as comments, which `load` wrote. */
async function readWideColumns(main: DuckDBConnection): Promise<WideColumns> {
  const found = await main.runAndReadAll(
    "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE comment LIKE 'BigDecimal(%'",
  );
  const wide = new Map<string, Map<string, string>>();
  for (const [table, column, type] of found.getRows() as [string, string, string][]) {
    wide.set(table, (wide.get(table) ?? new Map<string, string>()).set(column, type));
  }
  return wide;
}

interface Answer {
  readonly schema: Schema;
  batches(): AsyncGenerator<RecordBatch>;
}

async function wholeAnswer(
  main: DuckDBConnection,
  sql: string,
  params: readonly unknown[] | undefined,
  wide: WideColumns,
): Promise<Table> {
  const { schema, batches } = await answer(main, sql, params, wide);
  const all: RecordBatch[] = [];
  for await (const batch of batches()) all.push(batch);
  return new Table(schema, all);
}

async function answer(
  own: DuckDBConnection,
  sql: string,
  params: readonly unknown[] | undefined,
  wide: WideColumns,
): Promise<Answer> {
  if (params !== undefined && !Array.isArray(params)) {
    throw new InputError("The values for $1, $2, … must be an array.", {
      code: "BadArgument",
      hint: 'Give them in order: query("… WHERE a = $1", ["x"]).',
    });
  }
  const wideTypes = wide.size === 0 ? new Map<string, string>() : wideColumnsIn(own, sql, wide);
  let result: DuckDBResult;
  try {
    result = await own.stream(sql, params?.map(bound));
  } catch (error) {
    throw engineError(error, "The statement could not be run");
  }
  const types = result.columnTypes();
  const columns = result
    .columnNames()
    .map((name, i) => outColumn(name, types[i], String(types[i]) === "VARCHAR" ? wideTypes.get(name) : undefined));
  const schema = new Schema(columns.map((column) => column.field));
  async function* batches(): AsyncGenerator<RecordBatch> {
    const builder = batchBuilder(schema, columns, types, CHUNK_ROWS);
    try {
      for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
        builder.append(chunk);
        if (builder.rows > BATCH_ROWS - CHUNK_ROWS) yield builder.flush();
      }
    } catch (error) {
      throw engineError(error, "The statement failed while it ran");
    }
    if (builder.rows > 0) yield builder.flush();
  }
  return { schema, batches };
}

/** Wide columns of the tables that a statement names. */
function wideColumnsIn(own: DuckDBConnection, sql: string, wide: WideColumns): Map<string, string> {
  // The engine finds no names in a statement that has places for values.
  const filled = sql.replace(/\$\d+/g, "NULL");
  try {
    return new Map(own.getTableNames(filled, false).flatMap((table) => [...(wide.get(table) ?? [])]));
  } catch {
    // Not one plain statement: it runs, but its text columns stay plain text.
    return new Map();
  }
}

function bound(value: unknown): DuckDBValue {
  if (value === undefined) {
    throw new InputError("A bound parameter is undefined.", { code: "BadArgument", hint: "Pass null for no value." });
  }
  return value instanceof Date ? value.toISOString() : (value as DuckDBValue);
}
