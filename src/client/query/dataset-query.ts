import { checkReadOptions, type ReadOptions } from "../../columns/arrow/read-options.js";
import { rowType, showTypeArguments } from "../../columns/arrow/row-type.js";
import { showAsCard } from "../../display/base/card.js";
import type { Document } from "../../document/document.js";
import type { DatasetData, DatasetMetadata, DatasetWithData } from "../../document/records.js";
import { InputError } from "../../errors/errors.js";
import { noColumn, refuseUnknown } from "../../errors/options.js";
import { scrub } from "../../errors/secrets.js";
import type { Cell } from "../../frame/cells/rows.js";
import type { Frame } from "../../frame/frame.js";
import { seriesColumns } from "../../spec/columns.js";
import type { Call } from "../../spec/endpoints.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { Collapse, Format, Order, Transform, Unlisted } from "../../spec/vocabulary.js";
import { queryCard, shownDataset } from "../cards/cards.js";
import { type Plan, shownPlan } from "../pages/plan.js";
import type { FormattedCall, MetadataCall } from "../transport/ask.js";
import type { Session } from "../transport/session.js";
import type { DatasetParameters } from "./dataset-frame.js";
import { dayOf, formatOf, optionValue, wholeOf } from "./option-values.js";
import { metadataKey, readMetadata } from "./read-metadata.js";

type DatasetCodes = Readonly<Record<"database_code" | "dataset_code", string>>;

/** Options for reading a reply, and the signal of the call. */
export type ReadCall = ReadOptions & { readonly signal?: AbortSignal };

/** The row type after `column()`: the dates, the only column that is not of numbers, and the named one. */
export type WithColumn<Row, Title extends string> = string extends keyof Row
  ? Row
  : {
      [K in keyof Row as K extends Title ? K : NonNullable<Row[K]> extends number ? never : K]: Row[K];
    };

/** Members of the reply beside its rows; all but the names are unknown in CSV, which contains rows only. */
export type DatasetReplyData = {
  readonly [K in keyof Omit<DatasetData, "column_names">]: DatasetData[K] | undefined;
} & { readonly column_names: readonly string[] };

/**
 * A query of one time series (spec 4.1–4.4). Immutable: every method returns a new query, and no request is sent before
 * `frame()`, `data()`, `metadata()` or `withMetadata()`.
 *
 * @example
 * ```ts
 * import { connect } from "arrowbook";
 * const service = await connect.sample();
 * const close = service.dataset("MARKET/AAA").column("Close").from("2020-01-01").collapse("monthly");
 * console.log((await close.frame()).numRows);
 * await service.close();
 * ```
 */
export class DatasetQuery<Row extends object = Record<string, Cell>> {
  readonly #session: Session;
  readonly #codes: DatasetCodes;
  readonly #wanted: DatasetParameters;

  constructor(session: Session, codes: DatasetCodes, wanted: DatasetParameters = { format: "json" }) {
    this.#session = session;
    this.#codes = codes;
    this.#wanted = wanted;
  }

  /** `DATABASE/DATASET`. */
  get code(): string {
    return `${this.#codes.database_code}/${this.#codes.dataset_code}`;
  }

  /**
   * Selects one data column beside the dates (spec 4.2): by its title exactly as the service spells it, or by its
   * number, where 0 selects the dates alone. A title is looked up in the metadata when the query is sent.
   */
  column<const Title extends keyof Row & string>(column: Title | number): DatasetQuery<WithColumn<Row, Title>> {
    const wanted = { ...this.#wanted, column: typeof column === "number" ? wholeOf(column, 0, "column") : column };
    return new DatasetQuery(this.#session, this.#codes, wanted);
  }

  /** First day, inclusive, `YYYY-MM-DD`. */
  from(day: string | Date): DatasetQuery<Row> {
    return this.#with({ from: dayOf(day, "from()") });
  }

  /** Last day, inclusive, `YYYY-MM-DD`. */
  to(day: string | Date): DatasetQuery<Row> {
    return this.#with({ to: dayOf(day, "to()") });
  }

  /** Changes the frequency (spec 4.2): each period is reduced to its last row. */
  collapse(frequency: Collapse | Unlisted): DatasetQuery<Row> {
    const { settings } = this.#session;
    return this.#with({ collapse: optionValue(settings, "collapse", frequency, settings.profile.collapses.value) });
  }

  /** Applies a calculation to every data column (spec 4.2). */
  transform(calculation: Transform | Unlisted): DatasetQuery<Row> {
    const { settings } = this.#session;
    return this.#with({
      transform: optionValue(settings, "transform", calculation, settings.profile.transforms.value),
    });
  }

