import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { DataError, hasCode } from "../errors/errors.js";
import { readBlocks } from "./blocks.js";
import { inflated } from "./inflated.js";
import { bytesAccess, type FileState, fileAccess, type RandomAccess } from "./random-access.js";
import { refuseFormat, SIGNATURE_BYTES } from "./signature.js";

/** Limits against archives made to harm. */
export interface ZipOptions {
  /** Bytes out for one byte in, at most. Default 200: a price table has about 3, and deflate cannot pass 1,032. */
  readonly maxRatio?: number;
  /** Bytes of the entry, at most. Default 2^40. */
  readonly maxSize?: number;
  readonly signal?: AbortSignal;
}

/** A path, the bytes of an archive, or anything that answers reads by offset. */
export type ZipSource = string | Uint8Array | RandomAccess;

/** The one file inside an archive. */
export interface ZipEntry {
  /** Its name in the archive, never used as a path. */
  readonly name: string;
  /** Bytes, uncompressed and compressed, as the archive declares them; reading enforces them. */
  readonly size: number;
  readonly compressedSize: number;
  readonly crc32: number;
  /**
   * The contents in chunks of at most 1 MB; each is only valid until the next one is requested. The last step checks
   * size and CRC-32 and throws DataError where they are wrong: nothing read before is final until the iteration ends
   * without an error. May be called again for another pass.
   */
  chunks(): AsyncGenerator<Uint8Array>;
}

/** Every entry of an archive, as listed by its directory. */
export interface ZipListing extends ZipEntry {
  readonly isFile: boolean;
  /** Byte offset of the entry's local header. */
  readonly offset: number;
}

const WINDOW = 1 << 16;

export const DEFAULT_MAX_RATIO = 200;
export const DEFAULT_MAX_SIZE = 2 ** 40;

/** Smaller files may be compressed as much as they like. */
export const SMALL = 1 << 20;

/** An archive with more entries than this is refused before its directory is read; a bulk file has one. */
const MAX_ENTRIES = 100_000;

/** Compression methods by number, for the message (APPNOTE 4.4.5). */
const METHODS: Readonly<Record<number, string>> = {
  1: "shrunk",
  6: "imploded",
  9: "Deflate64",
  12: "BZIP2",
  14: "LZMA",
  93: "Zstandard",
  95: "XZ",
  98: "PPMd",
  99: "AES encryption",
};

/**
 * Opens an archive that holds exactly one file (spec 2.5: a single zipped CSV file); directories and the `__MACOSX`
 * side files of macOS are set aside. CRC-32, sizes, the ratio and overlaps are enforced, and no name of the archive
 * becomes a path.
 *
 * @throws {DataError} NotZip, BadZip, ZipEntries, ZipBomb, UnsupportedZip, BadChecksum, NestedZip
 * @throws {FileError} where the file cannot be read
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
      ? "The archive holds no file; one CSV file was expected."
      : `The archive holds ${names.length === 1 ? "a link or device" : `${names.length} files`} (${shown}); exactly one CSV file was expected.`,
    { code: "ZipEntries", hint: "Take the CSV file out of the archive and read it with Frame.fromCSV(path)." },
  );
}

/**
 * Lists every entry of an archive, after checking that none overlaps another, and reads any of them. Throws as {@link
 * zipEntry}.
 */
export async function zipEntries(source: ZipSource, options: ZipOptions = {}): Promise<ZipListing[]> {
  const access = typeof source === "string" ? await fileAccess(source) : accessOf(source);
  try {
    const zip = await openDirectory(access);
    const directoryStart = zip.readEntryCursor as unknown as number;
    if (zip.entryCount > MAX_ENTRIES) {
      throw new DataError(`The archive claims ${zip.entryCount} entries.`, { code: "ZipEntries" });
    }
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) entries.push(entry);
    const spans = await readSpans(zip, entries);
    refuseOverlap(spans, directoryStart);
    const state = "state" in access ? (access.state as FileState) : undefined;
    return spans.map((span) => listing(source, state, span, options));
  } catch (cause) {
    const error = asDataError(cause);
    if (error instanceof DataError && error.code === "NotZip") await refuseOtherFormat(access);
    if (error instanceof DataError && error.code === "BadZip") await refuseEncrypted(access);
    throw error;
  } finally {
    await access.close();
  }
}

