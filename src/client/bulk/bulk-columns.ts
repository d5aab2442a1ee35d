import type { CsvLeniency } from "../../columns/arrow/csv-dialect.js";
import { textRows } from "../../columns/build/text-rows.js";
import { DataError, InputError, isArrowbookError } from "../../errors/errors.js";
import { type ColumnSpec, parseType, seriesColumns } from "../../spec/columns.js";

/** How the CSV inside a bulk file is read: the columns of the result, and whether the first line is a header. */
export interface BulkColumns {
  readonly columns: readonly ColumnSpec[];
  readonly header: boolean | "detect";
  readonly lenient?: CsvLeniency;
  /** Names of the columns that identify a row. */
  readonly key?: readonly string[];
}

/** Determines how a file is read. `firstCells` returns the cells of its first line, none for an empty file. */
export type ColumnChooser = (firstCells: () => Promise<readonly string[]>) => BulkColumns | Promise<BulkColumns>;

/**
 * Columns with types from the service. If a cell of the first line is one of their names, it is a header. A file
 * without a header is read by position if its first line is recognizable as data: every cell is valid for the type of
 * its column, and not all types are text.
 *
 * @throws {DataError} UndeclaredColumn if the first line is neither
 */
export async function serviceColumns(
  columns: readonly ColumnSpec[],
  firstCells: () => Promise<readonly string[]>,
): Promise<BulkColumns> {
  const first = await firstCells();
  const names = new Set(columns.map(({ name }) => name));
  if (first.length === 0 || first.some((cell) => names.has(cell))) return { columns, header: true };
  if (isData(first, columns)) return { columns, header: false };
  const line = JSON.stringify(first.join(","));
  throw new DataError(`The first line ${line} is neither a header with these columns nor a row of them.`, {
    code: "UndeclaredColumn",
    column: first[0],
    offset: 0,
    hint: `The columns are ${columns.map(({ name, type }) => `${JSON.stringify(name)} (${type})`).join(", ")}. Save the archive with saveZip(path) and read it with bulkFile(path, { columns, header }).`,
  });
}

const TEXT_KINDS = new Set(["text", "unknown"]);

function isData(cells: readonly string[], columns: readonly ColumnSpec[]): boolean {
  const typed = columns.some(({ type }, i) => !TEXT_KINDS.has(parseType(type).kind) && (cells[i] ?? "") !== "");
  if (!typed || cells.length !== columns.length) return false;
  try {
    textRows([cells.map((cell) => (cell === "" ? null : cell))], columns, { warn: () => {} }).table();
    return true;
  } catch (error) {
    if (isArrowbookError(error)) return false;
    throw error;
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Columns of a database bulk file (spec 2.5): `Code`, the date column, then numbers. If the second cell of the first
 * line is a day, there is no header: `titles` returns the titles of the series in the first cell.
 */
export function databaseColumns(titles: (datasetCode: string) => Promise<readonly string[]>): ColumnChooser {
  return async (firstCells) => {
    const first = await firstCells();
    if (first.length === 0) return keyed({ columns: named("Code", ["Date"]), header: true });
    const header = !DAY.test(first[1] ?? "");
    const known = header ? first.slice(1) : await titles(first[0]).catch(() => []);
    const names =
      known.length === first.length - 1 ? known : first.slice(1).map((_, i) => (i === 0 ? "Date" : `Column ${i}`));
    return keyed({ columns: named(header ? first[0] : "Code", names), header });
  };
}

/** A database has one row per code and date. */
const keyed = (chosen: BulkColumns): BulkColumns => ({
  ...chosen,
  key: chosen.columns.slice(0, 2).map(({ name }) => name),
});

function named(code: string, names: readonly string[]): ColumnSpec[] {
  return [{ name: code, type: "String" }, ...seriesColumns(names)];
}

/**
 * Columns of a local file without declared ones: a database bulk file is recognized by its first cell.
 *
 * @throws {InputError} NoSchema for any other file
 */
export function undeclaredColumns(path: string, options: Pick<BulkColumns, "lenient" | "key">): ColumnChooser {
  const asDatabase = databaseColumns(async () => []);
  return async (firstCells) => {
    const [code] = await firstCells();
    if (code === "Code") {
      const chosen = await asDatabase(firstCells);
      return { ...chosen, lenient: options.lenient, key: options.key ?? chosen.key };
    }
    throw new InputError(`${path} does not declare the types of its columns.`, {
      code: "NoSchema",
      hint: 'Declare them: bulkFile(path, { columns: [{ name: "ticker", type: "String" }, …] }).',
    });
  };
}
