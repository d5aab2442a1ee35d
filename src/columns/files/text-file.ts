import { DataError, reworded } from "../../errors/errors.js";
import { CR, LF } from "../../format/csv.js";
import { packedFile } from "../../format/packed-file.js";
import type { AnyFile } from "../../format/random-access.js";
import type { ZipOptions } from "../../format/zip-entry.js";
import type { RecordBatch } from "../arrow/arrow.js";
import type { OnBytes } from "../arrow/read-options.js";
import { type Chunks, recordBatches, type TextReader } from "../build/text-reader.js";
import { fileBlocks } from "../io/file-blocks.js";
import { type TextEncoding, utf8Chunks } from "../io/text-encoding.js";

/** How the text of a file is stored; compression is detected by the first bytes. */
export interface TextOptions extends ZipOptions {
  /** The encoding; default `utf-8`. */
  readonly encoding?: TextEncoding;
}

/** The batches of a text file. An error in the text has its line. */
export async function* fileBatches(
  source: AnyFile,
  options: TextOptions & OnBytes,
  open: () => Promise<TextReader>,
): AsyncGenerator<RecordBatch> {
  try {
    yield* recordBatches(await open(), textChunks(source, options), options.signal);
  } catch (error) {
    throw await withLine(error, source, options);
  }
}

/** The first pass over a file reports no progress. */
export const quiet = (options: TextOptions & OnBytes): TextOptions => {
  const { onBytes: _, ...rest } = options;
  return rest;
};

/**
 * The text of a file, or of bytes, in UTF-8 and chunks of any size: gzip and zstd are decompressed, other encodings
 * converted. Each chunk is valid until the next one is requested.
 *
 * @throws {FileError}
 * @throws {DataError} BadGzip, GzipBomb, BadZstd, ZstdBomb, BadTextEncoding
 */
export async function* textChunks(source: AnyFile, options: TextOptions & OnBytes): AsyncGenerator<Uint8Array> {
  const { encoding = "utf-8" } = options;
  const packed = await packedFile(source, options);
  const isBytes = source instanceof Uint8Array;
  const plain = isBytes ? (source.length > 0 ? [source] : []) : fileBlocks(source, options);
  const chunks: Chunks = packed?.chunks() ?? plain;
  if (encoding === "utf-8") yield* chunks;
  else yield* utf8Chunks(chunks, encoding);
}

/**
 * An error of reading the text of a file, with the line where it is. The text up to there is read again. In an encoding
 * other than UTF-8, the error loses its offset, which is not one in the file.
 */
export async function withLine(error: unknown, source: AnyFile, options: TextOptions): Promise<unknown> {
  if (!(error instanceof DataError) || error.offset === undefined || error.row === undefined) return error;
  const line = await lineAt(source, options, error.offset).catch(() => undefined);
  if (line === undefined) return error;
  const isConverted = (options.encoding ?? "utf-8") !== "utf-8";
  const place = isConverted ? `line ${line}` : `line ${line}, byte ${error.offset}`;
  const message = error.message.replace(`(byte ${error.offset})`, `(${place})`);
  return reworded(error, message, { line, ...(isConverted && { offset: undefined }) });
}

/** The number of the line, from 1, that contains the byte at an offset of the text. */
async function lineAt(source: AnyFile, options: TextOptions, offset: number): Promise<number> {
  let line = 1;
  let at = 0;
  let before = 0;
  for await (const chunk of textChunks(source, options)) {
    const end = Math.min(chunk.length, offset - at);
    for (let i = 0; i < end; i++) {
      const byte = chunk[i];
      if (byte === CR || (byte === LF && before !== CR)) line++;
      before = byte;
    }
    at += chunk.length;
    if (at >= offset) break;
  }
  return line;
}
