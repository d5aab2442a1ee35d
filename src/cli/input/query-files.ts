import { stat } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import type { RecordBatch, Table } from "../../columns/arrow/arrow.js";
import { parquetFiles } from "../../columns/parquet/read/files.js";
import { temporaryFolder } from "../../disk/temporary-folder.js";
import type { Engine } from "../../engine/contract/engine.js";
import { embeddedEngine } from "../../engine/embedded.js";
import { fileError } from "../../errors/file-error.js";
import { unlessAborted } from "../../errors/unless-aborted.js";
import { pathsLike } from "../../frame/files/find-files.js";
import { sqlTable } from "../../frame/files/sql-table.js";
import type { Frame } from "../../frame/frame.js";
import { type LocalTable, localTables, type TextFlags } from "./local-tables.js";

interface QueryFlags extends TextFlags {
  readonly param?: readonly string[];
}

/** The part of the memory that files may take as tables. */
const IN_MEMORY = 0.25;

/**
 * The result of a SQL statement over files. Files that fit into a quarter of the memory are read into it. Of larger
 * ones, the engine itself scans Parquet files whose columns have the same types to it as to this package; the rest is
 * loaded batch by batch into a database in a temporary folder, as files at addresses are. Only the result is then in
 * memory as a whole.
 *
 * @throws {InputError} BadArgument, UnknownFileType, BadStatement
 * @throws {FileError}
 * @throws {DataError}
 */
export async function queryFiles(
  statement: string,
  files: readonly string[],
  { param, ...flags }: QueryFlags,
  signal: AbortSignal,
  mostBytes: number = totalmem() * IN_MEMORY,
): Promise<Table> {
  const tables = localTables(files);
  let bytes = 0;
  for (const table of tables) bytes += await sizeOf(table);
  if (bytes > mostBytes || tables.some(({ isRemote }) => isRemote))
    return queryOnDisk(statement, tables, { param, ...flags }, signal);
  const read: Record<string, Table> = {};
  for (const table of tables) {
    const frame: Frame = await unlessAborted(table.read(flags), signal);
    read[table.name] = frame.table;
  }
  return sqlTable(statement, read, { params: param, signal });
}

/** Bytes that a file takes as a table, about. */
async function sizeOf({ path, isRemote, isParquet, isPattern, growth }: LocalTable): Promise<number> {
  if (isRemote) return 0;
  let bytes = 0;
  for (const each of isPattern ? await pathsLike(path) : isParquet ? await parquetFiles(path) : [path]) {
    const { size } = await stat(each).catch((error: unknown) => Promise.reject(fileError(each, "read", error)));
    bytes += size * growth;
  }
  return bytes;
}

async function queryOnDisk(
  statement: string,
  tables: readonly LocalTable[],
  { param, ...flags }: QueryFlags,
  signal: AbortSignal,
): Promise<Table> {
  const folder = await temporaryFolder("files");
  try {
    const engine = await embeddedEngine(join(folder.path, "tables.duckdb"));
    try {
      for (const table of tables) await load(engine, table, flags, signal);
      return await engine.query(statement, param, { signal });
    } finally {
      await engine.close();
    }
  } finally {
    await folder.release();
  }
}

async function load(engine: Engine, table: LocalTable, flags: TextFlags, signal: AbortSignal): Promise<void> {
  const { name, path, isParquet, isPattern, isRemote } = table;
  if (isParquet && !isPattern && !isRemote && (await isScanned(engine, name, path))) return;
  const batches = table.batches?.(flags) ?? (await unlessAborted(table.read(flags), signal)).table.batches;
  await engine.load(name, stoppedBy(batches, signal), { signal });
}

/** Lets the engine scan Parquet files, if it reads every column as this package does. */
async function isScanned(engine: Engine, name: string, path: string): Promise<boolean> {
  const { parquetFileBatches } = await import("../../columns/parquet/read/read.js");
  const { parquetView } = await import("../../engine/duckdb/parquet.js");
  const paths = await parquetFiles(path);
  for await (const { schema } of parquetFileBatches(paths[0])) return parquetView(engine, name, paths, schema);
  return false;
}

async function* stoppedBy(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  signal: AbortSignal,
): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    signal.throwIfAborted();
    yield batch;
  }
}
