import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { checkReadOptions, type ReadOptions } from "../../columns/arrow/read-options.js";
import { rowType, showTypeArguments } from "../../columns/arrow/row-type.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { tableOf } from "../../columns/table/conform.js";
import { keyed, keying } from "../../columns/table/pick.js";
import { showAsCard } from "../../display/base/card.js";
import type { TableMetadata } from "../../document/records.js";
import { hasCode, InputError } from "../../errors/errors.js";
import { checkWords, refuseUnknown } from "../../errors/options.js";
import { shown } from "../../errors/shown.js";
import type { Cell } from "../../frame/cells/rows.js";
import { Frame } from "../../frame/frame.js";
import type { ColumnSpec, Columns, OneOrMore } from "../../spec/columns.js";
import type { Filter } from "../../spec/endpoints.js";
import type { FrameSource } from "../../spec/frame-source.js";
import { hasExtension, type Profile } from "../../spec/profile.js";
import type { Conditions, Format } from "../../spec/vocabulary.js";
import type { BulkOrigin } from "../bulk/archive.js";
import { BulkFile } from "../bulk/bulk-file.js";
import { checkExportOptions, type ExportOptions } from "../bulk/export-options.js";
import type { FileList } from "../bulk/file-list.js";
import { queryCard, shownTable } from "../cards/cards.js";
import { MIRROR_OPTIONS, Mirror, type MirrorOptions } from "../mirror/mirror.js";
import type { MirrorTarget } from "../mirror/place-at.js";
import type { Plan } from "../pages/plan.js";
import type { TableCall } from "../pages/table-page.js";
import type { MetadataCall } from "../transport/ask.js";
import type { Session } from "../transport/session.js";
import { isLocal } from "../transport/settings.js";
import type { ReadCall } from "./dataset-query.js";
import { filtersOf, metadataWithNames, withColumns } from "./filters.js";
import { formatOf, wholeOf } from "./option-values.js";
import { metadataKey, readMetadata } from "./read-metadata.js";
import { checkTableRead, type TableReadCall } from "./table-read-options.js";
import type { ResultRows } from "./table-reading.js";
import { keyOf, sourceOf } from "./table-source.js";

/** A page of table rows and the cursor of the next one; null after the last (spec 2.6). */
export interface TablePage<Row extends object = Record<string, Cell>> {
  /** The rows of this page. */
  readonly frame: Frame<Row>;
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

type TableCodes = Readonly<Record<"vendor_code" | "datatable_code", string>>;

interface Wanted extends Pick<TableCall, "filters" | "limit" | "select" | "pageSize" | "format"> {
  /** Filters that are applied here if the service does not filter by their columns. */
  readonly local?: readonly Filter[];
}

/**
 * A query of a table (spec 4.7–4.9). Immutable: every method returns a new query. Names are checked against the table's
 * metadata before rows are requested.
 *
 * @example
 * ```ts
 * import { connect } from "arrowbook";
 * const service = await connect.sample();
 * const prices = service.table("MARKET/PRICES").where({ ticker: ["AAA", "BBB"], date: { gte: "2024-01-01" } });
 * console.log((await prices.select("ticker", "date", "close").frame()).numRows);
 * await service.close();
 * ```
 *
 * @typeParam Filterable the columns that conditions may name, as a row type
 */
export class TableQuery<Row extends object = Record<string, Cell>, Filterable extends object = Row> {
  readonly #session: Session;
  readonly #codes: TableCodes;
  readonly #wanted: Wanted;

  constructor(session: Session, codes: TableCodes, wanted: Wanted = { filters: [], format: "json" }) {
    this.#session = session;
    this.#codes = codes;
    this.#wanted = wanted;
  }

  /** `VENDOR/TABLE`. */
  get code(): string {
    return `${this.#codes.vendor_code}/${this.#codes.datatable_code}`;
  }

