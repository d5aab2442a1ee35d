import { showAsCard } from "../display/base/card.js";
import { InputError } from "../errors/errors.js";
import { shown } from "../errors/shown.js";
import type { Cell } from "../frame/cells/rows.js";
import type { CatalogItem } from "../spec/catalog-item.js";
import { onePart, twoParts } from "./query/code.js";
import { DatabaseQuery } from "./query/database-query.js";
import { DatasetQuery } from "./query/dataset-query.js";
import { type DatasetChoice, DatasetsQuery, queryOf } from "./query/datasets.js";
import { TableQuery } from "./query/table-query.js";
import type { Tables } from "./tables.js";
import { type Memory, memory } from "./transport/metadata-cache.js";
import { type ConnectOptions, settingsOf } from "./transport/options.js";
import { type Session, session } from "./transport/request.js";

/** Row type of a table: the declared one, else any columns. */
export type RowOf<Code extends string> = Code extends keyof Tables ? Tables[Code] : Record<string, Cell>;

/** A connection to one service. Holds no socket; queries made from it share its limits and its key. */
export class Service {
  readonly #session: Session;
  readonly #memory: Memory = memory();

  static {
    showAsCard<Service>(Service.prototype, (service) => ({
      title: `Service at ${service.url}`,
      entries: [],
      next: 'service.dataset("DATABASE/DATASET"), .table("VENDOR/TABLE"), .database("DATABASE")',
    }));
  }

  constructor(options: ConnectOptions) {
    this.#session = session(settingsOf(options));
  }

  /** Base address, without `/api/v3`. */
  get url(): string {
    return this.#session.settings.url;
  }

  /** A time series by `DATABASE/DATASET` (spec 4.1–4.4). */
  dataset<Row extends object = Record<string, Cell>>(code: string): DatasetQuery<Row> {
    return new DatasetQuery<Row>(this.#session, this.#memory, twoParts(code, "DATABASE/DATASET"));
  }

  /**
   * Several time series merged on their dates: codes, codes with a column number (`EOD/MSFT.4`), or queries of
   * {@link dataset}.
   */
  datasets(choices: readonly DatasetChoice[]): DatasetsQuery {
    if (!Array.isArray(choices)) {
      throw new InputError(`datasets() expects an array of codes; got ${shown(choices)}.`, {
        code: "BadCode",
        hint: 'Give a list of codes: ["EOD/AAPL", "EOD/MSFT.4"].',
      });
    }
    return new DatasetsQuery(choices.map((choice) => queryOf(choice, (code) => this.dataset(code))));
  }

  /** A database of time series (spec 4.5, 4.6). */
  database(code: string): DatabaseQuery {
    return new DatabaseQuery(this.#session, this.#memory, onePart(code));
  }

  /**
   * A table by `VENDOR/TABLE` (spec 4.7–4.9). Its row type is the declared one of {@link Tables}, or given:
   * `table<Price>(code)`.
   */
  table<const Code extends keyof Tables | (string & {})>(code: Code): TableQuery<RowOf<Code & string>>;
  table<Row extends object>(code: string): TableQuery<Row>;
  table(code: string): TableQuery {
    return new TableQuery(this.#session, this.#memory, twoParts(code, "VENDOR/TABLE"));
  }

  /**
   * Every code the service holds, where it offers that: the interface has no such call, so only `connect.sample()`
   * does.
   *
   * @throws {InputError} NoCatalog elsewhere
   */
  catalog(): CatalogItem[] {
    throw new InputError(`The service at ${this.url} offers no list of the codes it holds.`, {
      code: "NoCatalog",
      hint: "Take the codes from its provider; metadata() of a database, series or table describes one of them.",
    });
  }

  /** Nothing to close; `connect.sample()` gives a service whose `close()` also stops the embedded service. */
  async close(): Promise<void> {}
}

/**
 * Connects to a service. Sends nothing yet.
 *
 * @throws {InputError} for an unknown option, and where neither `url` nor ARROWBOOK_URL is set
 *
 * @example
 * ```ts no-run
 * import { connect } from "arrowbook";
 * const service = connect({ url: "https://data.example.com", apiKey: process.env.MY_KEY });
 * const frame = await service.dataset("EOD/AAPL").from("2020-01-01").frame();
 * ```
 */
export function connect(options: ConnectOptions = {}): Service {
  return new Service(options);
}
