import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { checkReadOptions } from "../../columns/arrow/read-options.js";
import type { OnProgress } from "../../columns/io/progress.js";
import type { ParquetOptions } from "../../columns/parquet/write/write.js";
import { showAsCard } from "../../display/base/card.js";
import { follow } from "../../display/progress/follow.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { needPath } from "../../frame/cells/given.js";
import type { Cell } from "../../frame/cells/rows.js";
import type { Frame } from "../../frame/frame.js";
import { queryCard } from "../cards/cards.js";
import type { Archive, BulkOrigin, BulkStatus, Landed, ToldOptions } from "./archive.js";
import type { LandOptions } from "./archive-reader.js";

/** Options of one call on a bulk file. */
export interface BulkOptions extends LandOptions {
  /** Receives the progress of this call; `false` disables it. Default: the option of `connect`. */
  readonly onProgress?: OnProgress | false;
}

/** Options of a call other than read options. */
const CALL = ["onProgress", "maxRatio", "maxSize"] as const;

/**
 * A bulk file: of a table (spec 4.9), of a database (spec 4.6), or an archive on disk. No request is sent before a
 * method is called. A file under its final name is complete; after an abort or a crash the next call for the same path
 * resumes.
 *
 * @example
 * ```ts
 * import { connect } from "arrowbook";
 * const service = await connect.sample();
 * const file = service.table("MARKET/PRICES").export({ stale: "use" });
 * for await (const batch of file.batches()) console.log(batch.numRows);
 * await service.close();
 * ```
 */
export class BulkFile<Row extends object = Record<string, Cell>> {
  /** Code of the table or database, or the path. */
  readonly code: string;
  readonly #origin: () => Promise<BulkOrigin>;
  readonly #onProgress: OnProgress | false | undefined;
  #opened: Promise<BulkOrigin> | undefined;

  static {
    const next = "await file.frame(), .toParquet(path), .toArrow(path), .toCSV(path), .saveZip(path), .status()";
    showAsCard<BulkFile>(BulkFile.prototype, ({ code }) => queryCard("Bulk file of", { code }, [], next));
  }

  /** @param onProgress receives the progress of calls that do not say otherwise */
  constructor(code: string, origin: () => Promise<BulkOrigin>, onProgress?: OnProgress | false) {
    this.code = code;
    this.#origin = origin;
    this.#onProgress = onProgress;
  }

  /** The state of the file. For a table this requests its export, and counts as one (spec 8: 60 an hour). */
  async status(options: { readonly signal?: AbortSignal } = {}): Promise<BulkStatus> {
    refuseUnknown(options, ["signal"], "status()");
    const origin = await this.#open();
    return shownStatus(this.code, await origin.status(options.signal));
  }

  /**
   * Waits until the file can be downloaded.
   *
   * @throws {ServiceError} ExportPending if it takes too long
   */
  async ready(
    options: { readonly signal?: AbortSignal; readonly onProgress?: OnProgress | false } = {},
  ): Promise<BulkStatus> {
    refuseUnknown(options, ["signal", "onProgress"], "ready()");
    const origin = await this.#open();
    return origin.ready(options.signal, options.onProgress);
  }

  /**
   * Reads the rows as record batches; of a long file the next few are read ahead. The rows are
   * verified only once the iteration has ended without an error.
   */
  async *batches(options: BulkOptions = {}): AsyncGenerator<RecordBatch> {
    checkReadOptions(options, "batches()", CALL);
    const { tell, end } = follow(options.onProgress ?? this.#onProgress);
    try {
      const archive = await this.#archive();
      yield* archive.batches({ ...options, onProgress: tell });
    } finally {
      end();
    }
  }

  /**
   * Passes the rows to `use`, as {@link batches}. The archive is kept beside `path` until `use` has ended, so that a
   * later call for the same path resumes its download; `use` is called again if the archive is damaged.
   *
   * @internal
   */
  async readBeside<T>(
    path: string,
    use: (batches: AsyncIterable<RecordBatch>) => Promise<T>,
    options: BulkOptions = {},
  ): Promise<T> {
    needPath(path, "readBeside()");
    return this.#working(options, (archive, told) => archive.readBeside(path, told, use));
  }

  /** Reads all rows into memory. */
  async frame(options: BulkOptions = {}): Promise<Frame<Row>> {
    checkReadOptions(options, "frame()", CALL);
    return this.#working(options, (archive, told) => archive.frame(told));
  }

  /**
   * Writes a Parquet file: exact decimals of up to 38 digits (wider ones as text), dates, row groups of about 65,536
   * rows.
   */
  async toParquet(path: string, options: BulkOptions & Pick<ParquetOptions, "compression"> = {}): Promise<Landed> {
    return this.#writing("toParquet", path, options, ["compression"]);
  }

  /** Writes an Arrow file: the stream format, or optionally the file format with one dictionary per column. */
  async toArrow(path: string, options: BulkOptions & { readonly format?: "stream" | "file" } = {}): Promise<Landed> {
    return this.#writing("toArrow", path, options, ["format"]);
  }

  /** Copies the CSV of the archive byte for byte, after verifying its checksum; compressed if `path` ends in `.gz`. */
  async toCSV(path: string, options: BulkOptions = {}): Promise<Landed> {
    return this.#writing("toCSV", path, options);
  }

  /** Keeps the archive itself, after verifying its checksum. */
  async saveZip(path: string, options: BulkOptions = {}): Promise<Landed> {
    return this.#writing("saveZip", path, options);
  }

  #writing(
    method: "toParquet" | "toArrow" | "toCSV" | "saveZip",
    path: string,
    options: BulkOptions & { readonly format?: "stream" | "file" },
    more: readonly string[] = [],
  ): Promise<Landed> {
    needPath(path, `${method}()`);
    checkReadOptions(options, `${method}()`, [...CALL, ...more]);
    checkWords(options, { format: ["stream", "file"] });
    return this.#working(options, (archive, told) => archive[method](path, told));
  }

  async #working<T, Options extends BulkOptions>(
    options: Options,
    work: (archive: Archive<Row>, told: Options & ToldOptions) => Promise<T>,
  ): Promise<T> {
    const { tell, end } = follow(options.onProgress ?? this.#onProgress);
    try {
      return await work(await this.#archive(), { ...options, onProgress: tell });
    } finally {
      end();
    }
  }

  async #archive(): Promise<Archive<Row>> {
    const { Archive } = await import("./archive.js");
    return new Archive<Row>(this.code, await this.#open());
  }

  /** One export for all calls: it is counted once. */
  #open(): Promise<BulkOrigin> {
    this.#opened ??= this.#origin();
    return this.#opened;
  }
}

/** The state of a bulk file (spec 2.8) that renders as a card. */
export function shownStatus(code: string, status: BulkStatus): BulkStatus {
  return showAsCard({ ...status }, (state) => ({
    title: `Bulk file of ${code}: ${state.status}`,
    entries: [
      ["ready", state.ready],
      ["snapshot", state.data_snapshot_time],
      ["table refreshed", state.last_refreshed_time],
    ],
  }));
}
