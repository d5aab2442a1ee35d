import { type ArrowbookError, DataError, FileError, InputError, isArrowbookError } from "../errors/errors.js";

/**
 * An error of the engine as one of the family: the engine's own sentence behind `what`, its first line only in the
 * message.
 */
export function engineError(error: unknown, what: string): ArrowbookError {
  if (isArrowbookError(error)) return error;
  const text = engineReason(error);
  const message = `${what}: ${text}`;
  if (/^(Constraint|Conversion|Out of Range|Invalid Input) Error|constraint/.test(text)) {
    return new DataError(message, { code: "EngineData", cause: error });
  }
  if (/^(IO|Out of Memory|Permission|INTERNAL) Error/.test(text)) {
    return new FileError(message, { code: "EngineFailed", cause: error });
  }
  return new InputError(message, {
    code: "BadStatement",
    hint: "Put names with blanks or capitals in double quotes, strings in single quotes; pass values as $1, $2, ….",
    cause: error,
  });
}

/** What the engine said, without its drawing of the place in the statement. */
export function engineReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .split(/\n\s*\nLINE \d+:|\nLINE \d+:/)[0]
    .trim()
    .replace(/\s*\n\s*/g, " ");
}
