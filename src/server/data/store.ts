import type { Table } from "../../columns/arrow/arrow.js";
import { cellTexts } from "../../columns/arrow/to-text-rows.js";
import type { Engine } from "../../engine/contract/engine.js";
import { quoteName } from "../../engine/contract/quote.js";
import { DataError, InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { Catalog, DatabaseEntry, DatasetEntry, TableEntry } from "./catalog.js";
import { engineColumn } from "./filter-sql.js";
import type { RowSource, Source } from "./source.js";
import { readState, writeState } from "./state.js";
import { createEnums, enumColumn } from "./words.js";

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
  /** Whether the engine numbers the rows from 0 without a gap (`rowid`), so that a page is a range of numbers. */
  readonly isNumbered: boolean;
  /** SQL that reads column number `index`: text with few distinct values as an enum, which is read much faster. */
  column(index: number): string;
}

/** A time series in the engine. */
export interface StoredDataset {
  readonly code: string;
  readonly entry: DatasetEntry;
  /** Number of the series in the table of its database. */
  readonly series: number;
  /** Number of each of its columns in that table; column 0 contains the dates. */
  readonly columns: readonly number[];
  readonly oldest: string | null;
  readonly newest: string | null;
  readonly refreshedAt: string;
  readonly version: string;
}

/** A database in the engine: one table, in which `s` is the number of the series. */
export interface StoredDatabase {
  readonly entry: DatabaseEntry;
  readonly table: string;
  /** Titles of its columns: those of all series in order of first appearance. */
  readonly columns: readonly string[];
  readonly datasets: ReadonlyMap<string, StoredDataset>;
  readonly version: string;
}

/** The data of a service, loaded. */
export interface Store {
  readonly engine: Engine;
  readonly databases: ReadonlyMap<string, StoredDatabase>;
  readonly tables: ReadonlyMap<string, StoredTable>;
  /** Reloads the rows of a table or series from its source; `refreshedAt` is the new refresh time. */
  refresh(code: string, refreshedAt: string): Promise<void>;
}

/** What the engine contains for each code, so that a database file need not be loaded again. */
type Loaded = Record<string, LoadedRows>;

interface LoadedRows {
  readonly version: string;
  readonly refreshedAt: string;
  /** Numbers of the text columns whose distinct values are an enum type of the engine (see `words.ts`). */
  readonly words?: readonly number[];
}

/**
 * Loads the rows of a source into the engine, except those that it already contains. Without a source, serves the
 * contents of a database file from an earlier run.
 *
 * @throws {InputError} NoData if there is neither
 * @throws {DataError} for rows that do not match the catalogue
 */
export async function openStore(engine: Engine, source: Source | undefined): Promise<Store> {
  const catalog = source?.catalog ?? (await readState<Catalog>(engine, "catalog"));
  if (catalog === undefined) {
    throw new InputError("There is no data to serve: the database file is empty.", {
      code: "NoData",
      hint: "Pass a folder with a catalog.json as data (docs/server.md).",
    });
  }
  // Pages and exports rely on the row order of a table.
  await engine.query("SET preserve_insertion_order = true");
  const loaded: Loaded = { ...((await readState<Loaded>(engine, "loaded")) ?? {}) };
  const databases = new Map<string, StoredDatabase>();
  const tables = new Map<string, StoredTable>();
  for (const entry of catalog.databases) {
    databases.set(entry.database_code, await openDatabase(engine, entry, source, loaded));
  }
  const save = (): Promise<void> => writeState(engine, "loaded", loaded);
  for (const entry of catalog.tables) {
    const code = `${entry.vendor_code}/${entry.datatable_code}`;
    const table = openTable(engine, { code, entry, rows: source?.table(code, entry), loaded, save });
    if (source?.tablesOnDemand !== true) await table.ready();
    tables.set(code, table);
  }
  await writeState(engine, "catalog", catalog);
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
        const renewed: Source = {
          ...source,
          dataset: (each, entry) => (each === code ? again(source.dataset(each, entry)) : kept(each, loaded)),
        };
        databases.set(database.entry.database_code, await openDatabase(engine, database.entry, renewed, loaded));
      }
      await save();
    },
  };
}

const REFRESHED = " refreshed ";

/** Whether the engine contains the current rows of a source. */
function isCurrent(held: Loaded[string] | undefined, rows: RowSource): boolean {
  return held !== undefined && (held.version === rows.version || held.version.startsWith(rows.version + REFRESHED));
}

const datasetCodes = (database: StoredDatabase): string[] => [...database.datasets.values()].map(({ code }) => code);

/** A source for rows that cannot be reloaded. */
function kept(code: string, loaded: Loaded): RowSource {
  return { ...loaded[code], load: () => Promise.resolve() };
}

interface TableToOpen {
  readonly code: string;
  readonly entry: TableEntry;
  readonly rows: RowSource | undefined;
  readonly loaded: Loaded;
  readonly save: () => Promise<void>;
}

