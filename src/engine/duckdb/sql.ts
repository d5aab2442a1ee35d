import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Table } from "../../columns/arrow/arrow.js";
import { InputError } from "../../errors/errors.js";
import type { ScanSource } from "../contract/scan-source.js";
import { withNearestName } from "./error.js";
import { interruptible, loadApi, openInstance } from "./instance.js";
import { checkNames } from "./load.js";
import { boundValues, completeResult } from "./result.js";
import { type AddedSource, registerScans, type Scans, scannedName } from "./scan.js";
import { wideColumns } from "./types.js";
import { isNotListed, listsView, rowsView, scannedColumns } from "./views.js";
import { type Marked, markedColumns, wideResult } from "./wide-results.js";

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

interface SourcesOptions {
  /** Interrupts the statement. */
  readonly signal?: AbortSignal | undefined;
  /** The fewest rows of a source that is read as lists. */
  readonly listedRows?: number;
}

/**
 * The result of a statement over sources by name, which are read where they are, and only the columns that it uses.
 * Each call has a connection and a database of its own, so that tables which statements create do not meet.
 *
 * @throws {InputError} BadStatement, DuplicateColumn, NoColumns, UnsupportedType for a column that the statement uses
 */
export async function querySources(
  sql: string,
  params: readonly unknown[] | undefined,
  sources: Readonly<Record<string, ScanSource>>,
  { signal, listedRows = LISTED_ROWS }: SourcesOptions = {},
): Promise<Table> {
  signal?.throwIfAborted();
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
    const wide = await wideResult(process.instance, sql, markedSources(sources));
    const result = () => interruptible(own, signal, () => completeResult(own, sql, params, wide));
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
    if (signal?.aborted) throw signal.reason;
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

/** All sources, if one of them has wide columns. */
function markedSources(sources: Readonly<Record<string, ScanSource>>): Marked[] {
  const wide = Object.values(sources).some(({ schema }) => wideColumns(schema).size > 0);
  if (!wide) return [];
  return Object.entries(sources).map(([name, { schema }]) => [name, markedColumns(schema)]);
}

/** Replaces the views of sources by those of lists of the columns that a statement reads; returns whether it did. */
async function readAsLists(
  own: DuckDBConnection,
  sql: string,
  params: readonly unknown[] | undefined,
  sources: readonly (readonly [name: string, scan: AddedSource])[],
): Promise<boolean> {
  const names = await scannedColumns(own, sql, await boundValues(params));
  if (names === undefined) return false;
  for (const [name, scan] of sources) {
    scan.listed = scan.source.schema.fields.flatMap((_, at) => (names.has(scannedName(scan.id, at)) ? [at] : []));
    if (scan.listed.length > 0) await own.run(listsView(name, scan));
  }
  return true;
}
