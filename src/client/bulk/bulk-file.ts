import { mkdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { checkReadOptions } from "../../columns/arrow/read-options.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { LentBatches } from "../../columns/build/lent-batches.js";
import { fileBlocks } from "../../columns/io/file-blocks.js";
import type { OnProgress } from "../../columns/io/progress.js";
import { SpentBatches } from "../../columns/io/spent-batches.js";
import type { Written } from "../../columns/io/written.js";
import { writeArrowFile } from "../../columns/ipc/file.js";
import { writeArrowStream } from "../../columns/ipc/stream.js";
import type { ParquetOptions } from "../../columns/parquet/write/write.js";
import { atomicFile } from "../../disk/atomic-file.js";
import { sweepUnfinished } from "../../disk/sweep.js";
import { temporaryFolder } from "../../disk/temporary-folder.js";
import { showAsCard } from "../../display/base/card.js";
import { type Followed, follow } from "../../display/progress/follow.js";
import { DataError, hasCode } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { zipEntry } from "../../format/zip.js";
import { type EntryPlace, type ZipEntry, zipEntryAt } from "../../format/zip-entry.js";
import { isCorrupt } from "../../format/zip-error.js";
import { needPath } from "../../frame/cells/given.js";
import type { Cell } from "../../frame/cells/rows.js";
import { Frame } from "../../frame/frame.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { queryCard } from "../cards/query-card.js";
import { reportingTo, type Session } from "../transport/request.js";
import { copyCsv, type Landing, type LandOptions, landedBatches, type RowCheck } from "./archive-reader.js";
import type { BulkColumns, ColumnChooser } from "./bulk-columns.js";
import { type BulkStatus, shownStatus } from "./bulk-status.js";
import { download, type LinkSource } from "./download.js";
import { noteOf } from "./partial-file.js";

/** The origin of a bulk file: the service, or a local archive. */
export interface BulkOrigin {
  readonly code: string;
  /** The source of its frames, beside the code. */
  readonly about?: FrameSource;
  readonly choose: ColumnChooser;
  /** Compares the rows with what was requested. */
  readonly check?: RowCheck;
  readonly emptyText: "quoted" | "null";
  status(signal?: AbortSignal): Promise<BulkStatus>;
  ready(signal?: AbortSignal, onProgress?: OnProgress | false): Promise<BulkStatus>;
  /** The archive on disk, or the source from which to download it. */
  readonly from: { readonly path: string } | { readonly session: Session; readonly source: LinkSource };
}

/** Options of one call on a bulk file. */
export interface BulkOptions extends LandOptions {
  /** Receives the progress of this call; `false` disables it. Default: the option of `connect`. */
  readonly onProgress?: OnProgress | false;
}

/** Options of a call that reports progress. */
type Told = BulkOptions & { readonly onProgress: OnProgress };

/** A complete file. */
export interface Landed {
  /** Path of the file that was written. */
  readonly path: string;
  /** Bytes of the file. */
  readonly bytes: number;
  /** Number of rows; undefined if the archive was kept or copied without reading cells. */
  readonly rows?: number;
}

const PARQUET_BATCH_ROWS = 16_384;
/** Options of a call other than read options. */
const CALL = ["onProgress"] as const;

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
  readonly #origin: BulkOrigin;

  static {
    showAsCard<BulkFile>(BulkFile.prototype, ({ code }) =>
      queryCard(
        "Bulk file of",
        { code },
        [],
        "await file.frame(), .toParquet(path), .toArrow(path), .toCSV(path), .saveZip(path), .status()",
      ),
    );
  }

  constructor(origin: BulkOrigin) {
    this.#origin = origin;
  }

  /** Code of the table or database, or the path. */
  get code(): string {
    return this.#origin.code;
  }

  /** The state of the file. For a table this requests its export, and counts as one (spec 8: 60 an hour). */
  async status(options: { readonly signal?: AbortSignal } = {}): Promise<BulkStatus> {
    refuseUnknown(options, ["signal"], "status()");
    return shownStatus(this.code, await this.#origin.status(options.signal));
  }

  /**
   * Waits until the file can be downloaded.
   *
   * @throws {ServiceError} ExportPending if it takes too long
   */
  ready(
    options: { readonly signal?: AbortSignal; readonly onProgress?: OnProgress | false } = {},
  ): Promise<BulkStatus> {
    refuseUnknown(options, ["signal", "onProgress"], "ready()");
    return this.#origin.ready(options.signal, options.onProgress);
  }

  /**
   * Reads the rows as record batches; of a long file the next few are read ahead (`threads: 1`: none). The rows are
   * verified only once the iteration has ended without an error.
   */
  async *batches(options: BulkOptions = {}): AsyncGenerator<RecordBatch> {
    checkReadOptions(options, "batches()", CALL);
    const { tell, end } = this.#follow(options);
    const told = { ...options, onProgress: tell };
    try {
      const zip = await this.#fetch(undefined, told, true);
      try {
        const spent = new SpentBatches();
        for await (const batch of landedBatches(this.#landing(zip.place, told), told)) {
          yield batch;
          spent.add(batch);
        }
      } catch (error) {
        await this.#discardOther(error, zip.place);
        throw error;
      } finally {
        await zip.release();
      }
    } finally {
      end();
    }
  }

  /** Reads all rows into memory. */
  async frame(options: BulkOptions = {}): Promise<Frame<Row>> {
    checkReadOptions(options, "frame()", CALL);
    return this.#landed(undefined, options, async (landing) => {
      const batches: RecordBatch[] = [];
      let chosen: BulkColumns | undefined;
      const choose: ColumnChooser = async (firstCells) => {
        chosen = await landing.choose(firstCells);
        return chosen;
      };
      for await (const batch of landedBatches({ ...landing, choose }, options)) batches.push(batch);
      const schema =
        batches[0]?.schema ?? schemaOf(chosen?.columns ?? [], { ...options, key: options.key ?? chosen?.key });
      return Frame.fromBatches<Row>(schema, batches, { code: this.code, ...this.#origin.about, complete: true });
    });
  }

  /**
   * Writes a Parquet file: exact decimals of up to 38 digits (wider ones as text), dates, row groups of about 65,536
   * rows.
   */
  async toParquet(path: string, options: BulkOptions & Pick<ParquetOptions, "compression"> = {}): Promise<Landed> {
    needPath(path, "toParquet()");
    checkReadOptions(options, "toParquet()", [...CALL, "compression"]);
    const { writeParquet } = await import("../../columns/parquet/write/write.js");
    // Tables with very many columns have shorter row groups; batches of at most that length limit their memory.
    const short = { batchRows: PARQUET_BATCH_ROWS, ...options };
    return this.#written(path, short, (batches, onWritten) => writeParquet(batches, path, { ...options, onWritten }));
  }

  /** Writes an Arrow file: the stream format, or optionally the file format with one dictionary per column. */
  async toArrow(path: string, options: BulkOptions & { readonly format?: "stream" | "file" } = {}): Promise<Landed> {
    needPath(path, "toArrow()");
    checkReadOptions(options, "toArrow()", [...CALL, "format"]);
    checkWords(options, { format: ["stream", "file"] });
    const write = options.format === "file" ? writeArrowFile : writeArrowStream;
    return this.#written(path, options, (batches, onWritten) => write(batches, path, { onWritten }));
  }

  /** Copies the CSV of the archive byte for byte, after verifying its checksum; compressed if `path` ends in `.gz`. */
  async toCSV(path: string, options: BulkOptions = {}): Promise<Landed> {
    needPath(path, "toCSV()");
    checkReadOptions(options, "toCSV()", CALL);
    return this.#landed(path, options, async (landing) => {
      return { path, bytes: await copyCsv(landing, path) };
    });
  }

  /** Keeps the archive itself, after verifying its checksum. */
  async saveZip(path: string, options: BulkOptions = {}): Promise<Landed> {
    needPath(path, "saveZip()");
    checkReadOptions(options, "saveZip()", CALL);
    const { from } = this.#origin;
    if ("path" in from) {
      await readThrough(await zipEntry(from.path, { signal: options.signal }));
      await atomicFile(path, async (file) => {
        for await (const block of fileBlocks(from.path)) await file.writeFile(block);
      });
    } else {
      await this.#working(options, ({ signal, onProgress }) =>
        download(reportingTo(from.session, onProgress), from.source, path, { signal, onProgress, verify: true }),
      );
    }
    return { path, bytes: (await stat(path)).size };
  }

  /** If a cell cannot be read because the archive is corrupt, the corruption is the error to report. */
  async #cause(error: unknown, zip: EntryPlace): Promise<unknown> {
    if (!(error instanceof DataError) || isCorrupt(error)) return error;
    return readThrough(zipEntryAt(zip)).then(
      () => error,
      (damage: unknown) => damage,
    );
  }

  /** A later call must not find the rows of another query in the cache, or beside its file. */
  async #discardOther(error: unknown, { path }: EntryPlace): Promise<void> {
    if ("path" in this.#origin.from || !hasCode(error, "ReplyContradicts")) return;
    await rm(path, { force: true });
    await rm(noteOf(path), { force: true });
  }

  #written(
    path: string,
    options: BulkOptions,
    write: (batches: AsyncIterable<RecordBatch>, onWritten: (batch: RecordBatch) => void) => Promise<Written>,
  ): Promise<Landed> {
    // A parsing thread would only read ahead of the slower writer, and use half as much memory again.
    return this.#landed(path, options, async (landing) => {
      const lent = new LentBatches();
      const batches = landedBatches({ ...landing, lent }, options);
      return { path, ...(await write(batches, (batch) => lent.takeBack(batch))) };
    });
  }

  /** Obtains and uses the archive; once more from the start if it turns out to be corrupt. */
  #landed<T>(path: string | undefined, options: BulkOptions, use: (landing: Landing) => Promise<T>): Promise<T> {
    return this.#working(options, (told) => this.#landedTwice(path, told, use));
  }

  async #landedTwice<T>(path: string | undefined, options: Told, use: (landing: Landing) => Promise<T>): Promise<T> {
    if (path !== undefined) await sweepUnfinished(path);
    for (let round = 0; ; round++) {
      const zip = await this.#fetch(path, options, false, round > 0);
      try {
        const result = await use(this.#landing(zip.place, options));
        await zip.release();
        return result;
      } catch (thrown) {
        const error = await this.#cause(thrown, zip.place);
        const damaged = isCorrupt(error);
        await this.#discardOther(error, zip.place);
        if (damaged || path === undefined) await zip.release();
        if (!damaged || round > 0 || "path" in this.#origin.from) throw error;
      }
    }
  }

  /**
   * The archive on disk: in the cache, beside the file that is being written (so that a later run finds it), or in a
   * temporary folder. `release` removes files that are no longer needed.
   */
  async #fetch(
    target: string | undefined,
    options: Told,
    verify: boolean,
    fresh = false,
  ): Promise<{ readonly place: EntryPlace; release(): Promise<void> }> {
    const { from } = this.#origin;
    if ("path" in from) {
      const { place } = await zipEntry(from.path);
      return { place: place as EntryPlace, release: async () => undefined };
    }
    const { session, source } = from;
    const cache = session.settings.cache?.path;
    const { signal, onProgress } = options;
    const place = cache
      ? { path: join(cache, `${source.identity}.zip`), release: async () => undefined }
      : target === undefined
        ? await temporaryPlace()
        : beside(resolve(target));
    if (cache) {
      await mkdir(cache, { recursive: true }).catch((cause: unknown) =>
        Promise.reject(fileError(cache, "write", cause)),
      );
    }
    try {
      const keep = cache !== undefined || target !== undefined;
      const told = reportingTo(session, onProgress);
      const downloaded = await download(told, source, place.path, { signal, onProgress, keep, fresh, verify });
      return { ...place, place: downloaded.place };
    } catch (error) {
      if (!cache && target === undefined) await place.release();
      throw error;
    }
  }

  #landing(place: EntryPlace, { onProgress, signal }: Told): Landing {
    const { code, choose, check, emptyText } = this.#origin;
    return { entry: zipEntryAt(place, { signal }), code, choose, check, emptyText, onProgress };
  }

  /** A task that reports progress. */
  async #working<T>(options: BulkOptions, work: (told: Told) => Promise<T>): Promise<T> {
    const { tell, end } = this.#follow(options);
    try {
      return await work({ ...options, onProgress: tell });
    } finally {
      end();
    }
  }

  #follow({ onProgress }: BulkOptions): Followed {
    const { from } = this.#origin;
    return follow(onProgress ?? ("session" in from ? from.session.settings.onProgress : undefined));
  }
}

/** Reads an entry to its end, which verifies its size and checksum. */
async function readThrough(entry: ZipEntry): Promise<void> {
  for await (const _ of entry.chunks());
}

function beside(target: string): { readonly path: string; release(): Promise<void> } {
  const path = `${target}.download.zip`;
  return {
    path,
    async release() {
      await rm(path, { force: true });
      await rm(noteOf(path), { force: true });
    },
  };
}

async function temporaryPlace(): Promise<{ readonly path: string; release(): Promise<void> }> {
  const { path, release } = await temporaryFolder("bulk");
  return { path: join(path, "bulk.zip"), release };
}
