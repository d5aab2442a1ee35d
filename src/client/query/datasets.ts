import { checkReadOptions } from "../../columns/arrow/read-options.js";
import { ArrowbookError, InputError, reworded } from "../../errors/errors.js";
import { checkWords } from "../../errors/options.js";
import { Frame } from "../../frame/frame.js";
import type { Collapse, Format, Order, Transform, Unlisted } from "../../spec/vocabulary.js";
import type { DatasetQuery, ReadCall } from "./dataset-query.js";

/** A code, a code with the number of a column (`EOD/MSFT.4`), or a query of its own. */
export type DatasetChoice = string | DatasetQuery;

export interface MergeCall extends ReadCall {
  /** Days of any series (`outer`, default), of all of them (`inner`), or of the first (`left`). */
  readonly how?: "outer" | "inner" | "left";
}

/**
 * A query of several time series at once, merged on their dates. Immutable, as {@link DatasetQuery}: each method
 * applies to every series, nothing is sent before `frame()`, and the calls keep to the limits of the connection.
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

  constructor(queries: readonly DatasetQuery[]) {
    if (queries.length === 0) {
      throw new InputError("datasets() needs at least one code.", {
        code: "BadCode",
        hint: 'Give a list of codes: ["EOD/AAPL", "EOD/MSFT.4"].',
      });
    }
    this.#queries = queries;
  }

  /** The codes, in order. */
  get codes(): string[] {
    return this.#queries.map(({ code }) => code);
  }

  /** One data column of each series, by title or number, in place of what was chosen before. */
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

  /** Changes the frequency of each series (spec 4.2), so that their days meet. */
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

  /** At most this many rows of each series, counted in the order of its result. */
  limit(rows: number): DatasetsQuery {
    return this.#each((query) => query.limit(rows));
  }

  /** The format of the replies. */
  format(format: Format): DatasetsQuery {
    return this.#each((query) => query.format(format));
  }

  /**
   * The series side by side: one date column, then every data column as `CODE - title`, null where a series has no such
   * day. The first failure stops the other calls; its error names the code.
   *
   * @throws {ServiceError}
   * @throws {TransportError}
   * @throws {DataError}
   * @throws {InputError}
   */
  async frame(call: MergeCall = {}): Promise<Frame> {
    checkReadOptions(call, "frame()", ["how"]);
    checkWords(call, { how: ["outer", "inner", "left"] });
    const { how, signal, ...options } = call;
    const stop = new AbortController();
    const signals = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const frames = await Promise.all(
      this.#queries.map(async (query) => {
        try {
          const frame = await query.frame({ ...options, signal: signals });
          return titled(frame, query.code);
        } catch (error) {
          stop.abort();
          throw named(error, query.code);
        }
      }),
    );
    return Frame.from(Frame.merge(frames, { how }).table, { code: [...new Set(this.codes)].join(", ") });
  }

  #each(change: (query: DatasetQuery) => DatasetQuery): DatasetsQuery {
    return new DatasetsQuery(this.#queries.map(change));
  }
}

/** The frame with the code before every title but the date's. */
function titled(frame: Frame, code: string): Frame {
  return frame.rename(frame.columns.map(({ name }, i) => (i === 0 ? name : `${code} - ${name}`)));
}

/** The same error, with the code in its message. */
function named(error: unknown, code: string): unknown {
  if (!(error instanceof ArrowbookError) || error.message.includes(code)) return error;
  return reworded(error, `${code}: ${error.message}`, { cause: error });
}

const NUMBERED = /^(.+)\.(\d+)$/;

/**
 * The query that a choice stands for: the part after a last point, if it is a number, names a column (observed
 * spelling).
 */
export function queryOf(choice: DatasetChoice, dataset: (code: string) => DatasetQuery): DatasetQuery {
  if (typeof choice !== "string") return choice;
  const match = NUMBERED.exec(choice);
  return match === null ? dataset(choice) : dataset(match[1]).column(Number(match[2]));
}
