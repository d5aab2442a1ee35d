import { DataError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import { contentName, contentOf, isContent } from "../../format/content.js";
import type { FormatName } from "../../format/signature.js";
import { utf8Text } from "../../platform/node/bytes.js";
import type { Format } from "../../spec/vocabulary.js";
import { truncated } from "../../transport/body.js";
import type { Answer } from "./exchange.js";
import { redirectText } from "./reply-failure.js";

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
