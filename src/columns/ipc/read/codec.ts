import { unsupportedArrow } from "./bad-arrow.js";
import type { FlatTable } from "./flat-table.js";

/** Decompresses one buffer into exactly `size` bytes; throws where it holds more, fewer or none. */
export type BufferCodec = (bytes: Uint8Array, size: number) => Uint8Array;

const COMPRESSION = { codec: 0, method: 1 };

/** The codecs of the format, by number; `decode` where one is read. */
const CODECS: Readonly<Record<number, { readonly name: string; readonly decode?: BufferCodec }>> = {
  0: { name: "LZ4" },
  1: { name: "ZSTD" },
};

/**
 * The codec of a record batch whose buffers are compressed.
 *
 * @throws {DataError} UnsupportedArrow, naming the codec
 */
export function codecOf(compression: FlatTable, where: string): BufferCodec {
  const { at } = compression;
  const number = compression.uint8(COMPRESSION.codec);
  const { name, decode } = CODECS[number] ?? { name: `the unknown codec ${number}` };
  const method = compression.uint8(COMPRESSION.method);
  if (method !== 0) {
    throw unsupportedArrow(`${where} is compressed by method ${method}`, { at }, "Write the data again, uncompressed.");
  }
  if (decode !== undefined) return decode;
  const hint = "Write the data again, uncompressed; in pyarrow: IpcWriteOptions(compression=None).";
  throw unsupportedArrow(`${where} is compressed with ${name}`, { at }, hint);
}
