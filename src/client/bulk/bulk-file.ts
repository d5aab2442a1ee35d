import { existsSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { RecordBatch } from "../../columns/arrow/arrow.js";
import {
  type CsvOptions,
  checkColumns,
  checkCsvDialect,
  checkKey,
  checkReadOptions,
} from "../../columns/arrow/read-options.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { LentBatches } from "../../columns/build/lent-batches.js";
import { atomicFile, type Written } from "../../columns/io/atomic-file.js";
import { fileBlocks } from "../../columns/io/file-blocks.js";
import type { OnProgress } from "../../columns/io/progress.js";
import { writeArrowFile } from "../../columns/ipc/file.js";
import { writeArrowStream } from "../../columns/ipc/stream.js";
import { type ParquetOptions, writeParquet } from "../../columns/parquet/write/write.js";
import { showAsCard } from "../../display/base/card.js";
import { type Followed, follow } from "../../display/progress/follow.js";
import { DataError, InputError } from "../../errors/errors.js";
import { fileError } from "../../errors/file-error.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { isDamaged, zipEntry } from "../../format/zip.js";
import { needPath } from "../../frame/cells/given.js";
import type { Cell } from "../../frame/cells/rows.js";
import { Frame } from "../../frame/frame.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { queryCard } from "../cards/query-card.js";
import { type Session, telling } from "../transport/request.js";
import { copyCsv, type Landing, type LandOptions, landedBatches } from "./archive-reader.js";
import { type BulkColumns, type ColumnChooser, undeclaredColumns } from "./bulk-columns.js";
import { type BulkStatus, shownStatus } from "./bulk-status.js";
import { download, type LinkSource } from "./download.js";
import { noteOf, sweepUnfinished } from "./partial-file.js";

/** Where a bulk file comes from: the service, or a local archive. */
export interface BulkOrigin {
  readonly code: string;
  /** What a frame of it says of where it comes from, beside the code. */
  readonly about?: FrameSource;
  readonly choose: ColumnChooser;
  readonly emptyText: "quoted" | "null";
  status(signal?: AbortSignal): Promise<BulkStatus>;
  ready(signal?: AbortSignal, onProgress?: OnProgress | false): Promise<BulkStatus>;
  /** Where the archive is on the disk already, or how to get it. */
  readonly from: { readonly path: string } | { readonly session: Session; readonly source: LinkSource };
}

/** Options of one call on a bulk file. */
export interface BulkOptions extends LandOptions {
  /** Receives the progress of this call; `false` disables it. Default: the option of `connect`. */
  readonly onProgress?: OnProgress | false;
}

/** Options of a call that is followed. */
type Told = BulkOptions & { readonly onProgress: OnProgress };

/** A file that was written whole. */
export interface Landed {
  readonly path: string;
  /** Bytes of the file. */
  readonly bytes: number;
  /** Rows in it; undefined where the archive was kept as it is or copied without reading cells. */
  readonly rows?: number;
}

const PARQUET_BATCH_ROWS = 16_384;
/** Options of a call beside those of reading. */
const CALL = ["onProgress"] as const;

/**
 * A bulk file: of a table (spec 4.9), of a database (spec 4.6), or an archive on the disk. Nothing is sent before a
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

  /** The state of the file. For a table this asks for its export, and counts as one (spec 8: 60 an hour). */
  async status(options: { readonly signal?: AbortSignal } = {}): Promise<BulkStatus> {
    refuseUnknown(options, ["signal"], "status()");
    return shownStatus(this.code, await this.#origin.status(options.signal));
  }

  /**
   * Waits until the file can be downloaded.
   *
   * @throws {ServiceError} ExportPending when it takes too long
   */
  ready(
    options: { readonly signal?: AbortSignal; readonly onProgress?: OnProgress | false } = {},
  ): Promise<BulkStatus> {
    refuseUnknown(options, ["signal", "onProgress"], "ready()");
    return this.#origin.ready(options.signal, options.onProgress);
  }

  /**
   * The rows as record batches; of a long file the next few are read ahead (`threads: 1`: none). Nothing read is final
   * until the last one came without an error.
   */
  async *batches(options: BulkOptions = {}): AsyncGenerator<RecordBatch> {
    checkReadOptions(options, "batches()", CALL);
    const { tell, end } = this.#follow(options);
    const told = { ...options, onProgress: tell };
    try {
      const zip = await this.#fetch(undefined, told, true);
      try {
        yield* landedBatches(this.#landing(zip.path, told), told);
      } finally {
        await zip.release();
      }
    } finally {
      end();
    }
  }

  /** All rows in memory. */
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
   * Writes a Parquet file: exact decimals up to 38 digits, dates, row groups of about 65,536 rows; wider decimals as
   * text.
   */
  async toParquet(path: string, options: BulkOptions & Pick<ParquetOptions, "compression"> = {}): Promise<Landed> {
    needPath(path, "toParquet()");
    checkReadOptions(options, "toParquet()", [...CALL, "compression"]);
    // A table of very many columns has shorter row groups; batches no longer than those keep its memory down.
    const short = { batchRows: PARQUET_BATCH_ROWS, ...options };
    return this.#written(path, short, (batches, onWritten) => writeParquet(batches, path, { ...options, onWritten }));
  }

  /** Writes an Arrow file: the stream format, or on request the file format with one dictionary per column. */
  async toArrow(path: string, options: BulkOptions & { readonly format?: "stream" | "file" } = {}): Promise<Landed> {
    needPath(path, "toArrow()");
    checkReadOptions(options, "toArrow()", [...CALL, "format"]);
    checkWords(options, { format: ["stream", "file"] });
    const write = options.format === "file" ? writeArrowFile : writeArrowStream;
    return this.#written(path, options, (batches, onWritten) => write(batches, path, { onWritten }));
  }

  /** Writes the CSV file of the archive as it is, byte for byte, after its checksum was found right. */
  async toCSV(path: string, options: BulkOptions = {}): Promise<Landed> {
    needPath(path, "toCSV()");
    checkReadOptions(options, "toCSV()", CALL);
    return this.#landed(path, options, async (landing) => {
      return { path, bytes: await copyCsv(landing, path, options.signal) };
    });
  }

  /** Keeps the archive itself, after its checksum was found right. */
  async saveZip(path: string, options: BulkOptions = {}): Promise<Landed> {
    needPath(path, "saveZip()");
    checkReadOptions(options, "saveZip()", CALL);
    const { from } = this.#origin;
    if ("path" in from) {
      await this.#check(from.path, options);
      await atomicFile(path, async (file) => {
        for await (const block of fileBlocks(from.path)) await file.writeFile(block);
      });
    } else {
      await this.#working(options, ({ signal, onProgress }) =>
        download(telling(from.session, onProgress), from.source, path, { signal, onProgress, verify: true }),
      );
    }
    return { path, bytes: (await stat(path)).size };
  }

  /** A cell that cannot be read may come from a damaged archive: then the damage is the error. */
  async #cause(error: unknown, zip: string): Promise<unknown> {
    if (!(error instanceof DataError) || isDamaged(error)) return error;
    return this.#check(zip, {}).then(
      () => error,
      (damage: unknown) => damage,
    );
  }

  async #check(zip: string, options: BulkOptions): Promise<void> {
    for await (const _ of (await zipEntry(zip, { signal: options.signal })).chunks());
  }

  #written(
    path: string,
    options: BulkOptions,
    write: (batches: AsyncIterable<RecordBatch>, onWritten: (batch: RecordBatch) => void) => Promise<Written>,
  ): Promise<Landed> {
    // A parsing thread would only read ahead of the slower writer, and take half as much memory again.
    return this.#landed(path, options, async (landing) => {
      const lent = new LentBatches();
      const batches = landedBatches({ ...landing, lent }, options);
      return { path, ...(await write(batches, (batch) => lent.takeBack(batch))) };
    });
  }

  /** Gets the archive, uses it, and once more from the start where it turns out damaged. */
  #landed<T>(path: string | undefined, options: BulkOptions, use: (landing: Landing) => Promise<T>): Promise<T> {
    return this.#working(options, (told) => this.#landedTwice(path, told, use));
  }

  async #landedTwice<T>(path: string | undefined, options: Told, use: (landing: Landing) => Promise<T>): Promise<T> {
    if (path !== undefined) await sweepUnfinished(path);
    for (let round = 0; ; round++) {
      const zip = await this.#fetch(path, options, false, round > 0);
      try {
        const result = await use(this.#landing(zip.path, options));
        await zip.release();
        return result;
      } catch (thrown) {
        const error = await this.#cause(thrown, zip.path);
        const damaged = isDamaged(error);
        if (damaged || path === undefined) await zip.release();
        if (!damaged || round > 0 || "path" in this.#origin.from) throw error;
      }
    }
  }

  /**
   * The archive on the disk: in the cache, beside the file that is being written (so that a later run finds it), or in
   * a temporary folder. `release` removes files that are no longer needed.
   */
  async #fetch(
    target: string | undefined,
    options: Told,
    verify: boolean,
    fresh = false,
  ): Promise<{ readonly path: string; release(): Promise<void> }> {
    const { from } = this.#origin;
    if ("path" in from) return { path: from.path, release: async () => undefined };
    const { session, source } = from;
    const { cache } = session.settings;
    const { signal, onProgress } = options;
    const place = cache
      ? { path: join(cache, `${source.identity}.zip`), release: async () => undefined }
      : target === undefined
        ? await temporaryPlace()
        : besides(resolve(target));
    if (cache) {
      await mkdir(cache, { recursive: true }).catch((cause: unknown) =>
        Promise.reject(fileError(cache, "write", cause)),
      );
    }
    try {
      const keep = cache !== undefined || target !== undefined;
      const told = telling(session, onProgress);
      await download(told, source, place.path, { signal, onProgress, keep, fresh, verify });
      return place;
    } catch (error) {
      if (!cache && target === undefined) await place.release();
      throw error;
    }
  }

  #landing(zip: string, { onProgress }: Told): Landing {
    const { code, choose, emptyText } = this.#origin;
    return { zip, code, choose, emptyText, onProgress };
  }

  /** Work that reports progress. */
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

