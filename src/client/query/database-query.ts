import { showAsCard } from "../../display/base/card.js";
import type { DatabaseMetadata } from "../../document/records.js";
import { refuseUnknown } from "../../errors/options.js";
import type { Cell } from "../../frame/cells/rows.js";
import type { Call, CatalogItem } from "../../spec/endpoints.js";
import type { DownloadType, Format, Unlisted } from "../../spec/vocabulary.js";
import type { BulkOrigin } from "../bulk/archive.js";
import { BulkFile } from "../bulk/bulk-file.js";
import { queryCard, shownDatabase } from "../cards/cards.js";
import type { MetadataCall } from "../transport/ask.js";
import type { Session } from "../transport/session.js";
import { DatasetQuery } from "./dataset-query.js";
import { formatOf, optionValue, wholeOf } from "./option-values.js";
import { metadataKey, readMetadata } from "./read-metadata.js";

/** A query of a database of time series (spec 4.5, 4.6). Immutable. */
export class DatabaseQuery {
  readonly #session: Session;
  readonly #format: Format;
  /** Code of the database. */
  readonly code: string;

  constructor(session: Session, code: string, format: Format = "json") {
    this.#session = session;
    this.code = code;
    this.#format = format;
  }

  /** The format of the metadata reply. Default `json`. */
  format(format: Format): DatabaseQuery {
    return new DatabaseQuery(this.#session, this.code, formatOf(format));
  }

  /** The metadata (spec 2.4). `refresh: true` requests it even if the cache on disk has it. */
  metadata(options: MetadataCall = {}): Promise<DatabaseMetadata> {
    const of = { endpoint: "databaseMetadata", codes: { database_code: this.code }, format: this.#format } as const;
    return readMetadata(this.#session, of, options, shownDatabase);
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
    const { listCodes } = await import("../discovery/list-codes.js");
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
    const parameters = { download_type: optionValue(settings, "download_type", type, known) };
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
    const codes = { database_code: this.code, dataset_code: code };
    const read = () => new DatasetQuery(this.#session, codes).metadata();
    return (await this.#session.memory.remember(metadataKey(codes), read)).column_names;
  }
}
