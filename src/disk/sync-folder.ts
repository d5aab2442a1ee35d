import { mkdir, open } from "node:fs/promises";
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

/** Creates a folder and those above it where they are missing, and puts their names on the disk. */
export async function makeFolder(folder: string): Promise<void> {
  const absolute = resolve(folder);
  const first = await mkdir(absolute, { recursive: true });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let made = absolute; made !== top; made = dirname(made)) await syncFolder(dirname(made));
}
