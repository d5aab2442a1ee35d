import type { RecordBatch } from "../../columns/arrow/arrow.js";
import { checkReadOptions } from "../../columns/arrow/read-options.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { tableOf } from "../../columns/table/conform.js";
import { keyed, keying } from "../../columns/table/pick.js";
import { showAsCard } from "../../display/base/card.js";
import type { TableMetadata } from "../../document/records.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import type { Cell } from "../../frame/cells/rows.js";
import { Frame } from "../../frame/frame.js";
import type { ColumnSpec } from "../../spec/columns.js";
import type { Conditions } from "../../spec/conditions.js";
import type { Filter } from "../../spec/endpoints.js";
import type { FrameSource } from "../../spec/frame-source.js";
import type { Format } from "../../spec/vocabulary.js";
import { serviceColumns } from "../bulk/bulk-columns.js";
import { BulkFile } from "../bulk/bulk-file.js";
import { type ExportOptions, exportSource } from "../bulk/export-source.js";
import { shownTable } from "../cards/metadata-cards.js";
import { queryCard } from "../cards/query-card.js";
import { ask } from "../transport/ask.js";
import type { Memory } from "../transport/metadata-cache.js";
import type { Session } from "../transport/request.js";
import type { ReadCall } from "./dataset-query.js";
import { checkNames, filtersOf } from "./filters.js";
import { type Page, pageOf, pagesOf, type TableCall } from "./table-pages.js";
import { emptyTextOf } from "./typed-rows.js";
import { formatOf, wholeOf } from "./words.js";

/** A page of table rows and the cursor of the next one; null after the last (spec 2.6). */
export interface TablePage<Row extends object = Record<string, Cell>> {
  readonly frame: Frame<Row>;
  readonly next: string | null;
}

interface Wanted {
  readonly filters: readonly Filter[];
  readonly select?: readonly string[];
  readonly pageSize?: number;
  readonly format: Format;
}

/**
 * A question about a table (spec 4.7–4.9). Immutable: every method gives a new query. Names are checked against the
 * table's metadata before rows are asked for.
 *
 * @example
 * ```ts
 * import { connect } from "arrowbook";
 * const service = await connect.sample();
 * const prices = service.table("MARKET/PRICES").where({ ticker: ["AAA", "BBB"], date: { gte: "2024-01-01" } });
 * console.log((await prices.select("ticker", "date", "close").frame()).numRows);
 * await service.close();
 * ```
 */
export class TableQuery<Row extends object = Record<string, Cell>> {
  readonly #session: Session;
  readonly #memory: Memory;
  readonly #codes: { readonly vendor_code: string; readonly datatable_code: string };
  readonly #wanted: Wanted;

  constructor(
    session: Session,
    memory: Memory,
    codes: readonly [string, string],
    wanted: Wanted = { filters: [], format: "json" },
  ) {
    this.#session = session;
    this.#memory = memory;
    this.#codes = { vendor_code: codes[0], datatable_code: codes[1] };
    this.#wanted = wanted;
  }

  /** `VENDOR/TABLE`. */
  get code(): string {
    return `${this.#codes.vendor_code}/${this.#codes.datatable_code}`;
  }

