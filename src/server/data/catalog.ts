import { tableTexts } from "../../columns/arrow/cell-batch.js";
import { textRows } from "../../columns/build/text-rows.js";
import type { DatabaseMetadata, DatasetMetadata, TableMetadata } from "../../document/records.js";
import type { Engine } from "../../engine/contract/engine.js";

/** One time series in a catalogue: its metadata (spec 2.2) without what its rows and its database say. */
export interface DatasetEntry
  extends Pick<DatasetMetadata, "id" | "dataset_code" | "name" | "description" | "frequency" | "type"> {
  /** ISO 8601 UTC; if omitted in a catalogue file, the modification time of the data file. */
  readonly refreshed_at?: string;
  /** Titles, the date column first; the other columns are doubles. */
  readonly columns: readonly string[];
  /** CSV or Parquet file beside the catalogue. */
  readonly file?: string;
}

/**
 * One database and its time series (spec 2.4). `downloads` are those so far, to which the service adds its own; without
 * an `image`, the service draws a logo.
 */
export interface DatabaseEntry extends Omit<DatabaseMetadata, "datasets_count"> {
  /** The time series. */
  readonly datasets: readonly DatasetEntry[];
}

/** The `status` object of a table's metadata (spec 2.7). */
export interface TableStatus extends Omit<TableMetadata["status"], "refreshed_at"> {
  /** When the table was last refreshed, ISO 8601. */
  readonly refreshed_at?: string;
}

/** One table: its metadata (spec 2.7), in which `primary_key` is empty if rows have no key. */
export interface TableEntry extends Omit<TableMetadata, "status"> {
  /** When the table is refreshed. */
  readonly status: TableStatus;
  /** The file with the rows, relative to the catalogue. */
  readonly file?: string;
}

/** The contents of a service (docs/server.md, The catalogue). */
export interface Catalog {
  /** The databases of time series. */
  readonly databases: readonly DatabaseEntry[];
  /** The tables. */
  readonly tables: readonly TableEntry[];
}

export type SavedState = ReturnType<typeof savedState>;

const TABLE = "arrowbook_service";
const COLUMNS = [
  { name: "name", type: "String" },
  { name: "value", type: "String" },
] as const;

/** The state of a service whose engine ends with it. */
export function passingState(): SavedState {
  const values = new Map<string, string>();
  return {
    read: async (key) => (values.has(key) ? JSON.parse(values.get(key) as string) : undefined),
    async readAll(folder) {
      const within = [...values].filter(([key]) => key.startsWith(folder));
      return new Map(within.map(([key, json]) => [key.slice(folder.length), JSON.parse(json)]));
    },
    async write(written) {
      for (const [key, value] of Object.entries(written)) values.set(key, JSON.stringify(value));
    },
  };
}

/** Values, stored as JSON under a key, that a service keeps in its engine. */
export function savedState(engine: Engine) {
  let last: Promise<unknown> = Promise.resolve();
  let wasThere = false;
  const isThere = async (): Promise<boolean> => (wasThere ||= (await engine.tables()).includes(TABLE));
  return {
    async read<T>(key: string): Promise<T | undefined> {
      if (!(await isThere())) return undefined;
      const [row] = tableTexts(await engine.query(`SELECT value FROM ${TABLE} WHERE name = $1`, [key]));
      return row === undefined ? undefined : JSON.parse(`${row[0]}`);
    },
    /** All values below `folder`, which ends with a slash, by the rest of their keys. */
    async readAll<T>(folder: string): Promise<Map<string, T>> {
      if (!(await isThere())) return new Map();
      // The character after a slash is 0.
      const bounds = [folder, `${folder.slice(0, -1)}0`];
      const found = await engine.query(`SELECT name, value FROM ${TABLE} WHERE name >= $1 AND name < $2`, bounds);
      return new Map(tableTexts(found).map(([key, value]) => [`${key}`.slice(folder.length), JSON.parse(`${value}`)]));
    },
    /** Stores each value under its key, after earlier writes. */
    write(values: Readonly<Record<string, unknown>>): Promise<void> {
      const cells = Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]);
      const rows = textRows(cells, COLUMNS).table();
      const written = last.then(async () => {
        await engine.load(TABLE, rows, { mode: "upsert", key: "name" });
      });
      last = written.catch(() => undefined);
      return written;
    },
  };
}