  /**
   * Adds conditions, all of which rows must satisfy. Only columns in `metadata().filters` can be used (spec 4.7). With
   * `local: true`, any column can: conditions on the others are applied here to the rows that the service sends.
   */
  where(conditions: Conditions<Filterable>): TableQuery<Row, Filterable>;
  where(conditions: Conditions<Row>, options: { readonly local: boolean }): TableQuery<Row, Filterable>;
  where(
    conditions: Conditions<Filterable> | Conditions<Row>,
    options: { readonly local?: boolean } = {},
  ): TableQuery<Row, Filterable> {
    if (typeof conditions === "string" && typeof options !== "object") {
      throw new InputError(`where() expects conditions by column; got ${shown(conditions)}.`, {
        code: "BadArgument",
        hint: `Pass an object: where({ ${shown(conditions)}: ${shown(options)} }).`,
      });
    }
    refuseUnknown(options, ["local"], "where()");
    const more = filtersOf(this.#session.settings, conditions);
    const { filters, local = [] } = this.#wanted;
    return this.#with(options.local ? { local: [...local, ...more] } : { filters: [...filters, ...more] });
  }

  /** Selects columns in this order (spec 4.7, `qopts.columns`), as arguments or as one array. */
  select<K extends Columns<Row>["name"]>(...passed: readonly OneOrMore<K>[]): TableQuery<Pick<Row, K>, Filterable> {
    const names: readonly string[] = passed.flat();
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (names.length === 0 || twice !== undefined) {
      const what = twice ? `select() names ${JSON.stringify(twice)} twice.` : "select() expects at least one column.";
      throw new InputError(what, { code: "BadSelection", hint: "Pass each column once." });
    }
    return new TableQuery(this.#session, this.#codes, { ...this.#wanted, select: names });
  }

  /**
   * The most rows, for a look at a table: no page is requested beyond them. A table has no order of its own (spec 2.6).
   * A frame that lacks rows says so (`source.complete`).
   */
  limit(rows: number): TableQuery<Row, Filterable> {
    return this.#with({ limit: wholeOf(rows, 1, "limit()") });
  }

  /** Rows per page, at most 10,000 (spec 8); smaller pages need more requests. */
  pageSize(rows: number): TableQuery<Row, Filterable> {
    return this.#with({ pageSize: wholeOf(rows, 1, "pageSize()") });
  }

  /** The format of the replies; the columns are the same in every format. Default `json`. */
  format(format: Format): TableQuery<Row, Filterable> {
    return this.#with({ format: formatOf(format) });
  }

  /** The metadata (spec 2.7). `refresh: true` requests it even if the cache on disk has it. */
  metadata(options: MetadataCall = {}): Promise<TableMetadata> {
    const of = { endpoint: "tableMetadata", codes: this.#codes, format: this.#wanted.format } as const;
    return readMetadata(this.#session, of, options, shownTable);
  }

  /**
   * Fetches all rows, page by page. If the table is refreshed in the meantime, the reading starts again.
   *
   * @throws {ServiceError}
   * @throws {TransportError}
   * @throws {DataError} TooManyRows for more than `maxRows`, unless `truncate` is true; TableRefreshed if the table is
   *   refreshed time and again
   * @throws {FileError} BadCheckpoint, CheckpointInUse
   * @throws {InputError} ; never returns part of the rows without being asked to
   */
  async frame(options: TableReadCall = {}): Promise<Frame<Row>> {
    checkTableRead(options, "frame()");
    const { callsForExport, pagedRows } = await import("./table-reading.js");
    for (let start = 1; ; start++) {
      const call = await this.#tableCall(options.signal);
      try {
        return await this.#gathered(pagedRows(this.#session, call, options), call, options);
      } catch (error) {
        if (hasCode(error, "TableRefreshed") && start < MAX_STARTS) {
          const why = "was refreshed while its pages were read";
          this.#session.settings.warn(`${this.code} ${why}; the reading starts again.`);
          continue;
        }
        if (options.fallback === undefined || !callsForExport(error)) throw error;
        return this.#gathered(this.#exported(call, options), call, options);
      }
    }
  }

  /**
   * The rows as record batches, page by page; the next page is fetched while one is in use. The rows are consistent
   * only once the iteration has ended without an error.
   *
   * @throws {DataError} TableRefreshed if the table is refreshed in the meantime: rows passed on cannot be taken back
   */
  async *batches(options: TableReadCall = {}): AsyncGenerator<RecordBatch> {
    checkTableRead(options, "batches()");
    const { callsForExport, pagedRows } = await import("./table-reading.js");
    const call = await this.#tableCall(options.signal);
    let underKey: ((batch: RecordBatch) => RecordBatch) | undefined;
    const passed = async function* (rows: AsyncGenerator<ResultRows>): AsyncGenerator<RecordBatch> {
      for await (const { batches } of rows) {
        underKey ??= keying(options.key ?? (await keyOf(call)));
        yield* batches.map(underKey);
      }
    };
    try {
      yield* passed(pagedRows(this.#session, call, options));
    } catch (error) {
      if (underKey !== undefined || options.fallback === undefined || !callsForExport(error)) throw error;
      yield* passed(this.#exported(call, options));
    }
  }

  /** One page: the first, or the one at `cursor`, the `next` of an earlier page. */
  async page(cursor?: string | null, options: ReadCall = {}): Promise<TablePage<Row>> {
    checkReadOptions(options, "page()");
    const call = await this.#tableCall(options.signal);
    const { onePage } = await import("./table-reading.js");
    const page = await onePage(this.#session, call, cursor ?? null, options);
    const isComplete = (cursor ?? null) === null && page.next === null && !page.capped;
    const source = await this.#source(isComplete, call);
    return { frame: this.#frame(page, options, await keyOf(call), source), next: page.next };
  }

  /**
   * What `frame()` would do: addresses without the key, requests expected, what is filtered at the service and what
   * here. Requests metadata to check names, and no rows. With `by: "export"`, the plan of `export()`.
   *
   * @throws {InputError} UnknownColumn, NotFilterable, as `frame()` does
   */
  async explain(options: { readonly by?: "pages" | "export"; readonly signal?: AbortSignal } = {}): Promise<Plan> {
    refuseUnknown(options, ["by", "signal"], "explain()");
    checkWords(options, { by: ["pages", "export"] });
    const { tablePlan } = await import("../pages/table-plan.js");
    return tablePlan(this.#session, await this.#tableCall(options.signal), options.by ?? "pages");
  }

  async *#exported(call: TableCall, options: TableReadCall): AsyncGenerator<ResultRows> {
    const { exportedRows } = await import("./table-reading.js");
    const { format } = this.#wanted;
    yield* exportedRows(this.#session, call, options, (change) =>
      new TableQuery(this.#session, this.#codes, { ...change, format }).export({ stale: "wait" }),
    );
  }

  async #gathered(rows: AsyncGenerator<ResultRows>, call: TableCall, options: TableReadCall): Promise<Frame<Row>> {
    const batches: RecordBatch[] = [];
    let last: ResultRows | undefined;
    let key: Promise<readonly string[]> | undefined;
    for await (const part of rows) {
      key ??= keyOf(call);
      batches.push(...part.batches);
      last = part;
    }
    const source = await this.#source(last?.isComplete === true, call);
    return this.#frame({ batches, columns: last?.columns ?? [] }, options, (await key) ?? [], source);
  }

  #frame(
    { batches, columns }: Pick<ResultRows, "batches" | "columns">,
    options: ReadOptions,
    key: readonly string[],
    source: FrameSource,
  ): Frame<Row> {
    const table = tableOf(batches, batches[0]?.schema ?? schemaOf(columns, options));
    return Frame.from<Row>(keyed(table, options.key ?? key), source);
  }

  /**
   * The complete result as a bulk file (spec 4.9), without the limit of 10,000 rows per reply. `stale: "use"` (default)
   * takes an existing older file at once while a newer one is generated, `"wait"` waits for the newer one. Requires a
   * subscription; at most 60 an hour (spec 8).
   */
  export(options: ExportOptions = {}): BulkFile<Row> {
    checkExportOptions(options);
    const question = { ...this.#wanted, code: this.code, codes: this.#codes, filters: this.#filters };
    const origin = async (): Promise<BulkOrigin> => {
      const { tableExport } = await import("./table-export.js");
      return tableExport(this.#session, question, (signal) => this.#tableCall(signal), options);
    };
    return new BulkFile<Row>(this.code, origin, this.#session.settings.onProgress);
  }

  /**
   * Opens the copy of the result in a folder of Parquet files, a DuckDB file (`….duckdb`) or a SQL engine. If there is
   * none yet, it is made by an export. `sync()` brings it up to date, `frame()` and `sql()` read it without the
   * service. A folder holds one copy; a file or an engine one of each code.
   *
   * @throws {InputError} BadArgument for a limited query and a folder that mirrors another query, UnknownOption
   * @throws {FileError} BadMirror, and as the file system says
   */
  async mirror(target: MirrorTarget, options: MirrorOptions = {}): Promise<Mirror<Row>> {
    refuseUnknown(options, MIRROR_OPTIONS, "mirror()");
    const { select, limit } = this.#wanted;
    refuseLimited(this.code, limit);
    const filters = this.#filters;
    const known = await this.#session.memory.known<TableMetadata>(metadataKey(this.#codes));
    const files = options.files === true ? await import("../bulk/file-list.js") : undefined;
    if (files !== undefined) needFileLists(this.#session.settings.profile);
    const query = {
      code: this.code,
      question: mirrorQuestion(this.#session.settings.url, { code: this.code, filters, select }),
      about: sourceOf(this.code, filters, known),
      filters,
      // Parquet files, as pages in JSON, have both.
      emptyIsNull: files === undefined && !this.#session.settings.profile.csvQuotesEmptyText.value,
      select,
      metadata: (signal?: AbortSignal) => this.format("json").metadata({ signal, refresh: true }),
      export: () => (files === undefined ? this.export({ stale: "wait" }) : new files.FileList(...this.#fileList())),
      since: (column: string, day: string, signal?: AbortSignal) =>
        this.#with({ filters: sinceDay(filters, column, day), local: [] }).batches({ signal }),
    };
    const { placeAt } = await import("../mirror/place-at.js");
    const mirror = await new Mirror<Row>(query, placeAt(target, this.code, options.by), options).open();
    if (options.load !== false && mirror.isEmpty) await mirror.sync();
    return mirror;
  }

  #fileList(): ConstructorParameters<typeof FileList> {
    const { select } = this.#wanted;
    const parameters: Readonly<Record<string, string>> = select ? { "qopts.columns": select.join(",") } : {};
    const columns = async (signal?: AbortSignal) => {
      const all = (await this.format("json").metadata({ signal })).columns;
      return select?.flatMap((name) => all.filter((column) => column.name === name)) ?? all;
    };
    return [this.#session, { codes: this.#codes, parameters, filters: this.#filters }, columns];
  }

  /** The call with checked names; the metadata is requested if names or CSV require it, and cached. */
  async #tableCall(signal?: AbortSignal): Promise<TableCall> {
    const { filters, local = [], select, limit, pageSize = Number.POSITIVE_INFINITY, format } = this.#wanted;
    // JSON whatever the format of the rows, so that it can be cached.
    const json = this.format("json");
    const fresh = (): Promise<TableMetadata> => json.metadata({ signal, refresh: true });
    let asked: Promise<TableMetadata> | undefined;
    const metadata = (): Promise<TableMetadata> => {
      asked ??= this.#session.memory.remember(metadataKey(this.#codes), () => json.metadata({ signal }), signal);
      return asked;
    };
    const names = [...(select ?? []), ...local.map(({ column }) => column)];
    const again = this.#session.settings.cache && fresh;
    const checked = (): Promise<TableMetadata> => metadataWithNames(this.code, names, filters, metadata, again);
    const known = filters.length + names.length > 0 ? await checked() : undefined;
    const here = local.filter(({ column }) => known?.filters.includes(column) === false);
    const sent = withColumns(select, here);
    const size = Math.min(pageSize, here.length === 0 ? (limit ?? pageSize) : pageSize);
    return {
      code: this.code,
      known,
      refreshed_at: (known ?? this.#session.memory.peek<TableMetadata>(metadataKey(this.#codes)))?.status?.refreshed_at,
      codes: this.#codes,
      filters: [...filters, ...local.filter((filter) => !here.includes(filter))],
      select: sent,
      ...(Number.isFinite(size) ? { pageSize: size } : {}),
      format,
      shape: { here, ...(sent === select ? {} : { show: select }) },
      limit,
      metadata,
      fresh,
    };
  }

  async #source(isComplete: boolean, call: TableCall): Promise<FrameSource> {
    const known = (await this.#session.memory.known<TableMetadata>(metadataKey(this.#codes))) ?? call.known;
    const { limit } = this.#wanted;
    const about = sourceOf(this.code, this.#filters, known);
    return { ...about, ...(limit === undefined ? {} : { limit }), complete: isComplete };
  }

  static {
    showAsCard<TableQuery>(TableQuery.prototype, (query) => {
      const { select, limit } = query.#wanted;
      const entries = [["columns", select?.join(", ")]] as const;
      const next = "await query.frame(), .page(), .metadata(), .explain(); query.batches(), .export()";
      return queryCard("Table", { code: query.code, filters: query.#filters, limit }, entries, next);
    });
    showTypeArguments<TableQuery>(TableQuery.prototype, (query) => {
      const known = query.#session.memory.peek<TableMetadata>(metadataKey(query.#codes));
      if (known === undefined) return undefined;
      const named = (names: readonly string[]): ColumnSpec[] =>
        names.flatMap((name) => known.columns.find((column) => column.name === name) ?? []);
      const { select } = query.#wanted;
      return [rowType(select === undefined ? known.columns : named(select)), rowType(named(known.filters))];
    });
  }

  get #filters(): readonly Filter[] {
    const { filters, local = [] } = this.#wanted;
    return [...filters, ...local];
  }

  #with(change: Partial<Wanted>): TableQuery<Row, Filterable> {
    return new TableQuery(this.#session, this.#codes, { ...this.#wanted, ...change });
  }
}

/** How often `frame()` begins to read a table that is refreshed meanwhile. */
const MAX_STARTS = 3;

/** What a mirror holds, in a line: another service, table, filter or selection has another one. */
function mirrorQuestion(
  url: string,
  { code, filters, select }: { code: string; filters: readonly Filter[]; select: readonly string[] | undefined },
): string {
  // The embedded service has another port each time.
  const place = isLocal(url) ? new URL(url).hostname : url;
  const columns = select === undefined ? [] : [`columns ${select.map(quoted).join(", ")}`];
  return [place, code, ...filters.map(shownFilter), ...columns].join(" ");
}

const shownFilter = ({ column, operator, values }: Filter): string =>
  `${quoted(column)} ${operator} ${values.map(quoted).join(",")}`;

/** As it is, unless it could be taken for several names or values. */
const quoted = (text: string): string => (/^[^\s",]+$/.test(text) ? text : JSON.stringify(text));

/** The filters with another that `column` is at or after `day`, joined with the one that it has. */
function sinceDay(filters: readonly Filter[], column: string, day: string): Filter[] {
  const isBound = (filter: Filter): boolean => filter.column === column && filter.operator === "gte";
  const bounds = filters.filter(isBound).map(({ values: [bound] }) => bound);
  // What is not written as a date may be later than the day.
  const later = bounds.find((bound) => !/^\d{4}-\d\d-\d\d/.test(bound) || bound > day);
  return [...filters.filter((filter) => !isBound(filter)), { column, operator: "gte", values: [later ?? day] }];
}

/** @throws {InputError} BadArgument for a profile without lists of files */
function needFileLists(profile: Profile): void {
  if (hasExtension(profile, "fileLists")) return;
  throw new InputError(`A service of the profile ${profile.name} does not list the files of a table.`, {
    code: "BadArgument",
    hint: "Leave files out, or add fileLists to the extensions of the profile.",
  });
}

/** @throws {InputError} BadArgument for a limited query: a mirror would miss the rows beyond it */
function refuseLimited(code: string, limit: number | undefined): void {
  if (limit === undefined) return;
  throw new InputError(`A mirror of ${code} holds all rows of its query; the query is limited to ${limit}.`, {
    code: "BadArgument",
    hint: "Leave the limit out; filters mirror fewer rows.",
  });
}
