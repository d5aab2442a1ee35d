import { mkdir, open, rmdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Puts the names in a folder on the disk: a file that was renamed into it outlasts a loss of power. Does nothing where
 * the system cannot sync folders, as on Windows.
 *
 * @throws {Error} EIO, as the file system says
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EIO") throw error;
  } finally {
    await handle?.close();
  }
}

/**
 * Creates a folder and those above it where they are missing, and puts their names on the disk.
 *
 * @returns the created folders, the innermost first
 */
export async function makeFolder(folder: string): Promise<string[]> {
  const absolute = resolve(folder);
  const first = await mkdir(absolute, { recursive: true });
  if (first === undefined) return [];
  const made: string[] = [];
  const top = dirname(resolve(first));
  for (let each = absolute; each !== top; each = dirname(each)) made.push(each);
  for (const each of made) await syncFolder(dirname(each));
  return made;
}

/** Removes folders in this order, up to the first that cannot be removed, such as one that is not empty. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  try {
    for (const folder of folders) await rmdir(folder);
  } catch {
    // The others hold it.
  }
}
