import { gzipFile } from "../../format/gzip.js";
import type { ZipOptions } from "../../format/zip-entry.js";
import { zstdFile } from "../../format/zstd.js";
import type { OnBytes } from "../arrow/read-options.js";
import { fileBlocks } from "../io/file-blocks.js";
import { type TextEncoding, utf8Chunks } from "../io/text-encoding.js";

/** How the text of a file is stored; compression is detected by the first bytes. */
export interface TextOptions extends ZipOptions {
  /** The encoding; default `utf-8`. */
  readonly encoding?: TextEncoding;
}

/**
 * The text of a file, or of bytes, in UTF-8 and chunks of any size: gzip and zstd are decompressed, other encodings
 * converted. Each chunk is valid until the next one is requested.
 *
 * @throws {FileError}
 * @throws {DataError} BadGzip, GzipBomb, BadZstd, ZstdBomb, BadTextEncoding
 */
export async function* textChunks(
  source: string | Uint8Array,
  options: TextOptions & OnBytes = {},
): AsyncGenerator<Uint8Array> {
  const { encoding = "utf-8" } = options;
  const chunks = await storedChunks(source, options);
  if (encoding === "utf-8") yield* chunks;
  else yield* utf8Chunks(chunks, encoding);
}

async function storedChunks(source: string | Uint8Array, options: TextOptions & OnBytes) {
  const packed = (await gzipFile(source, options)) ?? (await zstdFile(source, options));
  if (packed !== undefined) return packed.chunks();
  return typeof source === "string" ? fileBlocks(source, options) : oneChunk(source);
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
