import type { DuckDBInstance } from "@duckdb/node-api";
import type { Table } from "../../columns/arrow/arrow.js";
import type { ScanSource, Stoppable } from "../contract/engine.js";
import { checkSources } from "../contract/statements.js";
import { withNearestName } from "./error.js";
import { interruptible, loadApi, openInstance } from "./instance.js";
import { completeResult } from "./result.js";
import { type AddedSource, registerScans, type Scans, viewOf } from "./scan.js";
import { wideColumns } from "./types.js";
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

interface SourcesOptions extends Stoppable {
  /** The fewest rows of a source whose text with few values is read as enums: fewer do not pay for the types. */
  readonly enumRows?: number;
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
  { signal, enumRows = 131_072 }: SourcesOptions = {},
): Promise<Table> {
  signal?.throwIfAborted();
  checkSources(sources);
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
      const scan = process.scans.add(source, source.numRows >= enumRows);
      added.set(name, scan);
      await own.run(viewOf(name, scan));
    }
    const wide = await wideResult(process.instance, sql, markedSources(sources));
    return await interruptible(own, signal, () => completeResult(own, sql, params, wide));
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
