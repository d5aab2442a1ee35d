/*
 * A copy is a log of immutable pieces and one manifest, in a folder of Parquet files, a DuckDB file or a SQL engine.
 *
 * Every row that the service ever sent has a number, ascending in the order of the synchronisations. A piece is a
 * Parquet file or a table with rows and their numbers, or with the numbers of rows that a version removed: deleted at
 * the service, or replaced by others. A version is the table as a synchronisation found it: the rows with numbers below
 * its `end` that neither it nor a version before it removed. So a version costs what changed, and reading any of them
 * is a filter by numbers. A new log begins where rows cannot be compared: the first copy, other columns, a damaged
 * piece, and every whole export of a copy without history. Versions before it keep theirs.
 *
 * A synchronisation
 * 1. begins a number, from which on the names of its pieces are its own;
 * 2. compares what the service sends with the newest version, by the hashes of whole rows, or of their keys for an
 *    update; writes the rows that are new as one piece, and the numbers of those that are gone as another;
 * 3. replaces the manifest in one step: until then the copy is the old one, from then on the new one;
 * 4. removes the pieces that the manifest before had left out: one step later, for those who still read them.
 *
 * Merging pieces (`compact()`) writes new ones and replaces the manifest in the same way. Without history a manifest
 * has one version, and rows that it does not need are gone with the next merge of all pieces.
 */
