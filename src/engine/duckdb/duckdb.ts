import { constants, existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { FileError, InputError } from "../../errors/errors.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { verifyRows } from "../contract/digest.js";
import type { Engine } from "../contract/engine.js";
import { engineClosed, quoteName } from "../contract/statements.js";
import { duckdbDialect } from "./dialect.js";
import { engineError } from "./error.js";
import { interruptible, interruptOnAbort, loadApi, openInstance } from "./instance.js";
import { loadRows, stagingName, UNFINISHED } from "./load.js";
import { completeResult, resultOf, SMALL_RESULT } from "./result.js";
import { markedTable, type WideColumns, type WideResult, wideResult } from "./wide-results.js";

/** Limits of the embedded engine; by default it uses all cores and most of the memory. */
export interface DuckdbOptions {
  /** The most threads; default all cores. */
  readonly threads?: number;
  /** In the engine's syntax: `512MB`, `4GB`. */
  readonly memoryLimit?: string;
}

/** Connections of small results that are kept for the next ones. */
const MOST_SPARE = 4;

/**
 * Opens the embedded engine: in memory, or on the database file `path`, which is created if missing. `query` uses one
 * connection, so that settings and temporary tables persist between calls; each `batches` has its own. Decimals wider
 * than 38 digits are stored as text; the metadata of a result column that passes them through has their type.
 *
 * @throws {FileError} DatabaseNotOpened if another process has the file open or it is not a database
 * @throws {InputError} MissingPackage without `@duckdb/node-api`
 */
export async function duckdbEngine(path?: string, options: DuckdbOptions = {}): Promise<Engine> {
  if (path !== undefined && typeof path !== "string") {
    throw new InputError("duckdb() expects the path of a database file, or nothing for one in memory.", {
      code: "BadArgument",
      hint: 'Options are the second argument: duckdb("data.duckdb", { threads: 2 }).',
    });
  }
  refuseUnknown(options, ["threads", "memoryLimit"], "The engine");
  const api = await loadApi();
  const release = claim(path);
  const instance = await openInstance(api, path, options).catch((error) => {
    release();
    throw error;
  });
  const main = await instance.connect();
  // Timestamps are UTC on every connection, whatever the time zone of the machine.
  await main.run("SET GLOBAL TimeZone = 'UTC'");
  if (path !== undefined) await dropUnfinished(main);
  /** By table, whose names the engine compares without case. */
  const wide = path === undefined ? new Map<string, WideColumns>() : await readWideColumns(main);
  const database = quoteName(String((await main.runAndReadAll("SELECT current_database()")).getRows()[0][0]));
  const wideOf = (sql: string): Promise<WideResult> =>
    wideResult(
      instance,
      sql,
      [...wide].map(([table, columns]) => markedTable(database, table, columns)),
    );
  let last: Promise<unknown> = Promise.resolve();
  const spare: DuckDBConnection[] = [];
  let closed = false;
  let lastStep: Promise<unknown> = Promise.resolve();
  const inTurn = (step: () => Promise<void>): Promise<void> => {
    const done = lastStep.then(step);
    lastStep = done.catch(() => undefined);
    return done;
  };
  const whenOpen = (): void => {
    if (closed) throw engineClosed("duckdb()");
  };

  const engine: Engine = {
    dialect: duckdbDialect,
    async load(name, data, loadOptions = {}) {
      whenOpen();
      refuseUnknown(loadOptions, ["schema", "key", "mode", "signal"], "load()");
      checkWords(loadOptions, { mode: ["replace", "append", "upsert"] });
      const { mode = "replace", signal } = loadOptions;
      const staging = stagingName();
      const own = await instance.connect();
      const settled = interruptOnAbort(own, signal);
      try {
        signal?.throwIfAborted();
        const loaded = await loadRows(api, own, { name, staging, data, options: loadOptions, inTurn });
        if (loaded.wide.size > 0) wide.set(name.toLowerCase(), loaded.wide);
        else if (mode === "replace") wide.delete(name.toLowerCase());
        return { rows: loaded.rows };
      } catch (error) {
        settled();
        await own.run("ROLLBACK").catch(() => undefined);
        await own.run(`DROP TABLE IF EXISTS ${quoteName(staging)}`);
        if (signal?.aborted) throw signal.reason;
        throw engineError(error, `The rows for ${JSON.stringify(name)} could not be loaded`);
      } finally {
        settled();
        own.closeSync();
      }
    },
    async query(sql, params, queryOptions) {
      whenOpen();
      refuseUnknown(queryOptions, ["signal"], "query()");
      // One at a time: a statement would end the result of the previous one on the same connection.
      const turn = last.then(() =>
        interruptible(main, queryOptions?.signal, async () => {
          const columns = await wideOf(sql);
          queryOptions?.signal?.throwIfAborted();
          return completeResult(main, sql, params, columns);
        }),
      );
      last = turn.catch(() => undefined);
      return turn;
    },
    async *batches(sql, params, batchesOptions = {}) {
      whenOpen();
      refuseUnknown(batchesOptions, ["signal", "mostRows", "allocate"], "batches()");
      const { mostRows = Number.POSITIVE_INFINITY, allocate, signal } = batchesOptions;
      signal?.throwIfAborted();
      const isSmall = mostRows <= SMALL_RESULT;
      const own = (isSmall ? spare.pop() : undefined) ?? (await instance.connect());
      let isFree = false;
      const settled = interruptOnAbort(own, signal);
      try {
        const columns = await wideOf(sql);
        // Aborted since the first check, when there was nothing to interrupt.
        signal?.throwIfAborted();
        const { batches } = await resultOf(own, { sql, params, wide: columns, mostRows, allocate });
        isFree = isSmall;
        for await (const batch of batches()) {
          yield batch;
          signal?.throwIfAborted();
        }
      } catch (error) {
        throw signal?.aborted ? signal.reason : error;
      } finally {
        settled();
        if (isFree && !closed && spare.length < MOST_SPARE) spare.push(own);
        else own.closeSync();
      }
    },
    async tables() {
      const found = await engine.query(
        `SELECT table_name FROM duckdb_tables() WHERE schema_name = current_schema() AND NOT internal
          AND comment IS DISTINCT FROM '${UNFINISHED}' ORDER BY table_name`,
      );
      return [...found].map((row) => String(row?.["table_name"]));
    },
    verify: (name, source, verifyOptions) => verifyRows(engine, name, source, verifyOptions),
    async close() {
      if (closed) return;
      closed = true;
      await last;
      for (const each of spare) each.closeSync();
      main.closeSync();
      instance.closeSync();
      release();
    },
  };
  return engine;
}

const OPEN = Symbol.for("arrowbook.engine.open");

/** The file system locks a database file against other processes, but not against a second engine of this one. */
function claim(path: string | undefined): () => void {
  if (path === undefined) return () => undefined;
  const shared = globalThis as { [OPEN]?: Map<string, boolean> };
  shared[OPEN] ??= new Map();
  const open = shared[OPEN];
  const file = existsSync(path) ? realpathSync(path) : resolve(path);
  // The engine may keep a file that this thread has closed until its memory is collected.
  if (open.get(file) ?? isWritten(file)) {
    throw new FileError(`The database ${JSON.stringify(path)} is already open in this process.`, {
      code: "DatabaseNotOpened",
      hint: "Use that engine, or close() it first.",
    });
  }
  open.set(file, true);
  return () => open.set(file, false);
}

/** Whether any thread of this process has a file open to write, where the system lists those (Linux, proc(5)). */
function isWritten(file: string): boolean {
  const isThat = (fd: string): boolean => {
    try {
      if (readlinkSync(`/proc/self/fd/${fd}`) !== file) return false;
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1] ?? "0";
      return (Number.parseInt(flags, 8) & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    } catch {
      return false;
    }
  };
  return existsSync("/proc/self/fd") && readdirSync("/proc/self/fd").some(isThat);
}

/** Drops what loads of a killed process left in a database file, which only this process has open. */
async function dropUnfinished(main: DuckDBConnection): Promise<void> {
  const found = await main.runAndReadAll(
    `SELECT table_name FROM duckdb_tables() WHERE schema_name = current_schema() AND comment = '${UNFINISHED}'`,
  );
  for (const [name] of found.getRows()) await main.run(`DROP TABLE ${quoteName(String(name))}`);
}

/** A database file stores the types of wide columns as comments, which `load` wrote. */
async function readWideColumns(main: DuckDBConnection): Promise<Map<string, WideColumns>> {
  const found = await main.runAndReadAll(
    "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE comment LIKE 'BigDecimal(%'",
  );
  const wide = new Map<string, Map<string, string>>();
  for (const [table, column, type] of found.getRows() as [string, string, string][]) {
    const name = table.toLowerCase();
    wide.set(name, (wide.get(name) ?? new Map<string, string>()).set(column, type));
  }
  return wide;
}
