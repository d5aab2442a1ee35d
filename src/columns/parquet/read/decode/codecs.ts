import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type BlockCodec, decompressBlock } from "../../../../format/block-codecs.js";
import { ParquetFault, UnsupportedParquet } from "../format/fault.js";
import type { Codec } from "../format/types.js";

const BLOCK_CODECS = { SNAPPY: "snappy", LZ4_RAW: "lz4", ZSTD: "zstd" } as const satisfies Partial<
  Record<Codec, BlockCodec>
>;

/**
 * The bytes of a page that was compressed.
 *
 * @param size of the result; a page that has another one is damaged
 * @throws {ParquetFault} UnsupportedParquet
 */
export function decompressed(bytes: Uint8Array, size: number, codec: Codec): Uint8Array {
  if (codec === "UNCOMPRESSED") {
    if (bytes.length !== size) throw new ParquetFault(`a page of ${size} bytes has ${bytes.length}`);
    return bytes;
  }
  // No bytes at all stand for no bytes in some files.
  if (size === 0) return bytes.subarray(0, 0);
  switch (codec) {
    case "SNAPPY":
    case "LZ4_RAW":
    case "ZSTD":
      return block(BLOCK_CODECS[codec], bytes, size) ?? damaged(codec, size);
    case "LZ4":
      return framedLz4(bytes, size) ?? block("lz4", bytes, size) ?? damaged(codec, size);
    case "GZIP":
      return byZlib(gunzipSync, bytes, size) ?? damaged(codec, size);
    case "BROTLI":
      return byZlib(brotliDecompressSync, bytes, size) ?? damaged(codec, size);
    case "LZO":
      throw new UnsupportedParquet("it is compressed by LZO", "Write the file with zstd or Snappy.");
  }
}

function damaged(codec: Codec, size: number): never {
  throw new ParquetFault(`a page compressed by ${codec} is damaged, or does not decompress to ${size} bytes`);
}

function block(codec: BlockCodec, bytes: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return decompressBlock(codec, bytes, size);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ParquetFault(`there is no memory for a page of ${size} bytes`, { cause: error });
  }
}

type Inflate = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

function byZlib(inflate: Inflate, bytes: Uint8Array, size: number): Uint8Array | undefined {
  try {
    const out = inflate(bytes, { maxOutputLength: size });
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
