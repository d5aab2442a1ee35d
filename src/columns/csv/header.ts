import { DataError } from "../../errors/errors.js";
import { suggestion } from "../../errors/nearest.js";
import type { ColumnSpec } from "../../spec/columns.js";

/** Names in a header line; undefined for one that is not valid UTF-8, which matches no column. */
export type HeaderNames = readonly (string | undefined)[];

const NO_HEADER = "If the first line is data, pass header: false";

/**
 * For each name of a CSV header the number of the declared column, in any order. Names are compared exactly; a name
 * that repeats means the declared columns of that name in their order.
 *
 * @param loose ignores letter case where that is unambiguous, gives -1 for unknown names and accepts missing columns
 * @throws {DataError} UndeclaredColumn, MissingColumn naming the nearest; UndeclaredColumn where no declared column
 *   is found
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

/** Whether a line is a header: one of its cells is a declared name. */
export function isHeader(names: HeaderNames, columns: readonly ColumnSpec[], loose: boolean): boolean {
  return matches(names, columns, loose).some((i) => i >= 0);
}

/** The column number of each name, -1 where there is none. */
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

/** Characters that separate the cells of files that are called CSV, as a message shows them. */
const DELIMITERS = { ";": '";"', "\t": "a tab", "|": '"|"' } as const;

/** No name is a declared one: another delimiter, no header line, or the columns of another file. */
function noneDeclared(names: HeaderNames, columns: readonly ColumnSpec[]): DataError {
  const first = names[0] ?? "";
  const delimiter = names.length === 1 ? Object.entries(DELIMITERS).find(([char]) => first.includes(char)) : undefined;
  const shown = names
    .slice(0, 5)
    .map((name) => JSON.stringify(name))
    .join(", ");
  const found = `${shown}${names.length > 5 ? ", …" : ""}`;
  const [what, hint] =
    delimiter === undefined
      ? [
          `holds none of the declared columns; it is ${found}. ${suggestion(
            first,
            columns.map(({ name }) => name),
            "declared columns",
          )}`,
          `Correct the declared columns. ${NO_HEADER}.`,
        ]
      : [
          `is one cell, ${found}: its names are separated by ${delimiter[1]}.`,
          "Cells are separated by commas; convert the file first.",
        ];
  return new DataError(`The header line ${what}`, { code: "UndeclaredColumn", column: first, offset: 0, hint });
}
