import { pipeline, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { TransportError } from "../../errors/errors.js";

/** What `Accept-Encoding` asks for where a reply may come compressed. */
export const ACCEPTED_CODINGS = "gzip";

/** More layers than this are not unpacked. */
const MAX_LAYERS = 3;

/** Bytes decoded at a time: with zlib's 16 KB, a page of a table takes over fifty turns of its threads. */
const CHUNK = { chunkSize: 65_536 };

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(CHUNK),
  "x-gzip": () => createGunzip(CHUNK),
  deflate: () => createInflate(CHUNK),
  br: () => createBrotliDecompress(CHUNK),
};

/** The codings of a `Content-Encoding` header that change the body, in the order in which they were applied. */
export function codingsOf(header: string | null): readonly string[] {
  const names = (header ?? "").split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity");
}

/**
 * Undoes the codings of a body, the last one first; an empty body stays empty.
 *
 * @throws {TransportError} UnknownEncoding for a coding that cannot be undone, BadEncoding for a body that is not in
 *   its coding, TruncatedBody for one that ends early
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
  let layer: AsyncIterable<Uint8Array> = startingWith(first.value, iterator);
  for (const name of codings.toReversed()) {
    // An error of the body or of an inner layer becomes the error of the outer one.
    layer = pipeline(layer, DECODERS[name](), () => undefined);
  }
  try {
    yield* layer;
  } catch (cause) {
    throw isZlibError(cause) ? notInCoding(cause, codings.join(", "), host) : cause;
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function unknownCoding(coding: string, host: string): TransportError {
  return new TransportError(`The reply of ${host} is encoded as ${JSON.stringify(coding)}, which cannot be decoded.`, {
    code: "UnknownEncoding",
    hint: "A proxy between here and the service may have encoded it; replies may be plain, gzip, deflate or br.",
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
    ? `ends before its ${coding} data does; it was cut off`
    : `says that it is ${coding} and is not`;
  return new TransportError(`The reply of ${host} ${what}.`, {
    code: truncated ? "TruncatedBody" : "BadEncoding",
    hint: "Try again; if it stays so, the service or something before it damages compressed replies.",
    retry: { retryable: true },
    cause,
  });
}
