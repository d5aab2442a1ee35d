import { binary } from "../wasm/block-codecs.wasm";
import { DecoderProgram } from "../wasm/compiled-module.js";

/**
 * Compressions of a block whose uncompressed length is known. `lz4` is the block format without a frame, `lz4Frame` any
 * number of frames.
 */
export type BlockCodec = "snappy" | "lz4" | "lz4Frame";

type Decompress = (from: number, end: number, out: number, stop: number) => number;

/** What src/wasm/block-codecs.ts exports; its comments say what each does. */
type CodecProgram = Readonly<Record<BlockCodec, Decompress>> & {
  packSnappy(from: number, end: number, out: number): number;
};

/** Bytes of the result for each byte of a block, at most: what the formats can express. */
const MOST_RATIO: Readonly<Record<BlockCodec, number>> = { snappy: 24, lz4: 256, lz4Frame: 256 };

const program = new DecoderProgram<CodecProgram>(binary);

/**
 * Decompresses a block in WebAssembly.
 *
 * @param length bytes of the result
 * @returns undefined where the block is damaged or has another length
 * @throws {RangeError} where there is no memory for it
 */
export function decompressBlock(codec: BlockCodec, bytes: Uint8Array, length: number): Uint8Array | undefined {
  if (length > bytes.length * MOST_RATIO[codec]) return undefined;
  const { run, memory, from, end, out } = program.place(bytes, length);
  return run[codec](from, end, out, out + length) ? memory.slice(out, out + length) : undefined;
}

/** Compresses a block by Snappy, in WebAssembly. @throws {RangeError} where there is no memory for it */
export function compressSnappy(bytes: Uint8Array): Uint8Array {
  // Literals grow by a sixth at most; their lengths are written four bytes at a time.
  const { run, memory, from, end, out } = program.place(bytes, 32 + bytes.length + Math.ceil(bytes.length / 6));
  return memory.slice(out, run.packSnappy(from, end, out) >>> 0);
}
