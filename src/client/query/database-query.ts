import { showAsCard } from "../../display/base/card.js";
import type { DatabaseMetadata } from "../../document/records.js";
import { refuseUnknown } from "../../errors/options.js";
import type { Cell } from "../../frame/cells/rows.js";
import type { CatalogItem } from "../../spec/catalog-item.js";
import type { Call } from "../../spec/endpoints.js";
import type { DownloadType, Format, Unlisted } from "../../spec/vocabulary.js";
import type { BulkOrigin } from "../bulk/archive.js";
import { BulkFile } from "../bulk/bulk-file.js";
import { shownDatabase } from "../cards/metadata-cards.js";
import { queryCard } from "../cards/query-card.js";
import type { MetadataCall } from "../transport/ask.js";
import type { MetadataCache } from "../transport/metadata-cache.js";
import type { Session } from "../transport/session.js";
import { DatasetQuery } from "./dataset-query.js";
import { formatOf, wholeOf, word } from "./words.js";

/** A query of a database of time series (spec 4.5, 4.6). Immutable. */
export class DatabaseQuery {
  readonly #session: Session;
  readonly #memory: MetadataCache;
  readonly #format: Format;
  /** Code of the database. */
  readonly code: string;

  constructor(session: Session, memory: MetadataCache, code: string, format: Format = "json") {
    this.#session = session;
    this.#memory = memory;
    this.code = code;
    this.#format = format;
  }

  /** The format of the metadata reply. Default `json`. */
  format(format: Format): DatabaseQuery {
    return new DatabaseQuery(this.#session, this.#memory, this.code, formatOf(format));
  }

  /** The metadata (spec 2.4). `refresh: true` requests it even if the cache on disk has it. */
  async metadata(options: MetadataCall = {}): Promise<DatabaseMetadata> {
    refuseUnknown(options, ["signal", "refresh"], "metadata()");
    const { askMetadata } = await import("../transport/ask.js");
    const codes = { database_code: this.code };
    const call = { endpoint: "databaseMetadata", codes, format: this.#format, parameters: {}, filters: [] } as const;
    return shownDatabase((await askMetadata(this.#session, "databaseMetadata", call, options)).document.fields);
  }

  /**
   * Its time series, if the service lists its codes; at most `limit`, all by default.
   *
   * @throws {InputError} NoCatalog otherwise
   */
  async datasets(
    options: { readonly query?: string; readonly limit?: number; readonly signal?: AbortSignal } = {},
  ): Promise<CatalogItem[]> {
    refuseUnknown(options, ["query", "limit", "signal"], "datasets()");
    if (options.limit !== undefined) wholeOf(options.limit, 1, "datasets({ limit })");
    const { listCodes } = await import("../discovery/catalogue.js");
    return listCodes(this.#session, ["dataset"], { ...options, database: this.code });
  }

  /**
   * The bulk file (spec 2.5, 4.6): `full` has all observations of all series, `partial` the latest of each. Columns:
   * `Code`, the date column, then the columns of the series as `Float64`. Requires a subscription to a premium
   * database.
   */
  bulk<Row extends object = Record<string, Cell>>(type: DownloadType | Unlisted = "full"): BulkFile<Row> {
    const { settings } = this.#session;
    const { downloadTypes, downloadWords } = settings.profile;
    const known = [...Object.keys(downloadWords.value), ...downloadTypes.value];
    const parameters = { download_type: word(settings, "download_type", type, known) };
    const call: Call = { endpoint: "databaseBulk", codes: { database_code: this.code }, parameters, filters: [] };
    const origin = async (): Promise<BulkOrigin> => {
      const { databaseBulk } = await import("./database-bulk.js");
      return databaseBulk(this.#session, this.code, call, (series) => this.#titles(series));
    };
    return new BulkFile<Row>(this.code, origin, settings.onProgress);
  }

  static {
    showAsCard<DatabaseQuery>(DatabaseQuery.prototype, ({ code }) =>
      queryCard("Database", { code }, [], 'await query.metadata(); query.bulk("full")'),
    );
  }

  /** The titles of a series of this database, for a file without a header line. */
  async #titles(series: string): Promise<readonly string[]> {
    const code = series.startsWith(`${this.code}/`) ? series.slice(this.code.length + 1) : series;
    const query = new DatasetQuery(this.#session, this.#memory, [this.code, code]);
    return (await this.#memory.remember(`dataset ${query.code}`, () => query.metadata())).column_names;
  }
}
