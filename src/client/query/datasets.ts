import { checkReadOptions } from "../../columns/arrow/read-options.js";
import { ArrowbookError, InputError, reworded, ServiceError } from "../../errors/errors.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import { Frame } from "../../frame/frame.js";
import type { Collapse, Format, Order, Transform, Unlisted } from "../../spec/vocabulary.js";
import type { Plan } from "../pages/plan.js";
import type { DatasetQuery, ReadCall } from "./dataset-query.js";

/** A code, a code with the number of a column (`EOD/MSFT.4`), or a query. */
export type DatasetChoice = string | DatasetQuery;

/** Options of `datasets()`. */
export interface DatasetsOptions {
  /** Whether a series that the service does not have is an error (default), or is left out with a warning. */
  readonly missing?: "error" | "skip";
}

/** Options of fetching several time series aligned on their dates. */
export interface AlignCall extends ReadCall {
  /** Days of any series (`outer`, default), of all of them (`inner`), or of the first (`left`). */
  readonly how?: "outer" | "inner" | "left";
}

/**
 * A query of several time series, aligned on their dates. Immutable, as {@link DatasetQuery}: each method applies to
 * every series, no request is sent before `frame()`, and the requests respect the limits of the connection.
 *
 * @example
 * ```ts
 * import { connect } from "arrowbook";
 * const service = await connect.sample();
 * const both = await service.datasets(["WEATHER/SEATTLE.2", "WEATHER/NEWYORK.2"]).collapse("monthly").frame();
 * console.log(both.columns.map(({ name }) => name)); // Date, "WEATHER/SEATTLE - Temp Max", "WEATHER/NEWYORK - Temp Max"
 * await service.close();
 * ```
 */
export class DatasetsQuery {
  readonly #queries: readonly DatasetQuery[];
  readonly #options: DatasetsOptions;
  readonly #warn: (message: string) => void;

  constructor(queries: readonly DatasetQuery[], warn: (message: string) => void, options: DatasetsOptions = {}) {
    refuseUnknown(options, ["missing"], "datasets()");
    checkWords(options, { missing: ["error", "skip"] });
    if (queries.length === 0) {
      throw new InputError("datasets() expects at least one code.", {
        code: "BadCode",
        hint: 'Pass an array of codes: ["EOD/AAPL", "EOD/MSFT.4"].',
      });
    }
    this.#queries = queries;
    this.#options = options;
    this.#warn = warn;
  }

  /** The codes, in order. */
  get codes(): string[] {
    return this.#queries.map(({ code }) => code);
  }

  /** Selects one data column of each series, by title or number; replaces an earlier selection. */
  column(column: string | number): DatasetsQuery {
    return this.#each((query) => query.column(column));
  }

  /** First day, inclusive, `YYYY-MM-DD`. */
  from(day: string): DatasetsQuery {
    return this.#each((query) => query.from(day));
  }

  /** Last day, inclusive, `YYYY-MM-DD`. */
  to(day: string): DatasetsQuery {
    return this.#each((query) => query.to(day));
  }

  /** Changes the frequency of each series (spec 4.2), which aligns their days. */
  collapse(frequency: Collapse | Unlisted): DatasetsQuery {
    return this.#each((query) => query.collapse(frequency));
  }

  /** Applies a calculation to every data column (spec 4.2). */
  transform(calculation: Transform | Unlisted): DatasetsQuery {
    return this.#each((query) => query.transform(calculation));
  }

  /** `desc`: newest first (spec 2.1); `asc`: oldest first. */
  order(order: Order | Unlisted): DatasetsQuery {
    return this.#each((query) => query.order(order));
  }

  /** The most rows of each series, counted in the order of its result. */
  limit(rows: number): DatasetsQuery {
    return this.#each((query) => query.limit(rows));
  }

  /** The format of the replies. */
  format(format: Format): DatasetsQuery {
    return this.#each((query) => query.format(format));
  }

  /**
   * The series side by side: one date column, then every data column as `CODE - title`, null if a series has no such
   * day. The first failure cancels the other requests; its error contains the code.
   *
   * @throws {ServiceError}
   * @throws {TransportError}
   * @throws {DataError}
   * @throws {InputError}
   */
  async frame(call: AlignCall = {}): Promise<Frame> {
    checkReadOptions(call, "frame()", ["how"]);
    checkWords(call, { how: ["outer", "inner", "left"] });
    const { how, signal, ...options } = call;
    const stop = new AbortController();
    const signals = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const skipped: unknown[] = [];
    const frames = await Promise.all(
      this.#queries.map(async (query) => {
        try {
          const frame = await query.frame({ ...options, signal: signals });
          return titled(frame, query.code);
        } catch (error) {
          if (this.#options.missing === "skip" && isMissing(error)) {
            skipped.push(error);
            this.#warn(`${query.code} does not exist at the service and is left out.`);
            return undefined;
          }
          stop.abort();
          throw named(error, query.code);
        }
      }),
    );
    const found = frames.filter((frame) => frame !== undefined);
    if (found.length === 0 && skipped.length > 0) throw skipped[0];
    const codes = this.codes.filter((_, i) => frames[i] !== undefined);
    return Frame.from(Frame.align(found, { how }).table, { code: [...new Set(codes)].join(", ") });
  }

  /** What `frame()` would do for each series; no rows are requested. */
  explain(options: { readonly signal?: AbortSignal } = {}): Promise<Plan[]> {
    return Promise.all(this.#queries.map((query) => query.explain(options)));
  }

  #each(change: (query: DatasetQuery) => DatasetQuery): DatasetsQuery {
    return new DatasetsQuery(this.#queries.map(change), this.#warn, this.#options);
  }
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return /^QECx0[2346]$/.test(error.code) || error.status === 404 || error.status === 410;
}

function titled(frame: Frame, code: string): Frame {
  return frame.rename(frame.columns.map(({ name }, i) => (i === 0 ? name : `${code} - ${name}`)));
}

function named(error: unknown, code: string): unknown {
  if (!(error instanceof ArrowbookError) || error.message.includes(code)) return error;
  return reworded(error, `${code}: ${error.message}`, { cause: error });
}

const NUMBERED = /^(.+)\.(\d+)$/;

/** The query of a choice: a number after the last point selects a column (observed spelling). */
export function queryOf(choice: DatasetChoice, dataset: (code: string) => DatasetQuery): DatasetQuery {
  if (typeof (choice as Partial<DatasetQuery> | null)?.frame === "function") return choice as DatasetQuery;
  if (typeof choice !== "string") {
    throw new InputError(`datasets() expects codes or queries; got ${shown(choice)}.`, {
      code: "BadCode",
      hint: 'Pass codes or queries: ["EOD/AAPL", service.dataset("EOD/MSFT").column("Close")].',
    });
  }
  const match = NUMBERED.exec(choice);
  return match === null ? dataset(choice) : dataset(match[1]).column(Number(match[2]));
}
