import { gunzipSync } from "node:zlib";
import { DataError, TransportError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import type { Format } from "../../spec/vocabulary.js";
import type { Answer } from "./exchange.js";
import { redirectText } from "./reply-failure.js";

/**
 * Reads a whole body, at most `limit` bytes.
 *
 * @throws {TransportError} when it breaks off or is larger
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
  return unpacked(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces), answer, limit);
}

/** Bytes of an error reply's body that are read: far more than an error message has. */
const LONGEST_FAILURE = 64 * 1024;

/**
 * The body of an error reply, or what can be read of it: where it stalls, breaks off, is very long or not in its
 * coding, the status still says what happened.
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
    return unpacked(Buffer.concat(pieces), answer, LONGEST_FAILURE);
  } catch {
    return Buffer.concat(pieces);
  }
}

/** A body that is still gzip after the transport decoded it was packed twice, or packed without saying so. */
function unpacked(bytes: Uint8Array, answer: Answer, limit: number): Uint8Array {
  let plain = bytes;
  for (let layers = 0; layers < 2 && plain[0] === 0x1f && plain[1] === 0x8b; layers++) {
    try {
      plain = gunzipSync(plain, { maxOutputLength: limit });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(answer, limit);
      throw truncated(answer, "is damaged gzip", cause);
    }
  }
  return plain;
}

/** An error that says a reply broke off; another try may cure it. */
export function truncated(answer: Answer, what: string, cause?: unknown): TransportError {
  return new TransportError(`The reply of ${answer.host} ${what}; it was cut off.`, {
    code: "TruncatedBody",
    status: answer.status,
    hint: "Try again; if it stays so, something between here and the service cuts replies.",
    retry: { retryable: true },
    cause,
  });
}

function tooLarge(answer: Answer, limit: number): TransportError {
  return new TransportError(`The reply of ${answer.host} is larger than ${limit} bytes.`, {
    code: "TooLarge",
    status: answer.status,
    hint: "Ask for less, or allow more with limits.replyBytes.",
    retry: { retryable: false },
  });
}

/** How a body begins, without a byte order mark. */
const FIRST: Readonly<Record<Format | "zip", RegExp>> = {
  json: /^\s*[{[]/,
  xml: /^\s*</,
  csv: /^(?!\s*<(?:!doctype|html|head|body|\?xml))/i,
  zip: /^PK(?:\x03\x04|\x05\x06)/,
};

const HTML = /^\s*<(?:!doctype\s+html|html|head|body)\b/i;

/**
 * @throws {DataError} UnexpectedContent for a body that cannot be what was asked for: a page of a proxy, a login, an
 *   error page that came with status 200
 */
export function checkContent(answer: Answer, bytes: Uint8Array, wanted: Format | "zip"): void {
  // The decoder drops a byte order mark, which may precede JSON (RFC 8259, 8.1), XML and CSV alike.
  const start = new TextDecoder().decode(bytes.subarray(0, 600));
  const type = (answer.header("content-type") ?? "").split(";")[0].trim().toLowerCase();
  const page = type === "text/html" || type === "application/xhtml+xml" || HTML.test(start);
  if (!page && FIRST[wanted].test(start)) return;
  const what = page ? "a web page" : `something that is not ${wanted}`;
  const from = answer.redirectedFrom === undefined ? "" : ` ${redirectText(answer, answer.redirectedFrom)}.`;
  throw new DataError(
    `${answer.host} answered with ${what} (status ${answer.status}${type ? `, ${type}` : ""}).${from}`,
    {
      code: "UnexpectedContent",
      status: answer.status,
      body: scrub(Buffer.from(bytes.subarray(0, 400)).toString("utf8")).slice(0, 200),
      hint: "A proxy, a login page or a wrong address may have answered in the service's place; check connect({ url }).",
    },
  );
}

/**
 * Checks that a CSV reply is complete. A declared length or the end of a chunked body proves it. Where only the end of
 * the connection ends the body, the last line must have a line end, because half of its last value would pass for a
 * value.
 *
 * @param warn called where a reply truncated between two rows cannot be distinguished from a complete one
 * @throws {TransportError} TruncatedBody
 */
export function checkLastLine(answer: Answer, bytes: Uint8Array, warn: (message: string) => void): void {
  if (answer.framed) return;
  const last = bytes.at(-1);
  if (last !== 0x0a && last !== 0x0d) throw truncated(answer, "does not end with a line end");
  warn(
    `${answer.host} does not declare the length of its CSV replies, so a reply truncated between two rows looks complete; format("json") shows the difference.`,
  );
}
