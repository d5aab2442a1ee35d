import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { InputError } from "../../errors/errors.js";
import { fileError, isSystemError, toFileError } from "../../errors/file-error.js";
import type { RecordBatch } from "../arrow/arrow.js";
import { tempName } from "./temp-name.js";

/** Rows and bytes that went into a file. */
export interface Written {
  readonly rows: number;
  readonly bytes: number;
}

/** A writer's option. */
export interface OnWritten {
  /** Called with each batch when all of it is in the file. */
  readonly onWritten?: (batch: RecordBatch) => void;
}

/**
 * Writes a file under another name beside it, which becomes its name when all is on the disk: a reader never sees half
 * of it, and an older file stays until then. Folders that are missing are made.
 *
 * @throws {FileError} when the file system refuses; whatever `write` throws
 */
export async function atomicFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const part = tempName(path, "file");
  const file = await opened(part).catch((error: unknown) => Promise.reject(fileError(path, "write", error)));
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

/** A new file; folders that are missing on its way are made. */
async function opened(path: string): Promise<FileHandle> {
  return open(path, "wx").catch(async (error: unknown) => {
    if (!isSystemError(error) || error.code !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true });
    return open(path, "wx");
  });
}

/** The error for a file of no batches whose columns are unknown. */
export function noBatches(): InputError {
  return new InputError("There are no batches, so the columns are not known.", {
    code: "NoSchema",
    hint: "Pass the schema.",
  });
}
