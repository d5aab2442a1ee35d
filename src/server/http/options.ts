import type { Table } from "../../columns/arrow/arrow.js";
import type { Engine, Stoppable } from "../../engine/contract/engine.js";
import type { CatalogItem } from "../../spec/endpoints.js";
import type { Profile, ProfileName } from "../../spec/profile.js";
import type { KeyGrant } from "../answers/keys.js";
import type { EngineTable } from "../data/foreign-tables.js";
import type { TableHistory } from "../data/past-tables.js";
import type { Source } from "../data/source.js";
import type { CorsOrigins } from "./cors.js";
import type { RequestLog } from "./request-log.js";

/** Time limits for callers, in milliseconds. */
export interface ServerTimeouts {
  /** For the headers of a request; default 10,000. */
  readonly headers?: number;
  /** For a whole request; default 30,000. */
  readonly request?: number;
  /** Without a byte in either direction; default 30,000. */
  readonly idle?: number;
  /** Between two requests on one connection; default 5,000. */
  readonly keepAlive?: number;
}

/**
 * An engine whose results are Frames or other holders of an Arrow table, such as that of `duckdb()` from
 * `arrowbook/duckdb`.
 */
export interface TableHolderEngine extends Omit<Engine, "query"> {
  /** The result of a statement as an object that holds an Arrow table. */
  query(sql: string, params?: readonly unknown[], options?: Stoppable): Promise<{ readonly table: Table }>;
}

/** Options of a service; see docs/server.md. */
export interface ServeOptions {
  /**
   * A folder with a `catalog.json`, or a source such as `sampleData()`. If omitted, the contents of `database` are
   * served.
   */
  readonly data?: string | Source;
  /**
   * The earlier states of tables of the catalogue, such as mirrors with `history`, for calls of the profile's extension
   * `pointInTime`.
   */
  readonly history?: TableHistory | readonly TableHistory[];
  /** Port to listen on; 0 (default) selects a free one. */
  readonly port?: number;
  /** Address to listen on; default `127.0.0.1`, this machine only. Any other requires `apiKeys`. */
  readonly host?: string;
  /**
   * Public origin behind a proxy, with which links to bulk files start. Default: the address of the request, with https
   * where the proxy sends `X-Forwarded-Proto: https`.
   */
  readonly publicUrl?: string;
  /** Origins whose web pages may read the replies, or `"*"` for all (CORS). Default: none. */
  readonly cors?: CorsOrigins;
  /**
   * Host names, without port, that requests may be for, in addition to those of this machine and of `publicUrl`.
   * Default: no others on this machine; any on another `host`.
   */
  readonly allowedHosts?: readonly string[];
  /** Keys and their subscriptions; default: the key `sample`, subscribed to everything. */
  readonly apiKeys?: Readonly<Record<string, KeyGrant>>;
  /**
   * Database file that keeps rows, bulk files and counts across restarts; default: in memory, bulk files in a temporary
   * folder.
   */
  readonly database?: string;
  /**
   * An engine to store the rows in, such as `await duckdb()`; it is not closed with the service. Default: an embedded
   * one.
   */
  readonly engine?: Engine | TableHolderEngine;
  /**
   * Tables that are in `engine` already, by their codes `VENDOR/TABLE`: each as `database.table`, or with its key and
   * version. They are read only; instead of `data`.
   */
  readonly tables?: Readonly<Record<string, string | EngineTable>>;
  /** Monotonic milliseconds, by which links and hourly limits are timed. Default `performance.now`. */
  readonly clock?: () => number;
  /** Option values, limits and error codes; default `specification`. */
  readonly profile?: Profile | ProfileName;
  /** Called for each handled request, with keys removed. */
  readonly log?: (entry: RequestLog) => void;
  /** The most rows that a table query may match (spec 7); default 1,000,000. */
  readonly maxResultRows?: number;
  /** Size of the reply cache in bytes; 0 disables it. Default 64 MB. */
  readonly replyCacheBytes?: number;
  /** Time limits of connections, in milliseconds. */
  readonly timeouts?: ServerTimeouts;
  /** Connections at once; default 1,000. A new one replaces an idle one. */
  readonly maxConnections?: number;
  /**
   * Concurrent connections from one address; default a quarter of `maxConnections`, at least 16. Raise it behind a
   * proxy, which is a single address for all callers.
   */
  readonly maxConnectionsPerAddress?: number;
  /** Milliseconds that requests in progress may take when the service is closed; default 5,000. */
  readonly graceMs?: number;
}

/** A running service. */
export interface RunningService {
  /** Base address (spec: `{base_url}`), without a trailing slash. */
  readonly url: string;
  /** All codes: databases, each followed by its series, then tables. */
  catalog(): CatalogItem[];
  /**
   * Reloads the rows of a table (`SHARADAR/SEP`) or series (`EOD/AAPL`) from its file; existing exports become out of
   * date.
   */
  refresh(code: string): Promise<void>;
  /** Allows the process to end while the service is idle. */
  unref(): void;
  /** Stops listening, lets requests finish, and saves the state. */
  close(): Promise<void>;
}
