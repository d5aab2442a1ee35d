import type { Table, Vector } from "../../columns/arrow/arrow.js";
import { queryTables } from "../../engine/embedded.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { Selection } from "../verbs/selection.js";

/**
 * The result of a SQL statement of the embedded engine over rows by name; of selected rows, only the columns are copied
 * that the statement uses.
 *
 * @throws {InputError} BadStatement
 */
export async function sqlTable(
  text: string,
  params: readonly unknown[] | undefined,
  tables: Readonly<Record<string, Table | Selection>>,
  signal?: AbortSignal,
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

const sourceOf = (rows: Table | Selection) => ({
  schema: rows instanceof Selection ? rows.base.schema : rows.schema,
  numRows: rows.numRows,
  column: (at: number): Vector => (rows instanceof Selection ? rows.column(at) : (rows.getChildAt(at) as Vector)),
});
