import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sweepFolder } from "./sweep.js";

export interface FolderBounds {
  readonly bytes: number;
  /** Milliseconds after which a file that is not used is removed. */
  readonly age: number;
}

export interface FolderFile {
  readonly path: string;
  readonly bytes: number;
  /** When it was last used, in milliseconds since 1970. */
  readonly used: number;
}

/** The files of a folder whose names fit, those used last first; none if it does not exist. */
export async function filesOf(folder: string, name: RegExp): Promise<FolderFile[]> {
  const files: FolderFile[] = [];
  for (const each of await readdir(folder).catch(() => [])) {
    if (!name.test(each)) continue;
    const path = join(folder, each);
    // Another process may have removed it.
    const state = await stat(path).catch(() => undefined);
    if (state?.isFile()) files.push({ path, bytes: state.size, used: state.mtimeMs });
  }
  return files.sort((a, b) => b.used - a.used);
}

/** Removes the files used longest ago until the rest is within the bounds. */
export async function trim(folder: string, name: RegExp, bounds: FolderBounds, now = Date.now()): Promise<void> {
  let bytes = 0;
  for (const file of await filesOf(folder, name)) {
    bytes += file.bytes;
    if (bytes > bounds.bytes || now - file.used > bounds.age) await rm(file.path, { force: true });
  }
}

/** Removes the files whose names fit, and temporary ones of theirs that are not in use; gives those removed. */
export async function clear(folder: string, name: RegExp): Promise<FolderFile[]> {
  const removed = await filesOf(folder, name);
  for (const { path } of removed) await rm(path, { force: true });
  await sweepFolder(folder, ({ target }) => name.test(target));
  return removed;
}
