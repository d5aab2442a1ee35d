import { createRequire } from "node:module";

/** How rows are written as CSV. */
export interface CsvTextOptions {
  /**
   * Puts `'` before text that a spreadsheet would run as a formula (`=…`, `+…`, `@…`, or `-…` unless it is a number).
   * Default false.
   */
  readonly escapeFormulae?: boolean;
}

const require = createRequire(import.meta.url);

/**
 * Formats rows as CSV (RFC 4180), each ending in a line feed: null as nothing, empty text as `""`. A leading byte order
 * mark is quoted, or readers would take it for that of the file.
 */
export function csvText(rows: readonly (readonly (string | null)[])[], options: CsvTextOptions = {}): string {
  if (rows.length === 0) return "";
  const { unparse } = require("papaparse") as typeof import("papaparse");
  const text = unparse(rows as unknown[][], {
    newline: "\n",
    quotes: (cell: unknown) => cell === "" || (typeof cell === "string" && cell.startsWith("\ufeff")),
    escapeFormulae: options.escapeFormulae === true ? FORMULA : false,
  });
  return `${text}\n`;
}

const FORMULA = /^(?:[=+@\t\r]|-(?!\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$))/;
