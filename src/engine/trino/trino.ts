import { setTimeout as delay } from "node:timers/promises";
import { type RecordBatch, Schema, Table } from "../../columns/arrow/arrow.js";
import { schemaOf } from "../../columns/arrow/schema.js";
import { jsonRows } from "../../columns/json/reader.js";
import { tableOf } from "../../columns/table/conform.js";
import { DataError, FileError, InputError, TransportError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { rememberSecret, scrub } from "../../errors/secrets.js";
import { shown } from "../../errors/shown.js";
import { readEnvelope } from "../../format/json-envelope.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { withoutEnd } from "../../value/text.js";
import type { Stoppable } from "../contract/engine.js";
import { missingParam } from "../contract/statements.js";

/** Options of `trino()`. */
export interface TrinoOptions {
  /** The server, such as `https://trino.example.com` or `http://localhost:8080`. */
  readonly url: string;
  /** The user; for a data delivery service that replies to SQL, the API key. */
  readonly user: string;
  /** Password of the user. */
  readonly password?: string;
  /** The catalog of names without one. Default `main`. */
  readonly catalog?: string;
  /** The schema in which tables are. */
  readonly schema?: string;
  /** Attempts while the server is overloaded or the connection breaks. Default 5. */
  readonly retries?: number;
}

/** A Trino server whose results are Arrow. */
export interface TrinoEngine {
  /**
   * Runs a statement and returns its complete result, decimals and dates exact.
   *
   * @param params values for `$1`, `$2`, … in the statement
   * @throws {InputError} BadStatement, EngineAccess, UnsupportedType for arrays, maps and rows
   * @throws {DataError} EngineData for values that the statement cannot convert; BadCell
   * @throws {TransportError} Unreachable, ConnectionLost, EngineBusy
   */
  query(sql: string, params?: readonly unknown[], options?: Stoppable): Promise<Table>;
  /** The result as record batches, one page of the server in memory at a time. */
  batches(sql: string, params?: readonly unknown[], options?: Stoppable): AsyncGenerator<RecordBatch>;
}

/** A page of a result, as the protocol of Trino defines it. */
interface Page {
  readonly nextUri?: string;
  readonly columns?: readonly { readonly name: string; readonly type: string }[];
  readonly error?: { readonly message: string; readonly errorName?: string; readonly errorType?: string };
  readonly batches: readonly RecordBatch[];
}

const FIRST_PAUSE = 100;
/** The most milliseconds that the retries of one request wait, whatever the server asks for. */
const LONGEST_WAIT = 300_000;
const BUSY = new Set([429, 502, 503, 504]);

/**
 * A Trino server for queries, over its HTTP protocol. Nothing is sent before the first query.
 *
 * @throws {InputError} BadAddress, BadArgument, UnknownOption
 */
export function trinoEngine(options: TrinoOptions): TrinoEngine {
  refuseUnknown(options, ["url", "user", "password", "catalog", "schema", "retries"], "trino()");
  const { user, password, catalog = "main", schema, retries = 5 } = options;
  if (typeof user !== "string" || user === "") {
    throw new InputError("trino() expects a user.", { code: "BadArgument", hint: "Pass the API key as `user`." });
  }
  rememberSecret(user);
  if (password !== undefined) rememberSecret(password);
  const origin = originOf(options.url);
  const headers: Record<string, string> = {
    // Header values are bytes: other characters than ASCII are sent as UTF-8.
    "x-trino-user": Buffer.from(user).toString("latin1"),
    "x-trino-source": "arrowbook",
    "x-trino-catalog": catalog,
    "x-trino-time-zone": "UTC",
    // Types of timestamps then have their precision.
    "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
    ...(schema !== undefined && { "x-trino-schema": schema }),
    ...(password !== undefined && {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
    }),
  };

  const server = new TrinoServer(origin, headers, retries);
  return {
    async query(sql, params, queryOptions) {
      refuseUnknown(queryOptions, ["signal"], "query()");
      let schemaFound = new Schema([]);
      const all: RecordBatch[] = [];
      for await (const page of server.pages(withLiterals(sql, params), queryOptions?.signal)) {
        if (page.columns !== undefined && all.length === 0) schemaFound = schemaOf(page.columns);
        all.push(...page.batches.filter((batch) => batch.numRows > 0));
      }
      return all.length === 0 ? new Table(schemaFound, []) : tableOf(all);
    },
    async *batches(sql, params, batchesOptions) {
      refuseUnknown(batchesOptions, ["signal"], "batches()");
      for await (const page of server.pages(withLiterals(sql, params), batchesOptions?.signal)) {
        for (const batch of page.batches) {
          if (batch.numRows > 0) yield batch;
        }
      }
    },
  };
}

/** Requests to a server, which are sent again while it is overloaded and where it is safe. */
class TrinoServer {
  constructor(
    private readonly origin: string,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly retries: number,
  ) {}

  async *pages(sql: string, signal: AbortSignal | undefined): AsyncGenerator<Page> {
    let columns: readonly ColumnSpec[] | undefined;
    let next: string | undefined;
    let isDone = false;
    const read = (bytes: Uint8Array): Page => {
      const { rows, value } = readEnvelope(bytes, [["data"]]);
      const { columns: found, error, nextUri } = pageOf(value);
      columns ??= found?.map(columnOf);
      if (error !== undefined) {
        isDone = true;
        throw pageError(error);
      }
      this.#demandOrigin(nextUri);
      next = nextUri;
      if (rows === undefined) return { columns, batches: [] };
      if (columns !== undefined) return { columns, batches: jsonRows({ bytes, ...rows }, columns).batches() };
      throw new DataError("The reply has rows and no columns.", {
        code: "UnexpectedShape",
        hint: "Check that the address is that of a Trino server, and that no proxy changes its replies.",
      });
    };
    try {
      yield read(await this.#request(`${this.origin}/v1/statement`, sql, signal));
      while (next !== undefined) yield read(await this.#request(next, undefined, signal));
      isDone = true;
    } finally {
      // A result that is not read to its end is cancelled on the server.
      if (!isDone && next !== undefined) {
        const cancelled = fetch(next, { method: "DELETE", headers: this.headers, redirect: "manual" });
        cancelled.then((response) => response.body?.cancel()).catch(() => undefined);
      }
    }
  }

  #demandOrigin(nextUri: string | undefined): void {
    if (nextUri === undefined || new URL(nextUri).origin === this.origin) return;
    throw new TransportError(`The server continues its result at another address: ${shown(scrub(nextUri))}.`, {
      code: "BadRedirect",
      hint: "Pass the address that the server itself uses as `url`.",
    });
  }

  async #request(url: string, body: string | undefined, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const method = body === undefined ? "GET" : "POST";
    let waited = 0;
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      try {
        const response = await fetch(url, { method, headers: this.headers, body, signal, redirect: "manual" });
        const bytes = new Uint8Array(await response.arrayBuffer());
        if (response.status === 200) return bytes;
        throw statusError(response, bytes);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const isBusy = error instanceof TransportError;
        const isLost = error instanceof TypeError;
        // A page may be fetched again. A statement is sent again only if the server did not take it.
        const isSafe = isBusy || (isLost && body === undefined);
        if (!isSafe || attempt >= this.retries) throw isLost ? lost(this.origin, error) : error;
        const pause = Math.max(isBusy ? (error.retry?.after ?? 0) : 0, FIRST_PAUSE * 2 ** attempt);
        waited += pause;
        if (waited > LONGEST_WAIT) throw error;
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

function originOf(address: string): string {
  let url: URL | undefined;
  try {
    url = new URL(address);
  } catch {
    // The address may hold a password: neither it nor the error that quotes it may be shown.
  }
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "") return url.origin;
  throw new InputError("The address is not that of a Trino server.", {
    code: "BadAddress",
    hint: "Pass an address such as https://trino.example.com:443, and the user as `user`.",
  });
}

function pageOf(value: unknown): Omit<Page, "batches"> {
  if (typeof value === "object" && value !== null && ("stats" in value || "id" in value)) {
    return value as Omit<Page, "batches">;
  }
  throw new DataError("The reply is not a page of a Trino result.", {
    code: "UnexpectedShape",
    hint: "Check that the address is that of a Trino server.",
  });
}

/** Column types of the service by Trino's; other types are text in Trino's spelling. */
const TYPES: Readonly<Record<string, string>> = {
  boolean: "Boolean",
  tinyint: "Integer",
  smallint: "Integer",
  integer: "Integer",
  bigint: "Integer",
  real: "double",
  double: "double",
  date: "Date",
};

/**
 * Digits of the seconds of a timestamp column here. Finer timestamps stay text, and so do those without a zone, which
 * do not identify a point in time.
 */
const FINEST = 3;

function columnOf({ name, type }: { readonly name: string; readonly type: string }): ColumnSpec {
  const [, word, digits, zone] = /^(\w+)(?:\(([\d, ]+)\))?( with time zone)?$/.exec(type.toLowerCase()) ?? [];
  if (/^(array|map|row)\b/i.test(type)) {
    throw new InputError(`Column ${JSON.stringify(name)} of the result has type ${type}, which is not a cell.`, {
      code: "UnsupportedType",
      column: name,
      hint: `Convert it in the statement: json_format(CAST(${name} AS JSON)).`,
    });
  }
  if (word === "decimal" && digits !== undefined) return { name, type: `BigDecimal(${digits.replace(" ", "")})` };
  if (word === "timestamp" && zone !== undefined && Number(digits ?? FINEST) <= FINEST)
    return { name, type: "DateTime" };
  return { name, type: (word === undefined ? undefined : TYPES[word]) ?? "String" };
}

/** Errors of values, among those that Trino attributes to the statement. */
const VALUES = /CAST|OUT_OF_RANGE|OVERFLOW|DIVISION|CONSTRAINT|INVALID_LITERAL/;

function pageError({ message, errorName = "", errorType = "" }: NonNullable<Page["error"]>): Error {
  const text = `The statement failed: ${message} (${errorName})`;
  if (/PERMISSION_DENIED|ACCESS_DENIED|AUTHENTICATION/.test(errorName)) {
    return new InputError(text, { code: "EngineAccess" });
  }
  if (errorType === "USER_ERROR") {
    return VALUES.test(errorName)
      ? new DataError(text, { code: "EngineData" })
      : new InputError(text, {
          code: "BadStatement",
          hint: 'Names as in the catalog: SELECT * FROM "VENDOR"."TABLE".',
        });
  }
  return new FileError(text, { code: "EngineFailed" });
}

function statusError(response: Response, bytes: Uint8Array): Error {
  const { status } = response;
  const body = new TextDecoder()
    .decode(bytes.subarray(0, 2_000))
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const text = `The server replied with status ${status}: ${body.slice(0, 200)}`;
  if (BUSY.has(status)) {
    const seconds = Number(response.headers.get("retry-after") ?? 0);
    const wait = seconds > 0 ? `Wait ${seconds} seconds, as the server asks.` : undefined;
    return new TransportError(text, {
      code: "EngineBusy",
      status,
      ...(wait && { hint: wait }),
      retry: { retryable: true, ...(seconds > 0 && { after: seconds * 1000 }) },
    });
  }
  if (status === 401 || status === 403) {
    return new InputError(text, { code: "EngineAccess", status, hint: "Check the user, which may be the API key." });
  }
  return new DataError(text, { code: "UnexpectedContent", status, hint: "Check that the address is a Trino server." });
}

function lost(origin: string, cause: TypeError): TransportError {
  const { code } = (cause.cause ?? {}) as { code?: string };
  const isClosed = code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EAI_AGAIN";
  return new TransportError(`No reply from ${origin}: ${code ?? cause.message}.`, {
    code: isClosed ? "Unreachable" : "ConnectionLost",
    cause,
  });
}

/** What a scan steps over as a whole, to the end if not closed: strings, names, comments. The last part is `$1`. */
const TOKENS = /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(\d+)/g;

/** Writes bound values as typed literals in place of `$1`, `$2`, …: the protocol itself has no parameters. */
function withLiterals(sql: string, params: readonly unknown[] = []): string {
  if (typeof sql !== "string" || !Array.isArray(params)) {
    throw new InputError("query() expects a SQL statement, and an array of the values for $1, $2, ….", {
      code: "BadArgument",
    });
  }
  const written = sql.replace(TOKENS, (token: string, position: string | undefined) => {
    if (position === undefined) return token;
    if (Number(position) < 1 || Number(position) > params.length) throw missingParam(position, params.length);
    return literal(params[Number(position) - 1]);
  });
  return withoutEnd(written, "; \t\r\n\f\v");
}

function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") {
    if (BigInt.asIntN(64, value) === value) return `BIGINT '${value}'`;
    if (String(value).replace("-", "").length <= 38) return `DECIMAL '${value}'`;
  }
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "nan()";
    if (!Number.isFinite(value)) return value > 0 ? "infinity()" : "(-infinity())";
    if (Object.is(value, -0)) return "DOUBLE '-0'";
    return Number.isSafeInteger(value) ? `BIGINT '${value}'` : `DOUBLE '${value}'`;
  }
  if (value instanceof Date && !Number.isNaN(value.getTime())) {
    return `TIMESTAMP '${value.toISOString().replace("T", " ").replace("Z", " UTC")}'`;
  }
  throw new InputError(`A bound parameter is ${shown(value)}.`, {
    code: "BadArgument",
    hint: "Pass strings, numbers, bigints of at most 38 digits, booleans, dates or null.",
  });
}
