import { DataError, TransportError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import { contentName, contentOf, isContent } from "../../format/content.js";
import { gunzippedHere } from "../../format/gzip.js";
import { type FormatName, formatOf } from "../../format/signature.js";
import { joinedBytes, utf8Text } from "../../platform/node/bytes.js";
import type { Format } from "../../spec/vocabulary.js";
import type { Answer } from "./exchange.js";
import { redirectText } from "./reply-failure.js";

/**
 * Reads a whole body of at most `limit` bytes.
 *
 * @throws {TransportError} if it is truncated or larger
 */
export async function wholeBody(answer: Answer, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.chunks()) {
    size += chunk.length;
    if (size > limit) throw tooLarge(answer, limit);
    pieces.push(chunk);
  }
  if (answer.length !== undefined && size !== answer.length) {
    throw truncated(answer, `has ${size} bytes instead of ${answer.length}`);
  }
  return unpacked(pieces.length === 1 ? pieces[0] : joinedBytes(pieces), answer, limit);
}

/** The most bytes of an error reply's body that are read; far more than an error message has. */
const LONGEST_FAILURE = 64 * 1024;

/**
 * The body of an error reply, or the part that can be read: if it stalls, breaks off, is very long or not in its
 * coding, the status is still reported.
 */
export async function failureBody(answer: Answer): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.chunks()) {
      pieces.push(chunk);
      size += chunk.length;
      if (size > LONGEST_FAILURE) break;
    }
    return unpacked(joinedBytes(pieces), answer, LONGEST_FAILURE);
  } catch {
    return joinedBytes(pieces);
  }
}

/** A body that is still gzip after the transport decoded it was compressed twice, or without declaring it. */
function unpacked(bytes: Uint8Array, answer: Answer, limit: number): Uint8Array {
  let plain = bytes;
  for (let layers = 0; layers < 2 && formatOf(plain) === "gzip"; layers++) {
    const pieces: Uint8Array[] = [];
    let size = 0;
    try {
      for (const chunk of gunzippedHere(plain)) {
        size += chunk.length;
        if (size > limit) break;
        pieces.push(chunk.slice());
      }
    } catch (cause) {
      throw truncated(answer, "is corrupt gzip", cause);
    }
    if (size > limit) throw tooLarge(answer, limit);
    plain = joinedBytes(pieces);
  }
  return plain;
}

/** The error for a truncated reply; retrying may help. */
export function truncated(answer: Answer, what: string, cause?: unknown): TransportError {
  return new TransportError(`The reply of ${answer.host} ${what}; it is truncated.`, {
    code: "TruncatedBody",
    status: answer.status,
    hint: "Try again; if this persists, a proxy may truncate replies.",
    retry: { retryable: true },
    cause,
  });
}

function tooLarge(answer: Answer, limit: number): TransportError {
  return new TransportError(`The reply of ${answer.host} is larger than ${limit} bytes.`, {
    code: "TooLarge",
    status: answer.status,
    hint: "Request less, or raise limits.replyBytes.",
    retry: { retryable: false },
  });
}

/**
 * Checks by its first bytes that a body has the requested format.
 *
 * @throws {DataError} UnexpectedContent for another format, a page of a proxy, a login page, or an error page with
 *   status 200
 */
export function checkContent(answer: Answer, bytes: Uint8Array, wanted: Format | FormatName): void {
  const type = (answer.header("content-type") ?? "").split(";")[0].trim().toLowerCase();
  const isPage = type === "text/html" || type === "application/xhtml+xml";
  const content = isPage ? "page" : contentOf(bytes);
  if (isContent(content, wanted, bytes)) return;
  const from = answer.redirectedFrom === undefined ? "" : ` ${redirectText(answer, answer.redirectedFrom)}.`;
  const status = `status ${answer.status}${type ? `, ${type}` : ""}`;
  const what = `${contentName(content)}, not ${contentName(wanted)} (${status})`;
  throw new DataError(`${answer.host} replied with ${what}.${from}`, {
    code: "UnexpectedContent",
    status: answer.status,
    body: scrub(utf8Text(bytes, 0, 400)).slice(0, 200),
    hint: "The reply may come from a proxy, a login page or a wrong address; check connect({ url }).",
  });
}

/**
 * Checks that a CSV reply is complete. A declared length or the end of a chunked body proves it. If the body ends with
 * the connection, its last line must have a line end, because half of its last value could pass for a value.
 *
 * @param warn called if a reply truncated between two rows cannot be distinguished from a complete one
 * @throws {TransportError} TruncatedBody
 */
export function checkLastLine(answer: Answer, bytes: Uint8Array, warn: (message: string) => void): void {
  if (answer.framed) return;
  const last = bytes.at(-1);
  if (last !== 0x0a && last !== 0x0d) throw truncated(answer, "does not end with a line end");
  warn(
    `${answer.host} does not declare the length of its CSV replies, so a reply truncated between two rows looks complete; format("json") detects it.`,
  );
}
