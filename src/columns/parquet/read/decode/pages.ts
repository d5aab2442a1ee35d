import { type BlockCodec, decompressBlock } from "../../../../format/block-codecs.js";
import { crc32 } from "../../../../platform/node/bytes.js";
import { brotliBytes } from "../../../../platform/node/compression.js";
import { ParquetFault, UnsupportedParquet } from "../format/fault.js";
import { type PageHeader, readPageHeader } from "../format/page-header.js";
import type { Codec, Encoding, Leaf, PageRange } from "../format/types.js";
import { decodeLevels, packedBytes } from "./levels.js";
import { decodeValues, type Values, type Wanted } from "./values.js";

type Gzip = typeof import("../../../../format/gzip.js");
type Zstd = typeof import("../../../../format/zstd-blocks.js");

export interface Page {
  /** Values and nulls. */
  readonly slots: number;
  /** Level of each slot; undefined where all are defined, and where none continues a list. */
  readonly definitions: Int32Array | undefined;
  readonly repetitions: Int32Array | undefined;
  /** The values that are there. Integers are valid until the next page of any leaf of any file is decoded. */
  readonly values: Values;
}

/** Gives the bytes of a file from `start` on: at least `length`, and more if they are available. */
export type ReadBytes = (start: number, length: number) => Promise<Uint8Array>;

/** Bytes that a page's header is looked for in; it is longer where it has statistics of long texts. */
const HEADER = 256;

/** Loaded for the first pages that need them: a web page has the fewest bytes without them. */
let gzip: Gzip | undefined;
let zstd: Zstd | undefined;

/** Reads the pages of a leaf in a row group, one after the other, and checks them against their headers. */
export class PageReader {
  private at: number;
  private left: number;
  private dictionary: Values | undefined;

  constructor(
    private readonly read: ReadBytes,
    private readonly chunk: PageRange,
    private readonly leaf: Leaf,
    private readonly wanted: Wanted,
  ) {
    this.at = chunk.start;
    this.left = chunk.values;
  }

  /**
   * Passes the next page with values to `use`, which copies what it keeps: another read may decode a page before this
   * call has ended. False when all pages have been read.
   *
   * @throws {ParquetFault}
   */
  async next(use: (page: Page) => void): Promise<boolean> {
    if (this.chunk.codec === "GZIP") gzip ??= await import("../../../../format/gzip.js");
    else if (this.chunk.codec === "ZSTD") zstd ??= await import("../../../../format/zstd-blocks.js");
    while (this.left > 0) {
      const [header, stored] = await this.nextPage();
      if (header.kind === "other") continue;
      if (header.kind === "dictionary") {
        this.readDictionary(header, stored);
        continue;
      }
      if (header.values > this.left) throw new ParquetFault("its pages hold more values than it has rows");
      this.left -= header.values;
      if (header.values === 0) continue;
      use(this.page(header, stored));
      return true;
    }
    return false;
  }

  private async nextPage(): Promise<[PageHeader, Uint8Array]> {
    const { at } = this;
    const room = this.chunk.end - at;
    if (room <= 0) throw new ParquetFault("its pages hold fewer values than it has rows");
    let bytes = await this.read(at, Math.min(room, HEADER));
    let header: PageHeader | undefined;
    while (header === undefined) {
      try {
        header = readPageHeader(bytes, 0, room);
      } catch (error) {
        // The header may be longer than the available bytes.
        if (!(error instanceof ParquetFault) || bytes.length >= room) throw error;
        bytes = await this.read(at, Math.min(room, bytes.length * 16));
      }
    }
    const end = header.length + header.stored;
    if (bytes.length < end) bytes = await this.read(at, end);
    this.wanted.grow?.(header.size);
    this.at += end;
    const stored = bytes.subarray(header.length, end);
    if (header.crc !== undefined && crc32(stored) !== header.crc >>> 0)
      throw new ParquetFault("the checksum of a page is wrong");
    return [header, stored];
  }

