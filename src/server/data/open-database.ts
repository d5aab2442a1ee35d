import { randomInt, randomUUID } from "node:crypto";
import { DateDay, Field, Float64, Int32, Schema } from "../../columns/arrow/arrow.js";
import { tableTexts } from "../../columns/arrow/cell-batch.js";
import type { Dialect } from "../../engine/contract/dialect.js";
import type { Engine } from "../../engine/contract/engine.js";
import { DataError } from "../../errors/errors.js";
import type { DatabaseEntry, DatasetEntry } from "./catalog.js";
import { engineColumn } from "./filter-sql.js";
import {
  type BegunSeries,
  type HeldRows,
  heldRows,
  isCurrent,
  LONGEST_LOAD_MS,
  type Loaded,
  noRows,
  replacedRows,
} from "./loaded.js";
import type { RowSource } from "./source.js";

export interface StoredDataset {
  readonly code: string;
  readonly entry: DatasetEntry;
  /** Number of the series in the table of its database; another one each time it is loaded. */
  readonly series: number;
  /** Number of each of its columns in that table; column 0 contains the dates. */
  readonly columns: readonly number[];
  readonly oldest: string | null;
  readonly newest: string | null;
  readonly refreshedAt: string;
  readonly version: string;
}

/** A database in the engine: one table, in which `s` is the number of the series. */
export type StoredDatabase = Awaited<ReturnType<typeof openDatabase>>;

/** The rows of a database: undefined for a series that is served as it was loaded before. */
export type DatasetRows = (code: string, entry: DatasetEntry) => RowSource | undefined;

/**
 * Opens the table of a database and loads the series whose rows have changed.
 *
 * @param rows undefined if there is no source
 * @param heldBefore those of the database as it was opened before in this run; without it, nothing reads its rows yet
 * @throws {DataError} DuplicateKey for a date that repeats or is null; those of the source
 */
export async function openDatabase(
  engine: Engine,
  entry: DatabaseEntry,
  rows: DatasetRows | undefined,
  loaded: Loaded,
  heldBefore?: HeldRows<number>,
) {
  const code = entry.database_code;
  const name = `series/${code}`;
  const table = engine.dialect.quoteName(name);
  const columns = [...new Set(entry.datasets.flatMap((dataset) => dataset.columns.slice(1)))];
  const titles = [entry.datasets[0]?.columns[0] ?? "Date", ...columns];
  const shape = JSON.stringify(titles);
  if (rows !== undefined && loaded.get(code)?.version !== shape) {
    const own = entry.datasets.map((dataset) => `${code}/${dataset.dataset_code}`);
    for (const each of own) loaded.delete(each);
    await loaded.save(own);
    await makeTable(engine, name, columns.length);
    loaded.set(code, { version: shape, refreshedAt: "" });
    await loaded.save([code]);
  }
  const numbers = entry.datasets.map(({ columns: [, ...own] }) => [0, ...own.map((title) => titles.indexOf(title))]);
  const held = heldBefore ?? heldSeries(engine, table);
  const isFirst = heldBefore === undefined;
  if (isFirst && engine.dialect.isShared) await removeAbandoned(engine, entry, loaded, table);
  const { changed, note } = await loadChanged(engine, entry, { rows, loaded, table, numbers, isFirst });
  if (changed.length > 0) {
    await loaded.save(changed);
    // Last: a service that sees it sees those of its series.
    loaded.set(code, { version: shape, refreshedAt: "", change: randomUUID() });
    if (loaded.delete(note)) await loaded.save([code, note]);
    else await loaded.save([code]);
  }
  const found = await engine.query(`SELECT s, min(c0) AS oldest, max(c0) AS newest FROM ${table} GROUP BY s`);
  const ranges = new Map(tableTexts(found).map((row) => [Number(row[0]), row]));
  const datasets = entry.datasets.map((dataset, i): [string, StoredDataset] => {
    const each = `${code}/${dataset.dataset_code}`;
    const { series = 0, version, refreshedAt } = loaded.get(each) ?? noRows(each);
    const [, oldest = null, newest = null] = ranges.get(series) ?? [];
    const place = { series, columns: numbers[i], oldest, newest, version, refreshedAt };
    return [dataset.dataset_code, { code: each, entry: dataset, ...place }];
  });
  const version = JSON.stringify(datasets.map(([, dataset]) => dataset.version));
  return {
    entry,
    table,
    /** Titles of its columns: those of all series in order of first appearance. */
    columns: titles,
    datasets: new Map(datasets),
    version,
    /** Keeps the rows of its series in the engine until the returned function is called, also after a refresh. */
    hold: () => held.hold(datasets.map(([, { series }]) => series)),
    /** The rows of its series, of this load and of earlier ones. */
    held,
  };
}

interface SeriesToLoad {
  readonly rows: DatasetRows | undefined;
  readonly loaded: Loaded;
  readonly table: string;
  /** The numbers of the columns of each series. */
  readonly numbers: readonly (readonly number[])[];
  /** Whether nothing reads the rows of the database yet. */
  readonly isFirst: boolean;
}

/** The key in {@link Loaded} of the loads of a database that have begun. */
const begunOf = (code: string): string => `begun/${code}/`;

