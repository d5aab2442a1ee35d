import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Table } from "../../columns/arrow/arrow.js";
import { checkParquetOptions, type ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { locked } from "../../disk/lock.js";
import { makeFolder, removeEmptyFolders } from "../../disk/sync-folder.js";
import type { Stoppable } from "../../engine/contract/engine.js";
import { parquetScan } from "../../engine/duckdb/parquet.js";
import { embeddedEngine } from "../../engine/embedded.js";
import { fileError } from "../../errors/file-error.js";
import { type Watched, watched } from "../../frame/files/watched.js";
import { lastDayOf } from "./changed-rows.js";
import { type Copy, incomplete, type MirrorQuery, type SyncPlan, type Told, type WrittenCopy } from "./copy.js";
import { endVersion, type Manifest, pathsOf, readManifest, writeChecked } from "./manifest.js";
import { parseSplit } from "./split.js";

export class FolderCopy implements Copy {
  /** Files that are as they were written, and their state. */
  readonly #verified = new Map<string, string>();

  /** @throws {InputError} BadArgument for a `by` that names neither a column nor a unit of dates */
  constructor(
    readonly place: string,
    private readonly by: string | undefined,
  ) {
    if (by !== undefined) parseSplit(by);
  }

  state(): Promise<Manifest | undefined> {
    return readManifest(this.place);
  }

  async exclusive<T>(what: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const created = await makeFolder(this.place).catch((cause: unknown) =>
      Promise.reject(fileError(this.place, "write", cause)),
    );
    try {
      return await locked(join(this.place, "sync.lock"), what, signal, () => work().finally(() => this.#end()));
    } catch (error) {
      await removeEmptyFolders(created);
      throw error;
    }
  }

  async damage(state: Manifest): Promise<string | undefined> {
    for (const [i, path] of pathsOf(this.place, state).entries()) {
      const { name, bytes, rows } = state.files[i];
      const info = await stat(path).catch(() => undefined);
      if (info === undefined) return `the file ${name} is missing`;
      if (info.size !== bytes) return `the file ${name} has ${info.size} bytes; written were ${bytes}`;
      // The footer of a file that has not changed since is not read again.
      const now = `${info.ino} ${info.mtimeMs}`;
      if (this.#verified.get(path) === now) continue;
      const { parquetRowCount } = await import("../../columns/parquet/read/read.js");
      const found = await parquetRowCount(path).catch(() => undefined);
      if (found === undefined) return `the file ${name} is damaged`;
      if (found !== rows) return `the file ${name} has ${found} rows; written were ${rows}`;
      this.#verified.set(path, now);
    }
    return undefined;
  }

  async lastDay(column: string, until: string): Promise<string | null> {
    const { parquetFileBatches } = await import("../../columns/parquet/read/read.js");
    const state = await this.state();
    return state === undefined
      ? null
      : lastDayOf(parquetFileBatches(pathsOf(this.place, state), { columns: [column] }), until);
  }

  async write(query: MirrorQuery, plan: SyncPlan, told: Told): Promise<WrittenCopy<Manifest>> {
    const { writeVersion } = await import("./write-version.js");
    return writeVersion(query, plan, await this.state(), { folder: this.place, by: this.by }, told);
  }

  checked(at: Date): Promise<void> {
    return writeChecked(this.place, at);
  }

  async read(state: Manifest, options: ParquetReadOptions & Watched): Promise<Table> {
    checkParquetOptions(options, "frame()", ["onProgress"]);
    await this.#demandWhole(state);
    const { parquetFileTable } = await import("../../columns/files/parquet-file.js");
    const paths = pathsOf(this.place, state);
    return watched(this.place, options, (onBytes) =>
      parquetFileTable(paths.length === 1 ? paths[0] : paths, { ...options, onBytes }),
    );
  }

  async query(state: Manifest, text: string, params?: readonly unknown[], options?: Stoppable): Promise<Table> {
    await this.#demandWhole(state);
    const engine = await embeddedEngine();
    try {
      await engine.query(`create view this as select * from ${parquetScan(pathsOf(this.place, state))}`);
      return await engine.query(text, params, options);
    } finally {
      await engine.close();
    }
  }

  async #demandWhole(state: Manifest): Promise<void> {
    const damage = await this.damage(state);
    if (damage !== undefined) throw incomplete(this.place, state.code, damage);
  }

  /** A download that can be resumed stays. */
  async #end(): Promise<void> {
    await endVersion(this.place, (await this.state().catch(() => undefined))?.version ?? 0);
  }
}
