import { type ArrowbookError, isArrowbookError } from "../errors/errors.js";
import { scrub } from "../errors/secrets.js";
import { showsStack } from "../errors/stack.js";

/**
 * Writes an error to stderr as one clear line (what, where, next step); the stack with `ARROWBOOK_STACK=1`; never a
 * key.
 */
export function reportError(error: unknown): void {
  process.stderr.write(`arrowbook: ${errorLine(error)}\n`);
  if (showsStack() && error instanceof Error) process.stderr.write(`${scrub(error.stack ?? "")}\n`);
}

/** The line itself: message, then the hint. */
export function errorLine(error: unknown): string {
  if (isArrowbookError(error)) return oneLine(`${error.message}${hintOf(error)}`);
  if (error instanceof Error) return oneLine(scrub(error.message || error.name));
  return oneLine(scrub(String(error)));
}

function hintOf(error: ArrowbookError): string {
  return error.hint === undefined || error.message.includes(error.hint) ? "" : ` ${error.hint}`;
}

/** Control characters of a foreign text must not reach the terminal. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "")
    .trim();
}
