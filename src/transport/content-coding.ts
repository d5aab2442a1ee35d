import { TransportError } from "../errors/errors.js";
import { gunzipped } from "../format/gzip.js";
import { decodedStream } from "../platform/node/compression.js";

/** `Accept-Encoding` of requests that allow compression. */
export const ACCEPTED_CODINGS = "gzip";

const MAX_LAYERS = 3;

/** Shorter bodies are left to zlib: WebAssembly takes milliseconds to compile. */
const LEAST = 32_768;

type Decoder = (body: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: decodeGzip,
  "x-gzip": decodeGzip,
  deflate: (body) => decodedStream(body, "deflate"),
  br: (body) => decodedStream(body, "br"),
};

/** The codings of a `Content-Encoding` header that change the body, in the order in which they were applied. */
export function codingsOf(header: string | null): readonly string[] {
  const names = (header ?? "").split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity");
}

/**
 * Undoes the codings of a body, the last one first; an empty body stays empty.
 *
 * @throws {TransportError} UnknownEncoding for an unsupported coding, BadEncoding for a body that is not in its coding,
 *   TruncatedBody for one that ends early
 */
export async function* decode(
  body: AsyncIterable<Uint8Array>,
  codings: readonly string[],
  host: string,
): AsyncGenerator<Uint8Array> {
  const unknown = codings.find((name) => !Object.hasOwn(DECODERS, name));
  if (unknown !== undefined || codings.length > MAX_LAYERS) throw unknownCoding(unknown ?? codings.join(", "), host);
  const iterator = body[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return;
  let layer: AsyncIterable<Uint8Array> = startingWith([first.value], iterator);
  for (const name of codings.toReversed()) layer = DECODERS[name](layer);
  try {
    yield* layer;
  } catch (cause) {
    throw isZlibError(cause) ? notInCoding(cause, codings.join(", "), host) : cause;
  }
}

/** Long bodies are decoded here, in half of the time that zlib takes in its thread pool. */
async function* decodeGzip(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let size = 0; size < LEAST; ) {
    const next = await iterator.next();
    if (next.done) return yield* decodedStream(startingWith(first, iterator), "gzip");
    first.push(next.value);
    size += next.value.length;
  }
  yield* gunzipped(startingWith(first, iterator));
}

async function* startingWith(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function unknownCoding(coding: string, host: string): TransportError {
  return new TransportError(`The reply of ${host} is encoded as ${JSON.stringify(coding)}, which cannot be decoded.`, {
    code: "UnknownEncoding",
    hint: "A proxy may have encoded it; supported codings are gzip, deflate and br.",
    retry: { retryable: false },
  });
}

function isZlibError(cause: unknown): cause is NodeJS.ErrnoException {
  const { code } = cause as NodeJS.ErrnoException;
  return typeof code === "string" && /^(Z_|ERR__?ERROR|ERR_BROTLI|ERR_PADDING)/.test(code);
}

function notInCoding(cause: NodeJS.ErrnoException, coding: string, host: string): TransportError {
  const truncated = cause.code === "Z_BUF_ERROR";
  const what = truncated
    ? `ends before its ${coding} data; it is truncated`
    : `declares the coding ${coding} but is not in it`;
  return new TransportError(`The reply of ${host} ${what}.`, {
    code: truncated ? "TruncatedBody" : "BadEncoding",
    hint: "Try again; if this persists, the service or a proxy corrupts compressed replies.",
    retry: { retryable: true },
    cause,
  });
}
