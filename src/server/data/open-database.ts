import { DateDay, Field, Float64, Int32, Schema } from "../../columns/arrow/arrow.js";
import { tableTexts } from "../../columns/arrow/cell-batch.js";
import type { Engine } from "../../engine/contract/engine.js";
import { DataError } from "../../errors/errors.js";
import type { DatabaseEntry, DatasetEntry } from "./catalog.js";
import { engineColumn } from "./filter-sql.js";
import { type HeldRows, heldRows, isCurrent, type Loaded } from "./loaded.js";
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
  if (rows !== undefined && loaded[code]?.version !== shape) {
    for (const dataset of entry.datasets) delete loaded[`${code}/${dataset.dataset_code}`];
    await makeTable(engine, name, columns.length);
    loaded[code] = { version: shape, refreshedAt: "" };
  }
  const numbers = entry.datasets.map(({ columns: [, ...own] }) => [0, ...own.map((title) => titles.indexOf(title))]);
  const used = (): number[] => entry.datasets.map((dataset) => loaded[`${code}/${dataset.dataset_code}`]?.series ?? 0);
  const held = heldBefore ?? heldSeries(engine, table);
  let next: number | undefined;
  for (const [i, dataset] of entry.datasets.entries()) {
    const each = `${code}/${dataset.dataset_code}`;
    const source = rows?.(each, dataset);
    if (source === undefined || isCurrent(loaded[each], source)) continue;
    if (next === undefined) {
      next = await freeNumber(engine, table, used());
      // What an earlier run replaced, or was loading when it was killed.
      if (heldBefore === undefined && next > 1) {
        await engine.query(`DELETE FROM ${table} WHERE s NOT IN (${used().join(", ")})`);
      }
    }
    const series = next++;
    await loadSeries(engine, each, source, { table, series, columns: numbers[i] });
    loaded[each] = { version: source.version, refreshedAt: source.refreshedAt, series };
  }
  const found = await engine.query(`SELECT s, min(c0) AS oldest, max(c0) AS newest FROM ${table} GROUP BY s`);
  const ranges = new Map(tableTexts(found).map((row) => [Number(row[0]), row]));
  const datasets = entry.datasets.map((dataset, i): [string, StoredDataset] => {
    const each = `${code}/${dataset.dataset_code}`;
    const { series = 0, version, refreshedAt } = loaded[each];
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

/** The table of a database with so many columns besides those of series and date. */
async function makeTable(engine: Engine, name: string, columns: number): Promise<void> {
  const doubles = Array.from({ length: columns }, (_, i) => new Field(engineColumn(i + 1), new Float64(), true));
  const schema = new Schema([new Field("s", new Int32(), false), new Field("c0", new DateDay(), false), ...doubles]);
  await engine.load(name, [], { schema, ...engine.dialect.sortedBy(["s", "c0"]) });
}

const heldSeries = (engine: Engine, table: string): HeldRows<number> =>
  heldRows(async (series) => {
    // After an error, the next start removes the rows.
    await engine.query(`DELETE FROM ${table} WHERE s IN (${series.join(", ")})`).catch(() => undefined);
  });

/** The first number above those of all rows and of `used`. */
async function freeNumber(engine: Engine, table: string, used: readonly number[]): Promise<number> {
  const [[last]] = tableTexts(await engine.query(`SELECT max(s) AS last FROM ${table}`));
  return Math.max(Number(last ?? 0), 0, ...used) + 1;
}

type Place = Pick<StoredDataset, "series" | "columns"> & { readonly table: string };

async function loadSeries(engine: Engine, code: string, rows: RowSource, place: Place): Promise<void> {
  const staging = `loading/${code}`;
  const from = engine.dialect.quoteName(staging);
  await rows.load(engine, staging);
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
  const select = `SELECT ${place.series}, ${source} FROM ${from} ORDER BY c0`;
  await engine.query(`INSERT INTO ${place.table} (s, ${target}) ${select}`);
  await engine.query(`DROP TABLE ${from}`);
}
