import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RecordBatch, Schema } from "../../columns/arrow/arrow.js";
import { type ParquetSource, parquetFileBatches } from "../../columns/parquet/read/read.js";
import { writeParquet } from "../../columns/parquet/write/write.js";
import { tableOf } from "../../columns/table/conform.js";
import { changedRows, RepeatedKey, upserted } from "./changed-rows.js";
import { type MirrorQuery, type SyncPlan, stateAfter, type Told, type WrittenCopy } from "./copy.js";
import {
  beginVersion,
  type Manifest,
  type MirrorFile,
  type OldVersion,
  pathsOf,
  removeVersion,
  versionFolder,
  writeManifest,
} from "./manifest.js";
import { parseSplit, type Split, writeSplit } from "./split.js";

/** The name of the file of a mirror that is not split. Engines pass over names that begin with a dot. */
const WHOLE = "rows.parquet";
const UNSPLIT = ".unsplit.parquet";

/**
 * Writes the next version of a copy beside the current one and makes it current by replacing the manifest. A download
 * that a killed process left in it is resumed. The version before is kept for readers that opened it.
 */
export async function writeVersion(
  query: MirrorQuery,
  plan: SyncPlan,
  current: Manifest | undefined,
  { folder, by }: { readonly folder: string; readonly by: string | undefined },
  told: Told,
): Promise<WrittenCopy<Manifest>> {
  const split = by === undefined ? undefined : parseSplit(by);
  const synced_at = new Date().toISOString();
  const version = await beginVersion(folder, query.code, current?.version ?? 0);
  const place = versionFolder(folder, version);
  const path = join(place, split === undefined ? WHOLE : UNSPLIT);
  const updates = current && (await updated(query, plan, pathsOf(folder, current), path, told.signal));
  const { rows, bytes, received } = updates ?? (await exported(query, path, told));
  const files = split === undefined ? [{ name: WHOLE, rows, bytes }] : await splitFile(path, place, split);
  const old = oldVersions(folder, current);
  const state: Manifest = {
    format: 1,
    ...stateAfter(query, plan, { synced_at, rows }, updates && current),
    ...(by === undefined ? {} : { by }),
    version,
    files,
    ...(old.length === 0 ? {} : { old }),
  };
  await removeAllBut(place, files);
  await writeManifest(folder, state);
  for (const each of old.slice(0, -1)) await removeVersion(folder, each);
  return { state, received, change: updates === undefined ? "export" : "since" };
}

type Made = Pick<MirrorFile, "rows" | "bytes"> & Pick<WrittenCopy, "received">;

async function exported(query: MirrorQuery, path: string, told: Told): Promise<Made> {
  const { rows = 0, bytes } = await query.export().toParquet(path, told);
  return { rows, bytes, received: rows };
}

/**
 * The current version with the changed rows in place. The changed rows are in memory, the others pass through it.
 * Undefined if no update is planned, or two rows have one key.
 */
async function updated(
  query: MirrorQuery,
  { key, update }: SyncPlan,
  current: readonly string[],
  path: string,
  signal: AbortSignal | undefined,
): Promise<Made | undefined> {
  if (update === undefined) return undefined;
  const batches: RecordBatch[] = [];
  const { emptyIsNull } = query;
  for await (const batch of changedRows(query, update, signal)) batches.push(batch);
  const schema = await schemaOfFiles(current);
  const changed = tableOf(batches, batches[0]?.schema ?? schema);
  const rows = upserted(parquetFileBatches(current), changed, { key, emptyIsNull });
  try {
    return { ...(await writeParquet(rows, path, { schema })), received: changed.numRows };
  } catch (error) {
    if (error instanceof RepeatedKey) return undefined;
    throw error;
  }
}

async function splitFile(path: string, folder: string, split: Split): Promise<MirrorFile[]> {
  const files = await writeSplit(parquetFileBatches(path), folder, await schemaOfFiles(path), split);
  await rm(path);
  return files;
}

async function schemaOfFiles(path: ParquetSource): Promise<Schema> {
  for await (const { schema } of parquetFileBatches(path)) return schema;
  throw new Error("A Parquet reader without a batch.");
}

/** The versions that a manifest named and that are still there, the current one last. */
function oldVersions(folder: string, current: Manifest | undefined): OldVersion[] {
  if (current === undefined) return [];
  const { version, files, old } = current;
  const now = { version, files: files.map(({ name }) => name) };
  // Manifests of before had no list: there was one version before the current one, mostly of the same names.
  const before = old ?? (version > 1 ? [{ ...now, version: version - 1 }] : []);
  return [...before.filter((each) => existsSync(versionFolder(folder, each.version))), now];
}

/** Removes what earlier attempts at a version left: Parquet files, and those beside them while they are written. */
async function removeAllBut(folder: string, files: readonly MirrorFile[]): Promise<void> {
  const names = files.map(({ name }) => name);
  for (const name of await readdir(folder)) {
    if (/\.parquet(?:\.|$)/.test(name) && !names.includes(name)) await rm(join(folder, name), { force: true });
  }
}
