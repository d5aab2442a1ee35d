import { randomInt } from "node:crypto";
import { tableTexts } from "../../columns/arrow/cell-batch.js";
import type { Engine } from "../../engine/contract/engine.js";
import type { ForeignColumn, SeekColumn } from "../../engine/contract/foreign-table.js";
import { DataError } from "../../errors/errors.js";
import { parseType } from "../../spec/columns.js";
import type { TableEntry } from "./catalog.js";
import { engineColumn } from "./filter-sql.js";
import { heldRows, isCurrent, LONGEST_LOAD_MS, type Loaded, type LoadedRows, noRows, replacedRows } from "./loaded.js";
import type { RowSource } from "./source.js";

/** A table that is served, and its rows in the engine. */
export interface StoredTable {
  readonly code: string;
  readonly entry: TableEntry;
  /** Changes when the rows change. */
  readonly version: string;
  readonly refreshedAt: string;
  /** How the rows are found that follow a page; undefined if they are numbered (`Dialect.rowNumber`). */
  readonly seek?: TableSeek;
  /** How filters compare column number `index`; default: as its type, under its name in the engine. */
  readonly compared?: (index: number) => ForeignColumn["compared"];
  /** Loads the rows into the engine if that was deferred; returns how they are read. */
  ready(): Promise<ReadyRows>;
  /** Keeps the rows in the engine until the returned function is called, also if a refresh replaces them. */
  hold(): () => void;
  /** Removes the rows from the engine as soon as they are not held. */
  retire(): Promise<void>;
}

/** How the rows of a table that others load are found by their key. */
export interface TableSeek {
  readonly key: readonly SeekColumn[];
  /** The column that distinguishes rows that were added later, and the text of its largest value. */
  readonly version?: { readonly column: SeekColumn; readonly latest: string };
  /** What cursors are valid for: the version of the rows, or the table itself if it has a version column. */
  readonly identity: string;
  /** Whether the cursors are still valid. */
  isCurrent(): Promise<boolean>;
}

/** Rows in the engine. */
interface ReadyRows {
  /** The table in SQL, after FROM. */
  readonly table: string;
  readonly rows: number;
  /** Whether the rows are numbered from 0 without a gap, so that a page is a range of numbers. */
  readonly isNumbered: boolean;
  /** SQL that reads column number `index`. */
  column(index: number): string;
  /** A further condition of the rows, after AND. */
  readonly within?: string;
}

interface TableToOpen {
  readonly code: string;
  readonly entry: TableEntry;
  /** Undefined if there is no source. */
  readonly rows: RowSource | undefined;
  readonly loaded: Loaded;
  /** The names of this table's rows in the engine that are read or being loaded. */
  readonly names: Set<string>;
}

export const tableCode = (entry: TableEntry): string => `${entry.vendor_code}/${entry.datatable_code}`;

/** The key of a table in {@link Loaded}, and the engine's name of its first load. */
export const tableHome = (code: string): string => `table/${code}`;

/**
 * Opens a table. Rows are loaded under a name of their own, beside those of the last load, and take their place once
 * their key has been checked: a failed load changes nothing.
 */
export function openTable(engine: Engine, { code, entry, rows, loaded, names }: TableToOpen): StoredTable {
  const home = tableHome(code);
  const { quoteName, rowNumber, valueLists, isShared } = engine.dialect;
  /** Returns what was loaded: a refresh may have replaced it in `loaded` before this load is over. */
  const load = async (source: RowSource): Promise<LoadedRows> => {
    const old = loaded.get(home);
    const oldName = old?.table;
    const name = isShared ? nameOfNow(home) : freeName(home, new Set([...names, oldName]));
    names.add(name);
    let lists: string[] | undefined;
    try {
      await source.load(engine, name);
      await checkKey(engine, code, entry, name);
      lists = await valueLists?.create(engine, name, textColumns(entry));
    } catch (error) {
      // The error that ended the load is the one to report.
      await dropTable(engine, entry, name).catch(() => undefined);
      names.delete(name);
      throw error;
    }
    const { earlier, over } = replacedRows(isShared ? await loaded.latest(home) : undefined);
    const own = { version: source.version, refreshedAt: source.refreshedAt, valueLists: lists, table: name, earlier };
    loaded.set(home, own);
    try {
      await loaded.save([home]);
    } catch (error) {
      // Which rows the next start finds is not known: both stay.
      if (old === undefined) loaded.delete(home);
      else loaded.set(home, old);
      throw error;
    }
    for (const { table = home } of over) await dropTable(engine, entry, table).catch(() => undefined);
    // Rows of an earlier run; those that this one serves are removed when they are retired.
    if (!isShared && oldName !== undefined && !names.has(oldName)) {
      await dropTable(engine, entry, oldName).catch(() => undefined);
    }
    return own;
  };
  /** The rows that need not be loaded. */
  const present = (): LoadedRows | undefined => {
    const last = loaded.get(home);
    if (rows !== undefined) return isCurrent(last, rows) ? last : undefined;
    return last ?? noRows(code);
  };
  const open = async () => {
    const { table: name = home, ...held } = present() ?? (await load(rows as RowSource));
    names.add(name);
    const table = quoteName(name);
    const listed = new Set(held.valueLists);
    const ends = await engine.query(`SELECT count(*) AS n, max(${rowNumber.column}) AS last FROM ${table}`);
    const [[count, last]] = tableTexts(ends);
    return {
      name,
      rows: {
        table,
        rows: Number(count),
        isNumbered: Number(count) === 0 || Number(last) === Number(count) - 1,
        /** By its list of values if it has one. */
        column(index: number): string {
          const column = engineColumn(index);
          return valueLists !== undefined && listed.has(column) ? valueLists.read(name, column) : column;
        },
      },
    };
  };
  let opened: ReturnType<typeof open> | undefined;
  const held = heldRows<typeof code>(async () => {
    const last = await opened?.catch(() => undefined);
    // Other services may read them. Opened while a refresh had loaded its rows already, a table reads those.
    if (isShared || last === undefined || last.name === loaded.get(home)?.table) return;
    // After an error, the next start removes the rows.
    await dropTable(engine, entry, last.name).catch(() => undefined);
    names.delete(last.name);
  });
  const { version, refreshedAt } = present() ?? (rows as RowSource);
  return {
    code,
    entry,
    version,
    refreshedAt,
    async ready() {
      opened ??= open().catch((error) => {
        // A later call tries again.
        opened = undefined;
        throw error;
      });
      return (await opened).rows;
    },
    hold: () => held.hold([code]),
    retire: () => held.retire(code),
  };
}