  private readDictionary({ encoding, size, values }: PageHeader, stored: Uint8Array): void {
    if (encoding !== "PLAIN" && encoding !== "PLAIN_DICTIONARY")
      throw new ParquetFault(`a dictionary has the encoding ${encoding}`);
    const bytes = decompressed(stored, size, this.chunk.codec);
    this.dictionary = kept(decodeValues(bytes, { encoding: "PLAIN", count: values }, this.leaf, this.wanted));
  }

  private page(header: PageHeader, stored: Uint8Array): Page {
    const { codec } = this.chunk;
    const { values: slots } = header;
    const levels =
      header.kind === "data2"
        ? this.levels2(header, stored)
        : this.levels1(header, decompressed(stored, header.size, codec));
    const { definitions, repetitions, rest } = levels;
    let count = slots;
    if (definitions !== undefined) {
      const { maxDefinition } = this.leaf;
      count = 0;
      for (const level of definitions) if (level === maxDefinition) count++;
    }
    if (this.leaf.meaning.kind === "null" && count > 0) throw new ParquetFault("a column of nulls has values");
    if (header.kind === "data2") checkCounts(header, this.leaf, levels, count);
    const bytes =
      header.kind === "data2" && header.compressed
        ? decompressed(rest, header.size - stored.length + rest.length, codec)
        : rest;
    const values =
      count === 0
        ? NONE
        : decodeValues(
            bytes,
            { encoding: header.encoding, count, dictionary: this.dictionary },
            this.leaf,
            this.wanted,
          );
    return { slots, definitions, repetitions, values };
  }

  /** Of version 1: levels before the values, each behind its length, all compressed together. */
  private levels1({ levelEncodings, values }: PageHeader, bytes: Uint8Array): Levels {
    let rest = bytes;
    const next = (most: number, encoding: Encoding): Int32Array | undefined => {
      if (most === 0) return undefined;
      let length = packedBytes(most, values);
      if (encoding === "RLE") {
        if (rest.length < 4) throw new ParquetFault("a page ends early");
        length = new DataView(rest.buffer, rest.byteOffset).getUint32(0, true);
        rest = rest.subarray(4);
      }
      if (length > rest.length) throw new ParquetFault("a page ends early");
      const levels = decodeLevels(rest.subarray(0, length), encoding, most, values);
      rest = rest.subarray(length);
      return levels;
    };
    const repetitions = next(this.leaf.maxRepetition, levelEncodings[1]);
    const definitions = next(this.leaf.maxDefinition, levelEncodings[0]);
    return { definitions, repetitions, rest };
  }

  /** Of version 2: levels before the values, never compressed. */
  private levels2({ definitionBytes, repetitionBytes, values }: PageHeader, stored: Uint8Array): Levels {
    const next = (start: number, length: number, most: number): Int32Array | undefined =>
      most === 0 ? undefined : decodeLevels(stored.subarray(start, start + length), "RLE", most, values);
    const repetitions = next(0, repetitionBytes, this.leaf.maxRepetition);
    const definitions = next(repetitionBytes, definitionBytes, this.leaf.maxDefinition);
    return { definitions, repetitions, rest: stored.subarray(repetitionBytes + definitionBytes) };
  }
}

interface Levels {
  readonly definitions: Int32Array | undefined;
  readonly repetitions: Int32Array | undefined;
  /** The values, compressed in version 2. */
  readonly rest: Uint8Array;
}

/**
 * Compares what the header of a page says of its rows and nulls with its levels. Inside a list, some writers count
 * lists without values as nulls and others do not.
 */
function checkCounts(header: PageHeader, leaf: Leaf, { definitions, repetitions }: Levels, present: number): void {
  const { values, nulls = 0, rows } = header;
  let begun = values;
  for (const level of repetitions ?? []) if (level > 0) begun--;
  if (rows !== begun) throw new ParquetFault(`the header of a page says ${rows} rows, its levels ${begun}`);
  const most = values - present;
  let least = most;
  if (leaf.maxRepetition > 0) {
    least = 0;
    for (const level of definitions ?? []) if (leaf.isOptional && level === leaf.maxDefinition - 1) least++;
  }
  if (nulls < least || nulls > most) {
    throw new ParquetFault(`the header of a page says ${nulls} nulls, its levels ${most}`);
  }
}

