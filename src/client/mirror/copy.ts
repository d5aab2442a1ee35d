import type { RecordBatch, Table } from "../../columns/arrow/arrow.js";
import type { OnProgress } from "../../columns/io/progress.js";
import type { ParquetReadOptions } from "../../columns/parquet/read/options.js";
import type { TableMetadata } from "../../document/records.js";
import type { Stoppable } from "../../engine/contract/engine.js";
import { FileError } from "../../errors/errors.js";
import type { Watched } from "../../frame/files/watched.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { ArchiveLimits } from "../bulk/archive-reader.js";
import type { BulkFile } from "../bulk/bulk-file.js";

/** What a mirror asks of the query that it copies. */
export interface MirrorQuery {
  readonly code: string;
  /** The service, the filters and the columns, as a text to compare. */
  readonly question: string;
  /** The source of its frames: code, name, filters. */
  readonly about: FrameSource;
  readonly filters: readonly Filter[];
  /** Whether exports have null for empty text, so that the two are equal in cells and keys. */
  readonly emptyIsNull: boolean;
  /** The selected columns; undefined for all. */
  readonly select?: readonly string[];
  metadata(signal?: AbortSignal): Promise<TableMetadata>;
  /** The whole result as it is now. */
  export(): Pick<BulkFile, "toParquet" | "batches">;
  /** The rows whose `column` is at or after `day`. */
  since(column: string, day: string, signal?: AbortSignal): AsyncIterable<RecordBatch>;
}

export interface CopyState {
  readonly code: string;
  /** {@link MirrorQuery.question} of its query. */
  readonly question: string;
  /** When the service had last refreshed the table, ISO 8601; null if it does not say. */
  readonly refreshed_at: string | null;
  /** When the rows of the copy, or of its last update, were requested, ISO 8601. */
  readonly synced_at?: string;
  /** Name and declared type of each column, in order. */
  readonly columns: readonly ColumnSpec[];
  /** The columns by which updates replace rows; absent if the copy is always exported whole. */
  readonly key?: readonly string[];
  /** The column that splits the files: `ticker`, `date:year`. */
  readonly by?: string;
  readonly rows: number;
  /** Whether a load of newer rows has begun and not ended: an engine has the rows of before or the new ones. */
  readonly isLoading?: boolean;
  /** Updates by `since` after the last complete export: rows deleted meanwhile are still in the copy. */
  readonly updates: number;
}

/** What a synchronisation does. */
export interface SyncPlan extends Pick<CopyState, "refreshed_at" | "columns"> {
  /** What a run does: nothing, a whole export, or the rows since a day. */
  readonly change: "none" | "export" | "since";
  /** Why, as a sentence. */
  readonly why: string;
  /** The columns by which updates replace rows; empty without `since`. */
  readonly key: readonly string[];
  /** The update: rows of `column` at or after `day` replace those of the same key. */
  readonly update?: { readonly column: string; readonly day: string };
}

export interface Told extends ArchiveLimits {
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress | false;
}

export interface WrittenCopy<State extends CopyState = CopyState> {
  readonly state: State;
  /** Rows that the service sent. */
  readonly received: number;
  /** `export` where an update was planned and could not find its rows by their key. */
  readonly change: "export" | "since";
}

/** A place that holds one complete copy of a table at any time. */
export interface Copy {
  /** Folder, file or engine, for messages. */
  readonly place: string;
  /** What the place holds; undefined before the first write. */
  state(): Promise<CopyState | undefined>;
  /** Runs `work` while no other process writes this copy, where the place has locks. */
  exclusive<T>(what: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  /** What is missing of a copy, as a clause; undefined if nothing is. */
  damage(state: CopyState): Promise<string | undefined>;
  /** The last day up to `until` in a column of dates or times, as `YYYY-MM-DD`; null without any. */
  lastDay(column: string, until: string): Promise<string | null>;
  /** Carries out a plan; the copy changes in one step, or not at all. */
  write(query: MirrorQuery, plan: SyncPlan, told: Told): Promise<WrittenCopy>;
  /** Notes that the service has been asked. */
  checked(at: Date): Promise<void>;
  /** @throws {FileError} BadMirror if some of the copy is missing, or it has been replaced */
  read(state: CopyState, options: ParquetReadOptions & Watched): Promise<Table>;
  /** The result of a statement in which the copy is the table `this`; throws as {@link read}. */
  query(state: CopyState, text: string, params?: readonly unknown[], options?: Stoppable): Promise<Table>;
}

/** The state of a copy after a write of `rows` in all: an update of `before`, or a whole export. */
export function stateAfter(
  { code, question }: MirrorQuery,
  { refreshed_at, columns, key }: SyncPlan,
  { synced_at, rows }: { readonly synced_at: string; readonly rows: number },
  before: Pick<CopyState, "updates"> | undefined,
): CopyState {
  const updates = before === undefined ? 0 : before.updates + 1;
  return { code, question, refreshed_at, synced_at, columns, ...(key.length === 0 ? {} : { key }), rows, updates };
}

/** The error for a copy of which something is missing: `damage` as a clause. */
export function incomplete(place: string, code: string, damage: string): FileError {
  return new FileError(`The copy of ${code} in ${place} is not complete: ${damage}.`, {
    code: "BadMirror",
    hint: "Call sync(): it exports the table again.",
  });
}
