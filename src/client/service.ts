import { showAsCard } from "../display/base/card.js";
import { InputError } from "../errors/errors.js";
import { refuseUnknown } from "../errors/options.js";
import { shown } from "../errors/shown.js";
import type { Cell } from "../frame/cells/rows.js";
import type { CatalogItem } from "../spec/endpoints.js";
import type { Datasets, Filters, Tables } from "./declared-rows.js";
import type { ListOptions } from "./discovery/list-codes.js";
import { DatabaseQuery } from "./query/database-query.js";
import { DatasetQuery } from "./query/dataset-query.js";
import { type DatasetChoice, type DatasetsOptions, DatasetsQuery, queryOf } from "./query/datasets.js";
import { wholeOf } from "./query/option-values.js";
import { TableQuery } from "./query/table-query.js";
import { type Session, session } from "./transport/session.js";
import { type ConnectOptions, settingsOf } from "./transport/settings.js";

/** The row type of a table: the declared one, or any columns. */
export type RowOf<Code extends string> = Code extends keyof Tables ? Tables[Code] : Record<string, Cell>;

/** The columns of a table by which `where()` filters: the declared ones, or all. */
export type FilterableOf<Code extends string> = Code extends keyof Filters
  ? Pick<RowOf<Code>, Filters[Code] & keyof RowOf<Code>>
  : RowOf<Code>;

/** The row type of a time series: the declared one, or any columns. */
export type SeriesOf<Code extends string> = Code extends keyof Datasets ? Datasets[Code] : Record<string, Cell>;

interface CallOptions {
  readonly signal?: AbortSignal;
}

/** The key under which a service completes codes, for the kernel and the command line. */
export const CODES: symbol = Symbol.for("arrowbook.codes");

/** A connection to one service. Holds no socket; its queries share its limits and its key. */
export class Service {
  readonly #session: Session;

  static {
    showAsCard<Service>(Service.prototype, (service) => ({
      title: `Service at ${service.url}`,
      entries: [],
      next: 'service.dataset("DATABASE/DATASET"), .table("VENDOR/TABLE"), .database("DATABASE"), await service.search("text")',
    }));
    Object.defineProperty(Service.prototype, CODES, {
      async value(this: Service, kind: CatalogItem["kind"], text: string, signal?: AbortSignal) {
        const { codesFor } = await import("./discovery/list-codes.js");
        return codesFor(this.#session, kind, text, signal);
      },
    });
  }

  constructor(options: ConnectOptions) {
    this.#session = session(settingsOf(options));
  }

  /** Base address, without `/api/v3`. */
  get url(): string {
    return this.#session.settings.url;
  }

  /**
   * A time series by `DATABASE/DATASET` (spec 4.1–4.4). Its row type is that declared in {@link Datasets}, or a type
   * argument.
   */
  dataset<const Code extends keyof Datasets | (string & {})>(code: Code): DatasetQuery<SeriesOf<Code & string>>;
  dataset<Row extends object>(code: string): DatasetQuery<Row>;
  dataset(code: string): DatasetQuery {
    const [database_code, dataset_code] = twoParts(code, "DATABASE/DATASET");
    return new DatasetQuery(this.#session, { database_code, dataset_code });
  }

  /**
   * Several time series aligned on their dates: codes, codes with a column number (`EOD/MSFT.4`), or queries of {@link
   * dataset}. `missing: "skip"` leaves out series that the service does not have.
   */
  datasets(choices: readonly DatasetChoice[], options: DatasetsOptions = {}): DatasetsQuery {
    if (!Array.isArray(choices)) {
      throw new InputError(`datasets() expects an array of codes; got ${shown(choices)}.`, {
        code: "BadCode",
        hint: 'Pass an array of codes: ["EOD/AAPL", "EOD/MSFT.4"].',
      });
    }
    const queries = choices.map((choice) => queryOf(choice, (code) => this.dataset(code)));
    return new DatasetsQuery(queries, this.#session.settings.warn, options);
  }

  /** A database of time series (spec 4.5, 4.6). */
  database(code: string): DatabaseQuery {
    return new DatabaseQuery(this.#session, onePart(code));
  }

  /**
   * A table by `VENDOR/TABLE` (spec 4.7–4.9). Its row type is that declared in {@link Tables}, or a type argument:
   * `table<Price>(code)`.
   */
  table<const Code extends keyof Tables | (string & {})>(
    code: Code,
  ): TableQuery<RowOf<Code & string>, FilterableOf<Code & string>>;
  table<Row extends object>(code: string): TableQuery<Row>;
  table(code: string): TableQuery {
    const [vendor_code, datatable_code] = twoParts(code, "VENDOR/TABLE");
    return new TableQuery(this.#session, { vendor_code, datatable_code });
  }

  /**
   * All codes of the service, if it lists them: an embedded service does, and a service whose profile has the extension
   * `listings`.
   *
   * @throws {InputError} NoCatalog otherwise
   */
  catalog(options: CallOptions = {}): CatalogItem[] | Promise<CatalogItem[]> {
    refuseUnknown(options, ["signal"], "catalog()");
    return this.#list(["database", "dataset", "table"], options);
  }

  /**
   * The databases of the service, if it lists them.
   *
   * @throws {InputError} NoCatalog otherwise
   */
  async databases(options: CallOptions = {}): Promise<CatalogItem[]> {
    refuseUnknown(options, ["signal"], "databases()");
    return this.#list(["database"], options);
  }

  /**
   * Databases, series and tables whose code, name or description contains all terms of a text; at most `limit`, 100 by
   * default.
   *
   * @throws {InputError} NoCatalog if the service does not list its codes
   */
  async search(text: string, options: CallOptions & { readonly limit?: number } = {}): Promise<CatalogItem[]> {
    refuseUnknown(options, ["signal", "limit"], "search()");
    if (typeof text !== "string") {
      throw new InputError(`search() expects text; got ${shown(text)}.`, {
        code: "BadArgument",
        hint: 'Pass the terms to find: search("crude oil").',
      });
    }
    const { limit = 100, signal } = options;
    const most = wholeOf(limit, 1, "search({ limit })");
    return this.#list(["database", "table", "dataset"], { query: text.trim(), limit: most, signal });
  }

  async #list(kinds: readonly CatalogItem["kind"][], options: ListOptions): Promise<CatalogItem[]> {
    const { listCodes } = await import("./discovery/list-codes.js");
    return listCodes(this.#session, kinds, options);
  }
}

/**
 * Connects to a service without sending a request.
 *
 * @throws {InputError} UnknownOption for an unknown option, NoAddress if neither `url` nor ARROWBOOK_URL is set
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

/**
 * Splits `DATABASE/DATASET` or `VENDOR/TABLE` (spec 4.1, 4.7).
 *
 * @throws {InputError} BadCode for anything but two parts
 */
function twoParts(code: string, shape: string): readonly [string, string] {
  const parts = typeof code === "string" ? code.split("/") : [];
  if (parts.length === 2 && parts.every((part) => part.trim() !== "")) return [parts[0], parts[1]];
  throw new InputError(`Expected a code of the form ${shape}; got ${shown(code)}.`, {
    code: "BadCode",
    hint: `Pass both parts, separated by a slash: ${shape}.`,
  });
}

/**
 * Validates the code of a database.
 *
 * @throws {InputError} BadCode if it is empty or contains a slash
 */
function onePart(code: string): string {
  if (typeof code === "string" && code.trim() !== "" && !code.includes("/")) return code;
  throw new InputError(`Expected the code of a database; got ${shown(code)}.`, {
    code: "BadCode",
    hint: "Pass the part before the slash of its datasets' codes.",
  });
}
