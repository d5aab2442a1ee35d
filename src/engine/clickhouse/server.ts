import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { missingPackage } from "../../errors/errors.js";
import { isTransport, replyError, ServerError } from "./error.js";
import type { Target } from "./options.js";

/** The part of the package `@clickhouse/client` that is used. */
interface Client {
  exec(request: {
    readonly query: string;
    readonly query_params?: Readonly<Record<string, unknown>>;
    readonly clickhouse_settings?: Readonly<Record<string, string | number>>;
    readonly values?: Readable;
    readonly query_id: string;
    readonly abort_signal?: AbortSignal;
    readonly ignore_error_response: true;
  }): Promise<{
    readonly stream: Readable;
    readonly response_headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly http_status_code?: number;
  }>;
  close(): Promise<void>;
}

interface ClientPackage {
  createClient(options: object): Client;
}

const require = createRequire(import.meta.url);

function loadPackage(): ClientPackage {
  try {
    return require("@clickhouse/client") as ClientPackage;
  } catch (cause) {
    throw missingPackage("ClickHouse requires the package @clickhouse/client.", "@clickhouse/client", cause);
  }
}

interface Request {
  readonly sql: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
  /** Whether it may be sent again if its effect is unknown: it reads, or has the same effect twice. */
  readonly repeatable: boolean;
  /** Sent without settings, which servers of other versions may not have. */
  readonly isPlain?: boolean;
}

export interface Reply {
  /** Its bytes; leaving the iteration stops the query. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Marks an error that the server writes into the bytes. */
  readonly exceptionTag: string | undefined;
  readonly stop: () => void;
}

/** A connection to a server's HTTP interface. */
export interface Server {
  readonly target: Target;
  /** Sends a request; resolves when the reply begins. */
  send(request: Request): Promise<Reply>;
  run(request: Request): Promise<void>;
  close(): Promise<void>;
}

/** ClickHouse's number for settings that a user may not change. */
const READONLY = 164;
const FIRST_PAUSE = 200;
const GZIP_LEVEL = 1;

/**
 * Settings of every request: upserted rows are read once, joins and time zones are those of standard SQL, a query ends
 * when its reader leaves, and text is sent as text.
 */
const SETTINGS: Readonly<Record<string, string | number>> = {
  final: 1,
  join_use_nulls: 1,
  session_timezone: "UTC",
  cancel_http_readonly_queries_on_client_close: 1,
  output_format_arrow_string_as_string: 1,
  output_format_arrow_low_cardinality_as_dictionary: 0,
};

/** @throws {InputError} MissingPackage without `@clickhouse/client` */
export function connectServer(target: Target): Server {
  const { createClient } = loadPackage();
  const client = createClient({
    url: target.url,
    username: target.user,
    password: target.password,
    ...(target.database !== undefined && { database: target.database }),
    request_timeout: target.timeout,
    application: "arrowbook",
    compression: { response: false, request: target.compression ? { codec: "gzip", level: GZIP_LEVEL } : false },
    // The client's own log has no place for a message of ours, and prints parts of requests.
    log: { level: 127 },
  });
  const shared = {
    ...SETTINGS,
    output_format_arrow_compression_method: target.compression ? "lz4_frame" : "none",
    ...target.settings,
  };
  /** Users who may not change settings use the server's: Arrow is then compressed as the server likes. */
  let maySet = true;

  const once = async ({ sql, params, settings, body, signal, isPlain = false }: Request): Promise<Reply> => {
    signal?.throwIfAborted();
    const id = randomUUID();
    const kill = (): void => {
      const query = `KILL QUERY WHERE query_id = '${id}' ASYNC`;
      const done = client.exec({ query, query_id: randomUUID(), ignore_error_response: true });
      // Users without the right for it rely on the closed connection, which also ends the query.
      done.then(({ stream }) => stream.resume().on("error", () => undefined)).catch(() => undefined);
    };
    signal?.addEventListener("abort", kill, { once: true });
    const settled = (): void => signal?.removeEventListener("abort", kill);
    try {
      const { stream, response_headers, http_status_code } = await client.exec({
        query: sql,
        query_id: id,
        ...(params !== undefined && { query_params: params }),
        ...(maySet && !isPlain && { clickhouse_settings: { ...shared, ...settings, ...sizeOf(sql) } }),
        ...(body !== undefined && { values: Readable.from(chunksOf(body), { objectMode: false }) }),
        ...(signal !== undefined && { abort_signal: signal }),
        ignore_error_response: true,
      });
      const header = (name: string): string | undefined => {
        const value = response_headers[name];
        return Array.isArray(value) ? value[0] : value;
      };
      const number = header("x-clickhouse-exception-code");
      const status = http_status_code ?? 200;
      if (status >= 300 || number !== undefined) {
        throw replyError(await textOf(stream), status, number);
      }
      const stop = (): void => {
        settled();
        stream.destroy();
      };
      const onAbort = (): void => {
        stream.destroy(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      stream.once("close", () => {
        settled();
        signal?.removeEventListener("abort", onAbort);
      });
      return { bytes: stream, exceptionTag: header("x-clickhouse-exception-tag"), stop };
    } catch (error) {
      settled();
      throw signal?.aborted ? signal.reason : error;
    }
  };

  const send = async (request: Request): Promise<Reply> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await once(request);
      } catch (error) {
        if (request.signal?.aborted) throw error;
        if (maySet && error instanceof ServerError && error.number === READONLY && /setting/i.test(error.message)) {
          maySet = false;
          continue;
        }
        if (!request.repeatable || !isTransport(error) || attempt >= target.retries) throw error;
        await delay(FIRST_PAUSE * 2 ** attempt, undefined, { signal: request.signal });
      }
    }
  };

  return {
    target,
    send,
    async run(request) {
      const { bytes, stop } = await send(request);
      try {
        for await (const chunk of bytes) {
          // A statement without rows has an empty reply; its end is the end of the statement.
          void chunk;
        }
      } finally {
        stop();
      }
    },
    close: () => client.close(),
  };
}

/** The server parses statements of at most 256 kB by default, and counts what it adds for parameters. */
const LONG_STATEMENT = 1 << 17;

const sizeOf = (sql: string): Readonly<Record<string, number>> =>
  sql.length < LONG_STATEMENT ? {} : { max_query_size: 2 * Buffer.byteLength(sql) };

const CHUNK = 1 << 18;

/** Smaller chunks, so that a slow connection holds up the compression. */
function* chunksOf(body: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK) {
    const part = body.subarray(at, at + CHUNK);
    yield Buffer.from(part.buffer, part.byteOffset, part.length);
  }
}

const LONGEST_ERROR = 1 << 16;

async function textOf(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      parts.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > LONGEST_ERROR) break;
    }
  } catch (error) {
    if (size === 0) throw error;
  }
  return Buffer.concat(parts).toString();
}
