import type { DuckDBInstance } from "@duckdb/node-api";
import type { Table } from "../../columns/arrow/arrow.js";
import { quoteName } from "../contract/quote.js";
import type { ScanSource } from "../contract/scan-source.js";
import { loadApi, openInstance } from "./instance.js";
import { checkNames, wideColumns } from "./load.js";
import { withNearestName } from "./nearest-name.js";
import { completeResult } from "./result.js";
import { registerScans, type Scans } from "./scan.js";

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

/**
 * The result of a statement over sources by name, which are read where they are, and only the columns that it uses.
 * Each call has a connection and a database of its own, so that tables which statements create do not meet.
 *
 * @throws {InputError} BadStatement, DuplicateColumn, UnsupportedType for a column that the statement uses
 */
export async function querySources(
  sql: string,
  params: readonly unknown[] | undefined,
  sources: Readonly<Record<string, ScanSource>>,
): Promise<Table> {
  for (const { schema } of Object.values(sources)) checkNames(schema);
  shared ??= open();
  shared.catch(() => {
    shared = undefined;
  });
  const process = await shared;
  const own = await process.instance.connect();
  const database = `arrowbook_${++process.calls}`;
  const added: ReturnType<Scans["add"]>[] = [];
  try {
    await own.run(`ATTACH ':memory:' AS ${database}`);
    await own.run(`USE ${database}`);
    for (const [name, source] of Object.entries(sources)) {
      const scan = process.scans.add(source);
      added.push(scan);
      await own.run(`CREATE OR REPLACE TEMP VIEW ${quoteName(name)} AS SELECT * FROM arrowbook_scan(${scan.id})`);
    }
    const wide = () => new Map(added.flatMap((scan) => [...wideColumns(scan.used())]));
    return await completeResult(own, sql, params, wide);
  } catch (error) {
    throw added.map((scan) => scan.error()).find((found) => found !== undefined) ?? withNearestName(error, sources);
  } finally {
    for (const { id } of added) process.scans.remove(id);
    for (const end of ["ROLLBACK", "USE memory", `DETACH ${database}`]) await own.run(end).catch(() => undefined);
    own.closeSync();
  }
}
