import { TransportError } from "../errors/errors.js";
import { gunzippedHere } from "../format/gzip.js";
import { formatOf } from "../format/signature.js";
import { joinedBytes } from "../platform/node/bytes.js";
import type { Answer } from "./exchange.js";

/**
 * Reads a whole body of at most `limit` bytes.
 *
 * @throws {TransportError} if it is truncated or larger
 */
export async function wholeBody(answer: Answer, limit: number): Promise<Uint8Array> {
  return unpacked(await bodyBytes(answer, limit), answer, limit);
}

/**
 * The bytes of a body as they were sent.
 *
 * @param length how many there must be
 * @throws {TransportError} if there are fewer than were announced, or more than `limit`
 */
export async function bodyBytes(answer: Answer, limit: number, length = answer.length): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.chunks()) {
    size += chunk.length;
    if (size > limit) throw tooLarge(answer, limit);
    pieces.push(chunk);
  }
  if (length !== undefined && size !== length) throw truncated(answer, `has ${size} bytes instead of ${length}`);
  return pieces.length === 1 ? pieces[0] : joinedBytes(pieces);
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
