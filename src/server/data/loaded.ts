import { InputError } from "../../errors/errors.js";
import type { SavedState } from "./catalog.js";
import type { RowSource } from "./source.js";

/** Rows that the engine contains. */
export interface LoadedRows {
  readonly version: string;
  readonly refreshedAt: string;
  /** The engine's name of a table's rows. */
  readonly table?: string;
  /** The text columns of a table that have lists of values (`Dialect.valueLists`). */
  readonly valueLists?: readonly string[];
  /** The number of a series in the table of its database. */
  readonly series?: number;
  /** Of a database: differs after each load of one of its series. */
  readonly change?: string;
  /** Series that a load, which began at the refresh time, may have written to a shared engine. */
  readonly begun?: readonly BegunSeries[];
  /** Rows that these replaced, and that other services on the engine may still read. */
  readonly earlier?: readonly EarlierRows[];
}

/** A series that is being loaded under a number of its own. */
export type BegunSeries = readonly [code: string, series: number];

/** After this time the rows of a load that was not recorded are those of one that was killed. */
export const LONGEST_LOAD_MS = 24 * 3_600_000;

interface EarlierRows extends Pick<LoadedRows, "table" | "series"> {
  /** When they were replaced, in milliseconds since 1970. */
  readonly at: number;
}

/** What the engine contains for each code, so that rows need not be loaded again. */
export type Loaded = Awaited<ReturnType<typeof readLoaded>>;

const PREFIX = "loaded/";

/** @param isShared whether other services may load rows into the engine too */
export async function readLoaded(state: SavedState, isShared: boolean) {
  const known = new Map<string, LoadedRows>();
  const follow = async (start: string): Promise<void> => {
    for (const [key, rows] of await state.readAll<LoadedRows | null>(PREFIX + start)) {
      if (rows === null) known.delete(start + key);
      else known.set(start + key, rows);
    }
  };
  await follow("");
  return {
    get: (key: string): LoadedRows | undefined => known.get(key),
    set: (key: string, rows: LoadedRows) => known.set(key, rows),
    delete: (key: string) => known.delete(key),
    /** All below a folder, which ends with a slash. */
    below: (start: string) => [...known].filter(([key]) => key.startsWith(start)),
    async save(keys: readonly string[]): Promise<void> {
      if (keys.length > 0)
        await state.write(Object.fromEntries(keys.map((key) => [PREFIX + key, known.get(key) ?? null])));
    },
    /** What any service has loaded last. */
    latest: async (key: string): Promise<LoadedRows | undefined> =>
      isShared ? ((await state.read<LoadedRows | null>(PREFIX + key)) ?? undefined) : known.get(key),
    /** Takes over what any service has loaded below a folder, which ends with a slash. */
    follow,
  };
}

/** How long replaced rows stay in an engine that other services read: far longer than a request waits for its rows. */
const STAY_MS = 600_000;

/** @throws {InputError} NoData */
export function noRows(code: string): never {
  throw new InputError(`There is no data to serve for ${code}: its rows have not been loaded.`, {
    code: "NoData",
    hint: "Pass the folder with its file as data (docs/server.md).",
  });
}

/** The rows replaced by a load of now: those that other services may still read, and those that none does. */
export function replacedRows(by: LoadedRows | undefined): { earlier: EarlierRows[]; over: EarlierRows[] } {
  const now = Date.now();
  const all = by === undefined ? [] : [...(by.earlier ?? []), { table: by.table, series: by.series, at: now }];
  return { earlier: all.filter(({ at }) => now - at < STAY_MS), over: all.filter(({ at }) => now - at >= STAY_MS) };
}

/** Between the version of a source and the time of a refresh, in the version of refreshed rows. */
export const REFRESHED = " refreshed ";

/** Whether the engine contains the current rows of a source. */
export function isCurrent(held: LoadedRows | undefined, rows: RowSource): boolean {
  return held !== undefined && (held.version === rows.version || held.version.startsWith(rows.version + REFRESHED));
}

/** Rows in the engine by their key: which are read, and which were replaced. */
export type HeldRows<Key> = ReturnType<typeof heldRows<Key>>;

/** @param remove removes rows from the engine; never rejects */
export function heldRows<Key>(remove: (keys: readonly Key[]) => Promise<void>) {
  const holders = new Map<Key, number>();
  const retired = new Set<Key>();
  return {
    /** Keeps rows in the engine until the returned function is called. */
    hold(keys: Iterable<Key>): () => void {
      const own = new Set(keys);
      for (const each of own) holders.set(each, (holders.get(each) ?? 0) + 1);
      return () => {
        const free = [...own].filter((each) => {
          const left = (holders.get(each) ?? 0) - 1;
          if (left > 0) holders.set(each, left);
          else holders.delete(each);
          return left === 0 && retired.delete(each);
        });
        own.clear();
        if (free.length > 0) void remove(free);
      };
    },
    /** Removes rows from the engine as soon as they are not held. */
    async retire(key: Key): Promise<void> {
      if (holders.has(key)) retired.add(key);
      else await remove([key]);
    },
  };
}
