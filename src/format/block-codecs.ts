import { builtin } from "../package/builtin.js";
import { binary } from "../wasm/block-codecs.wasm";
import { compiledModule, withMemory } from "../wasm/compiled-module.js";
import { plainLz4, plainSnappy } from "./plain-block-codecs.js";

/**
 * Compressions of a block whose uncompressed length is known. `lz4` is the block format without a frame, `lz4Frame` any
 * number of frames.
 */
export type BlockCodec = "snappy" | "lz4" | "lz4Frame" | "zstd";

/** What src/wasm/block-codecs.ts exports; its comments say what each does. */
type CodecProgram = {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  start(): number;
  zstdEnd(from: number, end: number, out: number, stop: number): number;
} & Readonly<Record<BlockCodec, (from: number, end: number, out: number, stop: number) => number>>;

/** Bytes around input and output that the program may touch. */
const MARGIN = 64;
const PAGE = 65_536;
/** Bytes of the result for each byte of a block, at most: what the formats can express. */
const MOST_RATIO: Readonly<Record<BlockCodec, number>> = { snappy: 24, lz4: 256, lz4Frame: 256, zstd: 65_536 };
/** A program that has more memory than this is not kept: its memory never shrinks. */
const MOST_KEPT = 67_108_864;

let compiled: WebAssembly.Module | null | undefined;
let kept: CodecProgram | undefined;

type NodeZstd = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;
/** Node has it from 22.15 on. */
const nodeZstd = (): NodeZstd | undefined =>
  (builtin("node:zlib") as { zstdDecompressSync?: NodeZstd }).zstdDecompressSync;

/**
 * Decompresses a block: in WebAssembly, zstd by Node where it can, and Snappy and LZ4 in JavaScript where WebAssembly
 * is missing.
 *
 * @param length bytes of the result
 * @returns undefined where the block is damaged or has another length
 * @throws {RangeError} where there is no memory for it; Error for zstd without Node's support and without WebAssembly,
 *   and for LZ4 frames without WebAssembly
 */
export function decompressBlock(codec: BlockCodec, bytes: Uint8Array, length: number): Uint8Array | undefined {
  if (length > bytes.length * MOST_RATIO[codec]) return undefined;
  const zstd = codec === "zstd" ? nodeZstd() : undefined;
  if (zstd !== undefined) return byNode(zstd, bytes, length);
  if (compiled === undefined) compiled = compiledModule(binary);
  const program = kept ?? withMemory(() => compiled && instance(compiled));
  if (program) return byProgram(program, codec, bytes, length);
  if (codec === "zstd") throw new Error("zstd needs WebAssembly, or Node 22.15 or newer");
  if (codec === "lz4Frame") throw new Error("LZ4 frames need WebAssembly");
  return codec === "snappy" ? plainSnappy(bytes, length) : plainLz4(bytes, length);
}

/**
 * Decompresses zstd frames of which only the most bytes of the result are known, in WebAssembly.
 *
 * @returns undefined where the frames are damaged or grow beyond `most`
 * @throws {RangeError} where there is no memory for it; Error without WebAssembly
 */
export function decompressZstd(bytes: Uint8Array, most: number): Uint8Array | undefined {
  if (compiled === undefined) compiled = compiledModule(binary);
  const program = kept ?? withMemory(() => compiled && instance(compiled));
  if (!program) throw new Error("zstd needs WebAssembly, or Node 22.15 or newer");
  const { from, out, held } = laidOut(program, bytes, most);
  const end = program.zstdEnd(from, from + bytes.length, out, out + most);
  return end === 0 ? undefined : held.slice(out, end);
}

const instance = (module: WebAssembly.Module): CodecProgram =>
  new WebAssembly.Instance(module).exports as unknown as CodecProgram;

function byProgram(
  program: CodecProgram,
  codec: BlockCodec,
  bytes: Uint8Array,
  length: number,
): Uint8Array | undefined {
  const { from, out, held } = laidOut(program, bytes, length);
  const sound = program[codec](from, from + bytes.length, out, out + length);
  return sound ? held.slice(out, out + length) : undefined;
}

/** Makes room for a result of `length` bytes in the program's memory and copies the input to it. */
function laidOut(program: CodecProgram, bytes: Uint8Array, length: number) {
  const { memory } = program;
  const from = aligned(program.start()) + MARGIN;
  const out = aligned(from + bytes.length + MARGIN);
  const missing = out + length + MARGIN - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
  kept = memory.buffer.byteLength <= MOST_KEPT ? program : undefined;
  const held = new Uint8Array(memory.buffer);
  held.set(bytes, from);
  return { from, out, held };
}

const aligned = (address: number): number => Math.ceil(address / 64) * 64;

function byNode(decompress: NodeZstd, bytes: Uint8Array, length: number): Uint8Array | undefined {
  try {
    // A limit of 0 is not one.
    const out = decompress(bytes, { maxOutputLength: Math.max(1, length) });
    return out.length === length ? out : undefined;
  } catch (error) {
    if (error instanceof Error && typeof (error as NodeJS.ErrnoException).code === "string") return undefined;
    throw error;
  }
}
