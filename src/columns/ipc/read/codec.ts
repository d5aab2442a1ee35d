import { type BlockCodec, decompressBlock } from "../../../format/block-codecs.js";
import { unsupportedArrow } from "./bad-arrow.js";
import type { FlatTable } from "./flat-table.js";

/**
 * Decompresses one buffer to exactly `size` bytes.
 *
 * @throws {Error} if the buffer is corrupt or declares another size
 * @throws {DataError} UnsupportedArrow if the result is too large, or the codec is not available here
 */
export type BufferCodec = (bytes: Uint8Array, size: number) => Uint8Array;

const COMPRESSION = { codec: 0, method: 1 };

/** The codecs of the format by number. */
const CODECS: Readonly<Record<number, { readonly name: string; readonly codec: BlockCodec }>> = {
  0: { name: "LZ4", codec: "lz4Frame" },
  1: { name: "ZSTD", codec: "zstd" },
};

/** The largest decompressed buffer: what 32-bit offsets address. */
const MAX_BYTES = 2 ** 31 - 1;

/**
 * The codec of a compressed record batch.
 *
 * @throws {DataError} UnsupportedArrow, with the name of the codec
 */
export function codecOf(compression: FlatTable, where: string): BufferCodec {
  const { at } = compression;
  const number = compression.uint8(COMPRESSION.codec);
  const method = compression.uint8(COMPRESSION.method);
  const unsupported = (what: string): Error =>
    unsupportedArrow(`${where} is compressed ${what}`, { at }, "Write the data again, uncompressed.");
  if (method !== 0) throw unsupported(`by method ${method}`);
  const known = CODECS[number];
  if (known === undefined) throw unsupported(`with the unknown codec ${number}`);
  return (bytes, size) => {
    if (size < 0) throw new Error(`a size of ${size} bytes`);
    if (size > MAX_BYTES) throw unsupported(`with ${known.name} from a buffer of ${size} bytes`);
    const out = decompressed(known.codec, bytes, size, (reason) => unsupported(`with ${known.name}: ${reason}`));
    if (out === undefined) throw new Error(`not ${known.name} of ${size} bytes`);
    return out;
  };
}

function decompressed(
  codec: BlockCodec,
  bytes: Uint8Array,
  size: number,
  unsupported: (reason: string) => Error,
): Uint8Array | undefined {
  try {
    return decompressBlock(codec, bytes, size);
  } catch (error) {
    throw error instanceof Error ? unsupported(error.message) : error;
  }
}