  /**
   * Keeps the rows that meet every condition, in addition to earlier ones. Only columns in `metadata().filters` can be
   * used (spec 4.7).
   */
  where(conditions: Conditions<Row>): TableQuery<Row> {
    const more = filtersOf(this.#session.settings, conditions as Readonly<Record<string, unknown>>);
    return this.#with({ filters: [...this.#wanted.filters, ...more] });
  }

  /** These columns only, in this order (spec 4.7, `qopts.columns`); as arguments or as one array. */
  select<Name extends keyof Row & string>(...names: readonly Name[]): TableQuery<Pick<Row, Name>>;
  select<Name extends keyof Row & string>(names: readonly Name[]): TableQuery<Pick<Row, Name>>;
  select(...given: readonly (string | readonly string[])[]): TableQuery<Row> {
    const names = given.flat();
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (names.length === 0 || twice !== undefined) {
      throw new InputError(twice ? `select() names ${JSON.stringify(twice)} twice.` : "select() names no column.", {
        code: "BadSelection",
        hint: "Name each wanted column once.",
      });
    }
    const wanted = { ...this.#wanted, select: names };
    return new TableQuery(this.#session, this.#memory, this.#pair(), wanted);
  }

  /** Rows of one page, at most 10,000 (spec 8); fewer make more requests. */
  pageSize(rows: number): TableQuery<Row> {
    return this.#with({ pageSize: wholeOf(rows, 1, "pageSize()") });
  }

  /** The format of the replies; the columns are the same whichever it is. Default `json`. */
  format(format: Format): TableQuery<Row> {
    return this.#with({ format: formatOf(format) });
  }

  /** The metadata (spec 2.7). */
  async metadata(options: { readonly signal?: AbortSignal } = {}): Promise<TableMetadata> {
    refuseUnknown(options, ["signal"], "metadata()");
    const { format } = this.#wanted;
    const call = { endpoint: "tableMetadata", codes: this.#codes, format, parameters: {}, filters: [] } as const;
    const read = async (): Promise<TableMetadata> =>
      shownTable((await ask(this.#session, "tableMetadata", call, options.signal)).document.fields);
    // The list cells of metadata in CSV are not always lists that can be read: only JSON is worth remembering.
    return format === "json" ? this.#memory.renew(this.#remembered, read) : read();
  }

  /**
   * All rows, through every page. Throws ServiceError, TransportError, DataError, InputError; never returns part of the
   * rows.
   */
  async frame(options: ReadCall = {}): Promise<Frame<Row>> {
    checkReadOptions(options, "frame()");
    const batches: RecordBatch[] = [];
    let last: Page | undefined;
    const call = await this.#tableCall(options.signal);
    let key: Promise<readonly string[]> | undefined;
    for await (const page of pagesOf(this.#session, call, options)) {
      key ??= keyOf(call);
      batches.push(...page.batches);
      last = { ...page, capped: page.capped || last?.capped === true };
    }
    return this.#frame(
      { batches, columns: last?.columns ?? [] },
      options,
      (await key) ?? [],
      await this.#source(last, call),
    );
  }

  /** The rows as record batches, page by page; the next page is on its way while one is used. */
  async *batches(options: ReadCall = {}): AsyncGenerator<RecordBatch> {
    checkReadOptions(options, "batches()");
    const call = await this.#tableCall(options.signal);
    let underKey: ((batch: RecordBatch) => RecordBatch) | undefined;
    for await (const page of pagesOf(this.#session, call, options)) {
      underKey ??= keying(options.key ?? (await keyOf(call)));
      yield* page.batches.map(underKey);
    }
  }

  /** One page: the first, or the one that `cursor` of an earlier page's `next` stands for. */
  async page(cursor?: string | null, options: ReadCall = {}): Promise<TablePage<Row>> {
    checkReadOptions(options, "page()");
    const call = await this.#tableCall(options.signal);
    const page = await pageOf(this.#session, call, cursor ?? null, options);
    return { frame: this.#frame(page, options, await keyOf(call), await this.#source(page, call)), next: page.next };
  }

  #frame(
    { batches, columns }: Pick<Page, "batches" | "columns">,
    options: ReadCall,
    key: readonly string[],
    source: FrameSource,
  ): Frame<Row> {
    const table = tableOf(batches, batches[0]?.schema ?? schemaOf(columns, options));
    return Frame.from<Row>(keyed(table, options.key ?? key), source);
  }

  /**
   * The whole answer as a bulk file (spec 4.9), not bound by the 10,000 rows of a reply. `stale: "use"` (default) takes
   * an older file at once while a newer one is made, `"wait"` waits for the newer one. For subscribers only, 60 an hour
   * (spec 8).
   */
  export(options: ExportOptions = {}): BulkFile<Row> {
    refuseUnknown(options, ["stale", "poll"], "export()");
    const { filters, select, format } = this.#wanted;
    const parameters = { ...(select ? { "qopts.columns": select.join(",") } : {}), "qopts.export": "true" };
    const call = { endpoint: "tableExport", codes: this.#codes, format, parameters, filters } as const;
    const source = exportSource(this.#session, call, this.code, options);
    const checked = async (signal?: AbortSignal): Promise<TableCall> => this.#tableCall(signal);
    return new BulkFile<Row>({
      code: this.code,
      about: sourceOf(this.code, filters, undefined),
      choose: async (firstCells) => {
        const { columns, primary_key: key } = await (await checked()).metadata();
        const wanted = select?.map((name) => columns.find((column) => column.name === name) as ColumnSpec);
        return { ...(await serviceColumns(wanted ?? columns, firstCells)), key };
      },
      emptyText: emptyTextOf(this.#session.settings.profile),
      status: async (signal) => {
        await checked(signal);
        return source.status(signal);
      },
      ready: async (signal, onProgress) => {
        await checked(signal);
        return source.ready(signal, onProgress);
      },
      from: {
        session: this.#session,
        source: {
          ...source,
          link: async (signal, onProgress) => {
            await checked(signal);
            return source.link(signal, onProgress);
          },
        },
      },
    });
  }

  /** The call with its names checked; the metadata is asked for where names or CSV make it needed, and remembered. */
  async #tableCall(signal?: AbortSignal): Promise<TableCall> {
    const { filters, select, pageSize, format } = this.#wanted;
    // JSON whatever the format of the rows, so that it is remembered.
    const fresh = (): Promise<TableMetadata> => this.format("json").metadata({ signal });
    const metadata = (): Promise<TableMetadata> => this.#memory.remember(this.#remembered, fresh);
    const known = filters.length > 0 || select !== undefined ? await metadata() : undefined;
    if (known) checkNames(this.code, known, select, filters);
    return { code: this.code, known, codes: this.#codes, filters, select, pageSize, format, metadata, fresh };
  }

  async #source(page: Page | undefined, call: TableCall): Promise<FrameSource> {
    const known = (await this.#memory.known<TableMetadata>(this.#remembered)) ?? call.known;
    return {
      ...sourceOf(this.code, this.#wanted.filters, known),
      complete: page !== undefined && page.next === null && !page.capped,
    };
  }

  /** Under which name the metadata is remembered. */
  get #remembered(): string {
    return `table ${this.code}`;
  }

  #pair(): readonly [string, string] {
    return [this.#codes.vendor_code, this.#codes.datatable_code];
  }

  static {
    showAsCard<TableQuery>(TableQuery.prototype, (query) => {
      const { filters, select } = query.#wanted;
      const entries = [["columns", select?.join(", ")]] as const;
      return queryCard(
        "Table",
        { code: query.code, filters },
        entries,
        "await query.frame(), .page(), .metadata(); query.batches(), .export()",
      );
    });
  }

  #with(change: Partial<Wanted>): TableQuery<Row> {
    return new TableQuery(this.#session, this.#memory, this.#pair(), { ...this.#wanted, ...change });
  }
}

/**
 * The primary key of the table (spec 2.7), requested once its first rows are there. Where the metadata cannot be read, the rows are
 * returned without a key.
 */
async function keyOf({ known, metadata }: TableCall): Promise<readonly string[]> {
  try {
    return (known ?? (await metadata())).primary_key ?? [];
  } catch {
    return [];
  }
}

/** What a frame of a table says of where it comes from. */
function sourceOf(code: string, filters: readonly Filter[], known: TableMetadata | undefined): FrameSource {
  const refreshed = known?.status?.refreshed_at;
  return {
    code,
    ...(filters.length > 0 ? { filters } : {}),
    ...(known ? { name: known.name } : {}),
    ...(known?.description ? { description: known.description } : {}),
    ...(refreshed ? { refreshed_at: refreshed } : {}),
  };
}
