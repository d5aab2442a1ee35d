import type { Table } from "../../columns/arrow/arrow.js";
import type { Engine } from "../../engine/engine.js";
import type { CatalogItem } from "../../spec/catalog-item.js";
import type { Profile, ProfileName } from "../../spec/profile.js";
import type { KeyGrant } from "../answers/keys.js";
import type { Source } from "../data/source.js";
import type { RequestLog } from "./request-log.js";

/** How long a caller may take, in milliseconds. */
export interface ServerTimeouts {
  /** For the headers of a request; default 10,000. */
  readonly headers?: number;
  /** For a whole request; default 30,000. */
  readonly request?: number;
  /** Without a byte either way; default 30,000. */
  readonly idle?: number;
  /** Between two requests on one connection; default 5,000. */
  readonly keepAlive?: number;
}

/**
 * An engine whose answers are Frames, or anything else around an Arrow table: what `duckdb()` of `arrowbook/duckdb`
 * gives.
 */
export interface TableHolderEngine extends Omit<Engine, "query"> {
  query(sql: string, params?: readonly unknown[]): Promise<{ readonly table: Table }>;
}

/** How a service is started; see docs/server.md. */
export interface ServeOptions {
  /**
   * A folder with a `catalog.json`, or a source such as `sampleData()`. Left out, a `database` file serves what it
   * holds.
   */
  readonly data?: string | Source;
  /** Port to listen on; 0 (default) takes a free one. */
  readonly port?: number;
  /** Address to listen on; default `127.0.0.1`, this machine only. Any other needs `apiKeys`. */
  readonly host?: string;
  /** Public address, where a proxy is in front; links to bulk files begin with it. */
  readonly publicUrl?: string;
  /** Keys and what they subscribe to; default: the key `sample`, subscribed to everything. */
  readonly apiKeys?: Readonly<Record<string, KeyGrant>>;
  /**
   * Database file that keeps rows, bulk files and counts across restarts; default: in memory, bulk files in a temporary
   * folder.
   */
  readonly database?: string;
  /**
   * An engine to store the rows in, such as `await duckdb()`; it is not closed with the service. Default: the embedded
   * one.
   */
  readonly engine?: Engine | TableHolderEngine;
  /** Milliseconds that never go back; links and hours are counted by it. Default `performance.now`. */
  readonly clock?: () => number;
  /** Option values, limits and error codes; default `specification`. */
  readonly profile?: Profile | ProfileName;
  /** Called for each answered request, keys removed. */
  readonly log?: (entry: RequestLog) => void;
  /** Most rows a table question may match before it is refused (spec 7); default 1,000,000. */
  readonly maxResultRows?: number;
  /** Bytes of replies that are kept for equal questions on equal rows; 0 keeps none. Default 64 MB. */
  readonly replyCacheBytes?: number;
  readonly timeouts?: ServerTimeouts;
  /** Connections at once; default 1,000. A new one takes the place of one that asks nothing. */
  readonly maxConnections?: number;
  /**
   * Connections at once from one address; default a quarter of `maxConnections`, at least 16. Raise it behind a proxy,
   * which is one address for all its callers.
   */
  readonly maxConnectionsPerAddress?: number;
  /** Milliseconds that requests under way get to finish when the service is closed; default 5,000. */
  readonly graceMs?: number;
}

/** A service that runs. */
export interface RunningService {
  /** Base address (spec: `{base_url}`), without a trailing slash. */
  readonly url: string;
  /** Everything it holds, databases first, each followed by its series, then tables. */
  catalog(): CatalogItem[];
  /**
   * Loads the rows of a table (`SHARADAR/SEP`) or series (`EOD/AAPL`) again from its file; exports made before are then
   * out of date.
   */
  refresh(code: string): Promise<void>;
  /** Lets the process end while the service is idle. */
  unref(): void;
  /** Stops listening, lets requests finish, writes what is to be remembered. */
  close(): Promise<void>;
}
