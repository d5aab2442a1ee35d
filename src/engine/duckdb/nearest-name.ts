import { InputError } from "../../errors/errors.js";
import { nearest, suggestion } from "../../errors/nearest.js";
import type { ScanSource } from "../contract/scan-source.js";

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
