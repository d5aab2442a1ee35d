import { zstdBytes } from "../platform/node/compression.js";
import { binary } from "../wasm/block-codecs.wasm";
import { DecoderProgram } from "../wasm/compiled-module.js";

/**
 * Compressions of a block whose uncompressed length is known. `lz4` is the block format without a frame, `lz4Frame` any
 * number of frames.
 */
export type BlockCodec = "snappy" | "lz4" | "lz4Frame" | "zstd";

type Decompress = (from: number, end: number, out: number, stop: number) => number;

/** What src/wasm/block-codecs.ts exports; its comments say what each does. */
type CodecProgram = Readonly<Record<BlockCodec | "zstdEnd", Decompress>> & {
  packSnappy(from: number, end: number, out: number): number;
};

/** Bytes of the result for each byte of a block, at most: what the formats can express. */
const MOST_RATIO: Readonly<Record<BlockCodec, number>> = { snappy: 24, lz4: 256, lz4Frame: 256, zstd: 65_536 };

const program = new DecoderProgram<CodecProgram>(binary);

/**
 * Decompresses a block: in WebAssembly, and zstd by Node where it can.
 *
 * @param length bytes of the result
 * @returns undefined where the block is damaged or has another length
 * @throws {RangeError} where there is no memory for it
 */
export function decompressBlock(codec: BlockCodec, bytes: Uint8Array, length: number): Uint8Array | undefined {
  if (length > bytes.length * MOST_RATIO[codec]) return undefined;
  if (codec === "zstd" && zstdBytes !== undefined) return byNode(zstdBytes, bytes, length);
  const { run, memory, from, end, out } = program.place(bytes, length);
  return run[codec](from, end, out, out + length) ? memory.slice(out, out + length) : undefined;
}

/**
 * Decompresses zstd frames of which only the most bytes of the result are known, in WebAssembly.
 *
 * @returns undefined where the frames are damaged or grow beyond `most`
 * @throws {RangeError} where there is no memory for it
 */
export function decompressZstd(bytes: Uint8Array, most: number): Uint8Array | undefined {
  const { run, memory, from, end, out } = program.place(bytes, most);
  const stop = run.zstdEnd(from, end, out, out + most) >>> 0;
  return stop === 0 ? undefined : memory.slice(out, stop);
}

/** Compresses a block by Snappy, in WebAssembly. @throws {RangeError} where there is no memory for it */
export function compressSnappy(bytes: Uint8Array): Uint8Array {
  // Literals grow by a sixth at most; their lengths are written four bytes at a time.
  const { run, memory, from, end, out } = program.place(bytes, 32 + bytes.length + Math.ceil(bytes.length / 6));
  return memory.slice(out, run.packSnappy(from, end, out) >>> 0);
}

function byNode(decompress: NonNullable<typeof zstdBytes>, bytes: Uint8Array, length: number): Uint8Array | undefined {
  try {
    // A limit of 0 is not one.
    const out = decompress(bytes, { maxOutputLength: Math.max(1, length) });
    return out.length === length ? out : undefined;
  } catch (error) {
    if (error instanceof Error && typeof (error as NodeJS.ErrnoException).code === "string") return undefined;
    throw error;
  }
}
