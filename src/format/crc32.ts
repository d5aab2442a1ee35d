import { crc32 } from "node:zlib";

/**
 * The CRC-32 of all bytes so far and these; `sum` starts at 0. An empty block changes nothing, which node:zlib does not
 * promise: it gives 0 where the block has no memory of its own.
 */
export const addCrc32 = (sum: number, bytes: Uint8Array): number => (bytes.length === 0 ? sum : crc32(bytes, sum));
