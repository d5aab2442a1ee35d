import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { toFileError } from "../errors/file-error.js";
import { atomicFile } from "./atomic-file.js";
import { digestOfSealed, SEALED_HEAD, type Sealed, seal, sealedLength, unseal } from "./sealed.js";
import { syncFolder } from "./sync-folder.js";

interface Placed<Note> {
  readonly at: number;
  readonly length: number;
  readonly note: Note;
}

/** A file of records to which records are added; each is on the disk before the next one is added. */
export type RecordFile<Note> = Awaited<ReturnType<typeof recordsOf<Note>>>;

/** What a file of records was found to hold. */
export interface Found<Head, Note> {
  /** The first record; undefined if it is damaged. */
  readonly head: Head | undefined;
  readonly records: readonly Placed<Note>[];
  /** End of the last complete record, in bytes. */
  readonly end: number;
  /** Whether a byte before the end of the file is not as it was written; false for a truncated record at the end. */
  readonly isDamaged: boolean;
}

/**
 * Looks through a file of records; undefined if it does not exist or is empty, `foreign` if it does not begin as one.
 *
 * @throws {FileError}
 */
export async function lookThrough<Head, Note>(path: string): Promise<Found<Head, Note> | "foreign" | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw toFileError(path, "read", error);
  }
  try {
    const { size } = await file.stat();
    if (size === 0) return undefined;
    const first = await recordAt(file, 0, size);
    if (first === "no record") return "foreign";
    if (first === "truncated") return { head: undefined, records: [], end: 0, isDamaged: true };
    const head = unseal<Head>(first)?.note;
    const records: Placed<Note>[] = [];
    let at = first.length;
    for (let previous = digestOfSealed(first); head !== undefined && at < size; ) {
      const record = await recordAt(file, at, size);
      const opened = typeof record === "string" ? undefined : unseal<Note>(record, previous);
      if (typeof record === "string" || opened === undefined) {
        return { head, records, end: at, isDamaged: record !== "truncated" };
      }
      records.push({ at, length: record.length, note: opened.note });
      previous = digestOfSealed(record);
      at += record.length;
    }
    return { head, records, end: at, isDamaged: head === undefined };
  } catch (error) {
    throw toFileError(path, "read", error);
  } finally {
    await file.close();
  }
}

/** Creates a file of records, replacing one in a single step, or opens one at the end of its last complete record. */
export async function openRecords<Head, Note>(
  path: string,
  head: Head,
  found: Found<Head, Note> | undefined,
): Promise<RecordFile<Note>> {
  try {
    const first = seal(head);
    if (found === undefined) await atomicFile(path, (file) => file.writeFile(first));
    const file = await open(path, "r+");
    try {
      const end = found?.end ?? first.length;
      if (found !== undefined) {
        if ((await file.stat()).size > end) await file.truncate(end);
        await syncFolder(dirname(path));
      }
      return await recordsOf(path, file, found?.records ?? [], end);
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    throw toFileError(path, "write", error);
  }
}

async function recordsOf<Note>(path: string, file: FileHandle, found: readonly Placed<Note>[], length: number) {
  const records = [...found];
  let end = length;
  const digestBefore = async (index: number): Promise<string> => {
    const { at } = index === 0 ? { at: 0 } : records[index - 1];
    return digestOfSealed(await bytesAt(file, at, SEALED_HEAD));
  };
  let previous = await digestBefore(records.length);
  return {
    records,
    /** The record to append for a note and its bytes. */
    next: (note: Note, bytes: Uint8Array): Uint8Array => seal(note, bytes, previous),
    /** @throws {FileError} */
    async append(record: Uint8Array, note: Note): Promise<void> {
      try {
        for (let at = 0; at < record.length; ) {
          at += (await file.write(record, at, record.length - at, end + at)).bytesWritten;
        }
        await file.datasync();
      } catch (error) {
        throw toFileError(path, "write", error);
      }
      records.push({ at: end, length: record.length, note });
      previous = digestOfSealed(record);
      end += record.length;
    },
    /** Reads a record again; undefined if it has changed since the file was opened. */
    async read(index: number): Promise<Sealed<Note> | undefined> {
      const { at, length: size } = records[index];
      try {
        return unseal<Note>(await bytesAt(file, at, size), await digestBefore(index));
      } catch (error) {
        throw toFileError(path, "read", error);
      }
    },
    close: () => file.close(),
  };
}

async function recordAt(file: FileHandle, at: number, size: number): Promise<Uint8Array | "no record" | "truncated"> {
  const head = await bytesAt(file, at, Math.min(SEALED_HEAD, size - at));
  const length = sealedLength(head);
  if (length === undefined) return head.length < SEALED_HEAD && at > 0 ? "truncated" : "no record";
  return at + length > size ? "truncated" : bytesAt(file, at, length);
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
