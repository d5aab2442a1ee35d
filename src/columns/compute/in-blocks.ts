import { unsafeBytes } from "../build/buffer-pool.js";
import { type ColumnProgram, columnProgram } from "../table/column-program.js";
import { isValid, type Validity } from "./chunks.js";
import type { Units } from "./units.js";

/** Rows of one call of the program, a multiple of 8: its operands stay within the processor's cache. */
const CALL = 2_048;
const BYTES = 16;

/** Some rows of one or two operands, and where their results go: addresses in the program's memory. */
interface Block {
  readonly run: ColumnProgram["run"];
  readonly left: number;
  readonly right: number;
  /** Bytes from one right operand to the next; 0 where one is used for all rows. */
  readonly step: number;
  readonly count: number;
  readonly out: number;
  /** The first row in the chunk. */
  readonly first: number;
}

/** Results of 128 bits, computed block by block in WebAssembly. */
export function inBlocks(a: Units, b: Units, length: number, compute: (block: Block) => void): Int32Array {
  const { run, memory, at: left } = columnProgram();
  const bytes = unsafeBytes(length * BYTES);
  const [right, out] = [left + CALL * BYTES, left + 2 * CALL * BYTES];
  const [leftBytes, rightBytes] = [bytesOf(a.words), bytesOf(b.words)];
  const step = b.step === 0 ? 0 : BYTES;
  if (step === 0) memory.set(rightBytes.subarray(0, BYTES), right);
  for (let first = 0; first < length; first += CALL) {
    const count = Math.min(CALL, length - first);
    const [from, end] = [first * BYTES, (first + count) * BYTES];
    memory.set(leftBytes.subarray(from, end), left);
    if (step !== 0) memory.set(rightBytes.subarray(from, end), right);
    compute({ run, left, right, step, count, out, first });
    bytes.set(memory.subarray(out, out + count * BYTES), from);
  }
  return new Int32Array(bytes.buffer, 0, length * 4);
}

/** For fewer rows, compiling the program costs more. */
export const LEAST_ROWS = 4_096;

/**
 * Results of `bits` bits each for values of fixed width, computed block by block in WebAssembly; the bits beyond the
 * last result are 0.
 */
export function mapBlocks(
  values: ArrayBufferView,
  length: number,
  bits: 1 | 64,
  compute: (block: Pick<Block, "run" | "left" | "count" | "out" | "first">) => void,
): Uint8Array {
  const { run, memory, at: left } = columnProgram();
  const out = left + CALL * BYTES;
  const from = bytesOf(values);
  const width = from.length / length;
  const results = unsafeBytes(Math.ceil((length * bits) / 8));
  for (let first = 0; first < length; first += CALL) {
    const count = Math.min(CALL, length - first);
    memory.set(from.subarray(first * width, (first + count) * width), left);
    compute({ run, left, count, out, first });
    results.set(memory.subarray(out, out + Math.ceil((count * bits) / 8)), (first * bits) / 8);
  }
  if (bits === 1 && (length & 7) !== 0) results[results.length - 1] &= (1 << (length & 7)) - 1;
  return results;
}

/**
 * As {@link inBlocks}, by a program that returns how many results it made before operands that it does not hold: also
 * the rows of those, for which the result is left to the caller. Rows without a value are 0.
 */
export function inBlocksUntil(
  a: Units,
  b: Units,
  { length, valid }: { readonly length: number; readonly valid: Validity },
  program: (block: Block) => number,
): { readonly words: Int32Array; readonly beyond: readonly number[] } {
  const beyond: number[] = [];
  const words = inBlocks(a, b, length, ({ left, right, step, count, out, first, run }) => {
    for (let i = 0; i < count; i++) {
      const [at, otherAt, outAt] = [left + i * BYTES, right + i * step, out + i * BYTES];
      i += program({ run, left: at, right: otherAt, step, count: count - i, out: outAt, first: first + i });
      if (i < count && isValid(valid, first + i)) beyond.push(first + i);
    }
  });
  clearNulls(words, valid, length);
  return { words, beyond };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Writes 0 to the rows that hold no value. */
export function clearNulls(words: Int32Array, valid: Validity, length: number): void {
  if (valid !== undefined) for (let i = 0; i < length; i++) if (!isValid(valid, i)) words.fill(0, i * 4, i * 4 + 4);
}
