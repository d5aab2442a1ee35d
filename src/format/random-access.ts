import { FileError } from "../errors/errors.js";
import { fileError, notAFile } from "../errors/file-error.js";
import { type FileHandle, open, stat } from "../platform/node/files.js";

/** Bytes that can be read at any offset: a file, bytes in memory, or any other object with this interface. */
export interface RandomAccess {
  /** Length in bytes. */
  readonly size: number;
  /** Fills all of `target` from byte `position` on; rejects if there are not enough bytes. */
  read(target: Uint8Array, position: number): Promise<void>;
  close(): Promise<void>;
  /**
   * Bytes up to which neighbouring reads are better joined, because each is a request; undefined where a read costs
   * little.
   */
  readonly mostAtOnce?: number;
  /** The bytes from `start` to `end` in chunks of any size, where one request gives more than a read. */
  stream?(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** A file that is not in the file system: at an address, or chosen by the user of a page. */
export interface OpenableFile {
  /** Its name for messages, without keys and signatures. */
  readonly name: string;
  /**
   * Opens the file, any number of times: all reads are of the same state of it.
   *
   * @param from the end of the file that is read first
   */
  open(from?: "start" | "end"): Promise<RandomAccess>;
  /** The file as the user of a page chose it. */
  readonly blob?: Blob;
}

/** A file that a thread can be sent: its path, or a file of a page. */
export type SendableFile = string | Blob;

/** A file: its path, its bytes, or one that is not in the file system. */
export type AnyFile = string | Uint8Array | OpenableFile;

export const isOpenable = (source: unknown): source is OpenableFile =>
  typeof source === "object" && source !== null && "open" in source && typeof source.open === "function";

/** Opens a file of any kind. */
export async function anyAccess(file: AnyFile, from?: "start" | "end"): Promise<RandomAccess> {
  if (typeof file === "string") return fileAccess(file);
  return file instanceof Uint8Array ? bytesAccess(file) : file.open(from);
}

/** The name of a file in messages; that of bytes is `bytes`. */
export function nameOfFile(file: AnyFile, bytes: string): string {
  if (typeof file === "string") return file;
  return file instanceof Uint8Array ? bytes : file.name;
}

/** A file that the user of a page chose, or a part of memory that the page has as one. */
export const blobFile = (blob: Blob): OpenableFile & { readonly blob: Blob } => ({
  blob,
  name: (blob as { readonly name?: string }).name ?? "the Blob",
  open: async () => ({
    size: blob.size,
    async read(target, position) {
      if (position + target.length > blob.size) throw new Error("unexpected EOF");
      target.set(new Uint8Array(await blob.slice(position, position + target.length).arrayBuffer()));
    },
    async close() {},
  }),
});

/** All bytes of a file. */
export async function wholeFile(file: Uint8Array | OpenableFile): Promise<Uint8Array> {
  if (file instanceof Uint8Array) return file;
  const access = await file.open();
  try {
    const bytes = spaceFor(access.size, file.name);
    await access.read(bytes, 0);
    return bytes;
  } finally {
    await access.close();
  }
}

/** @throws {FileError} FileFailed for more bytes than there can be memory for, as a server may claim */
function spaceFor(size: number, name: string): Uint8Array {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw new FileError(`Cannot read ${name}: it has ${size} bytes, more than fit in memory.`, {
      code: "FileFailed",
      cause,
      hint: "Check the address.",
    });
  }
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
