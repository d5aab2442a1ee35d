import type { Entry } from "yauzl";

/** Where the bytes of an archive are read. */
interface Source {
  readonly size: number;
  read(target: Uint8Array, position: number): Promise<void>;
}

/** An entry as the directory of its archive describes it, and where it is. */
export interface DirectoryEntry {
  readonly fileName: string;
  readonly uncompressedSize: number;
  readonly compressedSize: number;
  readonly crc32: number;
  readonly compressionMethod: number;
  readonly isEncrypted: boolean;
  readonly versionMadeBy: number;
  readonly externalFileAttributes: number;
  /** Byte offset of its local header. */
  readonly start: number;
  /** Byte offset of its data. */
  readonly dataStart: number;
}

export interface Directory {
  readonly entryCount: number;
  /** Byte offset of the directory. */
  readonly start: number;
  /** All entries. Rejects with an error in the wording of yauzl for a damaged archive. */
  entries(): Promise<DirectoryEntry[]>;
}

const WINDOW = 1 << 16;

/** The directory of a zip archive. */
export async function zipDirectory(source: Source): Promise<Directory> {
  const { RandomAccessReader, fromRandomAccessReaderPromise } = await import("yauzl");
  const windowed = windowOf(source);
  class Reader extends RandomAccessReader {
    override read(
      buffer: Buffer,
      offset: number,
      length: number,
      position: number,
      done: (error: Error | null, bytesRead?: number) => void,
    ): void {
      windowed(buffer.subarray(offset, offset + length), position).then(
        () => done(null, length),
        (error: Error) => done(error),
      );
    }
  }
  const options = { autoClose: false, validateEntrySizes: true };
  const zip = await fromRandomAccessReaderPromise(new Reader(), source.size, options);
  return {
    entryCount: zip.entryCount,
    start: zip.readEntryCursor as unknown as number,
    async entries() {
      const found: Entry[] = [];
      for await (const entry of zip.eachEntry()) found.push(entry);
      const entries: DirectoryEntry[] = [];
      for (const entry of found) {
        const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
        const { fileName, uncompressedSize, compressedSize, crc32, compressionMethod } = entry;
        const { versionMadeBy, externalFileAttributes, relativeOffsetOfLocalHeader: start } = entry;
        const sizes = { uncompressedSize, compressedSize, crc32, compressionMethod };
        const kind = { isEncrypted: entry.isEncrypted(), versionMadeBy, externalFileAttributes };
        entries.push({ fileName, ...sizes, ...kind, start, dataStart: fileDataStart });
      }
      return entries;
    },
  };
}

/** Reads of the directory are a few bytes each: they are served from a window of 64 KB. */
function windowOf(source: Source): Source["read"] {
  let held = new Uint8Array(0);
  let from = 0;
  return async (target, position) => {
    if (position < from || position + target.length > from + held.length) {
      const length = Math.min(WINDOW, source.size - position);
      if (target.length > length) return source.read(target, position);
      const next = new Uint8Array(length);
      await source.read(next, position);
      held = next;
      from = position;
    }
    target.set(held.subarray(position - from, position - from + target.length));
  };
}
