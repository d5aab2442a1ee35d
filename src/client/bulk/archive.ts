import { mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { LentBatches } from "../../columns/build/text-reader.js";
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
import { DataError, hasCode } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { zipEntry } from "../../format/zip.js";
import { type EntryPlace, zipEntryAt } from "../../format/zip-entry.js";
import { isCorrupt } from "../../format/zip-error.js";
import { prepareForArchive } from "../../frame/files/local-source.js";
import { Frame } from "../../frame/frame.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { FileStatus } from "../../spec/vocabulary.js";
import { reportingTo, type Session } from "../transport/session.js";
import {
  copyCsv,
  type Landing,
  type LandOptions,
  landedBatches,
  type RowReading,
  readThrough,
  zipLimits,
} from "./archive-reader.js";
import type { BulkColumns, ColumnChooser } from "./bulk-columns.js";
import type { DownloadOptions, LinkSource } from "./download.js";
import { removeNoted } from "./partial-file.js";

/** The state of a bulk file (spec 2.8, 3), without its link, which contains a key. */
export interface BulkStatus {
  /** The state as the service names it: `fresh`, `creating` or `regenerating`. */
  readonly status: FileStatus;
  /** Whether a file exists that the query's `stale` option accepts. */
  readonly ready: boolean;
  /** When the generation of the file started, ISO 8601 UTC; null if unknown. */
  readonly data_snapshot_time: string | null;
  /** When the table was last updated, ISO 8601 UTC; null if unknown. */
  readonly last_refreshed_time: string | null;
}

/** Where a bulk file comes from: the service, or a local archive. */
export interface BulkOrigin extends RowReading {
  /** The source of its frames, beside the code. */
  readonly about?: FrameSource;
  status(signal?: AbortSignal): Promise<BulkStatus>;
  ready(signal?: AbortSignal, onProgress?: OnProgress | false): Promise<BulkStatus>;
  /** The archive on disk, or the source from which to download it. */
  readonly from: { readonly path: string } | ServiceFile;
}

interface ServiceFile {
  readonly session: Session;
  readonly source: LinkSource;
}

export type ToldOptions = LandOptions & { readonly onProgress: OnProgress };

/** A complete file. */
export interface Landed {
  /** Path of the file that was written. */
  readonly path: string;
  readonly bytes: number;
  /** Number of rows; undefined if the archive was kept or copied without reading cells. */
  readonly rows?: number;
}

const PARQUET_BATCH_ROWS = 16_384;

/** The archive of a bulk file, which is obtained for each call and read, written or copied. */
export class Archive<Row extends object> {
  constructor(
    private readonly code: string,
    private readonly origin: BulkOrigin,
  ) {}

  /** The rows as record batches; they are verified once the iteration has ended. */
  async *batches(options: ToldOptions): AsyncGenerator<RecordBatch> {
    const zip = await this.#fetch(undefined, options, true);
    try {
      const spent = new SpentBatches();
      for await (const batch of landedBatches(this.#landing(zip.place, options), options)) {
        yield batch;
        spent.add(batch);
      }
    } catch (error) {
      await this.#discardOther(error, zip.place);
      throw error;
    } finally {
      await zip.release();
    }
  }

  frame(options: ToldOptions): Promise<Frame<Row>> {
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
      return Frame.fromBatches<Row>(schema, batches, { code: this.code, ...this.origin.about, complete: true });
    });
  }

  async toParquet(path: string, options: ToldOptions & Pick<ParquetOptions, "compression">): Promise<Landed> {
    const { writeParquet } = await import("../../columns/parquet/write/write.js");
    // Tables with very many columns have shorter row groups; batches of at most that length limit their memory.
    const short = { batchRows: PARQUET_BATCH_ROWS, ...options };
    return this.#written(path, short, (batches, onWritten) => writeParquet(batches, path, { ...options, onWritten }));
  }

  /** Passes the rows to `use`; the archive is kept beside `path` until `use` has ended. */
  readBeside<T>(
    path: string,
    options: ToldOptions,
    use: (batches: AsyncIterable<RecordBatch>) => Promise<T>,
  ): Promise<T> {
    const short = { batchRows: PARQUET_BATCH_ROWS, ...options };
    return this.#landed(path, short, (landing) => use(landedBatches(landing, short)));
  }

  toArrow(path: string, options: ToldOptions & { readonly format?: "stream" | "file" }): Promise<Landed> {
    const write = options.format === "file" ? writeArrowFile : writeArrowStream;
    return this.#written(path, options, (batches, onWritten) => write(batches, path, { onWritten }));
  }

  toCSV(path: string, options: ToldOptions): Promise<Landed> {
    return this.#landed(path, options, async (landing) => ({ path, bytes: await copyCsv(landing, path) }));
  }

  async saveZip(path: string, options: ToldOptions): Promise<Landed> {
    const { from } = this.origin;
    if ("path" in from) {
      await readThrough(await zipEntry(from.path, { signal: options.signal, ...zipLimits(options) }));
      await atomicFile(path, async (file) => {
        for await (const block of fileBlocks(from.path)) await file.writeFile(block);
      });
    } else await downloaded(from, path, options, { verify: true });
    return { path, bytes: (await stat(path)).size };
  }

  /** If a cell cannot be read because the archive is corrupt, the corruption is the error to report. */
  async #cause(error: unknown, zip: EntryPlace, options: ToldOptions): Promise<unknown> {
    if (!(error instanceof DataError) || isCorrupt(error) || hasCode(error, "ZipBomb")) return error;
    return readThrough(zipEntryAt(zip, zipLimits(options))).then(
      () => error,
      (damage: unknown) => damage,
    );
  }

  /** A later call must not find the rows of another query in the cache, or beside its file. */
  async #discardOther(error: unknown, { path }: EntryPlace): Promise<void> {
    if (!("path" in this.origin.from) && hasCode(error, "ReplyContradicts")) await removeNoted(path);
  }

  #written(
    path: string,
    options: ToldOptions,
    write: (batches: AsyncIterable<RecordBatch>, onWritten: (batch: RecordBatch) => void) => Promise<Written>,
  ): Promise<Landed> {
    // A parsing thread would only read ahead of the slower writer, and use half as much memory again.
    return this.#landed(path, options, async (landing) => {
      const lent = new LentBatches();
      const batches = landedBatches({ ...landing, lent }, options);
      return { path, ...(await write(batches, (batch) => lent.takeBack(batch))) };
    });
  }

  /** Obtains and uses the archive; once more if it turns out to be corrupt, or another call has replaced it. */
  async #landed<T>(path: string | undefined, options: ToldOptions, use: (landing: Landing) => Promise<T>): Promise<T> {
    if (path !== undefined) await sweepUnfinished(path);
    let damaged = false;
    for (let round = 0; ; round++) {
      const zip = await this.#fetch(path, options, false, damaged);
      try {
        const result = await use(this.#landing(zip.place, options));
        await zip.release();
        return result;
      } catch (thrown) {
        const error = await this.#cause(thrown, zip.place, options);
        damaged = isCorrupt(error);
        await this.#discardOther(error, zip.place);
        if (damaged || path === undefined) await zip.release();
        const isOther = hasCode(error, "FileChanged");
        if (!(damaged || isOther) || round > 0 || "path" in this.origin.from) throw error;
      }
    }
  }

  /**
   * The archive on disk: in the cache, beside the file that is being written (so that a later run finds it), or in a
   * temporary folder. `release` removes files that are no longer needed.
   */
  async #fetch(
    target: string | undefined,
    options: ToldOptions,
    verify: boolean,
    fresh = false,
  ): Promise<{ readonly place: EntryPlace; release(): Promise<void> }> {
    const { from } = this.origin;
    if ("path" in from) {
      // A file is written from one thread beside the caller's.
      if (target === undefined) await prepareForArchive(from.path);
      const { place } = await zipEntry(from.path);
      return { place: place as EntryPlace, release: async () => undefined };
    }
    const cache = from.session.settings.cache?.path;
    const keep = cache !== undefined || target !== undefined;
    const place = cache
      ? await cached(cache, from.source.identity)
      : target === undefined
        ? await temporaryPlace()
        : beside(resolve(target));
    try {
      return { ...place, place: await downloaded(from, place.path, options, { keep, fresh, verify }) };
    } catch (error) {
      if (!keep) await place.release();
      throw error;
    }
  }

  #landing(place: EntryPlace, options: ToldOptions): Landing {
    const { onProgress, signal } = options;
    const entry = zipEntryAt(place, { signal, ...zipLimits(options) });
    return { ...this.origin, entry, code: this.code, onProgress };
  }
}

async function downloaded(
  { session, source }: ServiceFile,
  path: string,
  options: ToldOptions,
  how: Pick<DownloadOptions, "keep" | "fresh" | "verify">,
): Promise<EntryPlace> {
  const { download, zipFile } = await import("./download.js");
  const { signal, onProgress } = options;
  const kind = zipFile(zipLimits(options));
  return download(reportingTo(session, onProgress), source, path, kind, { ...how, signal, onProgress });
}

interface ArchivePlace {
  readonly path: string;
  release(): Promise<void>;
}

async function cached(cache: string, identity: string): Promise<ArchivePlace> {
  await mkdir(cache, { recursive: true }).catch((cause: unknown) => Promise.reject(fileError(cache, "write", cause)));
  return { path: join(cache, `${identity}.zip`), release: async () => undefined };
}

function beside(target: string): ArchivePlace {
  const path = `${target}.download.zip`;
  return { path, release: () => removeNoted(path) };
}

async function temporaryPlace(): Promise<ArchivePlace> {
  const { path, release } = await temporaryFolder("bulk");
  return { path: join(path, "bulk.zip"), release };
}
