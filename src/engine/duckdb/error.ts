import { type ArrowbookError, DataError, FileError, InputError, isArrowbookError } from "../../errors/errors.js";

/**
 * Converts an error of the engine to one of this package: `what`, followed by the first line of the engine's message.
 */
export function engineError(error: unknown, what: string): ArrowbookError {
  if (isArrowbookError(error)) return error;
  const text = engineReason(error);
  const message = `${what}: ${text}${/[.?!]$/.test(text) ? "" : "."}`;
  if (/^(Constraint|Conversion|Out of Range|Invalid Input) Error|constraint/.test(text)) {
    return new DataError(message, { code: "EngineData", cause: error });
  }
  if (/^(IO|Out of Memory|Permission|INTERNAL) Error/.test(text)) {
    return new FileError(message, { code: "EngineFailed", cause: error });
  }
  const table = /Table with name (\S+) does not exist/.exec(text)?.[1];
  return new InputError(message.replace(/ Did you mean "pg_[^?]*\?/, ""), {
    code: "BadStatement",
    hint:
      table !== undefined
        ? tableHint(table)
        : "Put names with spaces or capitals in double quotes, strings in single quotes; pass values as $1, $2, ….",
    cause: error,
  });
}

const tableHint = (name: string): string =>
  `The frame of frame.sql() is called this: select … from this. An engine names frames: engine.load(${JSON.stringify(name)}, frame).`;

/** The engine's message without its marker of the position in the statement. */
export function engineReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .split(/\n\s*\nLINE \d+:|\nLINE \d+:/)[0]
    .trim()
    .replace(/\s*\n\s*/g, " ");
}
