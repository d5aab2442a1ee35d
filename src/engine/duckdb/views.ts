import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName } from "../contract/quote.js";
import { enumMembers } from "./enum-members.js";
import type { BoundValues } from "./result.js";
import { type AddedSource, LISTS, ROWS, scannedName } from "./scan.js";
import { sqlType, storedType } from "./types.js";

/** The message of a statement that reads a column which its plan left out. */
const NOT_LISTED = "arrowbook: this column is not part of the lists";

/** SQL that creates the view `name` of a source's rows. */
export function rowsView(name: string, { id, source }: AddedSource): string {
  const columns = source.schema.fields.map((field, at) => `${scanned(id, at)} AS ${quoteName(field.name)}`);
  return view(name, columns, `${ROWS}(${id})`);
}

/**
 * As {@link rowsView}, reading {@link AddedSource.listed} as lists: a call of JavaScript for thousands of rows instead
 * of for each chunk. The engine does not leave out the lists that a statement does not use; other columns are errors
 * when they are read.
 */
export function listsView(name: string, { id, source, listed }: AddedSource): string {
  const columns = source.schema.fields.map((field, at) => {
    const as = `AS ${quoteName(field.name)}`;
    if (!listed.includes(at)) return `CAST(error('${NOT_LISTED}') AS ${storedType(field.type) ?? "VARCHAR"}) ${as}`;
    const isEnum = enumMembers(source.column(at)) !== undefined;
    return isEnum ? `CAST(unnest(${scanned(id, at)}) AS ${sqlType(field)}) ${as}` : `unnest(${scanned(id, at)}) ${as}`;
  });
  return view(name, columns, `${LISTS}(${id})`);
}

const scanned = (id: number, at: number): string => quoteName(scannedName(id, at));

const view = (name: string, columns: readonly string[], from: string): string =>
  `CREATE OR REPLACE TEMP VIEW ${quoteName(name)} AS SELECT ${columns.join(", ")} FROM ${from}`;

/** Whether a statement failed because its plan did not name all columns that it reads. */
export const isNotListed = (error: unknown): boolean => String((error as Error).message).includes(NOT_LISTED);

/** A node of a plan, as the engine explains it. */
interface PlanNode {
  readonly children?: readonly PlanNode[];
  readonly extra_info?: { readonly Function?: string; readonly Projections?: string | readonly string[] };
}

/**
 * The columns that a statement reads of views by {@link rowsView}, by {@link scannedName}; undefined unless the
 * statement is a single one that can be explained.
 */
export async function scannedColumns(
  own: DuckDBConnection,
  sql: string,
  { values, types }: BoundValues,
): Promise<ReadonlySet<string> | undefined> {
  const names = new Set<string>();
  const add = ({ children = [], extra_info: { Function: called, Projections: read = [] } = {} }: PlanNode): void => {
    if (called?.toLowerCase() === ROWS) for (const name of [read].flat()) names.add(name as string);
    children.forEach(add);
  };
  try {
    if ((await own.extractStatements(sql)).count !== 1) return undefined;
    const plan = await own.runAndReadAll(`EXPLAIN (FORMAT JSON) ${sql}`, values, types);
    for (const node of JSON.parse(String(plan.getRows()[0][1])) as PlanNode[]) add(node);
    return names;
  } catch {
    // The statement itself reports what is wrong.
    return undefined;
  }
}
