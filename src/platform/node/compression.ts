import { pipeline, Readable, type Transform } from "node:stream";
import zlib, { brotliDecompressSync, createBrotliDecompress, createGunzip, createGzip, createInflate } from "node:zlib";

/**
 * Bytes decoded at a time: with zlib's default of 16 KB, a page of a table takes over fifty turns of its thread pool.
 */
const CHUNK = { chunkSize: 65_536 };

const DECODERS = {
  gzip: () => createGunzip(CHUNK),
  deflate: () => createInflate(CHUNK),
  br: () => createBrotliDecompress(CHUNK),
};

/** The body through a decoder; an error of the body becomes that of the decoder. */
export const decodedStream = (
  body: AsyncIterable<Uint8Array>,
  coding: keyof typeof DECODERS,
): AsyncIterable<Uint8Array> => pipeline(body, DECODERS[coding](), () => undefined);

/** The blocks, compressed by gzip. */
export const gzipStream = (blocks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(blocks, createGzip(), () => undefined);

/** The bytes of a block compressed by Brotli. Throws for more than `most`. */
export const brotliBytes: ((bytes: Uint8Array, most: number) => Uint8Array) | undefined = (bytes, most) =>
  brotliDecompressSync(bytes, { maxOutputLength: most });

type Compress = (bytes: Uint8Array) => Uint8Array;
type Decompress = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** Node has zstd from 22.15 on. */
const { zstdCompressSync, zstdDecompressSync, createZstdDecompress } = zlib as {
  zstdCompressSync?: Compress;
  zstdDecompressSync?: Decompress;
  createZstdDecompress?: () => Transform;
};

export const compressZstd: Compress | undefined = zstdCompressSync && ((bytes) => zstdCompressSync(bytes));
export const zstdBytes: Decompress | undefined = zstdDecompressSync;
/** Zstandard data in chunks; its errors have codes that begin with `ZSTD_`. */
export const zstdStream = createZstdDecompress && ((blocks: AsyncIterable<Uint8Array>) => zstdChunks(blocks));

async function* zstdChunks(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = (createZstdDecompress as () => Transform)();
  const input = Readable.from(blocks, { objectMode: true, highWaterMark: 1 });
  input.on("error", (error) => decoder.destroy(error));
  input.pipe(decoder);
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } finally {
    decoder.destroy();
    input.destroy();
  }
}
