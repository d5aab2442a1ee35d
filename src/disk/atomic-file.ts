import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileError, isSystemError, toFileError } from "../errors/file-error.js";
import { sweepFolderOnce } from "./sweep.js";
import { makeFolder, syncFolder } from "./sync-folder.js";
import { tempName } from "./temp-name.js";
import { deleteAtExit } from "./temporary-folder.js";

/**
 * Writes a temporary file beside the target and renames it once everything is on the disk: readers never see an
 * incomplete file, and an existing file stays until then. Creates missing folders, and removes temporary files that
 * killed processes left in the folder.
 *
 * @param durable whether the file outlasts a loss of power from the return of the call on. False only for files that
 *   can be fetched again and whose readers detect damage
 * @throws {FileError} if the file system reports an error; also any error of `write`
 */
export async function atomicFile<T>(path: string, write: (file: FileHandle) => Promise<T>, durable = true): Promise<T> {
  const part = tempName(path, "file");
  if (durable) await sweepFolderOnce(dirname(path));
  const forget = deleteAtExit(part);
  try {
    const file = await openNew(part).catch((error: unknown) => Promise.reject(fileError(path, "write", error)));
    try {
      const result = await write(file);
      if (durable) await file.sync();
      await file.close();
      await rename(part, path);
      if (durable) await syncFolder(dirname(path));
      return result;
    } catch (error) {
      await file.close().catch(() => {});
      await rm(part, { force: true });
      throw toFileError(path, "write", error);
    }
  } finally {
    forget();
  }
}

async function openNew(path: string): Promise<FileHandle> {
  return open(path, "wx").catch(async (error: unknown) => {
    if (!isSystemError(error) || error.code !== "ENOENT") throw error;
    await makeFolder(dirname(path));
    return open(path, "wx");
  });
}
