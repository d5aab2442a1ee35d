import { DataError } from "../errors/errors.js";
import { crc32 } from "../platform/node/bytes.js";
import { addCrc32, readBlocks } from "./blocks.js";
import { Inflater } from "./inflater.js";
import type { RandomAccess } from "./random-access.js";
import { checkGrowth, type ZipOptions } from "./zip-entry.js";

/** Limit of the header: its file name and comment have no declared length. */
const LONGEST_HEADER = 1 << 16;
/** Bytes of a chunk that its receiver keeps. */
const SHORT_CHUNK = 1 << 16;
const TRUNCATED = "unexpected end of file";
/** CRC-32 and length after each member. */
const TRAILER = 8;
/** Flags of the header (RFC 1952, 2.3.1). */
const HEADER_SUM = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const RESERVED = 0xe0;

/**
 * The contents of gzip data (RFC 1952) in chunks of at most 1 MB. As in gzip itself, several members may follow one
 * another, and zeros may follow the last one.
 */
export async function* gzipChunks(file: RandomAccess, { signal, ...limits }: ZipOptions): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const inflater = Inflater.take();
  let bytesRead = 0;
  async function* blocks(): AsyncGenerator<Uint8Array> {
    for await (const block of readBlocks(file, 0, file.size)) {
      bytesRead += block.length;
      yield block;
    }
  }
  let size = 0;
  try {
    for await (const chunk of members(inflater, blocks())) {
      size += chunk.length;
      checkGrowth("gzip", size, bytesRead, limits);
      yield chunk;
      signal?.throwIfAborted();
    }
  } catch (cause) {
    throw signal?.aborted && cause === signal.reason ? cause : asDataError(cause);
  } finally {
    inflater.release();
  }
}

/**
 * Converts errors of the decoder to DataError; returns this package's errors and those of the file system unchanged.
 */
function asDataError(cause: unknown): unknown {
  if (!(cause instanceof Error) || (cause.constructor !== Error && cause.constructor !== RangeError)) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== undefined && !code.startsWith("Z_")) return cause;
  const hint = "Download or copy the file again.";
  return new DataError(`The gzip data is damaged: ${cause.message}.`, { code: "BadGzip", hint, cause });
}

async function* members(inflater: Inflater, blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const contents = new Members(inflater);
  for await (const block of blocks) yield* contents.push(block);
  contents.end();
}

/** The contents of gzip data in chunks, each valid until the next one. Throws an Error with zlib's messages. */
export function* gunzippedHere(bytes: Uint8Array): Generator<Uint8Array> {
  const inflater = Inflater.take();
  try {
    const contents = new Members(inflater);
    yield* contents.push(bytes);
    contents.end();
  } finally {
    inflater.release();
  }
}

/** Reads all members. Throws an Error with zlib's messages. */
class Members {
  /** Bytes of headers and trailers, which may be split at any position. */
  private held = new Uint8Array(0);
  private state: "header" | "data" | "trailer" | "padding" = "header";
  private sum = 0;
  private length = 0;
  private pushed = 0;
  private isFirst = true;

  constructor(private readonly inflater: Inflater) {}

  /** The contents of the next bytes. */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    const { inflater } = this;
    for (let block = bytes; block.length > 0; ) {
      if (this.state !== "data") {
        block = this.outside(block);
        continue;
      }
      this.pushed += block.length;
      for (const chunk of inflater.push(block)) {
        this.sum = addCrc32(this.sum, chunk);
        this.length += chunk.length;
        yield chunk;
      }
      if (!inflater.ended) return;
      block = block.subarray(block.length - (this.pushed - inflater.consumed));
      this.state = "trailer";
    }
  }

  end(): void {
    const { state, held } = this;
    const complete = state === "padding" || (state === "header" && !this.isFirst && held.length === 0);
    if (!complete) throw new Error(TRUNCATED);
  }

  /** Takes bytes outside of the compressed data; returns those that are in it. */
  private outside(block: Uint8Array): Uint8Array {
    const none = new Uint8Array(0);
    this.held = joined(this.held, block);
    if (this.state === "trailer" && this.held.length >= TRAILER) {
      checkTrailer(this.held, this.sum, this.length);
      this.held = this.held.subarray(TRAILER);
      this.state = "header";
      this.isFirst = false;
    }
    // The last member may be followed by zeros, as on tapes.
    if (this.state === "header" && !this.isFirst && this.held[0] === 0) this.state = "padding";
    if (this.state === "padding") {
      if (this.held.some((byte) => byte !== 0)) throw new Error("other bytes follow the compressed data");
      this.held = none;
    }
    if (this.state !== "header") return none;
    const end = headerEnd(this.held);
    if (end === undefined) {
      if (this.held.length > LONGEST_HEADER) throw new Error("its header is too long");
      return none;
    }
    const data = this.held.subarray(end);
    this.held = none;
    this.inflater.restart();
    this.state = "data";
    this.sum = 0;
    this.length = 0;
    this.pushed = 0;
    return data;
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/**
 * The end of the header at the start of `b`; undefined if it is incomplete. Throws an Error for anything but a header.
 */
function headerEnd(b: Uint8Array): number | undefined {
  const magic = [0x1f, 0x8b];
  if (b.subarray(0, 2).some((byte, i) => byte !== magic[i])) throw new Error("incorrect header check");
  if (b.length < 10) return undefined;
  if (b[2] !== 8) throw new Error("unknown compression method");
  const flags = b[3];
  if ((flags & RESERVED) !== 0) throw new Error("unknown header flags set");
  let at = 10;
  if ((flags & EXTRA) !== 0) at += 2 + (b[at] | (b[at + 1] << 8));
  for (const flag of [NAME, COMMENT]) {
    if ((flags & flag) === 0 || at > b.length) continue;
    const zero = b.indexOf(0, at);
    if (zero < 0) return undefined;
    at = zero + 1;
  }
  if ((flags & HEADER_SUM) !== 0) {
    if (at + 2 > b.length) return undefined;
    if ((crc32(b.subarray(0, at)) & 0xffff) !== (b[at] | (b[at + 1] << 8))) throw new Error("header crc mismatch");
    at += 2;
  }
  return at <= b.length ? at : undefined;
}

function checkTrailer(b: Uint8Array, sum: number, length: number): void {
  const view = new DataView(b.buffer, b.byteOffset, b.length);
  if (view.getUint32(0, true) !== sum) throw new Error("incorrect data check");
  if (view.getUint32(4, true) !== length % 2 ** 32) throw new Error("incorrect length check");
}

/**
 * The contents of gzip data, in chunks of at most 64 KB that stay valid; its errors have zlib's codes. Errors of
 * `blocks` pass unchanged.
 */
export async function* gunzipped(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflater = Inflater.take(SHORT_CHUNK);
  let isOfBlocks = false;
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* blocks;
    } catch (cause) {
      isOfBlocks = true;
      throw cause;
    }
  }
  try {
    for await (const chunk of members(inflater, watched())) yield chunk.slice();
  } catch (cause) {
    if (isOfBlocks || !(cause instanceof Error)) throw cause;
    const code = cause.message === TRUNCATED ? "Z_BUF_ERROR" : "Z_DATA_ERROR";
    throw Object.assign(cause, { code });
  } finally {
    inflater.release();
  }
}