/** The first name of this table's rows that is not used: numbered from the second. */
function freeName(home: string, used: ReadonlySet<string | undefined>): string {
  let name = home;
  for (let n = 2; used.has(name); n++) name = `${home} ${n}`;
  return name;
}

/** A name that no other load has, of this service or of another; {@link loadedAt} reads its time. */
const nameOfNow = (home: string): string => `${home} ${Date.now() * 1_000 + randomInt(1_000)}`;

/** When the rows of a name were loaded, in milliseconds since 1970; long ago for other names. */
const loadedAt = (home: string, name: string): number => Math.floor(Number(name.slice(home.length)) / 1_000);

const textColumns = ({ columns }: TableEntry): string[] =>
  columns.flatMap(({ type }, i) => (parseType(type).kind === "text" ? [engineColumn(i)] : []));

async function dropTable(engine: Engine, entry: TableEntry, name: string): Promise<void> {
  await engine.query(`DROP TABLE IF EXISTS ${engine.dialect.quoteName(name)}`);
  await engine.dialect.valueLists?.drop(engine, name, textColumns(entry));
}

/**
 * Compares what was loaded in earlier runs with the engine: rows that are gone have to be loaded again, and rows that a
 * killed run left beside the current ones are removed.
 */
export async function tidyTables(engine: Engine, entries: readonly TableEntry[], loaded: Loaded): Promise<void> {
  const present = await engine.tables();
  for (const entry of entries) {
    const home = tableHome(tableCode(entry));
    const current = loaded.get(home);
    if (current !== undefined && !present.includes(current.table ?? home)) loaded.delete(home);
    const kept = new Set([current?.table, ...replacedRows(current).earlier.map(({ table }) => table)]);
    for (const name of present) {
      if (kept.has(name) || !isRowsOf(home, name)) continue;
      // Another service may be loading them.
      if (engine.dialect.isShared && Date.now() - loadedAt(home, name) < LONGEST_LOAD_MS) continue;
      await dropTable(engine, entry, name).catch(() => undefined);
    }
  }
}

/** Whether an engine's table has rows of this table: those of the first load, or numbered ones of a later load. */
const isRowsOf = (home: string, name: string): boolean =>
  name.startsWith(home) && /^( \d+)?$/.test(name.slice(home.length));

/** The key of a table (spec 2.7) identifies its rows. */
async function checkKey(engine: Engine, code: string, entry: TableEntry, name: string): Promise<void> {
  if (entry.primary_key.length === 0) return;
  const names = entry.columns.map((column) => column.name);
  const key = entry.primary_key.map((column) => engineColumn(names.indexOf(column)));
  const nulls = key.map((column) => `${column} IS NULL`).join(" OR ");
  const list = key.join(", ");
  const found = await engine.query(
    `SELECT ${list}, count(*) AS n FROM ${engine.dialect.quoteName(name)} GROUP BY ${list}
      HAVING count(*) > 1 OR ${nulls} LIMIT 1`,
  );
  if (found.numRows === 0) return;
  const row = tableTexts(found)[0];
  const shown = entry.primary_key.map((column, i) => `${column} = ${row[i] ?? "null"}`).join(", ");
  throw new DataError(`${entry.file ?? code}: the primary key of ${code} has ${row.at(-1)} rows with ${shown}.`, {
    code: "DuplicateKey",
    hint: "Declare other columns as primary_key, or none.",
  });
}
