import { createRequire } from "node:module";

/** How rows are written as CSV. */
export interface CsvTextOptions {
  /**
   * Put `'` before text that a spreadsheet would run as a formula (`=…`, `+…`, `@…`, `-…` but no number). Default
   * false: cells stay as they are.
   */
  readonly escapeFormulae?: boolean;
}

const require = createRequire(import.meta.url);

/**
 * Rows as lines of CSV (RFC 4180), each ended by a line feed: null as nothing, empty text as `""`. A leading byte order
 * mark is quoted, or it would be taken for the mark of the file.
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
