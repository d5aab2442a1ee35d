import type { Filter } from "./endpoints.js";

/** The origin of a frame's rows: kept beside the table, never in its Arrow bytes. */
export interface FrameSource {
  /** `DATABASE/DATASET` or `VENDOR/TABLE`, or a file name. */
  readonly code: string;
  /** The service's title and description of the data. */
  readonly name?: string;
  /** The service's description of the data. */
  readonly description?: string;
  /** When the service last refreshed the data, ISO 8601. */
  readonly refreshed_at?: string;
  /** The row filters of the request. */
  readonly filters?: readonly Filter[];
  /** The collapse, transform, order and limit of the request (spec 4.2). */
  readonly collapse?: string;
  /** The transform of the request. */
  readonly transform?: string;
  /** The order of the request. */
  readonly order?: string;
  /** The row limit of the request. */
  readonly limit?: number;
  /** The frequency of the series, as the service names it. */
  readonly frequency?: string;
  /** First and last requested day, both inclusive. */
  readonly start_date?: string;
  /** The last requested day, inclusive. */
  readonly end_date?: string;
  /** Whether all rows are present: false if a limit or page truncated them. */
  readonly complete?: boolean;
  /** The columns of a file whose types were inferred, as read: `date Date, close BigDecimal(9,4)`. */
  readonly inferred?: string;
  /** Whether the rows were computed from those of the source, as by `sql()` or `groupBy()`. */
  readonly computed?: true;
  /** Whether the rows are those of a cached reply: the service was asked for its refresh time alone. */
  readonly cached?: true;
  /** Folder of the mirror that the rows were read from. */
  readonly mirror?: string;
  /** Address of the request, without the key. */
  readonly url?: string;
}