const NONE: Values = { kind: "words", words: new Int32Array(0), stride: 1 };

/** The values of a dictionary in memory of their own. */
const kept = (values: Values): Values =>
  values.kind === "words" ? { ...values, words: values.words.slice() } : values;

/**
 * The bytes of a page that was compressed.
 *
 * @param size of the result; a page that has another one is damaged
 * @throws {ParquetFault} UnsupportedParquet
 */
function decompressed(bytes: Uint8Array, size: number, codec: Codec): Uint8Array {
  if (codec === "UNCOMPRESSED") {
    if (bytes.length !== size) throw new ParquetFault(`a page of ${size} bytes has ${bytes.length}`);
    return bytes;
  }
  // No bytes at all stand for no bytes in some files.
  if (size === 0) return bytes.subarray(0, 0);
  switch (codec) {
    case "SNAPPY":
      return block("snappy", bytes, size) ?? damaged(codec, size);
    case "LZ4_RAW":
      return block("lz4", bytes, size) ?? damaged(codec, size);
    case "ZSTD":
      return block("zstd", bytes, size) ?? damaged(codec, size);
    case "LZ4":
      return framedLz4(bytes, size) ?? block("lz4", bytes, size) ?? damaged(codec, size);
    case "GZIP":
      return gunzipped(gzip as Gzip, bytes, size) ?? damaged(codec, size);
    case "BROTLI":
      return unbrotlied(bytes, size) ?? damaged(codec, size);
    case "LZO":
      throw new UnsupportedParquet("it is compressed by LZO", "Write the file with zstd or Snappy.");
  }
}

function damaged(codec: Codec, size: number): never {
  throw new ParquetFault(`a page compressed by ${codec} is damaged, or does not decompress to ${size} bytes`);
}

function block(codec: BlockCodec | "zstd", bytes: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return codec === "zstd" ? (zstd as Zstd).decompressZstdBlock(bytes, size) : decompressBlock(codec, bytes, size);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ParquetFault(`there is no memory for a page of ${size} bytes`, { cause: error });
  }
}

function gunzipped({ gunzippedHere }: Gzip, bytes: Uint8Array, size: number): Uint8Array | undefined {
  const out = new Uint8Array(size);
  let at = 0;
  try {
    for (const chunk of gunzippedHere(bytes)) {
      if (at + chunk.length > size) return undefined;
      out.set(chunk, at);
      at += chunk.length;
    }
  } catch {
    return undefined;
  }
  return at === size ? out : undefined;
}

/** @throws {ParquetFault} UnsupportedParquet in a page, which has no Brotli */
function unbrotlied(bytes: Uint8Array, size: number): Uint8Array | undefined {
  if (brotliBytes === undefined) {
    throw new UnsupportedParquet(
      "it is compressed by Brotli, which a page cannot read",
      "Write the file with zstd or Snappy.",
    );
  }
  try {
    const out = brotliBytes(bytes, size);
    return out.length === size ? new Uint8Array(out.buffer, out.byteOffset, size) : undefined;
  } catch {
    return undefined;
  }
}

/** The older LZ4 of Hadoop: blocks, each behind the length of its result and its own, highest byte first. */
function framedLz4(bytes: Uint8Array, size: number): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const out = new Uint8Array(Math.min(size, bytes.length * 256));
  if (out.length !== size) return undefined;
  let at = 0;
  let to = 0;
  while (at < bytes.length) {
    if (bytes.length - at < 8) return undefined;
    const [length, stored] = [view.getUint32(at), view.getUint32(at + 4)];
    at += 8;
    if (stored > bytes.length - at || length > size - to) return undefined;
    const part = block("lz4", bytes.subarray(at, at + stored), length);
    if (part === undefined) return undefined;
    out.set(part, to);
    at += stored;
    to += length;
  }
  return to === size ? out : undefined;
}
