import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileError, isSystemError, toFileError } from "../errors/file-error.js";
import { tempName } from "./temp-name.js";

/**
 * Writes a temporary file beside the target and renames it once everything is on the disk: readers never see an
 * incomplete file, and an existing file stays until then. Creates missing folders.
 *
 * @throws {FileError} if the file system reports an error; also any error of `write`
 */
export async function atomicFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const part = tempName(path, "file");
  const file = await openNew(part).catch((error: unknown) => Promise.reject(fileError(path, "write", error)));
  try {
    const result = await write(file);
    await file.sync();
    await file.close();
    await rename(part, path);
    return result;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(part, { force: true });
    throw toFileError(path, "write", error);
  }
}

/** Opens a new file; creates missing folders. */
async function openNew(path: string): Promise<FileHandle> {
  return open(path, "wx").catch(async (error: unknown) => {
    if (!isSystemError(error) || error.code !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true });
    return open(path, "wx");
  });
}

/** Puts the names in the folder of `path` on the disk, where the system can: a rename outlasts a loss of power. */
export async function syncFolderOf(path: string): Promise<void> {
  const handle = await open(dirname(resolve(path)), "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
