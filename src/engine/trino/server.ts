import { setTimeout as delay } from "node:timers/promises";
import type { RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { jsonRows } from "../../columns/json/reader.js";
import { conform } from "../../columns/table/conform.js";
import { DataError, FileError, InputError, TransportError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import { shown } from "../../errors/shown.js";
import { readEnvelope } from "../../format/json-envelope.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { retryAfter } from "../../transport/retry.js";
import { withoutEnd } from "../../value/text.js";
import { columnOf } from "./columns.js";
import type { TrinoSession } from "./session.js";

/** A page of a result, as the protocol of Trino defines it. */
interface Page {
  readonly nextUri?: string;
  readonly columns?: readonly { readonly name: string; readonly type: string }[];
  readonly error?: { readonly message: string; readonly errorName?: string; readonly errorType?: string };
  /** Batches of one schema in all pages of a result. */
  readonly batches: readonly RecordBatch[];
}

const FIRST_PAUSE = 100;
/** The most milliseconds that the retries of one request wait, whatever the server asks for. */
const LONGEST_WAIT = 300_000;
const BUSY = new Set([429, 502, 503, 504]);

/** Requests to a server, which are sent again while it is overloaded and where it is safe. */
export class TrinoServer {
  constructor(
    private readonly session: TrinoSession,
    private readonly retries: number,
  ) {}

  async *pages(sql: string, signal: AbortSignal | undefined): AsyncGenerator<Page> {
    let columns: readonly ColumnSpec[] | undefined;
    let schema: Schema | undefined;
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
      if (columns !== undefined) {
        const batches = batchesOf({ bytes, ...rows }, columns).filter(({ numRows }) => numRows > 0);
        schema ??= batches[0]?.schema;
        return { columns, batches: batches.map((batch) => conform(batch, schema ?? batch.schema)) };
      }
      throw new DataError("The reply has rows and no columns.", {
        code: "UnexpectedShape",
        hint: "Check that the address is that of a Trino server, and that no proxy changes its replies.",
      });
    };
    try {
      const { origin, pathname } = this.session.base;
      yield read(await this.#request(`${origin}${withoutEnd(pathname, "/")}/v1/statement`, sql, signal));
      while (next !== undefined) yield read(await this.#request(next, undefined, signal));
      isDone = true;
    } finally {
      // A result that is not read to its end is cancelled on the server.
      if (!isDone && next !== undefined) {
        const cancelled = fetch(next, { method: "DELETE", headers: this.session.headers(), redirect: "manual" });
        cancelled.then((response) => response.body?.cancel()).catch(() => undefined);
      }
    }
  }

  #demandOrigin(nextUri: string | undefined): void {
    if (nextUri === undefined || new URL(nextUri).origin === this.session.base.origin) return;
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
        const headers = this.session.headers();
        const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
        const bytes = new Uint8Array(await response.arrayBuffer());
        if (response.status === 200) {
          this.session.update(response.headers);
          return bytes;
        }
        throw statusError(response, bytes);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const isBusy = error instanceof TransportError;
        const isLost = error instanceof TypeError;
        // A page may be fetched again. A statement is sent again only if the server did not take it.
        const isSafe = isBusy || (isLost && body === undefined);
        if (!isSafe || attempt >= this.retries) throw isLost ? lost(this.session.base.origin, error) : error;
        const pause = Math.max(isBusy ? (error.retry?.after ?? 0) : 0, FIRST_PAUSE * 2 ** attempt);
        waited += pause;
        if (waited > LONGEST_WAIT) throw error;
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

/** The rows of a page; the hint of a cell that does not fit says what the statement can do. */
function batchesOf(rows: Parameters<typeof jsonRows>[0], columns: readonly ColumnSpec[]): RecordBatch[] {
  try {
    return jsonRows(rows, columns).batches();
  } catch (error) {
    if (!(error instanceof DataError) || error.column === undefined) throw error;
    const { code, column, row, value } = error;
    const name = JSON.stringify(column);
    const hint = `Convert it in the statement: CAST(${name} AS VARCHAR), or ${name} AT TIME ZONE 'UTC' for a named zone.`;
    throw new DataError(error.message, { code, column, row, value, hint });
  }
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

/** Errors of values, among those that Trino attributes to the statement. */
const VALUES = /CAST|OUT_OF_RANGE|OVERFLOW|DIVISION|CONSTRAINT|INVALID_LITERAL/;

/** Errors of names. */
const NAMES = /^(?:CATALOG|SCHEMA|TABLE|COLUMN)_NOT_FOUND$|^MISSING_(?:CATALOG|SCHEMA)_NAME$/;

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
          ...(NAMES.test(errorName) && { hint: 'Names as in the catalog: SELECT * FROM "VENDOR"."TABLE".' }),
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
    const seconds = Math.ceil((retryAfter((name) => response.headers.get(name)) ?? 0) / 1000);
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