  /** `desc`: newest first (spec 2.1); `asc`: oldest first. */
  order(order: Order | Unlisted): DatasetQuery<Row> {
    const { settings } = this.#session;
    return this.#with({ order: optionValue(settings, "order", order, settings.profile.orders.value) });
  }

  /** The most rows, counted in the order of the result. */
  limit(rows: number): DatasetQuery<Row> {
    return this.#with({ limit: wholeOf(rows, 1, "limit()") });
  }

  /** The format of the reply; the columns are the same in every format. Default `json`. */
  format(format: Format): DatasetQuery<Row> {
    return this.#with({ format: formatOf(format) });
  }

  /**
   * The rows: a date column, then one `Float64` column per data column.
   *
   * @throws {ServiceError}
   * @throws {TransportError}
   * @throws {DataError}
   * @throws {InputError}
   */
  async frame(options: ReadCall = {}): Promise<Frame<Row>> {
    checkReadOptions(options, "frame()");
    return (await this.data(options)).frame;
  }

  /** The rows with the other members of the reply (spec 2.1); in CSV only the column names are known. */
  async data(options: ReadCall = {}): Promise<DatasetReplyData & { readonly frame: Frame<Row> }> {
    checkReadOptions(options, "data()");
    const call = await this.#call("datasetData", options.signal);
    const { askCached } = await import("../transport/ask.js");
    const { signal } = options;
    const refreshed_at = this.#session.settings.cache && (await this.#refreshedAt(signal));
    const { document, bytes, age } = await askCached(this.#session, "datasetData", call, { refreshed_at, signal });
    const known = await this.#session.memory.known<DatasetMetadata>(metadataKey(this.#codes));
    const frame = await this.#frameOf(call, document, options, {
      ...refreshOf({ ...known, ...document.fields }),
      ...(age === undefined ? {} : { cached: true }),
    });
    if (age === undefined) {
      const { keepRun } = await import("../transport/earlier-runs.js");
      await keepRun(this.#session, JSON.stringify(call), { rows: frame.numRows, bytes: bytes.length });
    }
    return { ...(document.fields as DatasetData), column_names: frame.columns.map(({ name }) => name), frame };
  }

