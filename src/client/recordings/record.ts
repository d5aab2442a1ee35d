import { atomicFile } from "../../disk/atomic-file.js";
import { InputError } from "../../errors/errors.js";
import { refuseUnknown } from "../../errors/options.js";
import { holdsSecret } from "../../errors/secrets.js";
import { base64Text } from "../../platform/node/bytes.js";
import { type Asked, askedBy, type Exchange, recordedBody, recordingText } from "./recording.js";
import { RECORDED, recordedAddress, rememberKeys, withoutKeys } from "./without-keys.js";

/** A function with the signature of `fetch`. */
export type Fetch = typeof globalThis.fetch;

/** Options of {@link record}. */
export interface RecordOptions {
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: Fetch;
}

/** The headers of replies that matter to a client; others, such as cookies, dates and request ids, are left out. */
const HEADERS = [
  "accept-ranges",
  "content-disposition",
  "content-range",
  "content-type",
  "cursor_id",
  "etag",
  "last-modified",
  "location",
  "retry-after",
];

/**
 * A `fetch` that writes every request and its reply to a file of JSON lines, for {@link replay} and version control.
 * Keys are removed from addresses, bodies and headers; cookies, dates and the headers of requests are not written. The
 * file is replaced by the first reply, and complete after each one.
 *
 * @throws {InputError} SecretInRecording from a request whose binary reply contains the key
 * @throws {FileError} from a request, as the file system says
 *
 * @example
 * ```ts no-run
 * import { connect } from "arrowbook";
 * import { record } from "arrowbook/testing";
 * const service = connect({ url: "https://data.example.com", fetch: record("test/prices.jsonl") });
 * await service.table("SHARADAR/SEP").limit(10).frame();
 * ```
 */
export function record(path: string, options: RecordOptions = {}): Fetch {
  refuseUnknown(options, ["fetch"], "record()");
  const { fetch: send = globalThis.fetch } = options;
  const exchanges: (Exchange | undefined)[] = [];
  let origin: string | undefined;
  let writing: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;
  const write = (): Promise<void> => {
    const known = exchanges.filter((exchange) => exchange !== undefined);
    return atomicFile(path, (file) => file.writeFile(recordingText(known)));
  };
  /** Writes once for all replies that arrive while an earlier state is being written. */
  const saved = (): Promise<void> => {
    waiting ??= (writing ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        waiting = undefined;
        writing = write();
        return writing;
      });
    return waiting;
  };
  return async (input, init) => {
    const place = exchanges.push(undefined) - 1;
    const asked = await askedBy(input, init);
    origin ??= asked.address.origin;
    const reply = await send(input, init);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    exchanges[place] = exchangeOf(asked, reply, bytes, origin);
    await saved();
    return sameReply(reply, bytes);
  };
}

function exchangeOf(asked: Asked, reply: Response, bytes: Uint8Array, origin: string): Exchange {
  rememberKeys(asked.address, asked.headers, asked.body);
  const clean = (text: string): string => withoutKeys(text).replaceAll(origin, RECORDED);
  const headers = Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = reply.headers.get(name);
      return value === null ? [] : [[name, clean(value)]];
    }),
  );
  const text = textOf(bytes);
  if (text === undefined && holdsSecret(bytes)) {
    throw new InputError(`The binary reply of ${asked.address.host}${asked.address.pathname} contains the key.`, {
      code: "SecretInRecording",
      hint: "Record the replies without this one.",
    });
  }
  return {
    method: asked.method,
    address: recordedAddress(asked.address, origin),
    ...recordedBody(asked),
    status: reply.status,
    headers,
    ...(text === undefined ? { base64: base64Text(bytes) } : { text: clean(text) }),
  };
}

/** The text of a body; undefined if it is not UTF-8, or contains what a text does not. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The reply whose body has been read, for the caller. */
function sameReply(reply: Response, bytes: Uint8Array<ArrayBuffer>): Response {
  const headers = new Headers(reply.headers);
  // The body is decoded.
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  const body = reply.body === null ? null : bytes;
  return new Response(body, { status: reply.status, statusText: reply.statusText, headers });
}
