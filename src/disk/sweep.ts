import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isAbandoned } from "./abandoned.js";
import { parseTempName, type TempName } from "./temp-name.js";

/** Open temporary files of this process, which are never abandoned. */
export const inUse = new Set<string>();

/** Whether a temporary file is unused; `dated` is the file whose age counts if it belongs to another machine. */
export async function isUnused(path: string, dated = path): Promise<boolean> {
  const temp = parseTempName(path);
  if (temp === undefined || inUse.has(path)) return false;
  const { mtimeMs = 0 } = (await stat(dated).catch(() => undefined)) ?? {};
  return isAbandoned(temp, mtimeMs);
}

/** Removes the temporary files of a folder that ended processes left, of those that `concerns` selects. */
export async function sweepFolder(folder: string, concerns: (temp: TempName) => boolean): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const temp = parseTempName(name);
    const path = join(folder, name);
    if (temp === undefined || !concerns(temp) || temp.pid === process.pid || !(await isUnused(path))) continue;
    // One that another user owns stays.
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Removes temporary files that ended processes left while writing `target`. */
export async function sweepUnfinished(target: string): Promise<void> {
  const absolute = resolve(target);
  const file = basename(absolute);
  await sweepFolder(dirname(absolute), (temp) => temp.kind === "file" && temp.target === file);
}

const swept = new Set<string>();

/** Removes unfinished files that ended processes left in a folder, once for each folder of a process. */
export async function sweepFolderOnce(folder: string): Promise<void> {
  const absolute = resolve(folder);
  if (swept.has(absolute)) return;
  swept.add(absolute);
  await sweepFolder(absolute, ({ kind }) => kind === "file");
}
