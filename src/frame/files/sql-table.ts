import type { Table, Vector } from "../../columns/arrow/arrow.js";
import type { ScanSource, Stoppable } from "../../engine/contract/engine.js";
import { queryTables } from "../../engine/embedded.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { Selection } from "../verbs/selection.js";

/** Options of `frame.sql()`. */
export interface SqlOptions extends Stoppable {
  /** The values of `$1`, `$2`, … in the statement. */
  readonly params?: readonly unknown[];
  /** Other frames, by the names that the statement calls them. */
  readonly tables?: Readonly<Record<string, { readonly table: Table }>>;
}

/**
 * The result of a SQL statement of the embedded engine over rows by name; of selected rows, only the columns are copied
 * that the statement uses.
 *
 * @throws {InputError} BadStatement
 */
export async function sqlTable(
  text: string,
  tables: Readonly<Record<string, Table | Selection>>,
  { params, signal }: Omit<SqlOptions, "tables">,
): Promise<Table> {
  if (typeof text !== "string") {
    throw new InputError(`sql() expects a SQL statement; got ${shown(text)}.`, {
      code: "BadArgument",
      hint: 'Pass a statement: sql("select * from this").',
    });
  }
  const sources = Object.entries(tables).map(([name, rows]) => [name, sourceOf(rows)] as const);
  return queryTables(text, params, Object.fromEntries(sources), signal);
}

const sourceOf = (rows: Table | Selection): ScanSource => {
  const base = rows instanceof Selection ? rows.base : rows;
  const whole = (at: number): Vector => base.getChildAt(at) as Vector;
  const column = rows instanceof Selection ? (at: number): Vector => rows.column(at) : whole;
  return { schema: base.schema, numRows: rows.numRows, column, whole };
};
