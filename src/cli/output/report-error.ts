import { hasColors, red } from "../../display/base/paint.js";
import { type ArrowbookError, isArrowbookError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import { showsStack } from "../../errors/stack.js";
import { withFlags } from "../messages/flags-in-messages.js";

/**
 * Writes an error to stderr as one line (what, where, next step), with the stack if `ARROWBOOK_STACK=1`, and never with
 * a key.
 */
export function reportError(error: unknown): void {
  const name = "arrowbook:";
  process.stderr.write(`${hasColors(process.stderr) ? red(name) : name} ${errorLine(error)}\n`);
  if (showsStack() && error instanceof Error) process.stderr.write(`${scrub(error.stack ?? "")}\n`);
}

export function errorLine(error: unknown): string {
  if (isArrowbookError(error)) return oneLine(`${withFlags(error.message)}${hintOf(error)}`);
  if (error instanceof Error) return oneLine(scrub(error.message || error.name));
  return oneLine(scrub(String(error)));
}

function hintOf({ hint, message }: ArrowbookError): string {
  if (hint === undefined || message.includes(hint)) return "";
  return ` ${withFlags(hint)}`;
}

/** Removes control characters, which must not reach the terminal from foreign text. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, "")
    .trim();
}
