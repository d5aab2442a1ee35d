import { zstdBytes } from "../platform/node/compression.js";
import { DecoderProgram } from "../wasm/compiled-module.js";
import { binary } from "../wasm/zstd.wasm";

/** What src/wasm/zstd.ts exports; its comments say what each does. */
interface ZstdProgram {
  zstd(from: number, end: number, out: number, stop: number): number;
  zstdEnd(from: number, end: number, out: number, stop: number): number;
}

/** Bytes of the result for each byte of a block, at most: what the format can express. */
const MOST_RATIO = 65_536;

const program = new DecoderProgram<ZstdProgram>(binary);

/**
 * Decompresses zstd frames: by Node where it can, else in WebAssembly.
 *
 * @param length bytes of the result
 * @returns undefined where the frames are damaged or their result has another length
 * @throws {RangeError} where there is no memory for it
 */
export function decompressZstdBlock(bytes: Uint8Array, length: number): Uint8Array | undefined {
  if (length > bytes.length * MOST_RATIO) return undefined;
  if (zstdBytes !== undefined) return byNode(zstdBytes, bytes, length);
  const { run, memory, from, end, out } = program.place(bytes, length);
  return run.zstd(from, end, out, out + length) ? memory.slice(out, out + length) : undefined;
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
