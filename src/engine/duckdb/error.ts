import { type ArrowbookError, DataError, FileError, InputError, isArrowbookError } from "../../errors/errors.js";
import { nearest, suggestion } from "../../errors/nearest.js";
import type { ScanSource } from "../contract/engine.js";

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
  if (/No space left on device|Disk quota exceeded/.test(text)) {
    return new FileError(message, { code: "DiskFull", hint: "Free some space, or use another disk.", cause: error });
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
  return plainMessage(text)
    .split(/\nLINE \d+:/, 1)[0]
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/** Of a message in JSON, as the engine has in a page, its text. */
function plainMessage(text: string): string {
  if (!text.startsWith('{"exception_type"')) return text;
  const { exception_type: type, exception_message: message } = JSON.parse(text) as Record<string, string>;
  return `${type} Error: ${message}`;
}

/** The error of a statement; if it is an unknown table or column, with the nearest names of the sources as the hint. */
export function withNearestName(error: unknown, sources: Readonly<Record<string, ScanSource>>): unknown {
  if (!(error instanceof InputError) || error.code !== "BadStatement") return error;
  const hint = nearestName(error.message, sources);
  if (hint === undefined) return error;
  const message = error.message.replace(/ Candidate bindings: .*$/, "");
  return new InputError(message, { code: "BadStatement", hint, cause: error.cause });
}

function nearestName(message: string, sources: Readonly<Record<string, ScanSource>>): string | undefined {
  const tables = Object.keys(sources);
  const table = /Table with name (\S+) does not exist/.exec(message)?.[1];
  if (table !== undefined) {
    // The frame of `frame.sql()` alone: its name is in the hint of the engine.
    if (tables.join() === "this" || (tables.includes("this") && nearest(table, tables).length === 0)) return undefined;
    return suggestion(table, tables, "tables");
  }
  const column = /(?:Referenced column|does not have a column named) "(.+?)"/.exec(message)?.[1];
  if (column === undefined) return undefined;
  const columns = Object.values(sources).flatMap(({ schema }) => schema.fields.map(({ name }) => name));
  return suggestion(column, [...new Set(columns)], "columns");
}

/** The error of a date or timestamp that is infinite. */
export const infinityError = (column: string, isPositive: boolean): DataError =>
  new DataError(`Column ${JSON.stringify(column)} has the value ${isPositive ? "" : "-"}infinity.`, {
    code: "BadCell",
    column,
    hint: "No Arrow column can hold it: select CASE WHEN isfinite(x) THEN x END, or CAST(x AS VARCHAR).",
  });
