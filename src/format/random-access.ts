import { type FileHandle, open, stat } from "node:fs/promises";
import { FileError } from "../errors/errors.js";
import { fileError, notAFile } from "../errors/file-error.js";

/** Bytes that can be read at any offset: a file, bytes in memory, or any other object with this interface. */
export interface RandomAccess {
  /** Length in bytes. */
  readonly size: number;
  /** Fills all of `target` from byte `position` on; rejects if there are not enough bytes. */
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
 * Identifies the state of a file: `chunks()` of an archive refuses to read a file that changed after its directory was
 * read.
 */
export interface FileState {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Whether a file with these stats is in that state. */
export function isState({ ino, size, mtimeMs }: FileState, state: FileState): boolean {
  return state.ino === ino && state.size === size && state.mtimeMs === mtimeMs;
}

export async function fileState(path: string): Promise<FileState> {
  const { ino, size, mtimeMs } = await stat(path).catch((cause: unknown) =>
    Promise.reject(fileError(path, "read", cause)),
  );
  return { ino, size, mtimeMs };
}

/**
 * A file as {@link RandomAccess}.
 *
 * @throws {FileError} if it cannot be opened; FileChanged if its state is not `expected`
 */
export async function fileAccess(
  path: string,
  expected?: FileState,
): Promise<RandomAccess & { readonly state: FileState }> {
  const handle = await openToRead(path);
  const { ino, size, mtimeMs } = await handle.stat();
  if (expected && !isState({ ino, size, mtimeMs }, expected)) {
    await handle.close();
    throw new FileError(`${path} changed while it was being read.`, {
      code: "FileChanged",
      hint: "Open the file again.",
    });
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