/** Removes what a load that was killed left in a shared engine. */
async function removeAbandoned(engine: Engine, entry: DatabaseEntry, loaded: Loaded, table: string): Promise<void> {
  const current = loaded.below(`${entry.database_code}/`).map(([, rows]) => rows);
  // Other services may still read those that were replaced a while ago.
  const used = new Set(current.flatMap(({ series, earlier = [] }) => [series, ...earlier.map((each) => each.series)]));
  for (const [note, { refreshedAt, begun = [] }] of loaded.below(begunOf(entry.database_code))) {
    if (Date.now() - Date.parse(refreshedAt) < LONGEST_LOAD_MS) continue;
    const left = begun.filter(([, series]) => !used.has(series));
    await removeSeries(
      engine,
      table,
      left.map(([, series]) => series),
    );
    for (const each of left) await engine.query(`DROP TABLE IF EXISTS ${stagingOf(engine, ...each)}`);
    loaded.delete(note);
    await loaded.save([note]);
  }
}

/** Loads the series whose rows are not in the engine; returns their codes, and the key of the note that it began. */
async function loadChanged(
  engine: Engine,
  { database_code: code, datasets }: DatabaseEntry,
  { rows, loaded, table, numbers, isFirst }: SeriesToLoad,
): Promise<{ readonly changed: string[]; readonly note: string }> {
  const { isShared } = engine.dialect;
  const used = datasets.map((dataset) => loaded.get(`${code}/${dataset.dataset_code}`)?.series ?? 0);
  const due = datasets.flatMap((dataset, i) => {
    const each = `${code}/${dataset.dataset_code}`;
    const source = rows?.(each, dataset);
    return source === undefined || isCurrent(loaded.get(each), source) ? [] : [{ each, source, columns: numbers[i] }];
  });
  // Few keys, as they stay; of two loads with one key and a kill, rows may stay.
  const note = `${begunOf(code)}${randomInt(256)}`;
  const changed = due.map(({ each }) => each);
  if (due.length === 0) return { changed, note };
  let first = 0;
  if (!isShared) {
    first = await freeNumber(engine, table, used);
    // What an earlier run replaced, or was loading when it was killed.
    if (isFirst && first > 1) await engine.query(`DELETE FROM ${table} WHERE s NOT IN (${used.join(", ")})`);
  }
  // In a shared engine a number that no load of another service has at this time.
  const begun = due.map(({ each }, i): BegunSeries => [each, isShared ? randomInt(1, 2 ** 31 - 1) : first + i]);
  if (isShared) {
    loaded.set(note, { version: "", refreshedAt: new Date().toISOString(), begun });
    await loaded.save([note]);
  }
  for (const [i, { each, source, columns }] of due.entries()) {
    const [, series] = begun[i];
    await loadSeries(engine, each, source, { table, series, columns });
    const { earlier, over } = replacedRows(isShared ? await loaded.latest(each) : undefined);
    loaded.set(each, { version: source.version, refreshedAt: source.refreshedAt, series, earlier });
    const gone = over.flatMap((replaced) => replaced.series ?? []);
    await removeSeries(engine, table, gone);
  }
  return { changed, note };
}

/** The table of a database with so many columns besides those of series and date. */
async function makeTable(engine: Engine, name: string, columns: number): Promise<void> {
  const doubles = Array.from({ length: columns }, (_, i) => new Field(engineColumn(i + 1), new Float64(), true));
  const schema = new Schema([new Field("s", new Int32(), false), new Field("c0", new DateDay(), false), ...doubles]);
  await engine.load(name, [], { schema, ...engine.dialect.sortedBy(["s", "c0"]) });
}

/** Those of a shared engine stay for the other services, until a later load. */
const heldSeries = (engine: Engine, table: string): HeldRows<number> =>
  heldRows(async (series) => {
    if (!engine.dialect.isShared) await removeSeries(engine, table, series);
  });

/** After an error, a later start or load removes the rows. */
async function removeSeries(engine: Engine, table: string, series: readonly number[]): Promise<void> {
  if (series.length === 0) return;
  await engine.query(`DELETE FROM ${table} WHERE s IN (${series.join(", ")})`).catch(() => undefined);
}

/** The first number above those of all rows and of `used`. */
async function freeNumber(engine: Engine, table: string, used: readonly number[]): Promise<number> {
  const [[last]] = tableTexts(await engine.query(`SELECT max(s) AS last FROM ${table}`));
  return used.reduce((most, each) => Math.max(most, each), Number(last ?? 0)) + 1;
}

type Place = Pick<StoredDataset, "series" | "columns"> & { readonly table: string };

const stagingOf = ({ dialect }: Engine, code: string, series: number): string =>
  dialect.quoteName(stagingName(dialect, code, series));

const stagingName = ({ isShared }: Dialect, code: string, series: number): string =>
  isShared ? `loading/${code} ${series}` : `loading/${code}`;

async function loadSeries(engine: Engine, code: string, rows: RowSource, place: Place): Promise<void> {
  const { series } = place;
  const from = stagingOf(engine, code, series);
  await rows.load(engine, stagingName(engine.dialect, code, series));
  const wrong = await engine.query(
    `SELECT c0, count(*) AS n FROM ${from} GROUP BY c0 HAVING c0 IS NULL OR count(*) > 1 LIMIT 1`,
  );
  if (wrong.numRows > 0) {
    const [date, count] = tableTexts(wrong)[0];
    await engine.query(`DROP TABLE ${from}`);
    throw new DataError(`${code}: ${count} rows have the date ${date ?? "null"}; a series has one row per date.`, {
      code: "DuplicateKey",
    });
  }
  const target = place.columns.map(engineColumn).join(", ");
  const source = place.columns.map((_, i) => engineColumn(i)).join(", ");
  const select = `SELECT ${series}, ${source} FROM ${from} ORDER BY c0`;
  await engine.query(`INSERT INTO ${place.table} (s, ${target}) ${select}`);
  await engine.query(`DROP TABLE ${from}`);
}
