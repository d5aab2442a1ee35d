import type { Engine } from "../../engine/contract/engine.js";
import { DataError, InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { parseType } from "../../spec/columns.js";
import type { Catalog, TableEntry } from "./catalog.js";
import { engineColumn } from "./filter-sql.js";
import { isCurrent, type Loaded, REFRESHED } from "./loaded.js";
import { openDatabase, type StoredDatabase } from "./open-database.js";
import type { RowSource, Source } from "./source.js";
import type { SavedState } from "./state.js";
import { texts } from "./texts.js";

/** A table in the engine. */
export interface StoredTable {
  readonly code: string;
  readonly entry: TableEntry;
  /** Quoted name in the engine; columns `c0`, `c1`, … */
  readonly table: string;
  readonly refreshedAt: string;
  /** Changes when the rows change. */
  readonly version: string;
  /** Loads the rows into the engine if that was deferred; returns their number and how columns are read. */
  ready(): Promise<ReadyTable>;
}

/** A table whose rows are in the engine. */
interface ReadyTable {
  readonly rows: number;
  /** Whether the rows are numbered from 0 without a gap, so that a page is a range of numbers. */
  readonly isNumbered: boolean;
  /** SQL that reads column number `index`: by its list of values if it has one. */
  column(index: number): string;
}

/** The data of a service, loaded. */
export interface Store {
  readonly engine: Engine;
  readonly databases: ReadonlyMap<string, StoredDatabase>;
  readonly tables: ReadonlyMap<string, StoredTable>;
  /** Reloads the rows of a table or series from its source; `refreshedAt` is the new refresh time. */
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
  const loaded: Loaded = { ...((await state.read<Loaded>("loaded")) ?? {}) };
  const databases = new Map<string, StoredDatabase>();
  const tables = new Map<string, StoredTable>();
  for (const entry of catalog.databases) {
    databases.set(
      entry.database_code,
      await openDatabase(engine, entry, source && ((code, dataset) => source.dataset(code, dataset)), loaded),
    );
  }
  const save = (): Promise<void> => state.write("loaded", loaded);
  for (const entry of catalog.tables) {
    const code = `${entry.vendor_code}/${entry.datatable_code}`;
    const table = openTable(engine, { code, entry, rows: source?.table(code, entry), loaded, save });
    if (source?.tablesOnDemand !== true) await table.ready();
    tables.set(code, table);
  }
  await state.write("catalog", catalog);
  await save();
  return {
    engine,
    databases,
    tables,
    async refresh(code, refreshedAt) {
      const again = <T extends RowSource>(rows: T): T => ({
        ...rows,
        refreshedAt,
        version: `${rows.version}${REFRESHED}${refreshedAt}`,
      });
      const table = tables.get(code);
      const database = databases.get(code.split("/")[0]);
      const dataset = database?.datasets.get(code.split("/")[1]);
      if (source === undefined || (table === undefined && dataset === undefined)) {
        const codes = [...tables.keys(), ...[...databases.values()].flatMap(datasetCodes)];
        throw new InputError(`There is no ${JSON.stringify(code)} to refresh. ${suggestion(code, codes, "codes")}`, {
          code: "UnknownCode",
        });
      }
      if (table !== undefined) {
        const rows = again(source.table(code, table.entry));
        const renewed = openTable(engine, { code, entry: table.entry, rows, loaded, save });
        await renewed.ready();
        tables.set(code, renewed);
      }
      if (database !== undefined && dataset !== undefined) {
        const rows = again(source.dataset(code, dataset.entry));
        const renewed = (each: string): RowSource | undefined => (each === code ? rows : undefined);
        databases.set(database.entry.database_code, await openDatabase(engine, database.entry, renewed, loaded));
      }
      await save();
    },
  };
}

const datasetCodes = (database: StoredDatabase): string[] => [...database.datasets.values()].map(({ code }) => code);

interface TableToOpen {
  readonly code: string;
  readonly entry: TableEntry;
  readonly rows: RowSource | undefined;
  readonly loaded: Loaded;
  readonly save: () => Promise<void>;
}

function openTable(engine: Engine, { code, entry, rows, loaded, save }: TableToOpen): StoredTable {
  const name = `table/${code}`;
  const { quoteName, rowNumber, valueLists } = engine.dialect;
  const table = quoteName(name);
  const load = async (): Promise<ReadyTable> => {
    if (rows !== undefined && !isCurrent(loaded[name], rows)) {
      await rows.load(engine, name);
      await checkKey(engine, code, entry, name);
      const words = entry.columns.map(({ type }, i) => (parseType(type).kind === "text" ? engineColumn(i) : undefined));
      const lists = await valueLists?.create(
        engine,
        name,
        words.filter((column) => column !== undefined),
      );
      loaded[name] = { version: rows.version, refreshedAt: rows.refreshedAt, valueLists: lists };
      await save();
    }
    const listed = new Set(loaded[name].valueLists);
    const [[count, last]] = texts(
      await engine.query(`SELECT count(*) AS n, max(${rowNumber.column}) AS last FROM ${table}`),
    );
    return {
      rows: Number(count),
      isNumbered: Number(count) === 0 || Number(last) === Number(count) - 1,
      column(index) {
        const column = engineColumn(index);
        return valueLists !== undefined && listed.has(column) ? valueLists.read(name, column) : column;
      },
    };
  };
  let ready: Promise<ReadyTable> | undefined;
  const { version, refreshedAt } = rows === undefined || isCurrent(loaded[name], rows) ? loaded[name] : rows;
  return {
    code,
    entry,
    table,
    version,
    refreshedAt,
    ready() {
      ready ??= load();
      return ready;
    },
  };
}

/** The key of a table (spec 2.7) identifies its rows. */
async function checkKey(engine: Engine, code: string, entry: TableEntry, name: string): Promise<void> {
  if (entry.primary_key.length === 0) return;
  const numbers = entry.primary_key.map((column) => entry.columns.findIndex((each) => each.name === column));
  const key = numbers.map(engineColumn);
  const nulls = key.map((column) => `${column} IS NULL`).join(" OR ");
  const list = key.join(", ");
  const table = engine.dialect.quoteName(name);
  const found = await engine.query(
    `SELECT ${list}, count(*) AS n FROM ${table} GROUP BY ${list} HAVING count(*) > 1 OR ${nulls} LIMIT 1`,
  );
  if (found.numRows === 0) return;
  const row = texts(found)[0];
  const shown = entry.primary_key.map((column, i) => `${column} = ${row[i] ?? "null"}`).join(", ");
  await engine.query(`DROP TABLE ${table}`);
  throw new DataError(`${entry.file ?? code}: the primary key of ${code} has ${row.at(-1)} rows with ${shown}.`, {
    code: "DuplicateKey",
    hint: "Declare other columns as primary_key, or none.",
  });
}
