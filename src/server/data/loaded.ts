import type { RowSource } from "./source.js";

/** What the engine contains for each code, so that rows need not be loaded again. */
export type Loaded = Record<string, LoadedRows>;

interface LoadedRows {
  readonly version: string;
  readonly refreshedAt: string;
  /** The engine's name of a table's rows; that of the first load if undefined. */
  readonly table?: string;
  /** The text columns of a table that have lists of values (`Dialect.valueLists`). */
  readonly valueLists?: readonly string[];
  /** The number of a series in the table of its database. */
  readonly series?: number;
}

/** Between the version of a source and the time of a refresh, in the version of refreshed rows. */
export const REFRESHED = " refreshed ";

/** Whether the engine contains the current rows of a source. */
export function isCurrent(held: Loaded[string] | undefined, rows: RowSource): boolean {
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