/** @throws {DataError} NotZip that names the format where the first bytes do */
async function refuseOtherFormat(access: RandomAccess): Promise<void> {
  const start = new Uint8Array(Math.min(SIGNATURE_BYTES, access.size));
  await access.read(start, 0);
  refuseFormat(start, "a zip archive", "NotZip");
}

/** Bits of the flags of a local header: encrypted, strongly encrypted, fields masked by an encrypted directory. */
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;

/**
 * @throws {DataError} UnsupportedZip where the first entry says that it is encrypted: its directory may be encrypted
 *   too, or its sizes count what the encryption adds, and then reads like damage
 */
async function refuseEncrypted(access: RandomAccess): Promise<void> {
  if (access.size < 8) return;
  const start = Buffer.alloc(8);
  await access.read(start, 0);
  if (start.toString("latin1", 0, 4) === "PK\x03\x04" && (start.readUInt16LE(6) & ENCRYPTED) !== 0) {
    throw unsupported("The archive is encrypted.");
  }
}

function unsupported(message: string, cause?: unknown): DataError {
  return new DataError(message, { code: "UnsupportedZip", hint: "Ask for a plain deflated or stored archive.", cause });
}

function accessOf(source: Uint8Array | RandomAccess): RandomAccess {
  return source instanceof Uint8Array ? bytesAccess(source) : source;
}

const isDirectory = (name: string): boolean => name.endsWith("/");
const isSideFile = (name: string): boolean => name.startsWith("__MACOSX/") || /(^|\/)\.DS_Store$/.test(name);

/**
 * Unix file type in the upper half of the external attributes: anything but a regular file (or nothing said) is not
 * one.
 */
function isRegularFile(entry: Entry): boolean {
  const madeByUnix = entry.versionMadeBy >> 8 === 3 || entry.versionMadeBy >> 8 === 19;
  const type = (entry.externalFileAttributes >>> 28) & 0xf;
  return !isDirectory(entry.fileName) && (!madeByUnix || type === 0 || type === 8);
}

async function openDirectory(access: RandomAccess): Promise<ZipFile> {
  const { RandomAccessReader, fromRandomAccessReaderPromise } = await import("yauzl");
  const windowed = windowOf(access);
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
  return fromRandomAccessReaderPromise(new Reader(), access.size, { autoClose: false, validateEntrySizes: true });
}

/** Reads of the directory are a few bytes each: they are answered from a window of 64 KB. */
function windowOf(access: RandomAccess): RandomAccess["read"] {
  let held = Buffer.alloc(0);
  let from = 0;
  return async (target, position) => {
    if (position < from || position + target.length > from + held.length) {
      const length = Math.min(WINDOW, access.size - position);
      if (target.length > length) return access.read(target, position);
      const next = Buffer.allocUnsafeSlow(length);
      await access.read(next, position);
      held = next;
      from = position;
    }
    target.set(held.subarray(position - from, position - from + target.length));
  };
}

interface Span {
  readonly entry: Entry;
  readonly start: number;
  readonly dataStart: number;
  readonly end: number;
}

async function readSpans(zip: ZipFile, entries: readonly Entry[]): Promise<Span[]> {
  const spans: Span[] = [];
  for (const entry of entries) {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const start = entry.relativeOffsetOfLocalHeader;
    spans.push({ entry, start, dataStart: fileDataStart, end: fileDataStart + entry.compressedSize });
  }
  return spans;
}

function refuseOverlap(spans: readonly Span[], directoryStart: number): void {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  for (let i = 0; i < sorted.length; i++) {
    const limit = i + 1 < sorted.length ? sorted[i + 1].start : directoryStart;
    if (sorted[i].end > limit) {
      throw new DataError(
        `Entries of the archive overlap at byte ${limit} (${JSON.stringify(sorted[i].entry.fileName)}).`,
        {
          code: "ZipBomb",
          hint: "The archive is damaged or made to harm; do not use it.",
        },
      );
    }
  }
}