function besides(target: string): { readonly path: string; release(): Promise<void> } {
  const path = `${target}.download.zip`;
  return {
    path,
    async release() {
      await rm(path, { force: true });
      await rm(noteOf(path), { force: true });
    },
  };
}

const temporaryFolders = new Set<string>();

async function temporaryPlace(): Promise<{ readonly path: string; release(): Promise<void> }> {
  if (temporaryFolders.size === 0) process.once("exit", sweepTemporary);
  const folder = await mkdtemp(join(tmpdir(), "arrowbook-")).catch((cause: unknown) =>
    Promise.reject(fileError(tmpdir(), "write", cause)),
  );
  temporaryFolders.add(folder);
  return {
    path: join(folder, "bulk.zip"),
    async release() {
      await rm(folder, { recursive: true, force: true });
      temporaryFolders.delete(folder);
      if (temporaryFolders.size === 0) process.off("exit", sweepTemporary);
    },
  };
}

function sweepTemporary(): void {
  for (const folder of temporaryFolders) if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}

/** How a local archive is read. */
export interface LocalBulkOptions extends Pick<CsvOptions, "header" | "emptyText" | "lenient"> {
  /**
   * Name and service type of each column; may be omitted for a database bulk file, which starts with `Code` (spec 2.5).
   */
  readonly columns?: readonly ColumnSpec[];
  /** Names of the columns that identify a row: the `key` of its frames and files. */
  readonly key?: readonly string[];
}