  /** When the service last refreshed the series, asked now; undefined if it does not say. */
  async #refreshedAt(signal: AbortSignal | undefined): Promise<string | undefined> {
    try {
      return (await this.format("json").metadata({ signal, refresh: true })).refreshed_at ?? undefined;
    } catch (error) {
      if (signal?.aborted) throw error;
      return undefined;
    }
  }

  /**
   * What `frame()` would do: the address without the key, and what the service computes. A column title is looked up in
   * the metadata; no rows are requested.
   *
   * @throws {InputError} UnknownColumn, as `frame()` does
   */
  async explain(options: { readonly signal?: AbortSignal } = {}): Promise<Plan> {
    refuseUnknown(options, ["signal"], "explain()");
    const { settings } = this.#session;
    const call = await this.#call("datasetData", options.signal);
    const { address } = await import("../transport/address.js");
    const { earlierRun } = await import("../transport/earlier-runs.js");
    const { bytesOf, rowsOf, rowsOfDates, rowsOfLimit } = await import("../pages/estimate.js");
    const run = await earlierRun(this.#session, JSON.stringify(call));
    const known = await this.#session.memory.known<DatasetMetadata>(metadataKey(this.#codes));
    const { column, collapse, transform, from, to, order, limit } = this.#wanted;
    const parts = { from, to, collapse, transform, order, limit };
    return shownPlan({
      code: this.code,
      by: "reply",
      addresses: [scrub(address(call, settings.url, settings.profile))],
      requests: { least: 1, most: 1 },
      rows: rowsOf(run, [rowsOfLimit(limit), rowsOfDates(known, this.#wanted)]),
      bytes: bytesOf(run),
      rowsPerReply: null,
      atService: Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])),
      here: [],
      columns: column === undefined ? null : [String(column)],
      checks: typeof column === "string" ? [`${this.code} has the column ${column}`] : [],
      notes: [],
    });
  }

  /** The metadata (spec 2.2). `refresh: true` requests it even if the cache on disk has it. */
  metadata(options: MetadataCall = {}): Promise<DatasetMetadata> {
    const of = { endpoint: "datasetMetadata", codes: this.#codes, format: this.#wanted.format } as const;
    return readMetadata(this.#session, of, options, shownDataset<DatasetMetadata>);
  }

  /**
   * Metadata and rows in one reply (spec 2.3, 4.4).
   *
   * @throws {InputError} NotInCsv in CSV, which cannot contain metadata
   */
  async withMetadata(options: ReadCall = {}): Promise<DatasetWithData & { readonly frame: Frame<Row> }> {
    checkReadOptions(options, "withMetadata()");
    if (this.#wanted.format === "csv") {
      throw new InputError("Metadata and rows together are not available in CSV.", {
        code: "NotInCsv",
        hint: 'Use .format("json") or .format("xml"), or call metadata() and frame() separately.',
      });
    }
    const call = await this.#call("dataset", options.signal);
    const { ask } = await import("../transport/ask.js");
    const { document } = await ask(this.#session, "dataset", call, options.signal);
    // A service may reply with 2.1 on this path too; the metadata then needs a request of its own.
    const metadata = document.resource === "dataset" ? {} : await this.metadata({ signal: options.signal });
    const fields = { ...metadata, ...document.fields } as DatasetWithData;
    return { ...fields, frame: await this.#frameOf(call, document, options, aboutOf(fields)) };
  }

  static {
    showAsCard<DatasetQuery>(DatasetQuery.prototype, (query) => {
      const { column, from, to, collapse, transform, order, limit } = query.#wanted;
      const asked = { code: query.code, start_date: from, end_date: to, collapse, transform, order, limit };
      const entries = Object.entries({ column, order });
      return queryCard("Time series", asked, entries, "await query.frame(), .metadata(), .data(), .explain()");
    });
    showTypeArguments<DatasetQuery>(DatasetQuery.prototype, (query) => {
      const known = query.#session.memory.peek<DatasetMetadata>(metadataKey(query.#codes));
      if (known === undefined) return undefined;
      const [dates, ...titles] = known.column_names;
      const { column } = query.#wanted;
      const chosen = typeof column === "number" ? known.column_names[column] : column;
      const values = chosen === undefined ? titles : titles.filter((title) => title === chosen);
      return [rowType(seriesColumns([dates, ...values]))];
    });
  }

  #with(change: Partial<DatasetParameters>): DatasetQuery<Row> {
    return new DatasetQuery(this.#session, this.#codes, { ...this.#wanted, ...change });
  }

  async #call(endpoint: "datasetData" | "dataset", signal?: AbortSignal): Promise<FormattedCall> {
    const { column, from, to, collapse, transform, order, limit, format } = this.#wanted;
    const index = typeof column === "string" ? await this.#indexOf(column, signal) : column;
    const given = { column_index: index, start_date: from, end_date: to, collapse, transform, order, limit };
    const passed = Object.entries(given).filter(([, value]) => value !== undefined);
    const parameters = Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
    return { endpoint, codes: this.#codes, format, parameters, filters: [] };
  }

  async #indexOf(title: string, signal?: AbortSignal): Promise<number> {
    const requested = (refresh = false): Promise<DatasetMetadata> => this.format("json").metadata({ signal, refresh });
    const { column_names } = await this.#session.memory.remember(metadataKey(this.#codes), requested, signal);
    const index = column_names.indexOf(title);
    if (index !== -1) return index;
    // A copy on disk may be older than the column.
    const renewed = this.#session.settings.cache && (await requested(true).catch(() => undefined));
    const now = renewed?.column_names ?? column_names;
    if (now.includes(title)) return now.indexOf(title);
    throw noColumn(this.code, title, now);
  }

  async #frameOf(
    { parameters }: Call,
    document: Document<"datasetData" | "dataset">,
    options: ReadCall,
    about: Partial<FrameSource>,
  ): Promise<Frame<Row>> {
    const { datasetFrame } = await import("./dataset-frame.js");
    const { settings } = this.#session;
    const answered = { code: this.code, settings, wanted: this.#wanted, sent: parameters };
    return datasetFrame<Row>(answered, document, options, about);
  }
}

function aboutOf({ name, description, ...rest }: DatasetWithData): Partial<FrameSource> {
  return { name, ...(description ? { description } : {}), ...refreshOf(rest) };
}

function refreshOf({ refreshed_at }: { readonly refreshed_at?: string | null }): Partial<FrameSource> {
  return refreshed_at ? { refreshed_at } : {};
}
