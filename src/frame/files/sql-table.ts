import type { Table } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";

/**
 * The answer of a SQL statement of the embedded engine over tables by name.
 *
 * @throws {InputError} for SQL that does not run
 */
export async function sqlTable(
  text: string,
  params: readonly unknown[] | undefined,
  tables: Readonly<Record<string, Table>>,
): Promise<Table> {
  if (typeof text !== "string") {
    throw new InputError(`sql() expects a SQL statement; got ${shown(text)}.`, {
      code: "BadArgument",
      hint: 'Give a statement: sql("select * from this").',
    });
  }
  const { duckdbEngine } = await import("../../engine/duckdb.js");
  const engine = await duckdbEngine();
  try {
    for (const [name, table] of Object.entries(tables)) await engine.load(name, table);
    return await engine.query(text, params);
  } finally {
    await engine.close();
  }
}
