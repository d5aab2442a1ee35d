import type { RecordBatch, Table } from "../../columns/arrow/arrow.js";
import type { OnProgress } from "../../columns/io/progress.js";
import type { ParquetReadOptions } from "../../columns/parquet/read/options.js";
import type { TableMetadata } from "../../document/records.js";
import type { Stoppable } from "../../engine/contract/engine.js";
import type { Watched } from "../../frame/files/watched.js";
import type { Filter } from "../../spec/endpoints.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { ArchiveLimits } from "../bulk/archive-reader.js";
import type { BulkFile } from "../bulk/bulk-file.js";
import type { Manifest, Piece, View } from "./log.js";

export type Batches = AsyncIterable<RecordBatch> | Iterable<RecordBatch>;

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
  export(): Pick<BulkFile, "readBeside" | "batches">;
  /** The rows whose `column` is at or after `day`. */
  since(column: string, day: string, signal?: AbortSignal): AsyncIterable<RecordBatch>;
}

export interface Told extends ArchiveLimits, Stoppable {
  readonly onProgress?: OnProgress | false;
}

/** Where a copy is kept: what is particular to a folder or to an engine. Pieces never change once they are written. */
export interface Place {
  /** Folder, file or engine, for messages. */
  readonly name: string;
  /** The manifest; undefined before the first one. */
  manifest(): Promise<Manifest | undefined>;
  /** Runs `work` while no other process writes this copy, where the place has locks. */
  exclusive<T>(what: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  /** Begins the manifest after `current` and lends what writes its pieces, of which those that it does not name go. */
  writing<T>(code: string, current: number, use: (next: NextPieces) => Promise<T>): Promise<T>;
  /** Makes a manifest the current one, in one step; then removes what only the one before had left out. */
  commit(manifest: Manifest, before: Manifest | undefined): Promise<void>;
  /** What is missing of pieces, as a clause; undefined if nothing is. */
  damage(pieces: readonly Piece[]): Promise<string | undefined>;
  /** The rows of pieces, one after the other, and only these columns. */
  batches(pieces: readonly Piece[], columns: readonly string[]): AsyncIterable<RecordBatch>;
  /** The rows of a version. */
  table(view: View, options: ParquetReadOptions & Watched): Promise<Table>;
  /** The result of a statement in which a version is the table `this`. */
  query(view: View, text: string, params?: readonly unknown[], options?: Stoppable): Promise<Table>;
  /** Notes that the service has been asked, and lets other programs find the newest version. */
  checked(newest: View): Promise<void>;
}

/** The pieces of the next manifest, which are written for it alone. */
export interface NextPieces {
  /** That of the manifest. */
  readonly number: number;
  /** A path beside which the download of an export is kept until its rows are written; undefined if it is not kept. */
  readonly download?: string;
  /**
   * Writes a piece; one for each value of `by` if the rows are to be split and the place does.
   *
   * @param rows with their numbers in the last column; at least one batch
   * @throws {InputError} UnknownColumn, WrongType, BadArgument for a `by` that cannot split these rows
   */
  write(kind: "rows" | "removed", rows: Batches, isSplit: boolean): Promise<Piece[]>;
}
