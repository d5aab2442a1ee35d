import { createHash, randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { cellBatch } from "../../columns/arrow/cell-batch.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { declaredBatches } from "../../columns/compute/cast.js";
import { atomicFile } from "../../disk/atomic-file.js";
import { rowBlocks } from "../../document/cells/row-bytes.js";
import { csvLines } from "../../document/cells/row-style.js";
import { csvCell } from "../../format/csv-records.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Profile } from "../../spec/profile.js";
import type { FileStatus } from "../../spec/vocabulary.js";
import { Refused } from "../data/refused.js";

/** A requested file: its content and the version of the rows. */
export interface FileOrder {
  /** Equal for equal queries. */
  readonly question: string;
  /** The version of the rows; a file of another version is out of date. */
  readonly version: string;
  /** The code whose subscribers may download it. */
  readonly code: string;
  readonly name: string;
  /** Default: zipped CSV. */
  readonly format?: "parquet";
  /** Its rows; `release` is called when they are no longer read. */
  rows(): Pick<RowsToFile, "columns" | "batches"> & { readonly release?: () => void };
}

/** An existing file, with the version of its rows and the time its generation started. */
export interface MadeFile extends DataFile {
  readonly id: string;
  readonly code: string;
  readonly version: string;
  /** ISO 8601 UTC. */
  readonly snapshotTime: string;
}

/** The state of a table bulk file (spec 3). */
interface FileState {
  readonly status: FileStatus;
  readonly file?: MadeFile;
}

/**
 * The bulk files of a service: generated once per query and version of the rows, kept until a newer one is available.
 */
export type BulkFiles = ReturnType<typeof bulkFiles>;

export interface BulkFilesOptions {
  readonly folder: string;
  readonly profile: Profile;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** ISO 8601 UTC. */
  readonly now: () => string;
  readonly remembered: readonly MadeFile[];
  /** Called when the set of files changes; a new file is available once this has settled. */
  readonly changed: () => Promise<void>;
}

const HOUR_MS = 60 * 60 * 1000;

/** A file that has not been requested for this long is removed when the next one is started. */
const KEPT_MS = 24 * HOUR_MS;

/** For this long a file that failed is not begun again: those who wait for it, with their retries, get the error. */
const FAILED_MS = 60_000;

export function bulkFiles({ folder, profile, clock, now, remembered, changed }: BulkFilesOptions) {
  const files = new Map(remembered.filter((file) => existsSync(file.path)).map((file) => [file.id, file]));
  /** Finished files that are being persisted. */
  const unsaved = new Map<string, MadeFile>();
  const running = new Map<string, Promise<MadeFile>>();
  const failures = new Map<string, { readonly error: unknown; readonly version: string; readonly at: number }>();
  // Files of an earlier run count as requested at the start.
  const asked = new Map([...files.keys()].map((id) => [id, clock()]));
  const allowance = exportAllowance(profile, clock);
  const stop = new AbortController();
  // One per file being generated, of which there may be many.
  setMaxListeners(0, stop.signal);

  const begin = (id: string, order: FileOrder): Promise<MadeFile> => {
    const snapshotTime = now();
    const path = join(
      folder,
      `${id}-${createHash("sha256").update(order.version).digest("hex").slice(0, 8)}.${order.format ?? "zip"}`,
    );
    const { release, ...rows } = order.rows();
    const all = { ...rows, name: order.name, at: new Date(snapshotTime), signal: stop.signal };
    const written = (
      order.format === "parquet" ? writeParquetRows(path, all) : writeCsvZip(path, all, profile)
    ).finally(release);
    const making = written.then(async (zip) => {
      const old = files.get(id);
      const made: MadeFile = { ...zip, id, code: order.code, version: order.version, snapshotTime };
      unsaved.set(id, made);
      await changed();
      unsaved.delete(id);
      files.set(id, made);
      if (old !== undefined && old.path !== path) await rm(old.path, { force: true });
      return made;
    });
    running.set(id, making);
    const { version } = order;
    making.catch((error) => failures.set(id, { error, version, at: clock() })).finally(() => running.delete(id));
    return making;
  };

  const forgetOld = async (): Promise<void> => {
    for (const [id, file] of files) {
      if (running.has(id) || clock() - (asked.get(id) ?? 0) < KEPT_MS) continue;
      files.delete(id);
      asked.delete(id);
      void changed();
      await rm(file.path, { force: true });
    }
  };

  return {
    /**
     * The state of a table export (spec 3, 4.9); starts generating a file if there is none for these rows. Each started
     * file counts against the subscriber's hourly limit (spec 8), if one is passed; reading its state does not.
     */
    async order(order: FileOrder, subscriberId: string | undefined): Promise<FileState> {
      const id = idOf(order);
      const file = files.get(id);
      asked.set(id, clock());
      if (file?.version === order.version) return { status: "fresh", file };
      const state: FileState = file === undefined ? { status: "creating" } : { status: "regenerating", file };
      if (running.has(id)) return state;
      const failure = failures.get(id);
      if (failure?.version === order.version && clock() - failure.at < FAILED_MS) throw failure.error;
      failures.delete(id);
      if (subscriberId !== undefined) allowance(subscriberId);
      begin(id, order);
      await forgetOld();
      return state;
    },
    /** The finished file of a database bulk download (spec 4.6), generated if necessary. */
    async make(order: FileOrder): Promise<MadeFile> {
      const id = idOf(order);
      asked.set(id, clock());
      // A file that is being made may be one of the rows before a refresh.
      for (let making = running.get(id); making !== undefined; making = running.get(id)) {
        const made = await making;
        if (made.version === order.version) return made;
      }
      const file = files.get(id);
      return file?.version === order.version ? file : begin(id, order);
    },
    find: (id: string) => files.get(id),
    /** The finished files, to persist across restarts. */
    made: (): MadeFile[] => [...new Map([...files, ...unsaved]).values()],
    /** Cancels the generation of files. */
    async close(): Promise<void> {
      stop.abort();
      await Promise.allSettled(running.values());
    },
  };
}

/**
 * Counts the files that a subscriber has started; rejects those beyond the hourly limit (spec 8) and states when to
 * retry.
 */
function exportAllowance(profile: Profile, clock: () => number): (subscriberId: string) => void {
  const starts = new Map<string, number[]>();
  const most = profile.exportsPerHour.value;
  return (subscriberId) => {
    const recent = (starts.get(subscriberId) ?? []).filter((at) => clock() - at < HOUR_MS);
    if (recent.length >= most) {
      const seconds = Math.ceil((recent[0] + HOUR_MS - clock()) / 1000);
      const message = `You have asked for ${most} bulk files within an hour; try again in ${seconds} seconds.`;
      throw new Refused({ code: "QELx05", status: 429, message }, { "retry-after": String(seconds) });
    }
    starts.set(subscriberId, [...recent, clock()]);
  };
}

function idOf({ question }: FileOrder): string {
  return createHash("sha256").update(question).digest("base64url").slice(0, 16).replaceAll("_", "-");
}

interface DataFile {
  readonly path: string;
  readonly bytes: number;
  /** Strong: equal only for equal bytes. */
  readonly etag: string;
}

interface RowsToFile {
  readonly name: string;
  readonly columns: readonly ColumnSpec[];
  readonly batches: AsyncIterable<RecordBatch>;
  /** Time of the entry in the archive. */
  readonly at: Date;
  readonly signal: AbortSignal;
}

/**
 * Streams rows to `path` as one zipped CSV file (spec 2.5, 4.9) with only a few batches in memory. The file gets its
 * name once it is complete.
 */
async function writeCsvZip(path: string, csv: RowsToFile, profile: Profile): Promise<DataFile> {
  const { default: yazl } = await import("yazl");
  const zip = new yazl.ZipFile();
  const lines = Readable.from(csvPieces(csv, profile), { objectMode: true });
  const hash = createHash("sha256");
  let bytes = 0;
  const failed = new Promise<never>((_, reject) => {
    lines.once("error", reject);
    zip.once("error", reject);
  });
  const stop = new AbortController();
  const signal = AbortSignal.any([csv.signal, stop.signal]);
  await atomicFile(path, async (file) => {
    const write = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        await file.writeFile(chunk);
      }
    };
    let written: Promise<void> | undefined;
    try {
      zip.addReadStream(lines, csv.name, { mtime: csv.at, mode: 0o100644, compressionLevel: LEVEL });
      zip.end();
      written = pipeline(zip.outputStream as Readable, write, { signal });
      await Promise.race([written, failed]);
    } catch (error) {
      lines.destroy();
      // Ends the writing: rows that failed leave the archive open, to which nothing is written any more.
      stop.abort();
      await written?.catch(() => undefined);
      throw error;
    }
  });
  return { path, bytes, etag: `"${hash.digest("base64url").slice(0, 22)}"` };
}

/** Writes rows to `path` as a Parquet file of the declared types, which gets its name once it is complete. */
async function writeParquetRows(path: string, { name, columns, batches, signal }: RowsToFile): Promise<DataFile> {
  const { writeParquet } = await import("../../columns/parquet/write/write.js");
  const schema = schemaOf(columns, { text: "utf8" });
  async function* rows(): AsyncGenerator<RecordBatch> {
    for await (const batch of declaredBatches(batches, schema, name)) {
      signal.throwIfAborted();
      yield batch;
    }
  }
  const { bytes } = await writeParquet(rows(), path, { schema });
  return { path, bytes, etag: `"${randomUUID()}"` };
}

async function* csvPieces({ columns, batches, signal }: RowsToFile, profile: Profile): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${columns.map(({ name }) => csvCell(name, true)).join(",")}\n`);
  const lines = csvLines(columns, profile.csvQuotesEmptyText.value, true);
  for await (const { data, numRows } of batches) {
    for (const block of rowBlocks(lines, [cellBatch(data.children, numRows)])) {
      yield Buffer.from(block);
      signal.throwIfAborted();
    }
  }
}

/** Of zlib: prices take 3 % more room than at its default of 6, and well under half of the processor time. */
const LEVEL = 4;
