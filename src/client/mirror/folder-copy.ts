import { join } from "node:path";
import type { Table } from "../../columns/arrow/arrow.js";
import type { ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { locked } from "../../disk/lock.js";
import { makeFolder, removeEmptyFolders } from "../../disk/sync-folder.js";
import type { Stoppable } from "../../engine/contract/engine.js";
import { parquetScan } from "../../engine/duckdb/parquet-scan.js";
import { embeddedEngine } from "../../engine/embedded.js";
import { fileError } from "../../errors/file-error.js";
import type { Watched } from "../../frame/files/watched.js";
import { Frame } from "../../frame/frame.js";
import { lastDayOf } from "./changed-rows.js";
import type { Copy, MirrorQuery, SyncPlan, Told, WrittenCopy } from "./copy.js";
import { endVersion, type Manifest, readManifest, versionFolder, writeChecked } from "./manifest.js";
import { parseSplit, type Split } from "./split.js";

/** A copy in a folder of Parquet files. */
export class FolderCopy implements Copy {
  readonly place: string;
  readonly #by: string | undefined;
  readonly #split: Split | undefined;

  /** @throws {InputError} BadArgument for a `by` that names neither a column nor a unit of dates */
  constructor(folder: string, by: string | undefined) {
    this.place = folder;
    this.#by = by;
    this.#split = by === undefined ? undefined : parseSplit(by);
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

  async lastDay(column: string, until: string): Promise<string | null> {
    const { parquetFileBatches } = await import("../../columns/parquet/read/read.js");
    return lastDayOf(parquetFileBatches(await this.#files(), { columns: [column] }), until);
  }

  async write(query: MirrorQuery, plan: SyncPlan, told: Told): Promise<WrittenCopy<Manifest>> {
    const { writeVersion } = await import("./write-version.js");
    return writeVersion(
      query,
      plan,
      await this.state(),
      { folder: this.place, split: this.#split, by: this.#by },
      told,
    );
  }

  checked(at: Date): Promise<void> {
    return writeChecked(this.place, at);
  }

  async read(options: ParquetReadOptions & Watched): Promise<Table> {
    return (await Frame.fromParquet(await this.#files(), options)).table;
  }

  async query(text: string, params?: readonly unknown[], options?: Stoppable): Promise<Table> {
    const engine = await embeddedEngine();
    try {
      await engine.query(`create view this as select * from ${parquetScan(await this.#files(), "/*.parquet")}`);
      return await engine.query(text, params, options);
    } finally {
      await engine.close();
    }
  }

  /** A download that can be resumed stays. */
  async #end(): Promise<void> {
    await endVersion(this.place, (await this.state().catch(() => undefined))?.version ?? 0);
  }

  /** The folder of the current version. */
  async #files(): Promise<string> {
    return versionFolder(this.place, (await this.state())?.version ?? 0);
  }
}
