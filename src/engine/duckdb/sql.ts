import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Schema, Table } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";
import type { ScanSource } from "../contract/scan-source.js";
import { loadApi, openInstance } from "./instance.js";
import { checkNames, wideColumns } from "./load.js";
import { withNearestName } from "./nearest-name.js";
import { boundValues, completeResult } from "./result.js";
import { type AddedSource, registerScans, type Scans, scannedName } from "./scan.js";
import { storedType } from "./types.js";
import { isNotListed, listsView, rowsView, scannedColumns } from "./views.js";

/** The instance of the process, which is opened by the first call. */
interface Shared {
  readonly instance: DuckDBInstance;
  readonly scans: Scans;
  calls: number;
}

let shared: Promise<Shared> | undefined;

async function open(): Promise<Shared> {
  const api = await loadApi();
  const instance = await openInstance(api, undefined, {});
  const connection = await instance.connect();
  // Timestamps are UTC on every connection, whatever the time zone of the machine.
  await connection.run("SET GLOBAL TimeZone = 'UTC'");
  const scans = registerScans(api, connection);
  connection.closeSync();
  return { instance, scans, calls: 0 };
}

/** Sources of at least as many rows are read as lists: planning the statement first takes 2 ms. */
const LISTED_ROWS = 131_072;

/**
 * The result of a statement over sources by name, which are read where they are, and only the columns that it uses.
 * Each call has a connection and a database of its own, so that tables which statements create do not meet.
 *
 * @param listedRows the fewest rows of a source that is read as lists
 * @throws {InputError} BadStatement, DuplicateColumn, NoColumns, UnsupportedType for a column that the statement uses
 */
export async function querySources(
  sql: string,
  params: readonly unknown[] | undefined,
  sources: Readonly<Record<string, ScanSource>>,
  listedRows = LISTED_ROWS,
): Promise<Table> {
  for (const [name, { schema }] of Object.entries(sources)) {
    checkNames(schema);
    if (schema.fields.length > 0) continue;
    throw new InputError(`The table ${JSON.stringify(name)} has no columns, so that SQL cannot read it.`, {
      code: "NoColumns",
      hint: "Select at least one column before sql().",
    });
  }
  shared ??= open();
  shared.catch(() => {
    shared = undefined;
  });
  const process = await shared;
  const own = await process.instance.connect();
  const database = `arrowbook_${++process.calls}`;
  const added = new Map<string, AddedSource>();
  const all = () => [...added.values()];
  try {
    await own.run(`ATTACH ':memory:' AS ${database}`);
    await own.run(`USE ${database}`);
    for (const [name, source] of Object.entries(sources)) {
      const scan = process.scans.add(source);
      added.set(name, scan);
      await own.run(rowsView(name, scan));
    }
    const result = () => completeResult(own, sql, params, () => wideOfAll(all().map((scan) => scan.used())));
    const listed = [...added].filter(([, { source }]) => source.numRows >= listedRows);
    if (listed.length === 0 || !(await readAsLists(own, sql, params, listed))) return await result();
    try {
      return await result();
    } catch (error) {
      if (!isNotListed(error)) throw error;
      for (const [name, scan] of listed) await own.run(rowsView(name, scan));
      return await result();
    }
  } catch (error) {
    throw (
      all()
        .map((scan) => scan.error())
        .find((found) => found !== undefined) ?? withNearestName(error, sources)
    );
  } finally {
    for (const { id } of all()) process.scans.remove(id);
    for (const end of ["ROLLBACK", "USE memory", `DETACH ${database}`]) await own.run(end).catch(() => undefined);
    own.closeSync();
  }
}

/** The service types of wide columns by name; without those of names that are also text, or of another type. */
function wideOfAll(schemas: readonly Schema[]): ReadonlyMap<string, string> {
  const types = new Map<string, Set<string | undefined>>();
  for (const schema of schemas) {
    const wide = wideColumns(schema);
    for (const field of schema.fields) {
      if (storedType(field.type) !== "VARCHAR") continue;
      types.set(field.name, (types.get(field.name) ?? new Set()).add(wide.get(field.name)));
    }
  }
  return new Map(
    [...types].flatMap(([name, [type, ...others]]) =>
      type === undefined || others.length > 0 ? [] : [[name, type] as const],
    ),
  );
}

/** Replaces the views of sources by those of lists of the columns that a statement reads; returns whether it did. */
async function readAsLists(
  own: DuckDBConnection,
  sql: string,
  params: readonly unknown[] | undefined,
  sources: readonly (readonly [name: string, scan: AddedSource])[],
): Promise<boolean> {
  const names = await scannedColumns(own, sql, boundValues(params));
  if (names === undefined) return false;
  for (const [name, scan] of sources) {
    scan.listed = scan.source.schema.fields.flatMap((_, at) => (names.has(scannedName(scan.id, at)) ? [at] : []));
    if (scan.listed.length > 0) await own.run(listsView(name, scan));
  }
  return true;
}