function openTable(engine: Engine, { code, entry, rows, loaded, save }: TableToOpen): StoredTable {
  const name = `table/${code}`;
  const table = quoteName(name);
  const load = async (): Promise<ReadyTable> => {
    if (rows !== undefined && !isCurrent(loaded[name], rows)) {
      await rows.load(engine, name);
      await checkKey(engine, code, entry, name);
      const words = await createEnums(engine, name, entry.columns);
      loaded[name] = { version: rows.version, refreshedAt: rows.refreshedAt, words };
      await save();
    }
    const words = new Set(loaded[name].words);
    const [[count, last]] = texts(await engine.query(`SELECT count(*), max(rowid) FROM ${table}`));
    return {
      rows: Number(count),
      isNumbered: last === null || Number(last) === Number(count) - 1,
      column: (index) => (words.has(index) ? enumColumn(name, index) : engineColumn(index)),
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
  const found = await engine.query(
    `SELECT ${key.join(", ")}, count(*) FROM ${quoteName(name)} GROUP BY ALL HAVING count(*) > 1 OR ${nulls} LIMIT 1`,
  );
  if (found.numRows === 0) return;
  const row = texts(found)[0];
  const shown = entry.primary_key.map((column, i) => `${column} = ${row[i] ?? "null"}`).join(", ");
  await engine.query(`DROP TABLE ${quoteName(name)}`);
  throw new DataError(`${entry.file ?? code}: the primary key of ${code} has ${row.at(-1)} rows with ${shown}.`, {
    code: "DuplicateKey",
    hint: "Declare other columns as primary_key, or none.",
  });
}

async function openDatabase(
  engine: Engine,
  entry: DatabaseEntry,
  source: Source | undefined,
  loaded: Loaded,
): Promise<StoredDatabase> {
  const code = entry.database_code;
  const table = quoteName(`series/${code}`);
  const columns = [...new Set(entry.datasets.flatMap((dataset) => dataset.columns.slice(1)))];
  const titles = [entry.datasets[0]?.columns[0] ?? "Date", ...columns];
  const shape = `${entry.datasets.map((dataset) => dataset.dataset_code).join()} ${JSON.stringify(titles)}`;
  if (source !== undefined && loaded[code]?.version !== shape) {
    for (const dataset of entry.datasets) delete loaded[`${code}/${dataset.dataset_code}`];
    const doubles = columns.map((_, i) => `, ${engineColumn(i + 1)} DOUBLE`).join("");
    await engine.query(`CREATE OR REPLACE TABLE ${table} (s INTEGER, c0 DATE${doubles})`);
    loaded[code] = { version: shape, refreshedAt: "" };
  }
  const numbers = entry.datasets.map((dataset) => [0, ...dataset.columns.slice(1).map((name) => titles.indexOf(name))]);
  for (const [series, dataset] of entry.datasets.entries()) {
    const each = `${code}/${dataset.dataset_code}`;
    const rows = source?.dataset(each, dataset);
    if (rows === undefined || isCurrent(loaded[each], rows)) continue;
    await loadSeries(engine, each, rows, { table, series, columns: numbers[series] });
    loaded[each] = { version: rows.version, refreshedAt: rows.refreshedAt };
  }
  const ranges = new Map(
    texts(await engine.query(`SELECT s, min(c0), max(c0) FROM ${table} GROUP BY s`)).map((row) => [
      Number(row[0]),
      row,
    ]),
  );
  const datasets = entry.datasets.map((dataset, series): [string, StoredDataset] => {
    const each = `${code}/${dataset.dataset_code}`;
    const [, oldest = null, newest = null] = ranges.get(series) ?? [];
    return [
      dataset.dataset_code,
      { code: each, entry: dataset, series, columns: numbers[series], oldest, newest, ...loaded[each] },
    ];
  });
  const version = JSON.stringify(datasets.map(([, dataset]) => dataset.version));
  return { entry, table, columns: titles, datasets: new Map(datasets), version };
}

interface SeriesPlace {
  readonly table: string;
  readonly series: number;
  readonly columns: readonly number[];
}

async function loadSeries(engine: Engine, code: string, rows: RowSource, place: SeriesPlace): Promise<void> {
  const staging = `loading/${code}`;
  const from = quoteName(staging);
  await rows.load(engine, staging);
  const wrong = await engine.query(
    `SELECT c0, count(*) FROM ${from} GROUP BY c0 HAVING c0 IS NULL OR count(*) > 1 LIMIT 1`,
  );
  if (wrong.numRows > 0) {
    const [date, count] = texts(wrong)[0];
    await engine.query(`DROP TABLE ${from}`);
    throw new DataError(`${code}: ${count} rows have the date ${date ?? "null"}; a series has one row per date.`, {
      code: "DuplicateKey",
    });
  }
  const target = place.columns.map(engineColumn).join(", ");
  const source = place.columns.map((_, i) => engineColumn(i)).join(", ");
  await engine.query("BEGIN");
  try {
    await engine.query(`DELETE FROM ${place.table} WHERE s = $1`, [place.series]);
    const select = `SELECT $1, ${source} FROM ${from} ORDER BY c0`;
    await engine.query(`INSERT INTO ${place.table} (s, ${target}) ${select}`, [place.series]);
    await engine.query("COMMIT");
  } catch (error) {
    await engine.query("ROLLBACK");
    throw error;
  }
  await engine.query(`DROP TABLE ${from}`);
}

/** The cells of a small result as strings. */
export function texts(table: Table): (string | null)[][] {
  return table.batches.flatMap((batch) => [...cellTexts(batch)]);
}
