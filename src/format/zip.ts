import { DataError } from "../errors/errors.js";
import { latin1Text } from "../platform/node/bytes.js";
import { type DirectoryEntry, zipDirectory } from "../platform/node/zip.js";
import { fileAccess, type RandomAccess } from "./random-access.js";
import { refuseFormat, SIGNATURE_BYTES } from "./signature.js";
import {
  accessOf,
  type EntryRecord,
  type ZipEntry,
  type ZipOptions,
  type ZipSource,
  zipEntryAt,
  zipEntryIn,
} from "./zip-entry.js";
import { toZipError, unsupportedZip } from "./zip-error.js";

/** An entry of an archive, as listed by its directory. */
export interface ZipListing extends ZipEntry {
  readonly isFile: boolean;
  /** Byte offset of the local header of the entry. */
  readonly offset: number;
}

/** An archive with more entries is rejected before its directory is read; a bulk file has one. */
const MAX_ENTRIES = 100_000;

/**
 * Opens an archive that contains exactly one file (spec 2.5: a single zipped CSV file), ignoring directories and the
 * `__MACOSX` side files of macOS. CRC-32, sizes, compression ratio and overlaps are checked; names from the archive are
 * never used as paths.
 *
 * @throws {DataError} NotZip, BadZip, ZipEntries, ZipBomb, UnsupportedZip, BadChecksum, NestedZip
 * @throws {FileError} if the file cannot be read
 *
 * @example
 * ```ts no-run
 * const entry = await zipEntry("prices.zip");
 * for await (const chunk of entry.chunks()) console.log(entry.name, chunk.length);
 * ```
 */
export async function zipEntry(source: ZipSource, options: ZipOptions = {}): Promise<ZipEntry> {
  const all = await zipEntries(source, options);
  const files = all.filter((entry) => entry.isFile && !isSideFile(entry.name));
  const strange = all.filter((entry) => !entry.isFile && !isDirectory(entry.name));
  if (files.length === 1 && strange.length === 0) return files[0];
  const names = [...files, ...strange].map((entry) => JSON.stringify(entry.name));
  const shown = names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "");
  throw new DataError(
    names.length === 0
      ? "Expected exactly one CSV file in the archive; it has none."
      : `Expected exactly one CSV file in the archive; it has ${names.length === 1 ? "a link or device" : `${names.length} files`} (${shown}).`,
    { code: "ZipEntries", hint: "Take the CSV file out of the archive and read it with Frame.fromCSV(path)." },
  );
}

/**
 * Lists all entries of an archive after checking that none overlap; any of them can be read.
 *
 * @throws {DataError} as {@link zipEntry}
 * @throws {FileError} as {@link zipEntry}
 */
export async function zipEntries(source: ZipSource, options: ZipOptions = {}): Promise<ZipListing[]> {
  if (typeof source !== "string") {
    return listed(accessOf(source), (record) => zipEntryIn(source, record, options));
  }
  const file = await fileAccess(source);
  try {
    return await listed(file, (record) => zipEntryAt({ path: source, state: file.state, record }, options));
  } finally {
    await file.close();
  }
}

async function listed(access: RandomAccess, entryOf: (record: EntryRecord) => ZipEntry): Promise<ZipListing[]> {
  try {
    const directory = await zipDirectory(access);
    if (directory.entryCount > MAX_ENTRIES) {
      throw new DataError(`The archive declares ${directory.entryCount} entries; the limit is ${MAX_ENTRIES}.`, {
        code: "ZipEntries",
      });
    }
    const entries = await directory.entries();
    refuseOverlap(entries, directory.start);
    return entries.map((entry) => ({
      ...entryOf(recordOf(entry)),
      isFile: isRegularFile(entry),
      offset: entry.start,
    }));
  } catch (cause) {
    const error = toZipError(cause);
    if (error instanceof DataError && error.code === "NotZip") await refuseOtherFormat(access);
    if (error instanceof DataError && error.code === "BadZip") await refuseEncrypted(access);
    throw error;
  }
}

function recordOf(entry: DirectoryEntry): EntryRecord {
  const { fileName: name, uncompressedSize: size, compressedSize, crc32, compressionMethod: method } = entry;
  return { name, size, compressedSize, crc32, method, isEncrypted: entry.isEncrypted, dataStart: entry.dataStart };
}

/** @throws {DataError} NotZip with the name of the format, if the first bytes identify one */
async function refuseOtherFormat(access: RandomAccess): Promise<void> {
  const start = new Uint8Array(Math.min(SIGNATURE_BYTES, access.size));
  await access.read(start, 0);
  refuseFormat(start, "a zip archive", "NotZip");
}

/** Flags of a local header: encrypted, strongly encrypted, fields masked by directory encryption. */
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;

/**
 * @throws {DataError} UnsupportedZip if the first entry is encrypted: the directory may be encrypted too, or the sizes
 *   may include encryption headers, which would be reported as corruption
 */
async function refuseEncrypted(access: RandomAccess): Promise<void> {
  if (access.size < 8) return;
  const start = new Uint8Array(8);
  await access.read(start, 0);
  const flags = start[6] | (start[7] << 8);
  if (latin1Text(start, 0, 4) === "PK\x03\x04" && (flags & ENCRYPTED) !== 0) {
    throw unsupportedZip("The archive is encrypted.");
  }
}

const isDirectory = (name: string): boolean => name.endsWith("/");
const isSideFile = (name: string): boolean => name.startsWith("__MACOSX/") || /(^|\/)\.DS_Store$/.test(name);

/** Checks the Unix file type in the upper half of the external attributes; a missing type counts as a regular file. */
function isRegularFile(entry: DirectoryEntry): boolean {
  const madeByUnix = entry.versionMadeBy >> 8 === 3 || entry.versionMadeBy >> 8 === 19;
  const type = (entry.externalFileAttributes >>> 28) & 0xf;
  return !isDirectory(entry.fileName) && (!madeByUnix || type === 0 || type === 8);
}

function refuseOverlap(entries: readonly DirectoryEntry[], directoryStart: number): void {
  const sorted = [...entries].sort((a, b) => a.start - b.start);
  for (let i = 0; i < sorted.length; i++) {
    const limit = i + 1 < sorted.length ? sorted[i + 1].start : directoryStart;
    if (sorted[i].dataStart + sorted[i].compressedSize > limit) {
      throw new DataError(`Entries of the archive overlap at byte ${limit} (${JSON.stringify(sorted[i].fileName)}).`, {
        code: "ZipBomb",
        hint: "The archive is corrupt or malicious; do not use it.",
      });
    }
  }
}
