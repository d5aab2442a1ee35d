import type { Engine } from "../../engine/contract/engine.js";
import { InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { Catalog, SavedState } from "./catalog.js";
import { REFRESHED, readLoaded } from "./loaded.js";
import { openDatabase, type StoredDatabase } from "./open-database.js";
import { openTable, type StoredTable, tableCode, tableHome, tidyTables } from "./open-table.js";
import type { RowSource, Source } from "./source.js";

/** The data of a service, loaded. */
export interface Store {
  readonly engine: Engine;
  readonly databases: ReadonlyMap<string, StoredDatabase>;
  readonly tables: ReadonlyMap<string, StoredTable>;
  /** The codes of tables that may be in `tables` after a `follow`. */
  tableCodes(): Iterable<string>;
  /** Opens what others have loaded since, of a table or of the database of a series. */
  follow(code: string): Promise<void>;
  /**
   * Reloads the rows of a table or series from its source, one after the other; `refreshedAt` is the new refresh time.
   * The old rows are served until the new ones have been checked, and after a failure.
   */
  refresh(code: string, refreshedAt: string): Promise<void>;
}

/**
 * Loads the rows of a source into the engine, except those that it already contains. Without a source, serves the
 * contents of a database file from an earlier run.
 *
 * @throws {InputError} NoData if there is neither
 * @throws {DataError} for rows that do not match the catalogue
 */
export async function openStore(engine: Engine, source: Source | undefined, state: SavedState): Promise<Store> {
  const catalog = source?.catalog ?? (await state.read<Catalog>("catalog"));
  if (catalog === undefined) {
    throw new InputError("There is no data to serve: the database is empty.", {
      code: "NoData",
      hint: "Pass a folder with a catalog.json as data (docs/server.md).",
    });
  }
  for (const sql of engine.dialect.prepare) await engine.query(sql);
  const { isShared } = engine.dialect;
  const loaded = await readLoaded(state, isShared);
  const databases = new Map<string, StoredDatabase>();
  const tables = new Map<string, StoredTable>();
  const rows = source?.dataset.bind(source);
  for (const entry of catalog.databases) {
    databases.set(entry.database_code, await openDatabase(engine, entry, rows, loaded));
  }
  const names = new Set<string>();
  if (source !== undefined) await tidyTables(engine, catalog.tables, loaded);
  for (const entry of catalog.tables) {
    const code = tableCode(entry);
    const table = openTable(engine, { code, entry, rows: source?.table(code, entry), loaded, names });
    if (source?.tablesOnDemand !== true) await table.ready();
    tables.set(code, table);
  }
  await state.write({ catalog });
  /** Opens a database with the series that any service has loaded. */
  const reopen = async (code: string): Promise<void> => {
    const old = databases.get(code);
    if (old === undefined) return;
    await loaded.follow(`${code}/`);
    databases.set(code, await openDatabase(engine, old.entry, undefined, loaded, old.held));
  };
  /** Opens what another service on the same engine has loaded since, of a table or of the database of a series. */
  const follow = async (code: string): Promise<void> => {
    if (!isShared) return;
    const table = tables.get(code);
    const home = table === undefined ? code.split("/")[0] : tableHome(code);
    const [known, latest] = [loaded.get(home), await loaded.latest(home)];
    if (latest === undefined || (latest.table === known?.table && latest.change === known?.change)) return;
    if (table === undefined) await reopen(home);
    loaded.set(home, latest);
    if (table !== undefined) {
      tables.set(code, openTable(engine, { code, entry: table.entry, rows: undefined, loaded, names }));
    }
  };
  const refresh = async (code: string, refreshedAt: string): Promise<void> => {
    const again = <T extends RowSource>(rows: T): T => ({
      ...rows,
      refreshedAt,
      version: `${rows.version}${REFRESHED}${refreshedAt}`,
    });
    await follow(code);
    const table = tables.get(code);
    const database = databases.get(code.split("/")[0]);
    const named = database?.datasets.get(code.split("/")[1]);
    const dataset = named?.code === code ? named : undefined;
    if (source === undefined || (table === undefined && dataset === undefined)) {
      const codes = [...tables.keys(), ...[...databases.values()].flatMap(datasetCodes)];
      throw new InputError(`There is no ${JSON.stringify(code)} to refresh. ${suggestion(code, codes, "codes")}`, {
        code: "UnknownCode",
      });
    }
    if (table !== undefined) {
      const { entry } = table;
      const renewed = openTable(engine, { code, entry, rows: again(source.table(code, entry)), loaded, names });
      // Within one second of the last refresh, of the same file, these are the same rows.
      if (renewed.version === table.version) return;
      await renewed.ready();
      tables.set(code, renewed);
      await table.retire();
    }
    if (database !== undefined && dataset !== undefined) {
      const rows = again(source.dataset(code, dataset.entry));
      const renewed = (each: string): RowSource | undefined => (each === code ? rows : undefined);
      const old = loaded.get(code);
      try {
        databases.set(
          database.entry.database_code,
          await openDatabase(engine, database.entry, renewed, loaded, database.held),
        );
      } catch (error) {
        // Which rows the next start finds is not known: both stay.
        if (old !== undefined) loaded.set(code, old);
        throw error;
      }
      if (loaded.get(code)?.series !== dataset.series) await database.held.retire(dataset.series);
      // Another service may have loaded another series meanwhile.
      if (isShared) await reopen(database.entry.database_code);
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    engine,
    databases,
    tables,
    tableCodes: () => tables.keys(),
    follow,
    refresh(code, refreshedAt) {
      const done = last.then(() => refresh(code, refreshedAt));
      last = done.catch(() => undefined);
      return done;
    },
  };
}

const datasetCodes = (database: StoredDatabase): string[] => [...database.datasets.values()].map(({ code }) => code);
