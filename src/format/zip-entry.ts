import { DataError } from "../errors/errors.js";
import { closeSync, fstatSync, openSync, readSync } from "../platform/node/files.js";
import { nextTurn } from "../platform/node/process.js";
import { addCrc32, readBlocks } from "./blocks.js";
import { Inflater } from "./inflater.js";
import { bytesAccess, type FileState, fileAccess, isState, type RandomAccess } from "./random-access.js";
import { formatOf } from "./signature.js";
import { toZipError, unsupportedZip } from "./zip-error.js";

/** Limits that protect against archive bombs. */
export interface ZipOptions {
  /**
   * The highest ratio of uncompressed to compressed bytes. Default 200: a price table has about 3, deflate at most
   * 1,032.
   */
  readonly maxRatio?: number;
  /** The most bytes of the entry. Default 2^40. */
  readonly maxSize?: number;
  /** Entries of at most this many bytes may have any ratio. Default 1 MB. */
  readonly freeSize?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_MAX_RATIO = 200;
const DEFAULT_MAX_SIZE = 2 ** 40;

/** Bytes that {@link blockingChunks} reads at a time. */
const BLOCK_BYTES = 1 << 18;

/** Smaller files may have any compression ratio. */
const SMALL = 1 << 20;

/** A path, the bytes of an archive, or a source of random reads. */
export type ZipSource = string | Uint8Array | RandomAccess;

/** The directory record of an entry, as plain data. */
export interface EntryRecord {
  readonly name: string;
  readonly size: number;
  readonly compressedSize: number;
  readonly crc32: number;
  /** Number of the compression method (APPNOTE 4.4.5): 0 stored, 8 deflated. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** Byte offset of the compressed data. */
  readonly dataStart: number;
}

/**
 * The location of an entry in an archive on disk. Plain data, with which another thread reads the entry without reading
 * the directory again.
 */
export interface EntryPlace {
  readonly path: string;
  /** The state of the file when its directory was read; if the file has changed since, its entry is not read. */
  readonly state: FileState;
  readonly record: EntryRecord;
}

/** The one file inside an archive. */
export interface ZipEntry {
  /** Its name in the archive; never used as a path. */
  readonly name: string;
  /** Uncompressed and compressed size in bytes, as the archive declares them; enforced while reading. */
  readonly size: number;
  readonly compressedSize: number;
  readonly crc32: number;
  /** Undefined if the archive is not a file. */
  readonly place: EntryPlace | undefined;
  /**
   * The contents in chunks of at most 1 MB; each is valid until the next one is requested. Size and CRC-32 are checked
   * last: the contents are verified only once the iteration has ended without a DataError. May be called again for
   * another pass.
   */
  chunks(): AsyncGenerator<Uint8Array>;
}

/** Names of the compression methods, for messages (APPNOTE 4.4.5). */
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
 * An entry located earlier, without reading the directory again. `chunks` throws FileError FileChanged if the file has
 * changed since.
 */
export function zipEntryAt(place: EntryPlace, options: ZipOptions = {}): ZipEntry {
  return entryOf(place.record, place, () => fileAccess(place.path, place.state), options);
}

/**
 * The contents of an entry on disk, as `zipEntryAt(place, options).chunks()`, but read and inflated without a turn of
 * the event loop: for a thread that does nothing else. Each chunk is valid until the next one is requested.
 *
 * @throws {Error} of any class where the entry cannot be read: the other way to read it reports the error
 */
export function* blockingChunks(place: EntryPlace, options: ZipOptions, inflater: Inflater): Generator<Uint8Array> {
  const { path, record, state } = place;
  refuseEntry(record, options);
  const file = openSync(path, "r");
  try {
    if (!isState(fstatSync(file), state)) throw new Error(`${path} changed`);
    const blocks = blocksOf(file, record.dataStart, record.compressedSize);
    const check = new EntryCheck(record);
    const chunks = record.method === 0 ? blocks : inflatedHere(blocks, record.compressedSize, inflater);
    for (const chunk of chunks) {
      check.add(chunk);
      yield chunk;
    }
    check.end();
  } finally {
    closeSync(file);
  }
}

function* blocksOf(file: number, start: number, length: number): Generator<Uint8Array> {
  const block = new Uint8Array(Math.min(BLOCK_BYTES, length));
  for (let at = 0; at < length; ) {
    const read = readSync(file, block, 0, Math.min(block.length, length - at), start + at);
    if (read === 0) throw new Error("unexpected EOF");
    at += read;
    yield block.subarray(0, read);
  }
}

/** An entry of an archive in memory or in another source of random reads. */
export function zipEntryIn(source: Uint8Array | RandomAccess, record: EntryRecord, options: ZipOptions): ZipEntry {
  const access = accessOf(source);
  const opened: RandomAccess = {
    size: access.size,
    read: (target, position) => access.read(target, position),
    // The source belongs to the caller, who may read it again.
    close: async () => {},
  };
  return entryOf(record, undefined, async () => opened, options);
}

/** Bytes in memory as {@link RandomAccess}; any other source unchanged. */
export function accessOf(source: Uint8Array | RandomAccess): RandomAccess {
  return source instanceof Uint8Array ? bytesAccess(source) : source;
}

function entryOf(
  record: EntryRecord,
  place: EntryPlace | undefined,
  open: () => Promise<RandomAccess>,
  options: ZipOptions,
): ZipEntry {
  const { name, size, compressedSize, dataStart, method } = record;
  return {
    name,
    size,
    compressedSize,
    crc32: record.crc32,
    place,
    async *chunks() {
      refuseEntry(record, options);
      const access = await open();
      try {
        const raw = readBlocks(access, dataStart, dataStart + compressedSize);
        yield* verified(record, method === 0 ? raw : inflated(raw, compressedSize), options.signal);
      } catch (cause) {
        throw toZipError(cause, options.signal);
      } finally {
        await access.close();
      }
    },
  };
}

/** Refuses an entry that cannot be read, or is larger than the limits allow. */
function refuseEntry(record: EntryRecord, options: ZipOptions): void {
  refuseMethod(record);
  refuseBomb(record, options);
}

function refuseMethod({ name, method, isEncrypted }: EntryRecord): void {
  const shown = JSON.stringify(name);
  if (isEncrypted) throw unsupportedZip(`The entry ${shown} is encrypted.`);
  if (method === 0 || method === 8) return;
  const known = METHODS[method];
  throw unsupportedZip(
    `The entry ${shown} has the unsupported compression method ${method}${known ? ` (${known})` : ""}.`,
  );
}

/** @throws {DataError} ZipBomb for an entry that is larger than the limits allow */
export function refuseBomb(
  { name, size, compressedSize }: Pick<EntryRecord, "name" | "size" | "compressedSize">,
  { maxRatio = DEFAULT_MAX_RATIO, maxSize = DEFAULT_MAX_SIZE, freeSize = SMALL }: ZipOptions,
): void {
  if (size > maxSize) {
    throw new DataError(`The entry ${JSON.stringify(name)} has ${size} bytes; the limit is ${maxSize}.`, {
      code: "ZipBomb",
      hint: "Raise the limit with maxSize if the archive is trusted.",
    });
  }
  if (size > freeSize && size > compressedSize * maxRatio) {
    throw new DataError(
      `The entry ${JSON.stringify(name)} grows ${Math.round(size / compressedSize)}-fold (${compressedSize} to ${size} bytes); the limit is ${maxRatio}.`,
      { code: "ZipBomb", hint: "Raise the limit with maxRatio if the archive is trusted." },
    );
  }
}

/** @throws {DataError} GzipBomb, ZstdBomb for data of one file that grow beyond the limits */
export function checkGrowth(
  format: "gzip" | "zstd",
  size: number,
  compressed: number,
  { maxRatio = DEFAULT_MAX_RATIO, maxSize = DEFAULT_MAX_SIZE }: ZipOptions,
): void {
  const isLarge = size > maxSize;
  if (!isLarge && (size <= SMALL || size <= compressed * maxRatio)) return;
  const what = isLarge ? `grows beyond ${maxSize} bytes` : `grows more than ${maxRatio}-fold`;
  throw new DataError(`The ${format} data ${what}.`, {
    code: format === "gzip" ? "GzipBomb" : "ZstdBomb",
    hint: `Raise the limit with ${isLarge ? "maxSize" : "maxRatio"} if the data is trusted.`,
  });
}

/** Passes chunks through; counts them and computes their CRC-32. */
async function* verified(
  entry: EntryRecord,
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const check = new EntryCheck(entry);
  for await (const chunk of chunks) {
    check.add(chunk);
    yield chunk;
    signal?.throwIfAborted();
  }
  check.end();
}

/** Checks the contents of an entry, chunk by chunk, against its record: size and CRC-32. */
class EntryCheck {
  private readonly name: string;
  private size = 0;
  private sum = 0;

