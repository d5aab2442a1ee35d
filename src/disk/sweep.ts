import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isAbandoned } from "./abandoned.js";
import { parseTempName } from "./temp-name.js";

/** Open temporary files of this process, which are never abandoned. */
export const inUse = new Set<string>();

/** Whether a temporary file is unused; `dated` is the file whose age counts if it belongs to another machine. */
export async function isUnused(path: string, dated = path): Promise<boolean> {
  const temp = parseTempName(path);
  if (temp === undefined || inUse.has(path)) return false;
  const { mtimeMs = 0 } = (await stat(dated).catch(() => undefined)) ?? {};
  return isAbandoned(temp, mtimeMs);
}

/** Removes temporary files that ended processes left while writing `target`. */
export async function sweepUnfinished(target: string): Promise<void> {
  const absolute = resolve(target);
  const folder = dirname(absolute);
  for (const name of await readdir(folder).catch(() => [])) {
    const temp = parseTempName(name);
    if (temp?.kind !== "file" || temp.target !== basename(absolute) || temp.pid === process.pid) continue;
    if (await isUnused(join(folder, name))) await rm(join(folder, name), { force: true });
  }
}

const swept = new Set<string>();

/** Removes temporary files that ended processes left in a folder, once for each folder of a process. */
export async function sweepFolderOnce(folder: string): Promise<void> {
  const absolute = resolve(folder);
  if (swept.has(absolute)) return;
  swept.add(absolute);
  for (const name of await readdir(absolute).catch(() => [])) {
    const temp = parseTempName(name);
    if (temp?.kind !== "file" || temp.pid === process.pid || !(await isUnused(join(absolute, name)))) continue;
    // One that another user owns stays.
    await rm(join(absolute, name), { force: true }).catch(() => undefined);
  }
}