/**
 * A zipped CSV file on the disk as a {@link BulkFile}.
 * Its methods throw FileError where it cannot be read, DataError where it is damaged or a cell does not fit its type.
 *
 * @example
 * ```ts no-run
 * import { bulkFile } from "arrowbook";
 * const local = bulkFile("SEP.zip", { columns: [{ name: "ticker", type: "String" }, { name: "date", type: "Date" }] });
 * await local.toParquet("SEP.parquet");
 * ```
 */
export function bulkFile<Row extends object = Record<string, Cell>>(
  path: string,
  options: LocalBulkOptions = {},
): BulkFile<Row> {
  if (typeof path !== "string" || path === "") {
    throw new InputError(`bulkFile() expects the path of a zip file; got ${shown(path)}.`, {
      code: "BadArgument",
      hint: "Give the path of a zip archive; bytes in memory go into Frame.fromZip(bytes, { columns }).",
    });
  }
  refuseUnknown(options, ["columns", "key", "header", "emptyText", "lenient"], "bulkFile()");
  const { columns, key, header, emptyText = "quoted", lenient } = options;
  checkCsvDialect(options, "bulkFile()");
  if (columns !== undefined) checkColumns(columns, "bulkFile()");
  checkKey(key, columns, "bulkFile()");
  if (columns === undefined && header !== undefined) {
    throw new InputError("bulkFile() expects columns together with header; got header alone.", {
      code: "BadArgument",
      hint: 'Declare the columns: bulkFile(path, { header: false, columns: [{ name: "ticker", type: "String" }, …] }).',
    });
  }
  const status = async (): Promise<BulkStatus> => {
    await zipEntry(path);
    return { status: "fresh", ready: true, data_snapshot_time: null, last_refreshed_time: null };
  };
  return new BulkFile<Row>({
    code: path,
    choose: columns
      ? () => ({ columns, key, header: header ?? true, lenient })
      : undeclaredColumns(path, { lenient, key }),
    emptyText,
    status,
    ready: status,
    from: { path },
  });
}
