import { DataError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import { type CsvRow, type CsvSyntax, DOUBLED, undouble } from "../../format/csv.js";
import { isUtf8, utf8Text } from "../../platform/node/bytes.js";
import type { ColumnSpec } from "../../spec/columns.js";
import { withoutEnd } from "../../value/text.js";
import type { CsvLeniency } from "../arrow/csv-dialect.js";

/** The names in a header; undefined for a name that is not valid UTF-8, which matches no column. */
export type HeaderNames = readonly (string | undefined)[];

/** The names of the header line that was split into `row`. */
export function headerNames(
  b: Uint8Array,
  row: CsvRow,
  { trim = false, utf8 = false }: CsvLeniency,
  syntax: CsvSyntax,
): (string | undefined)[] {
  return Array.from({ length: row.count }, (_, i) => {
    const quoted = (row.flags[i] & DOUBLED) !== 0;
    const cell = b.subarray(row.starts[i], row.ends[i]);
    const out = new Uint8Array(quoted ? cell.length : 0);
    const bytes = quoted ? out.subarray(0, undouble(cell, 0, cell.length, out, syntax)) : cell;
    if (!utf8 && !isUtf8(bytes)) return undefined;
    const text = utf8Text(bytes);
    return trim && row.flags[i] === 0 ? withoutEnd(text.replace(/^[ \t]+/, ""), " \t") : text;
  });
}

/** The names of columns whose parts are in several header lines: joined with `_`, empty parts left out. */
export function joinedNames(lines: readonly HeaderNames[]): HeaderNames {
  if (lines.length === 1) return lines[0];
  const width = Math.max(...lines.map((line) => line.length));
  return Array.from({ length: width }, (_, i) =>
    lines
      .map((line) => line[i] ?? "")
      .filter((part) => part !== "")
      .join("_"),
  );
}

const NO_HEADER = "If the first line is data, pass header: false";

/**
 * Maps each name of a CSV header to the number of the declared column; names may be in any order. Names are compared
 * exactly; a repeated name matches the declared columns of that name in their order.
 *
 * @param loose ignores letter case where that is unambiguous, maps unknown names to -1 and allows missing columns
 * @throws {DataError} UndeclaredColumn, also if no name is declared; MissingColumn with the nearest name
 */
export function matchHeader(names: HeaderNames, columns: readonly ColumnSpec[], loose: boolean): number[] {
  const order = matches(names, columns, loose);
  if (columns.length > 0 && order.every((i) => i < 0)) throw noneDeclared(names, columns);
  const declared = columns.map((column) => column.name);
  const extra = names.filter((_, i) => order[i] < 0).map(String);
  const missing = declared.filter((_, i) => !order.includes(i));
  if (loose || (extra.length === 0 && missing.length === 0)) return order;
  const [first] = extra.length > 0 ? extra : missing;
  const what =
    extra.length > 0
      ? `has the column ${JSON.stringify(first)}, which is not declared${declared.includes(first) ? " so often" : ""}`
      : `lacks the column ${JSON.stringify(first)}`;
  const near = extra.length > 0 ? suggestion(first, missing.length > 0 ? missing : declared, "declared columns") : "";
  throw new DataError(`The header line ${what}.${near === "" ? "" : ` ${near}`}`, {
    code: extra.length > 0 ? "UndeclaredColumn" : "MissingColumn",
    column: first,
    offset: 0,
    hint: `Correct the declared columns, or pass lenient: { header: true }. ${NO_HEADER}.`,
  });
}

/** Whether a line is a header: at least one of its cells is a declared name. */
export function isHeader(names: HeaderNames, columns: readonly ColumnSpec[], loose: boolean): boolean {
  return matches(names, columns, loose).some((i) => i >= 0);
}

/** The column number of each name, or -1. */
function matches(names: HeaderNames, columns: readonly ColumnSpec[], loose: boolean): number[] {
  const free = new Map<string, number[]>();
  columns.forEach(({ name }, i) => {
    free.set(name, [...(free.get(name) ?? []), i]);
  });
  const order = names.map((name) => (name === undefined ? undefined : free.get(name)?.shift()) ?? -1);
  if (loose) ignoreCase(names, columns, order);
  return order;
}

function ignoreCase(names: HeaderNames, columns: readonly ColumnSpec[], order: number[]): void {
  names.forEach((name, k) => {
    if (order[k] >= 0 || name === undefined) return;
    const same = columns
      .map((column, i) => [column.name.toLowerCase(), i] as const)
      .filter(([lower, i]) => lower === name.toLowerCase() && !order.includes(i));
    if (same.length === 1) order[k] = same[0][1];
  });
}

/** Other delimiters of files that are called CSV, how a message shows them, and as code. */
const DELIMITERS = {
  ";": ['";"', '";"'],
  "\t": ["a tab", '"\\t"'],
  "|": ['"|"', '"|"'],
  ",": ["commas", '","'],
} as const;

/**
 * Finds another delimiter in the only name of a header.
 *
 * @returns how a message shows it, and as code
 */
export function otherDelimiter(names: HeaderNames): readonly [shown: string, code: string] | undefined {
  const only = names.length === 1 ? (names[0] ?? "") : "";
  return Object.entries(DELIMITERS).find(([char]) => only.includes(char))?.[1];
}

/**
 * The error for a header without any declared name: another delimiter, no header line, or the columns of another file.
 */
function noneDeclared(names: HeaderNames, columns: readonly ColumnSpec[]): DataError {
  const first = names[0] ?? "";
  const delimiter = otherDelimiter(names);
  const shown = names
    .slice(0, 5)
    .map((name) => JSON.stringify(name))
    .join(", ");
  const found = `${shown}${names.length > 5 ? ", …" : ""}`;
  const [what, hint] =
    delimiter === undefined
      ? [
          `has none of the declared columns; it is ${found}. ${suggestion(
            first,
            columns.map(({ name }) => name),
            "declared columns",
          )}`,
          `Correct the declared columns. ${NO_HEADER}.`,
        ]
      : [`is one cell, ${found}: its names are separated by ${delimiter[0]}.`, `Pass delimiter: ${delimiter[1]}.`];
  return new DataError(`The header line ${what}`, { code: "UndeclaredColumn", column: first, offset: 0, hint });
}
