import type { Filter } from "./endpoints.js";

/** Where the rows of a frame come from: kept beside the table, never inside its Arrow bytes. */
export interface FrameSource {
  /** `DATABASE/DATASET` or `VENDOR/TABLE`, or the name of a file. */
  readonly code: string;
  /** The service's title and description of the data. */
  readonly name?: string;
  readonly description?: string;
  /** When the service last refreshed the data, ISO 8601. */
  readonly refreshed_at?: string;
  readonly filters?: readonly Filter[];
  /** The collapse, transform, order and limit of the request (spec 4.2). */
  readonly collapse?: string;
  readonly transform?: string;
  readonly order?: string;
  readonly limit?: number;
  readonly frequency?: string;
  /** First and last day asked for, both inclusive. */
  readonly start_date?: string;
  readonly end_date?: string;
  /** Whether these are all the rows there are: false when a limit or a page cut them. */
  readonly complete?: boolean;
  /** Address of the request, without the key. */
  readonly url?: string;
}