  constructor(private readonly entry: EntryRecord) {
    this.name = JSON.stringify(entry.name);
  }

  /** Counts the next chunk. Throws for an archive inside the archive, and for more bytes than declared. */
  add(chunk: Uint8Array): void {
    const { entry, name } = this;
    if (this.size === 0 && formatOf(chunk) === "zip") {
      throw new DataError(`The entry ${name} is itself a zip archive.`, {
        code: "NestedZip",
        hint: "Unpack the outer archive first.",
      });
    }
    this.size += chunk.length;
    if (this.size > entry.size) {
      throw new Error(`too many bytes in the entry ${name}: ${entry.size} declared, at least ${this.size} found`);
    }
    this.sum = addCrc32(this.sum, chunk);
  }

  /** Throws for fewer bytes than declared, and for a wrong CRC-32. */
  end(): void {
    const { entry, name, size, sum } = this;
    if (size < entry.size) {
      throw new Error(`not enough bytes in the entry ${name}: ${entry.size} declared, ${size} found`);
    }
    if (sum !== entry.crc32) {
      throw new DataError(
        `The checksum of the entry ${name} is wrong: ${hex(sum)} instead of ${hex(entry.crc32)}. Discard everything read from it.`,
        { code: "BadChecksum", hint: "Download it again." },
      );
    }
  }
}

const hex = (sum: number): string => (sum >>> 0).toString(16).padStart(8, "0");

/**
 * Inflates raw deflate of `compressedSize` bytes, in chunks of at most 1 MB; each is only valid until the next one is
 * requested.
 *
 * @throws {Error} with zlib's wording when the stream is invalid, incomplete or followed by other bytes
 */
async function* inflated(blocks: AsyncGenerator<Uint8Array>, compressedSize: number): AsyncGenerator<Uint8Array> {
  const inflater = Inflater.take();
  try {
    for await (const block of blocks) {
      yield* inflater.push(block);
      if (inflater.ended) return refuseRest(compressedSize - inflater.consumed);
      // Blocks of bytes in memory come without a turn of the event loop.
      await nextTurn();
    }
  } finally {
    inflater.release();
  }
  throw new Error("unexpected end of file");
}

/** The same with an inflater at the start of a stream, without a turn of the event loop. */
function* inflatedHere(
  blocks: Iterable<Uint8Array>,
  compressedSize: number,
  inflater: Inflater,
): Generator<Uint8Array> {
  for (const block of blocks) {
    yield* inflater.push(block);
    if (inflater.ended) return refuseRest(compressedSize - inflater.consumed);
  }
  throw new Error("unexpected end of file");
}

function refuseRest(bytes: number): void {
  if (bytes !== 0) throw new Error(`the compressed data ends ${bytes} bytes early`);
}
