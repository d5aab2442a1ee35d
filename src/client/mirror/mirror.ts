import type { OnProgress } from "../../columns/io/progress.js";
import type { ParquetReadOptions } from "../../columns/parquet/read/options.js";
import { showAsCard } from "../../display/base/card.js";
import { FileError, InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { Cell } from "../../frame/cells/rows.js";
import type { SqlOptions } from "../../frame/files/sql-table.js";
import type { Watched } from "../../frame/files/watched.js";
import { Frame } from "../../frame/frame.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { ArchiveLimits } from "../bulk/archive-reader.js";
import type { Copy, CopyState, MirrorQuery, SyncPlan } from "./copy.js";

/** Options of a mirror. */
export interface MirrorOptions extends ArchiveLimits {
  /**
   * One file for each value of a column (`ticker`), or for each year or month of a date (`date:year`, `date:month`).
   * Default: one file.
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
  /** `none`: the table has not changed; `export`: exported whole; `since`: rows that changed were put in place. */
  readonly change: SyncPlan["change"];
  /** Rows of the copy. */
  readonly rows: number;
  /** Rows that the service sent. */
  readonly received: number;
  /** When the service last refreshed the table, ISO 8601. */
  readonly refreshed_at: string | null;
}

export const MIRROR_OPTIONS = ["by", "since", "wholeEvery", "load", "maxRatio", "maxSize"] as const;

/** How often a copy is read that is replaced each time. */
const MOST_TRIES = 5;

/**
 * A copy of a table in a folder of Parquet files, a DuckDB file or a SQL engine, which is brought up to date by {@link
 * sync} and read without the service. The place holds a complete copy at any time: the next one is written beside it
 * and takes its place in one step.
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
  readonly #copy: Copy;
  #state: CopyState | undefined;

  static {
    showAsCard<Mirror>(Mirror.prototype, (mirror) => ({
      title: `Mirror of ${mirror.code}`,
      entries: [
        ["in", mirror.place],
        ["rows", mirror.#state?.rows.toLocaleString("en-US")],
        ["refreshed", mirror.refreshedAt],
      ],
      next: "await copy.sync(), .frame({ columns, where }), .sql(text)",
    }));
  }

  constructor(query: MirrorQuery, copy: Copy, options: MirrorOptions) {
    const { wholeEvery } = options;
    if (wholeEvery !== undefined && (!Number.isSafeInteger(wholeEvery) || wholeEvery < 1)) {
      throw new InputError(`wholeEvery must be a whole number of at least 1; got ${shown(wholeEvery)}.`, {
        code: "BadArgument",
        hint: "Pass the number of changes after which the table is exported whole: 10.",
      });
    }
    this.#query = query;
    this.#options = options;
    this.#copy = copy;
  }

  /** `VENDOR/TABLE`. */
  get code(): string {
    return this.#query.code;
  }

  /** The absolute path of the folder or database file; `a SQL engine` for an engine. */
  get place(): string {
    return this.#copy.place;
  }

  /** When the service had refreshed the rows of the copy, ISO 8601 UTC; undefined if it does not say. */
  get refreshedAt(): string | undefined {
    return this.#state?.refreshed_at ?? undefined;
  }

  /** Whether there is no copy yet. */
  get isEmpty(): boolean {
    return this.#state === undefined;
  }

  /** Reads the state of the copy. */
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
    return planSync(this.#query, this.#copy, await this.#read(), this.#options, options.signal);
  }

  /**
   * Brings the copy up to date. An unchanged table costs one request for its metadata. Two processes wait for each
   * other; after a failure, or a process that is killed, the copy is the one from before.
   */
  async sync(options: SyncOptions = {}): Promise<SyncReport> {
    refuseUnknown(options, ["signal", "onProgress"], "sync()");
    return this.#copy.exclusive(`sync ${this.#query.question}`, options.signal, async () => {
      const plan = await this.plan({ signal: options.signal });
      let { change } = plan;
      let received = 0;
      if (change !== "none") {
        const { maxRatio, maxSize } = this.#options;
        const written = await this.#copy.write(this.#query, plan, { ...options, maxRatio, maxSize });
        this.#state = written.state;
        ({ received, change } = written);
      }
      await this.#copy.checked(new Date());
      const { rows = 0, refreshed_at = null } = this.#state ?? {};
      return { code: this.code, change, rows, received, refreshed_at };
    });
  }

  /**
   * The rows of the copy, or some of them: options as of `Frame.fromParquet`. Sends no request.
   *
   * @throws {FileError} BadMirror if there is no copy yet, or some of it is missing
   */
  async frame(options: ParquetReadOptions & Watched = {}): Promise<Frame<Row>> {
    const isWhole = options.where === undefined;
    const [table, state] = await this.#use((now) => this.#copy.read(now, options));
    const refreshed = state.refreshed_at === null || state.isLoading ? {} : { refreshed_at: state.refreshed_at };
    const source: FrameSource = { ...this.#query.about, ...refreshed, mirror: this.place };
    return Frame.from<Row>(table, { ...source, ...(isWhole ? { complete: true } : {}) });
  }

  /**
   * The result of a SQL statement over the copy, which is the table `this`. Of a folder, the embedded engine reads only
   * the files and columns that the statement needs. Sends no request. `params` bind to `$1`, `$2`, …. An abort of
   * `signal` interrupts the statement; the call rejects with its reason.
   *
   * @throws {InputError} BadStatement
   * @throws {FileError} BadMirror if there is no copy yet, or some of it is missing
   */
  async sql<Result extends object = Record<string, Cell>>(
    text: string,
    options: Omit<SqlOptions, "tables"> = {},
  ): Promise<Frame<Result>> {
    refuseUnknown(options, ["params", "signal"], "sql()");
    const { params, signal } = options;
    signal?.throwIfAborted();
    const [table] = await this.#use((now) => this.#copy.query(now, text, params, { signal }), signal);
    return Frame.from<Result>(table, { code: this.code, mirror: this.place });
  }

  /** Reads the copy; again if a synchronisation replaced it in the meantime. */
  async #use<T>(read: (state: CopyState) => Promise<T>, signal?: AbortSignal): Promise<readonly [T, CopyState]> {
    for (let tries = 1; ; tries++) {
      const state = await this.#read();
      if (state === undefined) {
        throw new FileError(`${this.place} holds no copy of ${this.code} yet.`, {
          code: "BadMirror",
          hint: "Call sync() first.",
        });
      }
      try {
        return [await read(state), state];
      } catch (error) {
        const isSame = JSON.stringify(await this.#copy.state()) === JSON.stringify(state);
        if (isSame || tries === MOST_TRIES || signal?.aborted) throw error;
      }
    }
  }

  /** @throws {InputError} BadArgument for a place that mirrors something else */
  async #read(): Promise<CopyState | undefined> {
    const state = await this.#copy.state();
    if (state !== undefined && state.question !== this.#query.question) {
      const what = state.code === this.code ? "another selection of rows or columns" : "another table";
      throw new InputError(`${this.place} mirrors ${what}: ${state.question}.`, {
        code: "BadArgument",
        hint: "Use one folder for each query.",
      });
    }
    this.#state = state;
    return state;
  }
}
