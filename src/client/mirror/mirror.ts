import type { OnProgress } from "../../columns/io/progress.js";
import { checkParquetOptions, type ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { showAsCard } from "../../display/base/card.js";
import { FileError, InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { unlessAborted } from "../../errors/unless-aborted.js";
import type { Cell } from "../../frame/cells/rows.js";
import type { SqlOptions } from "../../frame/files/sql-table.js";
import type { Watched } from "../../frame/files/watched.js";
import { Frame } from "../../frame/frame.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { boundOf, earlier } from "../../value/when.js";
import type { ArchiveLimits } from "../bulk/archive-reader.js";
import type { MirrorChanges } from "./changes.js";
import {
  type HistoryOption,
  incomplete,
  type Manifest,
  newest,
  type Version,
  type View,
  versionBefore,
  viewOf,
} from "./log.js";
import type { MirrorQuery, Place } from "./place.js";
import type { SyncPlan } from "./plan.js";

/** Options of a mirror. */
export interface MirrorOptions extends ArchiveLimits {
  /**
   * One file for each value of a column (`ticker`), or for each year or month of a date (`date:year`, `date:month`), of
   * the rows of a whole export. Default: one file.
   */
  readonly by?: string;
  /**
   * A column with the date of each row's last change, such as `lastupdated`: a changed table is then asked only for
   * rows of the last day in the copy and later, which replace those of the same key. Rows deleted at the service stay
   * in the copy until it is exported whole. A change that such an update could miss exports it whole at once. Default:
   * every change exports the whole table.
   */
  readonly since?: string;
  /** With `since`: every how many changes the whole table is exported. Default 10. */
  readonly wholeEvery?: number;
  /**
   * Whether earlier states are kept, all of them or those of some time: `{ keep: "2 years" }`. Default: as before; for
   * a new copy the newest state alone. `false` drops the history of a copy at its next change.
   */
  readonly history?: HistoryOption;
  /**
   * Takes whole exports as a list of Parquet files, several at a time, from services whose profile has the extension
   * `fileLists`. Default: one zipped CSV file.
   */
  readonly files?: boolean;
  /** Exports the table at once if the folder has no copy yet. Default true. */
  readonly load?: boolean;
}

/** Options of {@link Mirror.sync}. */
export interface SyncOptions {
  /** Ends the work when it is aborted. */
  readonly signal?: AbortSignal;
  /** Called with the progress; `false` disables the bar. */
  readonly onProgress?: OnProgress | false;
}

/** What a {@link Mirror.sync} did. */
export interface SyncReport {
  /** Code of the table, `VENDOR/TABLE`. */
  readonly code: string;
  /** `none`: the table has not changed; `export`: exported whole; `since`: only changed rows were requested. */
  readonly change: SyncPlan["change"];
  /** Rows of the copy. */
  readonly rows: number;
  /** Rows that the service sent. */
  readonly received: number;
  /** When the service last refreshed the table, ISO 8601. */
  readonly refreshed_at: string | null;
}

/** Which state of a copy is meant; default the newest. */
export interface AsOf {
  /**
   * Every state from that of this day or timestamp on, instead of one: a row that changed is there once for each of its
   * values, one that was removed as it was.
   */
  readonly from?: string | Date;
  /**
   * A day, whose last refresh in UTC is meant, or a timestamp: no row of a later refresh is seen. A `Date` at midnight
   * in UTC is its day.
   */
  readonly asOf?: string | Date;
  /** How much longer a state must have been known at that time: `1 day`, `12 hours`. Default: not at all. */
  readonly lag?: string;
}

/** A state of a table that a copy has. */
export interface MirrorVersion extends Pick<Version, "refreshed_at" | "synced_at" | "known_at" | "rows"> {}

/** What {@link Mirror.verify} found. */
export interface MirrorCheck {
  /** Whether every state can be read, with the rows that were written. */
  readonly complete: boolean;
  /** What is missing or damaged, one clause for each piece. */
  readonly damage: readonly string[];
}

const isBoolean = (value: unknown): boolean => typeof value === "boolean";

/** What the values of some options must be, and a hint for one that is not. */
const OPTIONS: Readonly<Record<string, readonly [isRight: (value: unknown) => boolean, what: string, hint: string]>> = {
  since: [
    (value) => typeof value === "string",
    "the name of a column",
    'Pass the column of the dates of changes: "lastupdated".',
  ],
  wholeEvery: [
    (value) => Number.isSafeInteger(value) && Number(value) >= 1,
    "a whole number of at least 1",
    "Pass the number of changes after which the table is exported whole: 10.",
  ],
  history: [
    (value) => isBoolean(value) || (typeof value === "object" && value !== null),
    "true, false or a time to keep",
    'Pass true, or { keep: "2 years" }.',
  ],
  files: [isBoolean, "true or false", "Pass true for a list of Parquet files, or leave files out."],
  load: [isBoolean, "true or false", "Pass false to open a copy without an export."],
};

export const MIRROR_OPTIONS = ["by", ...Object.keys(OPTIONS), "maxRatio", "maxSize"];

/** @throws {InputError} BadArgument */
function checkOptions(options: MirrorOptions): void {
  for (const [name, [isRight, what, hint]] of Object.entries(OPTIONS)) {
    const value: unknown = options[name as keyof MirrorOptions];
    if (value === undefined || isRight(value)) continue;
    throw new InputError(`${name} must be ${what}; got ${shown(value)}.`, { code: "BadArgument", hint });
  }
  if (typeof options.history !== "object") return;
  refuseUnknown(options.history, ["keep"], "history");
  earlier(0, options.history.keep);
}

/** How often a copy is read that is replaced each time. */
const MOST_TRIES = 5;

/**
 * A copy of a table in a folder of Parquet files, a DuckDB file or a SQL engine, which is brought up to date by {@link
 * sync} and read without the service. The place holds a complete copy at any time: changes are written beside it and
 * become part of it in one step. With `history` it also has the states from before.
 *
 * @example
 * ```ts
 * import { connect } from "arrowbook";
 * const service = await connect.sample();
 * const copy = await service.table("MARKET/PRICES").mirror("mirrors/prices");
 * console.log((await copy.sync()).change, (await copy.frame({ where: { ticker: "AAA" } })).numRows);
 * await service.close();
 * ```
 */
export class Mirror<Row extends object = Record<string, Cell>> {
  readonly #query: MirrorQuery;
  readonly #options: MirrorOptions;
  readonly #place: Place;
  #manifest: Manifest | undefined;

  static {
    showAsCard<Mirror>(Mirror.prototype, (mirror) => ({
      title: `Mirror of ${mirror.code}`,
      entries: [
        ["in", mirror.place],
        ["rows", mirror.#newest?.rows.toLocaleString("en-US")],
        ["refreshed", mirror.refreshedAt],
      ],
      next: "await copy.sync(), .frame({ columns, where, asOf }), .sql(text), .versions()",
    }));
  }

  constructor(query: MirrorQuery, place: Place, options: MirrorOptions) {
    checkOptions(options);
    this.#query = query;
    this.#options = options;
    this.#place = place;
  }

  /** `VENDOR/TABLE`. */
  get code(): string {
    return this.#query.code;
  }

  /** The absolute path of the folder or database file; `a SQL engine` for an engine. */
  get place(): string {
    return this.#place.name;
  }

  /** When the service had refreshed the rows of the copy, ISO 8601 UTC; undefined if it does not say. */
  get refreshedAt(): string | undefined {
    return this.#newest?.refreshed_at ?? undefined;
  }

  /** Whether there is no copy yet. */
  get isEmpty(): boolean {
    return this.#manifest === undefined;
  }

  get #newest(): Version | undefined {
    return this.#manifest && newest(this.#manifest);
  }

  /** Reads the manifest of the copy. */
  async open(): Promise<this> {
    await this.#read();
    return this;
  }

  /**
   * What {@link sync} would do now: one request for the table's metadata, no rows, nothing written.
   *
   * @throws {InputError} UnknownColumn, WrongType, NotFilterable for a `since` that cannot be used
   */
  async plan(options: Pick<SyncOptions, "signal"> = {}): Promise<SyncPlan> {
    refuseUnknown(options, ["signal"], "plan()");
    const { planSync } = await import("./plan.js");
    const manifest = await unlessAborted(this.#read(), options.signal);
    const { by, since, wholeEvery, history = manifest?.history } = this.#options;
    const how = { by, since, wholeEvery, history: history === false ? undefined : history };
    const damage = (view: View): Promise<string | undefined> => this.#damage(view);
    return planSync(this.#query, manifest, damage, how, options.signal);
  }

  /**
   * Brings the copy up to date. An unchanged table costs one request for its metadata. Two processes wait for each
   * other; after a failure, or a process that is killed, the copy is the one from before.
   */
  async sync(options: SyncOptions = {}): Promise<SyncReport> {
    refuseUnknown(options, ["signal", "onProgress"], "sync()");
    return this.#place.exclusive(`sync ${this.#query.question}`, options.signal, async () => {
      const plan = await this.plan({ signal: options.signal });
      let { change } = plan;
      let received = 0;
      if (change !== "none") {
        const { maxRatio, maxSize } = this.#options;
        const { write } = await import("./copy.js");
        const written = await write(this.#place, this.#query, plan, { ...options, maxRatio, maxSize });
        this.#manifest = written.manifest;
        ({ received, change } = written);
      }
      const manifest = this.#manifest as Manifest;
      await this.#place.checked(viewOf(manifest, newest(manifest)));
      const { rows, refreshed_at } = newest(manifest);
      return { code: this.code, change, rows, received, refreshed_at };
    });
  }

  /**
   * The rows of the copy, or some of them: options as of `Frame.fromParquet`; with `asOf` those that were known then.
   * Sends no request.
   *
   * @throws {FileError} BadMirror if there is no copy yet, or some of it is missing
   * @throws {InputError} BadArgument if the copy has no state of that time
   */
  async frame(options: ParquetReadOptions & Watched & AsOf = {}): Promise<Frame<Row>> {
    const { asOf, from, lag, ...how } = options;
    checkParquetOptions(how, "frame()", ["onProgress"]);
    const isWhole = options.where === undefined && from === undefined;
    const [table, { version }] = await this.#use({ asOf, from, lag }, async (view) => {
      await this.#demandWhole(view);
      return this.#place.table(view, how);
    });
    return Frame.from<Row>(table, { ...this.#source(version), ...(isWhole ? { complete: true } : {}) });
  }

  /**
   * The result of a SQL statement over the copy, which is the table `this`; with `asOf` as it was known then. Of a
   * folder, the embedded engine reads only the files and columns that the statement needs. Sends no request. `params`
   * bind to `$1`, `$2`, …. An abort of `signal` interrupts the statement; the call rejects with its reason.
   *
   * @throws {InputError} BadStatement; BadArgument if the copy has no state of that time
   * @throws {FileError} BadMirror if there is no copy yet, or some of it is missing
   */
  async sql<Result extends object = Record<string, Cell>>(
    text: string,
    options: Omit<SqlOptions, "tables"> & AsOf = {},
  ): Promise<Frame<Result>> {
    refuseUnknown(options, ["params", "signal", "asOf", "from", "lag"], "sql()");
    const { params, signal, ...when } = options;
    signal?.throwIfAborted();
    const run = async (view: View) => {
      await this.#demandWhole(view);
      return this.#place.query(view, text, params, { signal });
    };
    const [table] = await this.#use(when, run, signal);
    return Frame.from<Result>(table, { code: this.code, mirror: this.place });
  }

  /**
   * The rows that were added, removed and changed between two states, which `from` and `to` choose as `asOf` does. Only
   * the rows that differ are in memory.
   *
   * @throws {InputError} BadArgument if the copy has no state of these times, or its columns changed in between
   * @throws {FileError} BadMirror if there is no copy yet, or some of it is missing
   *
   * @example
   * ```ts no-run
   * const { before, after } = await copy.changes("2025-01-02", "2025-01-03");
   * ```
   */
  async changes(from: string | Date, to: string | Date, options: Pick<AsOf, "lag"> = {}): Promise<MirrorChanges<Row>> {
    refuseUnknown(options, ["lag"], "changes()");
    const { changesBetween } = await import("./changes.js");
    const [changes] = await this.#use({ asOf: to, ...options }, async (view, manifest) => {
      const before = viewOf(manifest, versionBefore(manifest, boundOf(from, options.lag)));
      await this.#demandWhole(before);
      await this.#demandWhole(view);
      return changesBetween<Row>(this.#place, before, view, this.#source(view.version));
    });
    return changes;
  }

  /** The states that the copy has, the oldest first. */
  async versions(): Promise<MirrorVersion[]> {
    const { versions = [] } = (await this.#read()) ?? {};
    return versions.map(({ refreshed_at, synced_at, known_at, rows }) => ({ refreshed_at, synced_at, known_at, rows }));
  }

  /**
   * Merges the pieces of the copy into one, or one for each value of `by`, and leaves out rows that no state needs. A
   * synchronisation does it by itself where there are many small pieces or most rows are not needed. An abort ends the
   * wait for another process that writes the copy.
   *
   * @throws {FileError} BadMirror if there is no copy yet, or some of it is missing
   */
  async compact(options: Pick<SyncOptions, "signal"> = {}): Promise<void> {
    refuseUnknown(options, ["signal"], "compact()");
    await this.#place.exclusive(`compact ${this.#query.question}`, options.signal, async () => {
      const { merged } = await import("./copy.js");
      const [manifest] = await this.#use({}, async (view, before) => {
        await this.#demandWhole(view);
        return merged(this.#place, before);
      });
      this.#manifest = manifest;
      await this.#place.checked(viewOf(manifest, newest(manifest)));
    });
  }

  /**
   * Reads the whole copy and compares it with what was written: every state, cell by cell by digests.
   *
   * @throws {FileError} BadMirror if there is no copy yet
   */
  async verify(): Promise<MirrorCheck> {
    const { verified } = await import("./copy.js");
    const [damage] = await this.#use({}, (_view, manifest) => verified(this.#place, manifest));
    return { complete: damage.length === 0, damage };
  }

  #source({ refreshed_at }: Version): FrameSource {
    return { ...this.#query.about, ...(refreshed_at === null ? {} : { refreshed_at }), mirror: this.place };
  }

  #damage({ rows, removed }: View): Promise<string | undefined> {
    return this.#place.damage([...rows, ...removed]);
  }

  /** @throws {FileError} BadMirror if some of the version is missing */
  async #demandWhole(view: View): Promise<void> {
    const damage = await this.#damage(view);
    if (damage !== undefined) throw incomplete(this.place, this.code, damage);
  }

  /** Reads a state of the copy; again if a synchronisation replaced the manifest in the meantime. */
  async #use<T>(
    { asOf, from, lag }: AsOf,
    read: (view: View, manifest: Manifest) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<readonly [T, View]> {
    const bound = asOf === undefined && lag === undefined ? undefined : boundOf(asOf ?? new Date(), lag);
    for (let tries = 1; ; tries++) {
      const manifest = await unlessAborted(this.#read(), signal);
      if (manifest === undefined) {
        throw new FileError(`${this.place} holds no copy of ${this.code} yet.`, {
          code: "BadMirror",
          hint: "Call sync() first.",
        });
      }
      const version = bound === undefined ? newest(manifest) : versionBefore(manifest, bound);
      const first = from === undefined ? version : versionBefore(manifest, boundOf(from, lag));
      const view = viewOf(manifest, version, first);
      try {
        return [await read(view, manifest), view];
      } catch (error) {
        const isSame = (await this.#place.manifest())?.number === manifest.number;
        if (isSame || tries === MOST_TRIES || signal?.aborted) throw error;
      }
    }
  }

  /** @throws {InputError} BadArgument for a place that mirrors something else */
  async #read(): Promise<Manifest | undefined> {
    const manifest = await this.#place.manifest();
    if (manifest !== undefined && manifest.question !== this.#query.question) {
      const what = manifest.code === this.code ? "another selection of rows or columns" : "another table";
      throw new InputError(`${this.place} mirrors ${what}: ${manifest.question}.`, {
        code: "BadArgument",
        hint: "Use one folder for each query.",
      });
    }
    this.#manifest = manifest;
    return manifest;
  }
}
