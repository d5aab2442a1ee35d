import { checkReadOptions, type ReadOptions } from "../../columns/arrow/read-options.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { showAsCard } from "../../display/base/card.js";
import type { Document } from "../../document/document.js";
import type { DatasetData, DatasetMetadata, DatasetWithData } from "../../document/records.js";
import { DataError, InputError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { refuseUnknown } from "../../errors/options.js";
import type { Cell } from "../../frame/cells/rows.js";
import { Frame } from "../../frame/frame.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Call } from "../../spec/endpoints.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { Collapse, Format, Order, Transform, Unlisted } from "../../spec/vocabulary.js";
import { shownDataset } from "../cards/metadata-cards.js";
import { queryCard } from "../cards/query-card.js";
import { ask } from "../transport/ask.js";
import type { Memory } from "../transport/metadata-cache.js";
import type { Session } from "../transport/request.js";
import { typedRows } from "./typed-rows.js";
import { dayOf, formatOf, wholeOf, word } from "./words.js";

/** What a query of one time series asks for. */
interface Wanted {
  readonly column?: string | number;
  readonly from?: string;
  readonly to?: string;
  readonly collapse?: string;
  readonly transform?: string;
  readonly order?: string;
  readonly limit?: number;
  readonly format: Format;
}

/** How and with which signal a query reads its answer. */
export type ReadCall = ReadOptions & { readonly signal?: AbortSignal };

/** A part of the reply that cannot be known from CSV, which holds rows only. */
type Echo<T> = { readonly [K in keyof T]: T[K] | undefined };

/**
 * A question about one time series (spec 4.1–4.4). Immutable: every method gives a new query, and nothing is sent
 * before `frame()`, `data()`, `metadata()` or `withMetadata()`.
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
  readonly #memory: Memory;
  readonly #codes: { readonly database_code: string; readonly dataset_code: string };
  readonly #wanted: Wanted;

  constructor(session: Session, memory: Memory, codes: readonly [string, string], wanted: Wanted = { format: "json" }) {
    this.#session = session;
    this.#memory = memory;
    this.#codes = { database_code: codes[0], dataset_code: codes[1] };
    this.#wanted = wanted;
  }

  /** `DATABASE/DATASET`. */
  get code(): string {
    return `${this.#codes.database_code}/${this.#codes.dataset_code}`;
  }

  /**
   * One data column beside the dates (spec 4.2): its title exactly as the service spells it, or its number, where 0 is
   * the date column alone. A title is looked up in the metadata when the query is sent.
   */
  column(column: string | number): DatasetQuery<Row> {
    return this.#with({ column: typeof column === "number" ? wholeOf(column, 0, "column") : column });
  }

  /** First day, inclusive, `YYYY-MM-DD`. */
  from(day: string): DatasetQuery<Row> {
    return this.#with({ from: dayOf(day, "from()") });
  }

  /** Last day, inclusive, `YYYY-MM-DD`. */
  to(day: string): DatasetQuery<Row> {
    return this.#with({ to: dayOf(day, "to()") });
  }

  /** Changes the frequency (spec 4.2): the last row of each period stands for it. */
  collapse(frequency: Collapse | Unlisted): DatasetQuery<Row> {
    const { settings } = this.#session;
    return this.#with({ collapse: word(settings, "collapse", frequency, settings.profile.collapses.value) });
  }

  /** Applies a calculation to every data column (spec 4.2). */
  transform(calculation: Transform | Unlisted): DatasetQuery<Row> {
    const { settings } = this.#session;
    return this.#with({ transform: word(settings, "transform", calculation, settings.profile.transforms.value) });
  }

  /** `desc`: newest first (spec 2.1); `asc`: oldest first. */
  order(order: Order | Unlisted): DatasetQuery<Row> {
    const { settings } = this.#session;
    return this.#with({ order: word(settings, "order", order, settings.profile.orders.value) });
  }

  /** At most this many rows, counted in the order of the result. */
  limit(rows: number): DatasetQuery<Row> {
    return this.#with({ limit: wholeOf(rows, 1, "limit()") });
  }

  /** The format of the reply; the columns are the same whichever it is. Default `json`. */
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

  /** The rows with what the reply says beside them (spec 2.1); in CSV only the column names are known. */
  async data(
    options: ReadCall = {},
  ): Promise<Echo<Omit<DatasetData, "column_names">> & Named & { readonly frame: Frame<Row> }> {
    checkReadOptions(options, "data()");
    const { document } = await ask(
      this.#session,
      "datasetData",
      await this.#call("datasetData", options.signal),
      options.signal,
    );
    const known = await this.#memory.known<DatasetMetadata>(this.#remembered);
    const frame = this.#frameOf(document, options, refreshOf({ ...known, ...document.fields }));
    return { ...(document.fields as DatasetData), column_names: frame.columns.map(({ name }) => name), frame };
  }

  /** The metadata (spec 2.2). */
  async metadata(options: { readonly signal?: AbortSignal } = {}): Promise<DatasetMetadata> {
    refuseUnknown(options, ["signal"], "metadata()");
    const { format } = this.#wanted;
    const call = { endpoint: "datasetMetadata", codes: this.#codes, format, parameters: {}, filters: [] } as const;
    const read = async (): Promise<DatasetMetadata> =>
      shownDataset((await ask(this.#session, "datasetMetadata", call, options.signal)).document.fields);
    return format === "json" ? this.#memory.renew(this.#remembered, read) : read();
  }

  /**
   * Metadata and rows in one reply (spec 2.3, 4.4).
   *
   * @throws {InputError} in CSV, which cannot carry metadata
   */
  async withMetadata(options: ReadCall = {}): Promise<DatasetWithData & { readonly frame: Frame<Row> }> {
    checkReadOptions(options, "withMetadata()");
    if (this.#wanted.format === "csv") {
      throw new InputError("Metadata and rows together are not available in CSV (spec 4.4).", {
        code: "NotInCsv",
        hint: 'Ask with .format("json") or .format("xml"), or for metadata() and frame() apart.',
      });
    }
    const { document } = await ask(
      this.#session,
      "dataset",
      await this.#call("dataset", options.signal),
      options.signal,
    );
    // A service may answer with 2.1 on this path too; then the metadata is a question of its own.
    const metadata = document.resource === "dataset" ? {} : await this.metadata(options);
    const fields = { ...metadata, ...document.fields } as DatasetWithData;
    return { ...fields, frame: this.#frameOf(document, options, aboutOf(fields)) };
  }

  static {
    showAsCard<DatasetQuery>(DatasetQuery.prototype, (query) => {
      const { column, from, to, collapse, transform, order, limit } = query.#wanted;
      const asked = { code: query.code, start_date: from, end_date: to, collapse, transform, order, limit };
      return queryCard(
        "Time series",
        asked,
        [
          ["column", column],
          ["order", order],
        ],
        "await query.frame(), .metadata(), .data()",
      );
    });
  }

  #with(change: Partial<Wanted>): DatasetQuery<Row> {
    const codes = [this.#codes.database_code, this.#codes.dataset_code] as const;
    return new DatasetQuery(this.#session, this.#memory, codes, { ...this.#wanted, ...change });
  }

  async #call(endpoint: "datasetData" | "dataset", signal?: AbortSignal): Promise<Call & { readonly format: Format }> {
    const { column, from, to, collapse, transform, order, limit, format } = this.#wanted;
    const index = typeof column === "string" ? await this.#indexOf(column, signal) : column;
    const given = {
      column_index: index?.toString(),
      start_date: from,
      end_date: to,
      collapse,
      transform,
      order,
      limit: limit?.toString(),
    };
    const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return { endpoint, codes: this.#codes, format, parameters: parameters as Record<string, string>, filters: [] };
  }

  async #indexOf(title: string, signal?: AbortSignal): Promise<number> {
    const { column_names } = await this.#memory.remember(this.#remembered, () =>
      this.format("json").metadata({ signal }),
    );
    const index = column_names.indexOf(title);
    if (index !== -1) return index;
    throw new InputError(`${this.code} has no column ${JSON.stringify(title)}.`, {
      code: "UnknownColumn",
      column: title,
      hint: suggestion(title, column_names, "columns"),
    });
  }

  #frameOf(document: Document<"datasetData" | "dataset">, options: ReadCall, about: Partial<FrameSource>): Frame<Row> {
    const names = document.fields.column_names ?? [];
    const { column } = this.#wanted;
    // A column that does not exist is answered with a nameless column and no rows (observed at a service of this kind).
    if (column !== undefined && column !== 0 && !names[1]) throw outOfRange(this.code, column);
    if (names.length === 0 || document.rows === undefined) {
      throw new DataError("The reply names no columns.", { code: "UnexpectedShape" });
    }
    const columns = names.map((name, i): ColumnSpec => ({ name, type: i === 0 ? "Date" : "double" }));
    const { profile } = this.#session.settings;
    const read = { warn: this.#session.settings.warn, key: names.slice(0, 1), ...options };
    const batches = typedRows(document.rows, columns, profile, read);
    const rows = batches.reduce((sum, batch) => sum + batch.numRows, 0);
    return Frame.fromBatches<Row>(batches[0]?.schema ?? schemaOf(columns, read), batches, {
      ...this.#source(rows),
      ...(document.fields.frequency ? { frequency: document.fields.frequency } : {}),
      ...about,
    });
  }

  /** Under which name the metadata is remembered. */
  get #remembered(): string {
    return `dataset ${this.code}`;
  }

  #source(rows: number): FrameSource {
    const { from, to, collapse, transform, order, limit } = this.#wanted;
    const given = { start_date: from, end_date: to, collapse, transform, order, limit };
    const named = Object.entries(given).filter(([, value]) => value !== undefined);
    return { code: this.code, ...Object.fromEntries(named), complete: limit === undefined || rows < limit };
  }
}

function aboutOf({ name, description, ...rest }: DatasetWithData): Partial<FrameSource> {
  return { name, ...(description ? { description } : {}), ...refreshOf(rest) };
}

function refreshOf({ refreshed_at }: { readonly refreshed_at?: string | null }): Partial<FrameSource> {
  return refreshed_at ? { refreshed_at } : {};
}

interface Named {
  readonly column_names: readonly string[];
}

function outOfRange(code: string, column: string | number): InputError {
  return new InputError(`${code} has no column ${JSON.stringify(column)}.`, {
    code: "UnknownColumn",
    column: String(column),
    hint: "metadata() lists the columns; the first one has number 0.",
  });
}