function listing(source: ZipSource, state: FileState | undefined, span: Span, options: ZipOptions): ZipListing {
  const { entry } = span;
  const checked = (): void => {
    refuseMethod(entry);
    refuseBomb(entry, options);
  };
  const listed: ZipListing = {
    name: entry.fileName,
    size: entry.uncompressedSize,
    compressedSize: entry.compressedSize,
    crc32: entry.crc32,
    isFile: isRegularFile(entry),
    offset: entry.relativeOffsetOfLocalHeader,
    async *chunks() {
      checked();
      const access = typeof source === "string" ? await fileAccess(source, state) : accessOf(source);
      try {
        const raw = readBlocks(access, span.dataStart, span.end);
        const stored = entry.compressionMethod === 0;
        yield* verified(listed, stored ? raw : inflated(raw, entry.compressedSize), options.signal);
      } catch (cause) {
        throw asDataError(cause, options.signal);
      } finally {
        if (typeof source === "string") await access.close();
      }
    },
  };
  return listed;
}

function refuseMethod(entry: Entry): void {
  const name = JSON.stringify(entry.fileName);
  if (entry.isEncrypted()) throw unsupported(`The entry ${name} is encrypted.`);
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    const method = METHODS[entry.compressionMethod];
    throw unsupported(
      `The entry ${name} has the unsupported compression method ${entry.compressionMethod}${method ? ` (${method})` : ""}.`,
    );
  }
}

function refuseBomb(entry: Entry, options: ZipOptions): void {
  const { maxRatio = DEFAULT_MAX_RATIO, maxSize = DEFAULT_MAX_SIZE } = options;
  const { uncompressedSize: size, compressedSize } = entry;
  if (size > maxSize) {
    throw new DataError(`The entry ${JSON.stringify(entry.fileName)} has ${size} bytes; the limit is ${maxSize}.`, {
      code: "ZipBomb",
      hint: "Raise the limit with maxSize if the archive is trusted.",
    });
  }
  if (size > SMALL && size > compressedSize * maxRatio) {
    throw new DataError(
      `The entry ${JSON.stringify(entry.fileName)} grows ${Math.round(size / compressedSize)}-fold (${compressedSize} to ${size} bytes); the limit is ${maxRatio}.`,
      { code: "ZipBomb", hint: "Raise the limit with maxRatio if the archive is trusted." },
    );
  }
}

/** Passes chunks on while counting and summing them. */
async function* verified(
  entry: ZipListing,
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const name = JSON.stringify(entry.name);
  let size = 0;
  let sum = 0;
  for await (const chunk of chunks) {
    if (size === 0 && chunk.length >= 4 && chunk[0] === 0x50 && chunk[1] === 0x4b && chunk[2] === 3 && chunk[3] === 4) {
      throw new DataError(`The entry ${name} is itself a zip archive.`, {
        code: "NestedZip",
        hint: "Unpack the outer archive first.",
      });
    }
    size += chunk.length;
    if (size > entry.size) {
      throw new Error(`too many bytes in the entry ${name}: ${entry.size} declared, at least ${size} found`);
    }
    sum = crc32(chunk, sum);
    yield chunk;
    signal?.throwIfAborted();
  }
  if (size < entry.size) {
    throw new Error(`not enough bytes in the entry ${name}: ${entry.size} declared, ${size} found`);
  }
  if (sum !== entry.crc32) {
    throw new DataError(
      `The checksum of the entry ${name} is wrong: ${hex(sum)} instead of ${hex(entry.crc32)}. Nothing read from it can be trusted.`,
      { code: "BadChecksum", hint: "Download it again." },
    );
  }
}

const hex = (sum: number): string => (sum >>> 0).toString(16).padStart(8, "0");

/** Errors of yauzl and zlib as DataError; the family's own, file system errors and aborts as they are. */
function asDataError(cause: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted && cause === signal.reason) return cause;
  if (!(cause instanceof Error) || (cause.constructor !== Error && cause.constructor !== RangeError)) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== undefined && !code.startsWith("Z_") && !(cause instanceof RangeError)) return cause;
  if (cause.message.startsWith("strong encryption")) return unsupported("The archive is encrypted.", cause);
  if (cause.message.startsWith("multi-disk")) return unsupported("The archive is one part of several.", cause);
  const notZip = cause.message.startsWith("End of central directory");
  return new DataError(
    notZip ? "This is not a zip archive, or it is cut off." : `The archive is damaged: ${cause.message}.`,
    {
      code: notZip ? "NotZip" : "BadZip",
      hint: "Download it again.",
      cause,
    },
  );
}

/** Whether an error says that the archive itself is damaged, so that another download may help. */
export function isDamaged(error: unknown): boolean {
  return hasCode(error, "NotZip", "BadZip", "BadChecksum");
}
