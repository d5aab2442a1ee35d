import { existsSync } from "node:fs";
import { readdir, readFile, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type RecordBatch, Table } from "../../columns/arrow/arrow.js";
import type { ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { pickColumns } from "../../columns/table/pick.js";
import { atomicFile } from "../../disk/atomic-file.js";
import { locked } from "../../disk/lock.js";
import { makeFolder, removeEmptyFolders } from "../../disk/sync-folder.js";
import type { Stoppable } from "../../engine/contract/engine.js";
import { parquetScan } from "../../engine/duckdb/parquet.js";
import { embeddedEngine } from "../../engine/embedded.js";
import { FileError } from "../../errors/errors.js";
import { fileError, isSystemError } from "../../errors/file-error.js";
import { type Watched, watched } from "../../frame/files/watched.js";
import { type Manifest, namesOf, numberColumn, type Piece, parseManifest, type View } from "./log.js";
import type { NextPieces, Place } from "./place.js";
import { collected, liveRows, passingNumbers, rowsStatement } from "./rows.js";
import { parseSplit, type Split, writePiece, writeSplit } from "./split.js";

const MANIFEST = "manifest.json";
const CHECKED = "checked.json";
const WRITING = "writing.json";
/** The names in the folder of a mirror before its first pieces, and those of files being written to them. */
const OWN = [MANIFEST, CHECKED, WRITING, "sync.lock"] as const;

const folderOf = (number: number): string => `v${String(number).padStart(6, "0")}`;

/** Pieces are Parquet files, those of one number in a folder of their own. */
export class Folder implements Place {
  readonly #split: Split | undefined;
  /** Files that are as they were written, and their state. */
  readonly #verified = new Map<string, string>();

  /** @throws {InputError} BadArgument for a `by` that names neither a column nor a unit of dates */
  constructor(
    readonly name: string,
    by: string | undefined,
  ) {
    this.#split = by === undefined ? undefined : parseSplit(by);
  }

  /** @throws {FileError} BadMirror if the folder holds files that no mirror wrote */
  async manifest(): Promise<Manifest | undefined> {
    const path = join(this.name, MANIFEST);
    const text = await textOf(path);
    if (text !== undefined) return parseManifest(text, path);
    const names = (await unlessMissing(this.name, readdir(this.name))) ?? [];
    const other = names.find((name) => !OWN.some((own) => name === own || name.startsWith(`${own}.`)));
    const isOwn = other === undefined || (await this.#begun()) !== undefined;
    // Its first synchronisation may have ended since.
    if (existsSync(path)) return this.manifest();
    if (isOwn) return undefined;
    throw new FileError(`${this.name} is not empty and not a mirror: it holds ${JSON.stringify(other)}.`, {
      code: "BadMirror",
      hint: "Use a new or an empty folder.",
    });
  }

  async exclusive<T>(what: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const created = await makeFolder(this.name).catch((cause: unknown) =>
      Promise.reject(fileError(this.name, "write", cause)),
    );
    try {
      return await locked(join(this.name, "sync.lock"), what, signal, () => work().finally(() => this.#end()));
    } catch (error) {
      await removeEmptyFolders(created);
      throw error;
    }
  }

  /** Begins the number that a killed process began, or the first whose folder does not exist. */
  async writing<T>(code: string, current: number, use: (next: NextPieces) => Promise<T>): Promise<T> {
    let number = (await this.#begun()) ?? 0;
    if (number <= current) {
      number = current + 1;
      while (existsSync(join(this.name, folderOf(number)))) number++;
      await this.#writeJSON(WRITING, { mirror: code, number });
    }
    const folder = join(this.name, folderOf(number));
    const write: NextPieces["write"] = async (kind, rows, isSplit) => {
      const files =
        isSplit && this.#split !== undefined
          ? await writeSplit(rows, folder, this.#split)
          : [await writePiece(folder, `${kind}.parquet`, rows)];
      return files.map((file) => ({ ...file, name: `${folderOf(number)}/${file.name}` }));
    };
    return use({ number, download: join(folder, "rows.parquet"), write });
  }

  /** Forgets a number whose manifest is current, or of which nothing has been written. A download stays. */
  async #end(): Promise<void> {
    const begun = await this.#begun();
    if (begun === undefined) return;
    const current = (await this.manifest().catch(() => undefined))?.number ?? 0;
    const folder = join(this.name, folderOf(begun));
    if (begun > current) await rmdir(folder).catch(() => undefined);
    if (begun <= current || !existsSync(folder)) await rm(join(this.name, WRITING), { force: true });
  }

  /** The number whose pieces are being written: its folder belongs to the mirror. */
  async #begun(): Promise<number | undefined> {
    try {
      const { mirror, number } = JSON.parse(await readFile(join(this.name, WRITING), "utf8"));
      return typeof mirror === "string" && Number.isSafeInteger(number) ? number : undefined;
    } catch {
      return undefined;
    }
  }

  async commit(manifest: Manifest, before: Manifest | undefined): Promise<void> {
    const names = namesOf(manifest);
    // What earlier attempts left in the folder, which belongs to this manifest alone.
    const folder = folderOf(manifest.number);
    for (const file of (await unlessMissing(folder, readdir(join(this.name, folder)))) ?? []) {
      const isOther = /\.parquet(?:\.|$)/.test(file) && !names.includes(`${folder}/${file}`);
      if (isOther) await rm(join(this.name, folder, file), { force: true });
    }
    const old = manifest.old.filter((name) => existsSync(join(this.name, name)));
    await this.#writeJSON(MANIFEST, { ...manifest, old });
    for (const name of before?.old ?? []) {
      await rm(join(this.name, name), { force: true });
      await rmdir(dirname(join(this.name, name))).catch(() => undefined);
    }
  }

  async damage(pieces: readonly Piece[]): Promise<string | undefined> {
    for (const { name, bytes, rows } of pieces) {
      const path = join(this.name, name);
      const info = await stat(path).catch(() => undefined);
      if (info === undefined) return `the file ${name} is missing`;
      if (info.size !== bytes) return `the file ${name} has ${info.size} bytes; written were ${bytes}`;
      // The footer of a file that has not changed since is not read again.
      const now = `${info.ino} ${info.mtimeMs}`;
      if (this.#verified.get(path) === now) continue;
      const { parquetShape } = await import("../../columns/parquet/read/read.js");
      const found = (await parquetShape(path).catch(() => undefined))?.rows;
      if (found === undefined) return `the file ${name} is damaged`;
      if (found !== rows) return `the file ${name} has ${found} rows; written were ${rows}`;
      this.#verified.set(path, now);
    }
    return undefined;
  }

  async *batches(pieces: readonly Piece[], columns: readonly string[]): AsyncGenerator<RecordBatch> {
    if (pieces.length === 0) return;
    const { parquetFileBatches } = await import("../../columns/parquet/read/read.js");
    yield* parquetFileBatches(this.#paths(pieces), { columns });
  }

  async table(view: View, options: ParquetReadOptions & Watched): Promise<Table> {
    const { parquetFileTable } = await import("../../columns/files/parquet-file.js");
    const number = numberColumn(view.log.columns);
    const columns = options.columns ?? view.log.columns.map(({ name }) => name);
    const paths = this.#paths(view.rows);
    const read = (change: Pick<ParquetReadOptions, "columns" | "where">): Promise<Table> =>
      watched(this.name, options, (onBytes) =>
        parquetFileTable(paths.length === 1 ? paths[0] : paths, { ...options, ...change, onBytes }),
      );
    if (view.isWhole) return read({ columns });
    const { end } = view.version;
    const isLive = await liveRows(this, view);
    const isLater = view.rows.some(({ last }) => last >= end);
    const where = isLater ? { ...options.where, [number]: { lt: end } } : options.where;
    const { schema, batches } = await read({ columns: [...columns, number], where });
    const live = new Table(schema, await collected(passingNumbers(batches, isLive)));
    return pickColumns(live, [...columns.keys()]);
  }

  async query(view: View, text: string, params?: readonly unknown[], options?: Stoppable): Promise<Table> {
    const engine = await embeddedEngine();
    try {
      const rows = rowsStatement(view, (pieces) => (pieces.length === 0 ? [] : [parquetScan(this.#paths(pieces))]));
      await engine.query(`create view this as ${rows}`);
      return await engine.query(text, params, options);
    } finally {
      await engine.close();
    }
  }

  /** The only file that changes if the table has not. */
  checked(): Promise<void> {
    return this.#writeJSON(CHECKED, { checked_at: new Date().toISOString() });
  }

  #paths(pieces: readonly Piece[]): string[] {
    return pieces.map(({ name }) => join(this.name, name));
  }

  /** Replaces a file in one step. */
  #writeJSON(name: (typeof OWN)[number], value: object): Promise<void> {
    return atomicFile(join(this.name, name), (file) => file.writeFile(`${JSON.stringify(value, null, 1)}\n`));
  }
}

const textOf = (path: string): Promise<string | undefined> => unlessMissing(path, readFile(path, "utf8"));

function unlessMissing<T>(path: string, read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    throw fileError(path, "read", error);
  });
}
