import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { rememberSecret } from "../../errors/secrets.js";
import { shown } from "../../errors/shown.js";
import { percentDecoded } from "../../value/text.js";

/** Options of `clickhouse()`. User, password and database may also be in the address. */
export interface ClickhouseOptions {
  /** Name of the user. */
  readonly user?: string;
  /** Password of the user. */
  readonly password?: string;
  /** The database in which tables are. */
  readonly database?: string;
  /**
   * The name of a cluster of the server's configuration: `load` then makes replicated tables on all of its nodes, and a
   * distributed table over them.
   */
  readonly cluster?: string;
  /** Milliseconds without a byte after which a request fails. Default 300,000. */
  readonly timeout?: number;
  /** Attempts after a lost connection or while the server is overloaded. Default 3. */
  readonly retries?: number;
  /** Whether rows are compressed on the way. Default true. */
  readonly compression?: boolean;
  /**
   * Seconds without a new row after which the staging table of an unfinished load is dropped by the next load of that
   * name; default 3,600.
   */
  readonly abandonedAfter?: number;
  /** Settings of the server for every request, such as `{ max_memory_usage: 4e9 }`. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** Where a server is, and how it is used. */
export interface Target extends Required<Omit<ClickhouseOptions, "database" | "cluster">> {
  /** The origin and path of the HTTP interface, without user, password and query. */
  readonly url: string;
  readonly database: string | undefined;
  readonly cluster: string | undefined;
}

const PORTS: Readonly<Record<string, string>> = { "http:": "8123", "https:": "8443" };

/** Addresses of the database as such, and the protocol of its HTTP interface. */
const PROTOCOLS: Readonly<Record<string, string>> = { "clickhouse:": "http:", "clickhouses:": "https:" };

/**
 * Reads an address such as `clickhouse://user:password@host/database` or `https://host:8443`.
 *
 * @throws {InputError} BadAddress, BadArgument, UnknownOption
 */
export function targetOf(address: string, options: ClickhouseOptions): Target {
  refuseUnknown(
    options,
    ["user", "password", "database", "cluster", "timeout", "retries", "compression", "settings", "abandonedAfter"],
    "clickhouse()",
  );
  const url = parsed(address);
  const secure = /^(1|true)$/.test(url.searchParams.get("secure") ?? "");
  const protocol = secure ? "https:" : (PROTOCOLS[url.protocol] ?? url.protocol);
  const host = `${url.hostname}:${url.port === "" ? PORTS[protocol] : url.port}`;
  const [first, ...rest] = url.pathname.split("/").filter((part) => part !== "");
  // In an http address a path may belong to a proxy; only a single part can be the database.
  const inPath = rest.length === 0 && first !== undefined ? decoded(first) : undefined;
  const password = options.password ?? decoded(url.password);
  rememberSecret(password);
  const {
    timeout = 300_000,
    retries = 3,
    compression = true,
    settings = {},
    cluster,
    abandonedAfter = 3_600,
  } = options;
  for (const [name, value] of Object.entries({ timeout, retries, abandonedAfter })) {
    if (!Number.isInteger(value) || value < 0) {
      throw new InputError(`clickhouse() expects ${name} as a whole number; got ${shown(value)}.`, {
        code: "BadArgument",
      });
    }
  }
  return {
    url: `${protocol}//${host}`,
    user: options.user ?? (url.username === "" ? "default" : decoded(url.username)),
    password,
    database: options.database ?? inPath,
    cluster,
    timeout,
    retries,
    compression,
    abandonedAfter,
    settings,
  };
}

function parsed(address: string): URL {
  let url: URL | undefined;
  try {
    url = new URL(address);
  } catch {
    // The address may hold a password: neither it nor the error that quotes it may be shown.
  }
  if (url !== undefined && (url.protocol in PORTS || url.protocol in PROTOCOLS) && url.hostname !== "") return url;
  throw new InputError("The address is not that of a ClickHouse server.", {
    code: "BadAddress",
    hint: "Pass an address such as clickhouse://user:password@host/database or http://localhost:8123.",
  });
}

const decoded = (text: string): string => percentDecoded(text) ?? text;
