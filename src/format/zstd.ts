import { DataError } from "../errors/errors.js";
import { zstdStream } from "../platform/node/compression.js";
import { readBlocks } from "./blocks.js";
import type { RandomAccess } from "./random-access.js";
import { checkGrowth, type ZipOptions } from "./zip-entry.js";
import { decompressZstd } from "./zstd-blocks.js";

const MAGIC = 0xfd2fb528;
/** Frames without data have this magic number, apart from the lowest four bits. */
const SKIPPABLE = 0x184d2a50;
/** The most bytes of a block's result. */
const BLOCK = 131_072;
const CHUNK = 1_048_576;

/**
 * The contents of Zstandard data (RFC 8878) in chunks. Before Node 22.15 and in a page, a whole frame and its result
 * are in memory (a file is one frame, unless it was written in parts).
 */
export async function* zstdChunks(file: RandomAccess, options: ZipOptions): AsyncGenerator<Uint8Array> {
  const { signal, ...limits } = options;
  let size = 0;
  try {
    const chunks = zstdStream?.(readBlocks(file, 0, file.size)) ?? byFrames(file, options);
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      size += chunk.length;
      checkGrowth("zstd", size, file.size, limits);
      yield chunk;
    }
  } catch (cause) {
    if (!(cause instanceof Error) || (cause as NodeJS.ErrnoException).code?.startsWith("ZSTD_") !== true) throw cause;
    throw damaged(cause);
  }
}

const damaged = (cause?: unknown): DataError =>
  new DataError("The zstd data is damaged or incomplete.", {
    code: "BadZstd",
    hint: "Download or copy the file again.",
    cause,
  });

/** Decodes frame by frame, in WebAssembly. */
async function* byFrames(file: RandomAccess, limits: ZipOptions): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(file.size);
  await file.read(bytes, 0);
  for (let at = 0; at < bytes.length; ) {
    const frame = frameAt(bytes, at);
    if (frame === undefined) throw damaged();
    if (frame.most > 0) {
      // The bound of a frame is less than a block for each of its blocks too high.
      checkGrowth("zstd", frame.most - frame.slack, bytes.length, limits);
      const result = decompressed(bytes.subarray(at, frame.end), frame.most);
      if (result === undefined) throw damaged();
      for (let from = 0; from < result.length; from += CHUNK) yield result.subarray(from, from + CHUNK);
    }
    at = frame.end;
  }
}

/** @throws {DataError} BadZstd without memory for the frame */
function decompressed(frame: Uint8Array, most: number): Uint8Array | undefined {
  try {
    return decompressZstd(frame, most);
  } catch (cause) {
    const { message } = cause as Error;
    const hint = "Decompress the file first, for example with unzstd, or use Node 22.15 or newer.";
    throw new DataError(`The zstd data cannot be decompressed: ${message}.`, { code: "BadZstd", hint, cause });
  }
}

interface Frame {
  readonly end: number;
  /** The most bytes of its result, and by how many they may be fewer. */
  readonly most: number;
  readonly slack: number;
}

/** The frame at a position (RFC 8878, 3.1); undefined if it is malformed or incomplete. */
function frameAt(b: Uint8Array, start: number): Frame | undefined {
  const view = new DataView(b.buffer, b.byteOffset, b.length);
  if (start + 8 > b.length) return undefined;
  const magic = view.getUint32(start, true);
  if (magic >>> 4 === SKIPPABLE >>> 4) {
    const end = start + 8 + view.getUint32(start + 4, true);
    return end > b.length ? undefined : { end, most: 0, slack: 0 };
  }
  if (magic !== MAGIC) return undefined;
  const flags = b[start + 4];
  const single = (flags >> 5) & 1;
  const sizeBytes = flags >> 6 === 0 ? single : 1 << (flags >> 6);
  let p = start + 5 + (1 - single) + ((1 << (flags & 3)) >> 1) + sizeBytes;
  let most = 0;
  let slack = 0;
  for (let last = false; !last; ) {
    if (p + 3 > b.length) return undefined;
    const head = b[p] | (b[p + 1] << 8) | (b[p + 2] << 16);
    last = (head & 1) === 1;
    const [type, length] = [(head >> 1) & 3, head >> 3];
    most += type === 2 ? BLOCK : length;
    if (type === 2) slack += BLOCK;
    p += 3 + (type === 1 ? 1 : length);
  }
  const end = p + ((flags & 4) === 0 ? 0 : 4);
  return end > b.length ? undefined : { end, most, slack };
}
