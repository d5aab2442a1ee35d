import { InputError } from "../../errors/errors.js";
import type { ColumnSpec } from "../../spec/columns.js";

/** How the CSV inside a bulk file is read: its columns in the order wanted, and whether its first line names them. */
export interface BulkColumns {
  readonly columns: readonly ColumnSpec[];
  readonly header: boolean;
}

/** Decides from the cells of the first line. */
export type ColumnChooser = (first: readonly string[]) => BulkColumns | Promise<BulkColumns>;

/** Columns with declared types: the first line is a header when a cell of it is one of their names. */
export function declaredColumns(columns: readonly ColumnSpec[]): ColumnChooser {
  const names = new Set(columns.map(({ name }) => name));
  return (first) => ({ columns, header: first.length === 0 || first.some((cell) => names.has(cell)) });
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Columns of a database bulk file (spec 2.5): `Code`, the date column, then numbers. Where the second cell of the first line is a
 * day, there is no header line: `titles` is asked for the titles of the series that the first cell names.
 */
export function databaseColumns(titles: (datasetCode: string) => Promise<readonly string[]>): ColumnChooser {
  return async (first) => {
    if (first.length === 0) return { columns: codeAndDate("Date"), header: true };
    const header = !DAY.test(first[1] ?? "");
    const known = header ? first.slice(1) : await titles(first[0]).catch(() => []);
    const names =
      known.length === first.length - 1 ? known : first.slice(1).map((_, i) => (i === 0 ? "Date" : `Column ${i}`));
    return { columns: named(header ? first[0] : "Code", names), header };
  };
}

function named(code: string, names: readonly string[]): ColumnSpec[] {
  const rest = names.map((name, i) => ({ name, type: i === 0 ? "Date" : "double" }));
  return [{ name: code, type: "String" }, ...rest];
}

const codeAndDate = (date: string): ColumnSpec[] => named("Code", [date]);

/** Columns of a local file nobody described: a database bulk file is known by its first cell. Throws InputError for any other. */
export function undeclaredColumns(path: string): ColumnChooser {
  const asDatabase = databaseColumns(async () => []);
  return (first) => {
    if (first[0] === "Code") return asDatabase(first);
    throw new InputError(`${path} does not say the types of its columns.`, {
      code: "MissingColumns",
      hint: 'Declare them: bulkFile(path, { columns: [{ name: "ticker", type: "String" }, …] }).',
    });
  };
}