import { FileError, InputError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { earlier } from "../../value/when.js";

/** `true` keeps every state; `{ keep: "2 years" }` those of that time. */
export type HistoryOption = boolean | { readonly keep: string };

/** The table as a synchronisation found it. */
export interface Version {
  readonly number: number;
  /** The number of its log. */
  readonly log: number;
  /** When the service had last refreshed the table, ISO 8601; null if it does not say. */
  readonly refreshed_at: string | null;
  /** When its rows were requested, ISO 8601. */
  readonly synced_at: string;
  /** From when on its rows were known: its refresh, or that of a version before it if that is later. */
  readonly known_at: string;
  /** Rows of the table. */
  readonly rows: number;
  /** The rows of all later versions have this number or a greater one. */
  readonly end: number;
  /** Updates by `since` after the last complete export: rows deleted meanwhile are still in the copy. */
  readonly updates: number;
  /** The last day in the column of `since`, up to the refresh. */
  readonly last_day?: string;
}

/** An immutable part of a log. */
export interface Piece {
  /** Name of its table, or path of its file below the folder. */
  readonly name: string;
  /** The value of its rows in the column of `by`; null for rows without one. */
  readonly value?: string | null;
  readonly rows: number;
  readonly bytes?: number;
  /** The least number of a row, or of a version that removed rows, and the greatest. */
  readonly first: number;
  readonly last: number;
  /** Digest of the rows, whatever their order. */
  readonly digest: string;
}

export interface Log {
  readonly number: number;
  /** Name and declared type of each column, in order. */
  readonly columns: readonly ColumnSpec[];
  /** The primary key of the table; empty if it has none. */
  readonly key: readonly string[];
  readonly rows: readonly Piece[];
  /** Pieces with the columns of {@link REMOVED}. */
  readonly removed: readonly Piece[];
}

export interface Manifest {
  readonly format: 2;
  readonly code: string;
  /** The service, the filters and the columns of the query. */
  readonly question: string;
  /** The column that splits the files: `ticker`, `date:year`. */
  readonly by?: string;
  /** The column of updates. */
  readonly since?: string;
  readonly history?: Exclude<HistoryOption, false>;
  /** Grows by one with each manifest. */
  readonly number: number;
  /** Oldest first. */
  readonly versions: readonly Version[];
  readonly logs: readonly Log[];
  /** Pieces that earlier manifests named and that may still be there. */
  readonly old: readonly string[];
}

/** The columns of a piece of removed rows. */
export const REMOVED: readonly ColumnSpec[] = [
  { name: "row", type: "Integer" },
  { name: "version", type: "Integer" },
];

export const NUMBER_COLUMN = "arrowbook_row";

/** The column of the numbers of rows: a name that no column of the table has, whatever its case. */
export function numberColumn(columns: readonly ColumnSpec[]): string {
  let name = NUMBER_COLUMN;
  while (columns.some((column) => column.name.toLowerCase() === name)) name += "_";
  return name;
}

/** The columns of pieces of rows. */
export const numberedColumns = (columns: readonly ColumnSpec[]): ColumnSpec[] => [
  ...columns,
  { name: numberColumn(columns), type: "Integer" },
];

/** A version and the pieces that have its rows. */
export interface View {
  readonly code: string;
  readonly version: Version;
  readonly log: Log;
  readonly rows: readonly Piece[];
  readonly removed: readonly Piece[];
  /** Rows that versions up to this number removed are not in it. */
  readonly removedUpTo: number;
  /** Whether the pieces have no other rows. */
  readonly isWhole: boolean;
}

/**
 * @param from the first of several versions, whose rows are in it too
 * @throws {InputError} BadArgument if rows of the versions cannot be compared
 */
export function viewOf({ code, logs }: Pick<Manifest, "code" | "logs">, version: Version, from = version): View {
  if (from.log !== version.log || from.number > version.number) {
    const why =
      from.log === version.log ? "begin after the last of them" : "have other columns, or another key, than the first";
    throw new InputError(`The states of ${code} that were asked for ${why}.`, {
      code: "BadArgument",
      hint: "Pass two times in order, between which the columns and the key of the table stayed the same.",
    });
  }
  const log = logs.find(({ number }) => number === version.log) as Log;
  const rows = log.rows.filter(({ first }) => first < version.end);
  const removedUpTo = from.number;
  const removed = log.removed.filter(({ first }) => first <= removedUpTo);
  // Of a version without rows, the first piece has the columns.
  if (rows.length === 0) rows.push(...log.rows.slice(0, 1));
  const isWhole = removed.length === 0 && rows.every(({ last }) => last < version.end);
  return { code, version, log, rows, removed, removedUpTo, isWhole };
}

export const newest = ({ versions }: Manifest): Version => versions[versions.length - 1];

/**
 * The last version that was known before a time.
 *
 * @throws {InputError} BadArgument if the copy has none
 */
export function versionBefore({ code, versions, history }: Manifest, bound: number): Version {
  const found = versions.findLast(({ known_at }) => Date.parse(known_at) < bound);
  if (found !== undefined) return found;
  throw new InputError(`The copy of ${code} begins with its state of ${versions[0].known_at}.`, {
    code: "BadArgument",
    hint: history === undefined ? "Mirror the table with { history: true } to keep earlier states." : undefined,
  });
}

/** A manifest without the versions that its history does not promise, and without the logs that only they need. */
export function trimmed(manifest: Manifest, now: Date): Manifest {
  const { versions, history } = manifest;
  let from = history === undefined ? versions.length - 1 : 0;
  if (typeof history === "object") {
    const start = earlier(now.getTime(), history.keep);
    from = Math.max(
      0,
      versions.findLastIndex(({ known_at }) => Date.parse(known_at) <= start),
    );
  }
  const kept = versions.slice(from);
  return {
    ...manifest,
    versions: kept,
    logs: manifest.logs.filter((log) => kept.some((each) => each.log === log.number)),
  };
}

export const namesOf = ({ logs }: Manifest): string[] =>
  logs.flatMap(({ rows, removed }) => [...rows, ...removed].map(({ name }) => name));

/** @throws {FileError} BadMirror for what is not the manifest of a mirror, or is that of an earlier build */
export function parseManifest(text: string, where: string): Manifest {
  let value: Partial<Manifest> = {};
  try {
    value = Object(JSON.parse(text));
  } catch {
    // Not a manifest.
  }
  const { format, question, versions, logs } = value;
  if (format === 2 && Array.isArray(versions) && versions.length > 0 && Array.isArray(logs)) return value as Manifest;
  const isEarlier = format !== 2 && typeof question === "string";
  throw new FileError(
    isEarlier
      ? `${where} is of a mirror that an earlier version of arrowbook made, which this one does not read.`
      : `${where} is not the manifest of a mirror.`,
    { code: "BadMirror", hint: "Mirror the table into a new place; this one can then be deleted." },
  );
}

/** The error for a copy of which something is missing: `damage` as a clause. */
export function incomplete(place: string, code: string, damage: string): FileError {
  return new FileError(`The copy of ${code} in ${place} is not complete: ${damage}.`, {
    code: "BadMirror",
    hint: "Call sync(): it exports the table again.",
  });
}
