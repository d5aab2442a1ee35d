import { type FileHandle, open } from "node:fs/promises";
import { FileError } from "../errors/errors.js";
import { fileError, notAFile } from "../errors/file-error.js";

/** Bytes that can be read at any place: a file, bytes in memory, or anything that answers reads by offset. */
export interface RandomAccess {
  /** Length in bytes. */
  readonly size: number;
  /** Fills `target` whole from byte `position` on; rejects where fewer bytes are there. */
  read(target: Uint8Array, position: number): Promise<void>;
  close(): Promise<void>;
}

/** Bytes in memory as {@link RandomAccess}. */
export function bytesAccess(bytes: Uint8Array): RandomAccess {
  return {
    size: bytes.length,
    async read(target, position) {
      if (position + target.length > bytes.length) throw new Error("unexpected EOF");
      target.set(bytes.subarray(position, position + target.length));
    },
    async close() {},
  };
}

/**
 * Identifies one state of a file; `chunks()` of an archive refuses to read a file that changed after its directory was
 * read.
 */
export interface FileState {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * A file as {@link RandomAccess}.
 *
 * @throws {FileError} where it cannot be opened, or is no longer in the state `expected`
 */
export async function fileAccess(
  path: string,
  expected?: FileState,
): Promise<RandomAccess & { readonly state: FileState }> {
  const handle = await openToRead(path);
  const { ino, size, mtimeMs } = await handle.stat();
  if (expected && (expected.ino !== ino || expected.size !== size || expected.mtimeMs !== mtimeMs)) {
    await handle.close();
    throw new FileError(`${path} changed while it was being read.`, { code: "FileChanged", hint: "Open it again." });
  }
  return {
    size,
    state: { ino, size, mtimeMs },
    async read(target, position) {
      let done = 0;
      while (done < target.length) {
        const { bytesRead } = await handle
          .read(target, done, target.length - done, position + done)
          .catch((cause: unknown) => Promise.reject(fileError(path, "read", cause)));
        if (bytesRead === 0) throw new Error("unexpected EOF");
        done += bytesRead;
      }
    },
    close: () => handle.close(),
  };
}

async function openToRead(path: string): Promise<FileHandle> {
  try {
    const handle = await open(path, "r");
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (cause) {
    throw fileError(path, "read", cause);
  }
  throw notAFile(path);
}
