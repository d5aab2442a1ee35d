import type { Table } from "../../columns/arrow/arrow.js";
import { columnsOf } from "../../columns/arrow/schema.js";
import type { Engine } from "../../engine/contract/engine.js";
import { embeddedEngine } from "../../engine/embedded.js";
import { InputError } from "../../errors/errors.js";
import { passingState } from "./catalog.js";
import { readLoaded } from "./loaded.js";
import { openTable, type StoredTable, tableHome } from "./open-table.js";
import { madeRows, type RowSource } from "./source.js";

/** The earlier states of a table, such as a mirror with `history` has them (docs/mirror.md). */
export interface TableHistory {
  /** `VENDOR/TABLE`. */
  readonly code: string;
  /** When each state became known, ISO 8601, the oldest first. */
  versions(): Promise<readonly PastVersion[]>;
  /** The rows of the state that was known at `asOf`, and those of all states from the one at `from` on. */
  frame(times: {
    readonly asOf: string;
    readonly from: string;
    readonly onProgress: false;
  }): Promise<{ readonly table: Table }>;
}

interface PastVersion {
  readonly known_at: string;
  readonly synced_at: string;
}

/** The states of a table that were known at times between two, in milliseconds. */
export interface Period {
  /** The first state is the last one known before this time. */
  readonly from: number;
  /** All states became known before this time. */
  readonly before: number;
}

/** States that are kept for the next page. */
const MOST_STATES = 8;

export type PastTables = ReturnType<typeof pastTables>;

/**
 * Earlier states of tables, each loaded on first use into an engine in memory.
 *
 * @param known the codes of the catalogue
 * @throws {InputError} UnknownCode for the history of another table
 */
export function pastTables(histories: readonly TableHistory[], known: ReadonlyMap<string, unknown>) {
  const other = histories.find(({ code }) => !known.has(code));
  if (other !== undefined) {
    throw new InputError(`There is a history of ${other.code}, which is not a table of the catalogue.`, {
      code: "UnknownCode",
      hint: "Pass histories of tables that the service offers.",
    });
  }
  const names = new Set<string>();
  const states = new Map<string, ReturnType<typeof stateOf>>();
  let opened: Promise<Engine> | undefined;
  const engine = (): Promise<Engine> => {
    opened ??= embeddedEngine();
    return opened;
  };
  return {
    engine,
    /** The states of a table, the oldest first; undefined if it has no history. */
    versions: async (code: string) => histories.find((history) => history.code === code)?.versions(),
    /** Passes the rows of the states of a period, in which there is one, to `use`; they stay until it has ended. */
    async read<T>(
      current: StoredTable,
      versions: readonly PastVersion[],
      { from, before }: Period,
      use: (rows: StoredTable) => Promise<T>,
    ): Promise<T> {
      const history = histories.find(({ code }) => code === current.code) as TableHistory;
      const [start, end] = [from, before].map(
        (bound) => versions.findLast(({ known_at }) => Date.parse(known_at) < bound) as PastVersion,
      );
      const version = JSON.stringify([current.code, start, end]);
      const table = (): Promise<Table> => tableAt(history, start.known_at, end.known_at);
      let state = states.get(version);
      if (state === undefined) {
        state = stateOf(current, { version, refreshedAt: end.known_at, table, engine, names });
        // A later request tries again.
        state.table.catch(() => states.delete(version));
      }
      states.delete(version);
      states.set(version, state);
      state.readers++;
      try {
        for (const [oldest, { readers, drop }] of states) {
          if (states.size <= MOST_STATES) break;
          if (readers === 0 && states.delete(oldest)) await drop();
        }
        return await use(await state.table);
      } finally {
        state.readers--;
      }
    },
    async close(): Promise<void> {
      await (await opened)?.close();
    },
  };
}

const tableAt = async (history: TableHistory, from: string, asOf: string): Promise<Table> =>
  (await history.frame({ asOf, from, onProgress: false })).table;

interface RowsToOpen extends Pick<RowSource, "version" | "refreshedAt"> {
  table(): Promise<Table>;
  engine(): Promise<Engine>;
  readonly names: Set<string>;
}

/** The rows of one period, loaded once, as a table like the current one. */
function stateOf(current: StoredTable, { version, refreshedAt, names, ...to }: RowsToOpen) {
  const loaded = readLoaded(passingState(), false);
  const open = async (): Promise<StoredTable> => {
    let table: Table | undefined = await to.table();
    const columns = columnsOf(table.schema);
    const filters = current.entry.filters.filter((name) => columns.some((column) => column.name === name));
    // Rows that changed repeat their key.
    const entry = { ...current.entry, columns, filters, primary_key: [] };
    const rows = madeRows(version, refreshedAt, () => table as Table);
    const { code } = current;
    const stored = openTable(await to.engine(), { code, entry, rows, loaded: await loaded, names });
    await stored.ready();
    table = undefined;
    return stored;
  };
  const table = open();
  return {
    table,
    /** Requests that wait for the rows or read them. */
    readers: 0,
    async drop(): Promise<void> {
      (await loaded).delete(tableHome(current.code));
      await (await table.catch(() => undefined))?.retire();
    },
  };
}
